# SPDX-License-Identifier: MIT
"""pyopencl-complex.h: complex numbers of OpenCL C, against NumPy's."""

import os
import pathlib
import sys

import numpy as np
import pyopencl as cl
import pyopencl.elementwise as elementwise
import pyopencl.tools as tools
import pytest

import treadle.pyopencl

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from buffer_arrays import DeviceArray  # noqa: E402

PREFIXES = {"cfloat": np.complex64, "cdouble": np.complex128}
X = np.array([1 + 2j, -3 + 0.5j, 0.25 - 1j, 2, 1j, -0.75 - 0.5j])
Y = np.array([0.5 - 1j, 1 + 1j, -2 + 3j, -0.5, 2j, 3 + 0.125j])
R = np.array([2, -1.5, 0.5, 3, 1, -2])

UNARY = {name: getattr(np, name) for name in "sqrt exp log sin cos tan sinh cosh tanh".split()}
UNARY |= {"neg": np.negative, "conj": np.conj}
REAL = {"real": np.real, "imag": np.imag, "abs": np.abs, "abs_squared": lambda x: abs(x) ** 2}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "divide": np.divide}
BINARY |= {"pow": np.power}
WITH_REAL = {"addr": np.add, "mulr": np.multiply, "divider": np.divide, "powr": np.power}
REAL_WITH = {"radd": np.add, "rmul": np.multiply, "rdivide": np.divide, "rpow": np.power}


def test_the_shipped_header_is_up_to_date(run_python, tmp_path):
    source = os.environ.get("TREADLE_SOURCE_DIR", pathlib.Path(__file__).parents[3])
    generator = pathlib.Path(source, "tools", "generate_complex_header.py")
    result = run_python(
        str(generator), str(tmp_path / "new.h"), PYTHONPATH=os.pathsep.join(sys.path)
    )
    assert result.returncode == 0, result.stderr
    shipped = pathlib.Path(treadle.pyopencl.__file__).parent / "cl" / "pyopencl-complex.h"
    assert (tmp_path / "new.h").read_text() == shipped.read_text(), (
        "run tools/generate_complex_header.py"
    )


def run(queue, prefix, expression, *arrays, result=None):
    """`expression` of x, y ... for each element; computed in a kernel with the header."""
    dtype = np.dtype(PREFIXES[prefix])
    real = dtype.type().real.dtype
    given = [a.astype(dtype if a.dtype.kind == "c" else real) for a in arrays]
    out = DeviceArray(queue, np.zeros(len(X), result or dtype))
    inputs = [DeviceArray(queue, a) for a in given]
    vectors = [tools.VectorArg(out.dtype, "out", with_offset=True)]
    vectors += [
        tools.VectorArg(a.dtype, name, with_offset=True)
        for name, a in zip("xyz", given, strict=False)
    ]
    elementwise.ElementwiseKernel(queue.context, vectors, f"out[i] = {expression}")(out, *inputs)
    return out.get(), given


@pytest.mark.parametrize("prefix", PREFIXES)
def test_functions_give_what_numpy_gives(queue, prefix):
    dtype = np.dtype(PREFIXES[prefix])
    real = dtype.type().real.dtype
    calls = [(f"{name}(x[i])", f, (X,), None) for name, f in UNARY.items()]
    calls += [(f"{name}(x[i])", f, (X,), real) for name, f in REAL.items()]
    calls += [(f"{name}(x[i], y[i])", f, (X, Y), None) for name, f in BINARY.items()]
    calls += [(f"{name}(x[i], y[i])", f, (X, R), None) for name, f in WITH_REAL.items()]
    calls += [(f"{name}(x[i], y[i])", f, (abs(R), X), None) for name, f in REAL_WITH.items()]
    calls += [
        ("fma(x[i], y[i], x[i])", lambda x, y: x * y + x, (X, Y), None),
        ("fromreal(x[i])", lambda r: r + 0j, (R,), None),
        ("new(x[i], y[i])", lambda a, b: a + 1j * b, (R, R[::-1]), None),
    ]
    for call, function, arrays, result in calls:
        out, given = run(queue, prefix, f"{prefix}_{call}", *arrays, result=result)
        tolerance = 2e-6 if prefix == "cfloat" else 1e-13
        np.testing.assert_allclose(
            out, function(*given), rtol=tolerance, atol=tolerance, err_msg=call
        )


def test_numbers_have_parts_and_are_cast(queue):
    out, _ = run(queue, "cdouble", "cdouble_cast(cfloat_cast(x[i]))", X)
    np.testing.assert_array_equal(out, X.astype(np.complex64))
    out, _ = run(queue, "cfloat", "cfloat_new(x[i].imag, x[i].x + x[i].y - x[i].real)", X)
    np.testing.assert_allclose(out, X.imag * (1 + 1j))


def test_programs_find_the_header(build):
    program = build(
        "#include <pyopencl-complex.h>\n"
        "__kernel void k(__global cfloat_t *x) { *x = cfloat_mul(*x, *x); }"
    )
    assert isinstance(cl.Kernel(program, "k"), cl.Kernel)
