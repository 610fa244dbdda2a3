# SPDX-License-Identifier: MIT
"""nengo-ocl: networks of neurons, simulated by pyopencl, beside nengo's own in NumPy."""

import nengo
import nengo_ocl
import numpy as np
import pytest


@pytest.mark.parametrize("neurons", [nengo.LIF, nengo.RectifiedLinear, nengo.Sigmoid])
def test_simulations_are_those_of_nengo(queue, neurons):
    with nengo.Network(seed=1) as model:
        given = nengo.Node(lambda t: np.sin(20 * t))
        first, second = (nengo.Ensemble(60, 1, neuron_type=neurons()) for _ in range(2))
        nengo.Connection(given, first)
        nengo.Connection(first, second, function=lambda x: x**2)
        probe = nengo.Probe(second, synapse=0.02)
    with nengo.Simulator(model, progress_bar=False) as host:
        host.run(0.1)
    with nengo_ocl.Simulator(model, context=queue.context, progress_bar=False) as device:
        device.run(0.1)
    np.testing.assert_allclose(device.data[probe], host.data[probe], atol=0.02)
