# SPDX-License-Identifier: MIT
"""The device headers of kernels/cuda_cpu: what their functions compute, compared with NumPy,
Python's math and exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

vectorize = np.vectorize
UNARY = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: 10.0**x,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "erf": vectorize(math.erf),
    "erfc": vectorize(math.erfc),
    "tgamma": vectorize(math.gamma),
    "lgamma": vectorize(math.lgamma),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "round": lambda x: np.floor(x + 0.5),
    "fabs": np.abs,
    "sinpi": lambda x: np.sin(np.pi * x),
    "cospi": lambda x: np.cos(np.pi * x),
    "logb": lambda x: np.floor(np.log2(x)),
    "normcdf": vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2))),
    "erfcx": vectorize(lambda x: math.exp(x * x) * math.erfc(x)),
}


@pytest.mark.parametrize("ctype, suffix, tolerance", [("float", "f", 4e-6), ("double", "", 1e-13)])
def test_unary_math(device, ctype, suffix, tolerance):
    dtype, count = (np.float32 if suffix else np.float64), 512
    x = np.linspace(0.011, 0.989, count).astype(dtype)
    body = "".join(f"o[{j} * 512 + i] = {name}{suffix}(x[i]);\n" for j, name in enumerate(UNARY))
    parameters = f"{ctype}* o, const {ctype}* x"
    source = f'extern "C" __global__ void k({parameters}) {{ int i = threadIdx.x;\n{body}}}'
    out = device.run(source, count * len(UNARY), dtype, x, block=(count,)).reshape(-1, count)
    worst = {}
    for row, (name, reference) in zip(out, UNARY.items(), strict=True):
        expected = reference(x.astype(np.float64))
        worst[name] = float(np.max(np.abs(row - expected) / np.maximum(np.abs(expected), 1e-2)))
    assert {name: error for name, error in worst.items() if not error < tolerance} == {}


def evaluate(device, expressions, preface="", declarations=""):
    """The values of C expressions, each as a double."""
    stores = "".join(f"o[{i}] = (double)({e});\n" for i, e in enumerate(expressions))
    source = f'{preface}\nextern "C" __global__ void k(double* o) {{ {declarations}\n{stores}}}'
    return device.run(source, len(expressions), np.float64, block=(1,)).tolist()


EXPRESSIONS = {
    "atan2f(1.f, 2.f)": math.atan2(1, 2),
    "powf(2.f, 3.5f)": 2**3.5,
    "pow(2.f, 3)": 8,
    "pow(2, 3)": 8,
    "fmodf(5.5f, 2.f)": 1.5,
    "hypot(3.0, 4.0)": 5,
    "fmaf(2.f, 3.f, 4.f)": 10,
    "min(3, n)": -3,
    "max(3u, 7u)": 7,
    "max(1.f, 2.0)": 2,
    "abs(n)": 3,
    "abs(-2.5f)": 2.5,
    "abs(-5ll)": 5,
    "copysignf(0.5f, -1.f)": -0.5,
    'isnan(nanf(""))': 1,
    "isinf(1.0 / (d - 0.25))": 1,
    "signbit(-1.0)": 1,
    "__expf(1.f)": math.e,
    "__fdividef(1.f, 4.f)": 0.25,
    "__saturatef(3.f)": 1,
    "rsqrt(16.0)": 0.25,
    "ldexpf(1.f, 5)": 32,
    "ilogb(9.0)": 3,
    "exp(1)": math.e,
    "sqrt(9)": 3,
    "fdimf(3.f, 1.f)": 2,
    "lrint(2.5)": 2,
    "lroundf(2.5f)": 3,
    "remainder(5.5, 2.0)": -0.5,
    "norm3d(2., 3., 6.)": 7,
    "j0(1.0)": 0.7651976865579666,
    "y1(2.0)": -0.10703243154093755,
    "erfinv(0.5)": 0.4769362762044699,
    "erfinv(-0.999999)": -3.458910737279500,
    "erfcinv(1e-10)": 4.572824967389486,
    "normcdfinv(0.975)": 1.959963984540054,
    "__popc(0xff00ff)": 16,
    "__popcll(~0ull)": 64,
    "__clz(1)": 31,
    "__clz(0)": 32,
    "__clzll(1)": 63,
    "__ffs(8)": 4,
    "__brev(1u)": 2**31,
    "__mul24(-3, 5)": -15,
    "__mulhi(1 << 30, 8)": 2,
    "__umulhi(1u << 31, 4)": 2,
    "__umul64hi(1ull << 63, 4)": 2,
    "__mul64hi(-(1ll << 62), 8)": -2,
    "__hadd(-3, 4)": 0,
    "__rhadd(3, 4)": 4,
    "__sad(-3, 4, 1u)": 8,
    "__byte_perm(0x33221100, 0x77665544, 0x7531)": 0x77553311,
    "__funnelshift_l(0x80000000, 1, 1)": 3,
    "__funnelshift_r(1, 3, 1)": 0x80000000,
    "__fns(0xb0u, 0, 2)": 5,
    "__dp4a(0x01020304, 0x01010101, 5)": 15,
    "__float_as_int(1.f)": 0x3F800000,
    "__int_as_float(0x40000000)": 2,
    "__double2hiint(1.0)": 0x3FF00000,
    "__hiloint2double(0x3ff00000, 0)": 1,
    "__float2int_rn(2.5f)": 2,
    "__float2int_rz(-2.7f)": -2,
    "__float2int_rd(-2.1f)": -3,
    "__double2ll_ru(2.1)": 3,
    "__uint2float_rz(0xffffffffu)": 2**32 - 2**8,
    "__ll2double_rd((1ll << 53) + 1)": 2**53,
    "__ll2double_ru((1ll << 53) + 1)": 2**53 + 2,
    "__double2float_ru(1.0 + 1e-12)": 1 + 2**-23,
    "std::numeric_limits<float>::max()": float(np.finfo(np.float32).max),
    "std::numeric_limits<int>::digits10": 9,
    "FLT_EPSILON + DBL_MAX * 0 + INT_MAX + M_PI": 2**-23 + 2**31 - 1 + math.pi,
    "sizeof(long) + 10 * sizeof(size_t) + 100 * sizeof(uint)": 488,
    "warpSize": 32,
    "__CUDA_ARCH__ + CUDART_VERSION": 13700,
}


def test_expressions(device):
    values = evaluate(device, EXPRESSIONS, declarations="double d = 0.25; int n = -3;")
    wrong = {
        expression: (value, expected)
        for (expression, expected), value in zip(EXPRESSIONS.items(), values, strict=True)
        if not abs(value - expected)
        <= 1e-6 * max(1, abs(expected)) * (1 if "f" in expression else 1e-6)
    }
    assert wrong == {}


def directed(exact, mode, dtype):
    """The neighbour of the fraction `exact` in dtype that `mode` asks for."""
    near = dtype(float(exact))
    infinity = dtype(np.inf)
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    if mode == "rd" and Fraction(float(near)) > exact:
        return np.nextafter(near, -infinity)
    if mode == "ru" and Fraction(float(near)) < exact:
        return np.nextafter(near, infinity)
    return near


@pytest.mark.parametrize("mode", ["rn", "rd", "ru", "rz"])
def test_operations_with_a_stated_rounding(device, mode):
    random = np.random.default_rng(7)
    a, b = (random.uniform(-3, 3, 64).astype(np.float32) for _ in range(2))
    source = f"""extern "C" __global__ void k(float* o, const float* a, const float* b) {{
      int i = threadIdx.x; o[4 * i] = __fadd_{mode}(a[i], b[i]);
      o[4 * i + 1] = __fmul_{mode}(a[i], b[i]);
      o[4 * i + 2] = __fdiv_{mode}(a[i], b[i]); o[4 * i + 3] = __fmaf_{mode}(a[i], b[i], 1.f); }}"""
    out = device.run(source, 256, np.float32, a, b, block=(64,)).reshape(64, 4)
    for i in range(64):
        x, y = Fraction(float(a[i])), Fraction(float(b[i]))
        for value, exact in zip(out[i], (x + y, x * y, x / y, x * y + 1), strict=True):
            assert value == directed(exact, mode, np.float32), (i, mode)


def test_vector_types_have_cudas_sizes_and_alignments(device):
    expected = {
        "float2": 808, "float3": 1204, "float4": 1616, "char4": 404, "uchar3": 301, "short4": 808,
        "double2": 1616, "double4": 3216, "longlong2": 1616, "int4": 1616, "wchar_t": 404,
        "bool": 101,
    }  # fmt: skip
    expressions = [f"sizeof({name}) * 100 + alignof({name})" for name in expected]
    assert dict(zip(expected, evaluate(device, expressions), strict=True)) == expected


def test_indices_are_objects(device):
    out = device.run(
        """__device__ unsigned weigh(uint3 t) { return t.x + 10 * t.y + 100 * t.z; }
        template <class T> __device__ unsigned first(T t) { return t.x; }
        extern "C" __global__ void k(int* o) { uint3 t = threadIdx; dim3 size(blockDim);
        auto b = blockIdx;
          o[t.x + size.x * (t.y + size.y * t.z)] = weigh(threadIdx) + 1000 * first(b) + 10000 *
          gridDim.y; }""",
        24,
        np.int32,
        block=(4, 3, 2),
    )
    z, y, x = np.mgrid[0:2, 0:3, 0:4]
    assert (out == (x + 10 * y + 100 * z + 10000).ravel()).all()


def test_atomics(device):
    out = device.run(
        """extern "C" __global__ void k(int* o, unsigned* u, unsigned long long* q, float* f,
        double* d) {
          int t = threadIdx.x; atomicAdd(&o[0], 1); atomicSub(&o[1], 2); atomicMax(&o[2], t);
          atomicMin(&o[3], -t);
          atomicOr(&o[4], 1 << (t & 7)); atomicXor(&o[5], t); atomicCAS(&o[6], 0, 55);
          atomicExch(&o[7], 77);
          atomicInc(&u[0], 9u); atomicDec(&u[1], 4u); atomicAdd(q, 1ull << 33);
          atomicMax(q + 1, (unsigned long long)t);
          atomicAdd(f, 0.5f); atomicAdd(d, 0.25); }""",
        8,
        np.int32,
        u := np.zeros(2, np.uint32),
        q := np.zeros(2, np.uint64),
        f := np.zeros(1, np.float32),
        d := np.zeros(1, np.float64),
        block=(256,),
    )
    assert out.tolist() == [256, -512, 255, -255, 255, 0, 55, 77]
    assert u.tolist() == [6, 4 - 255 % 5] and q.tolist() == [256 << 33, 255]
    assert f[0] == 128 and d[0] == 64


def test_warp_operations(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) { int t = threadIdx.x; int* r = o + 8 * t;
          r[0] = __shfl_down_sync(~0u, t, 1); r[1] = __shfl_xor_sync(~0u, t, 4);
          r[2] = __shfl_up_sync(~0u, t, 2);
          r[3] = __shfl_sync(~0u, t, 3, 8); r[4] = (int)__ballot_sync(~0u, t & 1);
          r[5] = __any_sync(~0u, t == 40);
          r[6] = (int)__match_any_sync(~0u, t & 3); r[7] = __reduce_add_sync(~0u, t); }""",
        512,
        np.int32,
        block=(64,),
    ).reshape(64, 8)
    t = np.arange(64)
    lane = t & 31
    assert (out[:, 0] == np.where(lane < 31, t + 1, t)).all()
    assert (out[:, 1] == t ^ 4).all()
    assert (out[:, 2] == np.where(lane >= 2, t - 2, t)).all()
    assert (out[:, 3] == (t & ~7) + 3).all()
    assert (out[:, 4].view(np.uint32) == 0xAAAAAAAA).all()
    assert (out[:, 5] == (t >= 32)).all()
    assert (out[:, 6].view(np.uint32) == [0x11111111 << (i & 3) for i in t]).all()
    assert (out[:, 7] == np.where(t < 32, 496, 1520)).all()


def test_barriers_that_count(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) { int t = threadIdx.x;
          o[t] = __syncthreads_count(t % 3 == 0) + 1000 * __syncthreads_and(t < 63) + 2000 *
          __syncthreads_or(t == 5); }""",
        64,
        np.int32,
        block=(64,),
    )
    assert (out == 22 + 2000).all()


def test_half(device):
    a = (np.arange(32) / 7).astype(np.float16)
    out = device.run(
        """#include <cuda_fp16.h>
        extern "C" __global__ void k(__half* o, const __half* a) { int t = threadIdx.x;
          __half s = __hadd(a[t], __float2half(1.5f)); o[t] = s * a[t] - hsqrt(a[t]);
          half2 pair = __hfma2(__half2half2(a[t]), __floats2half2_rn(2.f, 3.f),
          __float2half2_rn(1.f));
          o[32 + t] = __low2half(pair) + __high2half(pair); }""",
        64,
        np.float16,
        a,
        block=(32,),
    )
    first = (a + np.float16(1.5)) * a - np.sqrt(a)
    second = (a * np.float16(2) + np.float16(1)) + (a * np.float16(3) + np.float16(1))
    np.testing.assert_allclose(
        out, np.concatenate([first, second]).astype(np.float16), rtol=2e-3, atol=2e-3
    )


def test_complex_and_the_headers_programs_include(device):
    headers = """
    #include <cuda.h>
    #include <cuda_runtime.h>
    #include <math_constants.h>
    #include <stdio.h>
    #include <stdint.h>
    #include <math.h>
    #include <float.h>
    #include <string.h>
    #include <assert.h>
    #include <cuComplex.h>
    #include <cmath>
    #include <cstdint>
    #include <limits>"""
    values = evaluate(
        device,
        [
            "cuCrealf(cuCmulf(make_cuFloatComplex(1, 2), make_cuComplex(3, 4)))",
            "cuCabs(make_cuDoubleComplex(3, 4))",
            "cuCimag(cuCdiv(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4)))",
            "std::sqrt(16.f) + std::abs(-2) + std::pow(2.f, 2.f) + CUDART_PI + (uint8_t)257",
        ],
        preface=headers,
    )
    assert values == pytest.approx([-5, 5, 0.08, 11 + math.pi])


def test_device_heap_and_new(device):
    out = device.run(
        """struct Pair { int a, b; __device__ Pair(int x) : a(x), b(2 * x) {} };
        extern "C" __global__ void k(int* o) { int t = threadIdx.x; int* p = (int*)malloc(16);
        p[3] = t;
          Pair* q = new Pair(t); o[t] = p[3] + q->a + q->b; delete q; free(p); }""",
        32,
        np.int32,
        block=(32,),
    )
    assert (out == 4 * np.arange(32)).all()


def test_memory_is_compared_for_equality(device):
    """LLVM knows another function for a memcmp() that is only compared with 0."""
    out = device.run(
        """extern "C" __global__ void k(int* o) { int t = threadIdx.x;
             char a[8] = {1, 2, 3, 4, 5, 6, 7, (char)t}, b[8] = {1, 2, 3, 4, 5, 6, 7, 8};
             o[t] = memcmp(a, b, 8) == 0;
             if (memcmp(a, b, o[t] ? 8 : t % 8)) o[t] += 2; }""",
        32,
        np.int32,
        block=(32,),
    )
    assert (out == (np.arange(32) == 8)).all()


def test_powers_by_integers_in_fast_math(device):
    """Where the exponent is not a constant LLVM would call libgcc, which modules are without."""
    source = """extern "C" __global__ void k(double* o) { int i = threadIdx.x;
      o[i] = pow(1.5, i) + pow(1.5f, i) + powf(1.5f, (float)i) + __powf(1.5f, i);
      for (int n = 1; n < 4; n++) o[i] += pow((double)i, n) + pow((float)i, n * i % 3); }"""
    i = np.arange(16)
    expected = 4 * 1.5**i + sum(
        i.astype("f8") ** n + i.astype("f8") ** (n * i % 3) for n in (1, 2, 3)
    )
    out = device.run(source, 16, np.float64, options=("--use_fast_math",), block=(16,))
    np.testing.assert_allclose(out, expected, rtol=1e-5)


def test_old_names_of_classifications(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) { double d = threadIdx.x ? 1 : -1; float f = d;
             o[0] = __isnan(d / 0 * 0) + __isnanf(f / 0 * 0) + __isinf(d / 0) + __isinff(f / 0);
             o[1] = __finite(d) + __finitef(f); o[2] = !!__signbit(d) + !!__signbitf(f); }""",
        3,
        np.int32,
        block=(1,),
    )
    assert out.tolist() == [4, 2, 2]


def test_math_of_neighbours_is_our_own_in_vectors_and_beside_them(device):
    """libmvec's are less exact; libm is asked beyond 2^30 only, under names LLVM does not know."""
    source = """template <class T> __device__ void sum(T* o, const float* f, int n) {
      int i = threadIdx.x; T x = f[i];
      if (i < n) o[i] = sin(x) + cos(x) + exp(x) + log(x) + pow(x, T(1.5)); }
    extern "C" __global__ void f(float* o, const float* x, int n) { sum(o, x, n); }
    extern "C" __global__ void d(double* o, const float* x, int n) { sum(o, x, n); }"""
    image = device.image(source)
    for name in ("sin", "cos", "pow", "exp", "log"):
        for called in (f"v_{name}\0", f"v_{name}f\0", f"\0{name}\0", f"\0{name}f\0"):
            assert called.encode() not in image, called
    assert b"\0sinf64\0" in image
    module = device.load(image)
    x = np.linspace(0.5, 9, 128).astype("f4")
    y = x.astype("f8")
    expected = np.sin(y) + np.cos(y) + np.exp(y) + np.log(y) + y**1.5
    for name, bound in (("f", 1e-6), ("d", 1e-14)):
        for block in (101, 128):
            out = np.zeros(101, name)
            module.kernel(name)(out, x, np.int32(101), block=(block,))
            np.testing.assert_allclose(out, expected[:101], rtol=bound)


def test_libm_is_asked_for_those_lanes_only_that_are_far_out(device):
    source = """extern "C" __global__ void k(double* o, const double* x) {
      int i = threadIdx.x; o[i] = sin(x[i]); o[64 + i] = cos(x[i]); o[128 + i] = tan(x[i]); }"""
    x = np.linspace(-9, 9, 64)
    x[[3, 17, 40, 63]] = 1e22, -(2.0**31), np.inf, 1e300
    out = np.zeros((3, 64))
    device.load(device.image(source)).kernel()(out, x, block=(64,))
    with np.errstate(invalid="ignore"):
        expected = np.array([np.sin(x), np.cos(x), np.tan(x)])
    np.testing.assert_allclose(out, expected, rtol=1e-15)


def test_functions_have_the_same_bits_where_the_text_around_them_is_not_fused(device):
    source = """extern "C" __global__ void k(float* o, const float* x) { int i = threadIdx.x;
      o[i] = x[i] * x[i] + x[64 + i]; o[64 + i] = sinf(x[i]); o[128 + i] = tanhf(x[i]); }"""
    x = np.random.default_rng(1).random(128).astype("f4")
    fused, plain = np.zeros(192, "f4"), np.zeros(192, "f4")
    device.load(device.image(source)).kernel()(fused, x, block=(64,))
    device.load(device.image(source, "--fmad=false")).kernel()(plain, x, block=(64,))
    np.testing.assert_array_equal(plain[:64], x[:64] * x[:64] + x[64:])
    assert not np.array_equal(fused[:64], plain[:64])
    np.testing.assert_array_equal(fused[64:], plain[64:])
