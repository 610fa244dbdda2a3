# SPDX-License-Identifier: MIT
"""pyopencl-complex.h: complex numbers of OpenCL C, against NumPy's."""

import json
import os
import pathlib
import re
import sys

import numpy as np
import pyopencl as cl
import pyopencl.elementwise as elementwise
import pyopencl.tools as tools
import pytest
from pyopencl.characterize import has_double_support

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


VALUES = json.loads((pathlib.Path(__file__).parent / "complex_values.json").read_text())["values"]
NAMES = sorted({row[0] for row in VALUES})


def _calls(prefix):
    """A kernel that calls for each element the function of which it is given the place in NAMES."""
    second = {"mul": "b", "divide": "b", "pow": "b", "powr": "b.real", "rdivide": "b", "rpow": "b"}
    cases = ""
    for k, name in enumerate(NAMES):
        first = "a.real" if name in ("rdivide", "rpow") else "a"
        arguments = f"{first}, {second[name]}" if name in second else first
        cases += f"    case {k}: to[i] = {prefix}_{name}({arguments}); break;\n"
    define = "#define PYOPENCL_DEFINE_CDOUBLE\n" if prefix == "cdouble" else ""
    return f"""{define}#include <pyopencl-complex.h>
kernel void called(global const int *which, global const {prefix}_t *x, global const {prefix}_t *y,
                   global {prefix}_t *to) {{
  int i = get_global_id(0);
  {prefix}_t a = x[i], b = y[i];
  switch (which[i]) {{
{cases}  }}
}}"""


def _called(queue, program, names, a, b):
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    which = np.array([NAMES.index(name) for name in names], np.int32)
    inputs = [cl.Buffer(queue.context, flags, hostbuf=array) for array in (which, a, b)]
    values = np.zeros(len(a), a.dtype)
    to = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, values.nbytes)
    cl.Kernel(program, "called")(queue, values.shape, None, *inputs, to)
    cl.enqueue_copy(queue, values, to)
    return values


def test_double_functions_are_exact_to_1e_14(device, queue, build):
    if not has_double_support(device):
        pytest.skip("the device has no double")
    numbers = np.array([row[1:] for row in VALUES]).view(np.complex128)
    a, b, exact = (np.ascontiguousarray(numbers[:, k]) for k in range(3))
    values = _called(queue, build(_calls("cdouble")), [row[0] for row in VALUES], a, b)
    least = np.finfo(np.float64).smallest_subnormal
    for row, value, one in zip(VALUES, values, exact, strict=True):
        # halved, for the size of a number may be no double
        error, size = abs(value / 2 - one / 2), abs(one / 2)
        assert error <= 1e-14 * size + 2 * least, (row, value)
        if row[0] == "log":  # near 1 both parts are exact
            assert abs(value.real - one.real) <= 1e-14 * abs(one.real), (row, value)


def test_single_functions_are_exact_to_four_ulp(queue, build):
    """Against NumPy's doubles of the same single numbers."""
    rows = [row for row in VALUES if max(map(abs, row[1:5])) < 1e38]
    names = [row[0] for row in rows]
    a, b = (
        np.array([complex(row[k], row[k + 1]) for row in rows]).astype(np.complex64) for k in (1, 3)
    )
    values = _called(queue, build(_calls("cfloat")), names, a, b)
    special = {"mul": np.multiply, "divide": np.divide, "rdivide": np.divide}
    info = np.finfo(np.float32)
    compared = 0
    for row, first, second, value in zip(rows, a, b, values, strict=True):
        x, y = np.complex128(first), np.complex128(second)
        x = x.real + 0j if row[0] in ("rdivide", "rpow") else x
        y = y.real + 0j if row[0] == "powr" else y
        with np.errstate(all="ignore"):
            if row[0] in UNARY:
                one = UNARY[row[0]](x)
            else:
                one = special.get(row[0], np.power)(x, y)
        if not abs(one) < info.max or abs(one) < info.tiny:
            continue
        compared += 1
        assert abs(value - one) <= 4 * info.eps * abs(one), (row, first, second, value, one)
    assert compared > 250


def test_devices_without_double_can_read_the_headers():
    """PoCL, which has double, would not say so: of the words."""
    folder = pathlib.Path(treadle.pyopencl.__file__).parent / "cl"
    single, _ = (folder / "pyopencl-complex.h").read_text().split("#if defined(PYOPENCL_DEFINE_")
    texts = [single.split("#define PYOPENCL_COMPLEX_H")[1]]
    texts += [path.read_text() for path in sorted((folder / "pyopencl-random123").iterdir())]
    assert len(texts) == 5
    for text in texts:
        code = re.sub(r"//.*", "", text)
        assert not re.findall(r"\bdouble\d*\b|\b\d+\.\d*(?:e[+-]?\d+)?(?![\def.])", code)


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
