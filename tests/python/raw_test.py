# SPDX-License-Identifier: MIT
"""treadle.raw: kernels written and called as programs of CuPy have them."""

import numpy as np
import pytest

import treadle
import treadle.numpy as cp
from treadle import raw

CUDA = [d.id for d in treadle.devices() if d.id == "cpu" or d.id.startswith("cuda")]

ADD = r"""
extern "C" __global__ void my_add(const float *x1, const float *x2, float *y, float s, int n) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < n) y[tid] = x1[tid] + s * x2[tid];
}
template <typename T> __global__ void times_three(T *p, unsigned n) {
    unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) p[i] *= 3;
}
extern "C" __global__ void share(int *out) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__constant__ float table[4];
extern "C" __global__ void look(float *out) { out[threadIdx.x] = table[threadIdx.x]; }
"""


@pytest.fixture(params=CUDA, autouse=True)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def expect(ours, theirs):
    assert isinstance(ours, treadle.Array)
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


def test_a_raw_kernel():
    add = raw.RawKernel(ADD, "my_add")
    a = np.arange(25, dtype="f4").reshape(5, 5)
    x, y = cp.array(a), cp.zeros((5, 5), dtype=cp.float32)
    add((5,), (5,), (x, x, y, 2.0, 25))
    expect(y, 3 * a)
    add((1,), (10,), (x, x, y, np.float32(0), np.int32(10)))
    assert add.max_threads_per_block >= 64
    assert set(add.attributes) >= {"num_regs", "shared_size_bytes"}
    share = raw.RawKernel(ADD, "share", options=("--std=c++17",))
    out = cp.zeros(32, "i4")
    share((1, 1, 1), (32, 1, 1), (out,), shared_mem=128)
    expect(out, np.arange(31, -1, -1, dtype="i4"))


def test_a_raw_module(tmp_path):
    names = ["times_three<float>", "times_three<double>"]
    module = raw.RawModule(code=ADD, options=("-std=c++17",), name_expressions=names)
    for name, dtype in zip(names, ("f4", "f8"), strict=True):
        x = cp.arange(10, dtype=dtype)
        module.get_function(name)((1,), (16,), (x, 10))
        expect(x, 3 * np.arange(10, dtype=dtype))
    (tmp_path / "kernels.cu").write_text(ADD)
    module = raw.RawModule(path=str(tmp_path / "kernels.cu"))
    module.get_global("table").copy_from(np.arange(4, dtype="f4"))
    out = cp.empty(4, "f4")
    module.get_function("look")((1,), (4,), (out,))
    expect(out, np.arange(4, dtype="f4"))


def test_an_elementwise_kernel():
    a, b = np.arange(10, dtype="f4").reshape(2, 5), np.arange(5, dtype="f4")
    square = raw.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)")
    expect(square(cp.array(a), cp.array(b)), (a - b) ** 2)
    expect(square(cp.array(a), 5), (a - 5) ** 2)
    z = cp.empty((2, 5), dtype=np.float32)
    assert square(cp.array(a), cp.array(b), z) is z
    expect(z, (a - b) ** 2)
    generic = raw.ElementwiseKernel("T x, T y", "T z", "T diff = x - y; z = diff * diff;", "g")
    for dtype in ("f4", "f8", "i4", "i8", "u1"):
        x = np.arange(7).astype(dtype)
        expect(generic(cp.array(x)[::2], cp.ones(4, dtype)), (x[::2] - x.dtype.type(1)) ** 2)
    two = raw.ElementwiseKernel("X x, Y y", "X s, Y d", "s = x + y; d = x - y", "two")
    s, d = two(cp.array(a), cp.array(b.astype("i4")))
    expect(s, a + b)
    expect(d, (a - b).astype("i4"))
    back = raw.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "back")
    expect(back(cp.array(b), cp.array(b)), b + b[::-1])
    first = raw.ElementwiseKernel("raw T y", "T z", "z = y[i]", "first")
    expect(first(cp.array(b), size=3), b[:3])


def test_a_reduction_kernel():
    a = np.arange(10, dtype="f4").reshape(2, 5)
    norm = raw.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    expect(norm(cp.array(a), axis=1), np.sqrt((a * a).sum(1)))
    expect(norm(cp.array(a), axis=0, keepdims=True), np.sqrt((a * a).sum(0, keepdims=True)))
    np.testing.assert_allclose(float(norm(cp.array(a))), np.sqrt((a * a).sum()), rtol=1e-6)
    most = raw.ReductionKernel("T x, T y", "T z", "x - y", "max(a, b)", "z = a", "-1e30")
    expect(most(cp.array(a), 2, axis=0), (a - 2).max(0))
    mean = raw.ReductionKernel("float32 x", "float64 y", "x", "a + b", "y = a / 5", "0")
    out = cp.empty(2, "f8")
    assert mean(cp.array(a), out=out, axis=1) is out
    expect(out, a.astype("f8").sum(1) / 5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: raw.ElementwiseKernel("float32", "T z", "z = 1"), "'float32' is no type and name"),
        (lambda: raw.ElementwiseKernel("T x", "T y", "y = _ind.get()[0]"), "_ind otherwise"),
        (lambda: raw.ElementwiseKernel("T x", "Z y", "y = x")(cp.ones(2)), "nothing tells type Z"),
        (lambda: raw.ElementwiseKernel("T x", "T y", "y = x")(), "takes 1 or 2 arguments, got 0"),
        (
            lambda: raw.ElementwiseKernel("T x, T y", "T z", "z = x")(cp.ones(2), cp.ones(2, "i4")),
            "type T is float64 and, by argument y, int32",
        ),
        (lambda: raw.ElementwiseKernel("raw T x", "T y", "y = x[i]")(cp.ones(2)), "has no size"),
        (lambda: raw.RawKernel(ADD, "my_add")((1,), (1,), (1,)), "has 5 parameters, args 1"),
        (
            lambda: raw.RawKernel(ADD, "my_add")(
                (1,), (1,), (cp.ones(1, "f4"), cp.ones(1, "f4"), cp.ones(1, "f4"), 1, 2**40)
            ),
            "(n|5)=1099511627776 does not fit 4 bytes",
        ),
        (lambda: raw.RawModule(), "code or path, one of them"),
        (lambda: raw.ReductionKernel("T x", "T y, T z", "x", "a", "y = a", "0"), "one result"),
    ],
)
def test_what_is_wrong_is_named(wrong, words):
    with pytest.raises(treadle.InvalidArgument, match=words):
        wrong()
