# SPDX-License-Identifier: MIT
"""Functions that are composed of operations are one kernel: nothing is computed or copied before
somebody looks, least of all where an array has the dtype already that a step asks for."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

REALS = ["int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64"]
CREATED = {
    "arange": lambda dtype: tnp.arange(1, 60, 2, dtype=dtype),
    "linspace": lambda dtype: tnp.linspace(0, 9, 50, dtype=dtype),
    "full": lambda dtype: tnp.full(9, 1, dtype=dtype),
}
COMPUTED = {
    "float_power": lambda x: tnp.float_power(x, 1.5),
    "float_power of arrays": lambda x: tnp.float_power(x, x),
    "power": lambda x: x**2,
    "deg2rad": tnp.deg2rad,
    "round": lambda x: tnp.round(x, 1),
    "isclose": lambda x: tnp.isclose(x, x + 1),
    "select": lambda x: tnp.select([x > 1, x > 0], [x, x * 2], x + 1),
    "sinc": tnp.sinc,
    "heaviside": lambda x: tnp.heaviside(x, x),
}


def require_one_kernel(result):
    text = str(result.explain())
    assert "is to be computed by kernel" in text and "was computed before" not in text, text


@pytest.fixture(autouse=True)
def device():
    with treadle.find_device("cpu") as device:
        yield device


@pytest.mark.parametrize("name", CREATED)
def test_new_arrays_are_one_kernel(name):
    for dtype in REALS:
        require_one_kernel(CREATED[name](dtype))


@pytest.mark.parametrize("name", COMPUTED)
def test_composed_functions_are_one_kernel(name):
    for dtype in REALS:
        x = tnp.asarray(np.arange(6).astype(dtype))
        if name != "round" or np.dtype(dtype).kind == "f":
            require_one_kernel(COMPUTED[name](x))
