# SPDX-License-Identifier: MIT
"""katsdpsigproc: operations of radio astronomy, by pyopencl and by pycuda."""

import numpy as np
import pytest
from katsdpsigproc import accel, fill, percentile, reduce, transpose


@pytest.fixture(params=range(len(accel.all_devices())))
def queue(request):
    with accel.all_devices()[request.param].make_context() as context:
        yield context.create_command_queue()


def run(queue, template, shape, **slots):
    operation = template.instantiate(queue, shape)
    operation.ensure_all_bound()
    for name, values in slots.items():
        operation.buffer(name).set(queue, values)
    return operation


def test_fills(queue):
    template = fill.FillTemplate(queue.context, np.float32, "float", tuning={"wgs": 64})
    operation = run(queue, template, (10, 20))
    operation.set_value(3)
    operation()
    np.testing.assert_array_equal(operation.buffer("data").get(queue), np.full((10, 20), 3))


def test_transposes(queue, rng):
    tuning = {"block": 8, "vtx": 2, "vty": 3}
    template = transpose.TransposeTemplate(queue.context, np.float32, "float", tuning=tuning)
    x = rng.random((53, 7)).astype(np.float32)
    operation = run(queue, template, x.shape, src=x)
    operation()
    np.testing.assert_array_equal(operation.buffer("dest").get(queue), x.T)


def test_reductions(queue, rng):
    x = rng.integers(0, 9, (14, 100)).astype(np.int32)
    template = reduce.HReduceTemplate(
        queue.context, np.int32, "int", "a + b", "0", tuning={"wgsx": 16, "wgsy": 4}
    )
    operation = run(queue, template, x.shape, src=x)
    operation()
    np.testing.assert_array_equal(operation.buffer("dest").get(queue).ravel(), x.sum(axis=1))


def test_percentiles(queue, rng):
    x = rng.random((5, 200)).astype(np.float32)
    template = percentile.Percentile5Template(
        queue.context, max_columns=256, is_amplitude=True, tuning={"size": 64, "wgsy": 2}
    )
    operation = run(queue, template, x.shape, src=x)
    operation()
    out = operation.buffer("dest").get(queue)
    expected = np.percentile(x, [0, 100, 25, 75, 50], axis=1, method="lower")
    np.testing.assert_allclose(out[:2], expected[:2])
