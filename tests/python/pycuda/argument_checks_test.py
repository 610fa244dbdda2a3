# SPDX-License-Identifier: MIT
"""Arguments that contradict what the kernel's source declares are reported once, with the line that
called; what programs reinterpret on purpose is not."""

import itertools
import re
import warnings

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest

import treadle
from treadle import numpy as tnp

TEXT = """
#include <cuda_fp16.h>
struct Pair { float a, b; };
__global__ void k(float *x, int n) { if (n == 77) x[0] = n; }
__global__ void floats(const float *__restrict__ x, float f) { }
typedef float real;
typedef int count_t;
using index_t = unsigned long long;
__global__ void named(real *x, count_t n, index_t *i, const real *y) { }
__global__ void wide(double *x, long long *y, unsigned int *z) { }
__global__ void free_for_all(char *a, unsigned char *b, void *c, float2 *d, Pair *e, float **f,
                             unsigned short *g, bool *h) { }
"""
LAUNCH = {"block": (1, 1, 1), "grid": (1, 1)}


@pytest.fixture
def module(build):
    return build(TEXT)


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


def array(dtype, count=4):
    return gpuarray.zeros(count, dtype)


CONTRADICTIONS = {
    "float64": (lambda: array(np.float64), "elements are float64.*pointer is to float32"),
    "int32": (lambda: array(np.int32), "elements are int32.*pointer is to float32"),
    "int64": (lambda: array(np.int64), "elements are int64"),
    "in": (lambda: drv.In(np.zeros(4)), "elements are float64"),
    "out": (lambda: drv.Out(np.zeros(4)), "elements are float64"),
    "inout": (lambda: drv.InOut(np.zeros(4, np.int32)), "elements are int32"),
    "strided": (lambda: array(np.float32)[::2], "gaps between its elements"),
    "reversed": (lambda: array(np.float32)[::-1], "gaps|direction"),
    "column": (lambda: array(np.float32, (3, 4))[:, 1], "gaps"),
    "part": (lambda: array(np.float32, (3, 4))[:, :2], "gaps"),
    "native": (lambda: tnp.zeros(4, np.float64), "elements are float64"),
}


def test_names_of_types_are_looked_up(module):
    named = module.get_function("named")
    x, i = array(np.float32), array(np.uint64)
    assert told(lambda: named(x, np.int32(1), i, x, **LAUNCH)) == []
    found = told(lambda: named(array(np.float64), np.float32(1), array(np.float64), i, **LAUNCH))
    assert len(found) == 4 and "are no count_t" in found[1], found
    assert told(lambda: named(i, np.float32(2), array(np.float32), i, **LAUNCH)) == []


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_an_array_of_other_elements_is_reported_once(module, name):
    make, text = CONTRADICTIONS[name]
    kernel = module.get_function("k")
    given = make()
    first = told(lambda: kernel(given, np.int32(1), **LAUNCH))
    assert len(first) == 1 and re.search(text, first[0]), first
    assert "parameter #0" in first[0] and "x' of kernel k" in first[0]
    assert told(lambda: kernel(given, np.int32(1), **LAUNCH)) == []


AGREEING = {
    "float32": lambda: array(np.float32),
    "transposed": lambda: array(np.float32, (3, 4)).T,
    "fortran": lambda: gpuarray.zeros((3, 4), np.float32, order="F"),
    "rows": lambda: array(np.float32, (3, 4))[1:],
    "one": lambda: array(np.float32)[2:3],
    "none": lambda: array(np.float32)[:0],
    "complex": lambda: array(np.complex64),
    "bytes": lambda: array(np.uint8, 64),
    "bools": lambda: array(np.bool_, 64),
    "records": lambda: array(np.dtype([("a", "f4"), ("b", "f4")])),
    "memory": lambda: drv.mem_alloc(16),
    "address": lambda: array(np.float64).gpudata,
    "number": lambda: np.uintp(int(drv.mem_alloc(16))),
    "in": lambda: drv.In(np.zeros(4, np.float32)),
    "in_bytes": lambda: drv.In(np.zeros(16, np.uint8)),
}


@pytest.mark.parametrize("name", AGREEING)
def test_what_agrees_or_is_reinterpreted_on_purpose_is_not_reported(module, name):
    kernel = module.get_function("k")
    given = AGREEING[name]()
    assert told(lambda: kernel(given, np.int32(1), **LAUNCH)) == []


def test_signs_are_not_compared_and_every_pointer_for_itself(module):
    kernel = module.get_function("wide")
    d, q, i = array(np.float64), array(np.uint64), array(np.int32)
    assert told(lambda: kernel(d, q, i, **LAUNCH)) == []
    first = told(lambda: kernel(i, d, q, **LAUNCH))
    assert [text.split("'")[1].split()[-1] for text in first] == ["x", "y", "z"]
    assert told(lambda: kernel(i, d, q, **LAUNCH)) == []


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "c8", "u1", "f2", "u8"])
def test_bytes_vectors_records_and_pointers_take_everything(module, dtype):
    kernel = module.get_function("free_for_all")
    a, half = array(dtype), array(np.float16)
    assert told(lambda: kernel(*[a] * 6, half, a, **LAUNCH)) == []


def test_a_float_for_an_int_is_reported(module):
    x = array(np.float32)
    kernel = module.get_function("k")
    (text,) = told(lambda: kernel(x, np.float32(1), **LAUNCH))
    assert "float32 are no int" in text
    assert told(lambda: kernel(x, np.float32(1), **LAUNCH)) == []
    (text,) = told(lambda: module.get_function("floats")(x, np.int32(1), **LAUNCH))
    assert "int32 are no float" in text
    kernel = module.get_function("k")
    (text,) = told(lambda: kernel.prepare("Pf").prepared_call((1, 1), (1, 1, 1), x.gpudata, 1.0))
    assert "format 'f' are no int" in text


def test_prepared_calls_compare_arrays_too(module):
    kernel = module.get_function("k").prepare("Pi")
    x = array(np.float64)
    (text,) = told(lambda: kernel.prepared_call((1, 1), (1, 1, 1), x, 1))
    assert "float64" in text
    assert told(lambda: kernel.prepared_call((1, 1), (1, 1, 1), x, 1)) == []


STRICT = """
import warnings, numpy as np, treadle, treadle.compat
import pycuda.autoinit, pycuda.driver as drv, pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
k = SourceModule("__global__ void k(float *x, int n) { }").get_function("k")
good = gpuarray.zeros(4, np.float32)
warnings.simplefilter("error")
for x, n in ((gpuarray.zeros(4, np.float64), np.int32(1)), (good, np.float32(1)),
             (good[::2], np.int32(1)), (drv.In(np.zeros(4)), np.int32(1))):
    for _ in range(2):
        try:
            k(x, n, block=(1, 1, 1))
        except treadle.DTypeError as error:
            assert isinstance(error, drv.LogicError), type(error).__mro__
            print("refused", error)
k(good, np.int32(1), block=(1, 1, 1))
"""


def test_strict_makes_errors_of_them(run_python):
    result = run_python("-c", STRICT, TREADLE_STRICT="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("refused parameter #0") == 6
    assert result.stdout.count("refused parameter #1") == 2


DIALECT = """#include <treadle/dialect.h>
TREADLE_KERNEL k(TREADLE_GLOBAL float *x, int n) { if (n == 77) x[0] = n; }
"""


def test_kernels_of_the_native_api_report_arrays_on_every_device():
    for device in treadle.devices():
        kernel = treadle.Program(device, DIALECT).kernel("k")
        if not kernel.parameters or not kernel.parameters[0].type:
            continue  # this run-time does not tell
        with device.make_stream():
            good, bad = tnp.zeros(4, np.float32), tnp.zeros(4, np.float64)

        def launch(x, kernel=kernel):
            return lambda: kernel(x, np.int32(1), groups=1, group_size=1)

        assert told(launch(good)) == []
        (text,) = told(launch(bad))
        assert "argument 0" in text and "float64" in text and "kernel k" in text
        assert told(launch(bad)) == []
        device.default_stream().synchronize()


DRAWN = ["float", "double", "int", "unsigned int", "long long", "short", "unsigned short"]
SIZES = {"float": "f4", "double": "f8", "int": "i4", "unsigned int": "u4"} | {
    "long long": "i8",
    "short": "i2",
    "unsigned short": "u2",
}


def test_every_pair_of_a_declared_and_a_given_type(build):
    text = "".join(
        f"__global__ void k{place}(const {name} *x) {{ }}\n" for place, name in enumerate(DRAWN)
    )
    module = build(text)
    arrays = {
        dtype: array(dtype) for dtype in ("f2", "f4", "f8", "i2", "u2", "i4", "u4", "i8", "u8")
    }
    for (place, name), (dtype, x) in itertools.product(enumerate(DRAWN), arrays.items()):
        kernel = module.get_function(f"k{place}")
        wanted, given = np.dtype(SIZES[name]), np.dtype(dtype)
        agree = wanted.itemsize == given.itemsize and (
            (wanted.kind == "f") == (given.kind == "f") or wanted.itemsize == 2
        )
        assert len(told(lambda k=kernel, x=x: k(x, **LAUNCH))) == (not agree), (name, dtype)
