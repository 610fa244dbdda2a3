# SPDX-License-Identifier: MIT
"""What the back end promises beyond barriers: a GPU's arithmetic, functions that stay functions,
variables, parameters, diagnostics, and the same bytes for the same input."""

import threading

import numpy as np
import pytest

threads = np.arange(32)


def test_integer_division_never_traps(device):
    x = np.array([7, -7, -(2**31), 5, 0, 2**31 - 1], np.int32)
    d = np.array([0, 0, -1, -1, 0, 3], np.int32)
    out = device.run(
        """extern "C" __global__ void k(int* o, const int* x, const int* d) { int t = threadIdx.x;
          o[4 * t] = x[t] / d[t]; o[4 * t + 1] = x[t] % d[t];
          o[4 * t + 2] = (unsigned)x[t] / (unsigned)d[t];
          o[4 * t + 3] = (unsigned)x[t] % (unsigned)d[t]; }""",
        24,
        np.int32,
        x,
        d,
        block=(6,),
    ).reshape(6, 4)
    assert out[:, 0].tolist() == [-1, -1, -(2**31), -5, -1, (2**31 - 1) // 3]
    assert out[:, 1].tolist() == [7, -7, 0, 0, 0, (2**31 - 1) % 3]
    assert out[0, 2] == -1 and out[0, 3] == 7 and out[5, 2] == (2**31 - 1) // 3


def test_shifts_by_the_width_and_more(device):
    out = device.run(
        """extern "C" __global__ void k(int* o, int s) { int v = -5;
          o[0] = 1 << s; o[1] = 1u >> s; o[2] = v >> s; o[3] = v << (s + 32);
          long long w = -5; o[4] = (int)(w >> (s + 40)); o[5] = (int)(w << (s + 40)); }""",
        6,
        np.int32,
        np.int32(32),
        block=(1,),
    )
    assert out.tolist() == [0, 0, -1, 0, -1, 0]


def test_float_to_integer_saturates(device):
    x = np.array([1e20, -1e20, np.nan, -1.5, 3e9], np.float32)
    out = device.run(
        """extern "C" __global__ void k(long long* o, const float* x) { int t = threadIdx.x;
          o[3 * t] = (int)x[t]; o[3 * t + 1] = (unsigned)x[t]; o[3 * t + 2] = (long long)x[t]; }""",
        15,
        np.int64,
        x,
        block=(5,),
    ).reshape(5, 3)
    assert out[:, 0].tolist() == [2**31 - 1, -(2**31), 0, -1, 2**31 - 1]
    assert out[:, 1].tolist() == [2**32 - 1, 0, 0, 0, 3000000000 - 3000000000 % 256]
    assert out[0, 2] == 2**63 - 1 and out[1, 2] == -(2**63)


def test_constants_become_integers_as_other_numbers_do(device):
    """A compiler that folds them must not fold them to anything."""
    out = device.run(
        """extern "C" __global__ void k(long long* o) { int t = threadIdx.x;
          float nan = __int_as_float(0x7fc00000); double huge = t ? 2.5 : __longlong_as_double(-1);
          o[0] = (long long)(3e38f); o[1] = (long long)nan; o[2] = (int)nan;
          o[3] = (int)(double)nan; o[4] = (unsigned)-7.5f; o[5] = (char)300.0f;
          o[6] = (unsigned)(double)nan;
          int la[16]; for (int i = 0; i < 16; i++) la[i] = i * t + 1;
          o[7] = la[(int)((long long)(3e38f) >> 7) & 15]; o[8] = (long long)huge; }""",
        9,
        np.int64,
        block=(1,),
    )
    assert out[:4].tolist() == [2**63 - 1, -(2**63), 0, -(2**31)]
    assert out[4:].tolist() == [0, 44, 2**31, 1, -(2**63)]


def test_choices_and_functions_that_are_inlined_are_divisors_as_others(device):
    source = """
    __device__ __forceinline__ int bins() { return 0; }
    __device__ __forceinline__ int pick(bool c) { return c ? 0 : 3; }
    extern "C" __global__ void k(int* o, const int* v) {
      int x = v[threadIdx.x]; bool c = x < 0; int* p = o + 4 * threadIdx.x;
      p[0] = x / (c ? 0 : 3); p[1] = x % pick(c); p[2] = x / bins(); p[3] = x / (c ? -1 : 2); }"""
    v = np.array([7, -7, 100, -(2**31)], np.int32)
    out = device.run(source, 16, np.int32, v, block=(4,)).reshape(4, 4)
    assert out.tolist() == [[2, 1, -1, 3], [-1, -7, -1, 7], [33, 1, -1, 50], [-1, v[3], -1, v[3]]]


def test_constants_divide_and_shift_as_other_numbers_do(device):
    out = device.run(
        """__device__ int part(int x, int y) { return x / y; }
        __device__ int rest(int x, int y) { return x % y; }
        __device__ unsigned left(unsigned x, int s) { return x << s; }
        __device__ int right(int x, int s) { return x >> s; }
        extern "C" __global__ void k(int* o, const int* in) { int v = in[0], none = 0, far = 40;
          o[0] = part(v, 0); o[1] = rest(v, 0); o[2] = left(v, 40); o[3] = right(-v, 40);
          o[4] = v / none; o[5] = v % none; o[6] = v << far; o[7] = -v >> far; o[8] = part(7, 0);
          o[9] = rest(7, none); }""",
        10,
        np.int32,
        np.array([9], np.int32),
        block=(1,),
    )
    assert out.tolist() == [-1, 9, 0, -1, -1, 9, 0, -1, -1, 7]


def test_recursion_sees_thread_index_and_shared_memory(device):
    out = device.run(
        """__shared__ int s[32]; __device__ int calls;
        __device__ int f(int n) { if (n == 0) return s[threadIdx.x]; atomicAdd(&calls, 1);
          return f(n - 1) + f(n / 2) * 0 + 1; }
        extern "C" __global__ void k(int* o) { s[threadIdx.x] = threadIdx.x * 100;
          __syncthreads(); o[threadIdx.x] = f(5); }""",
        32,
        np.int32,
    )
    assert (out == 100 * threads + 5).all()


def test_function_pointers_and_virtual_functions(device):
    out = device.run(
        """typedef float (*F)(float);
        __device__ float square(float x) { return x * x; }
        __device__ float minus(float x) { return -x; }
        __device__ F table[2] = {square, minus};
        struct B { __device__ virtual float f(float) const = 0; };
        struct D : B { __device__ float f(float x) const override { return x + threadIdx.x; } };
        extern "C" __global__ void k(float* o) { D d; const B* b = &d; int t = threadIdx.x;
          o[t] = table[t & 1](t) + 1000 * b->f(1); }""",
        32,
        np.float32,
    )
    expected = np.where(threads & 1, -threads, threads * threads) + 1000.0 * (1 + threads)
    assert (out == expected).all()


def test_variables_by_name(device):
    module = device.compile(
        """__constant__ float scale[4] = {1, 2, 3, 4}; __device__ int counter;
        __device__ int unused; namespace n { __device__ double inside = 1.5; }
        __device__ int* pointer = &counter;
        extern "C" __global__ void k(float* o) { int t = threadIdx.x;
          o[t] = scale[t & 3] + n::inside; atomicAdd(pointer, 1); }"""
    )
    scale = module.variable("scale", np.float32)
    assert scale.tolist() == [1, 2, 3, 4]
    scale[:] = [10, 20, 30, 40]
    module.variable("unused", np.int32)[0] = 3
    out = np.zeros(8, np.float32)
    module.kernel()(out, block=(8,))
    assert out.tolist() == [11.5, 21.5, 31.5, 41.5] * 2
    assert module.variable("counter", np.int32)[0] == 8


def test_every_kind_of_parameter(device):
    out = device.run(
        """struct S { char c; float3 f; double2 d; };
        extern "C" __global__ void k(double* o, char a, unsigned char b, short c, bool d,
            long long e, float f, double g, float4 h, S s, uchar3 u, int* p, signed char z) {
          double* q = o; *q++ = a; *q++ = b; *q++ = c; *q++ = d; *q++ = (double)e; *q++ = f;
          *q++ = g; *q++ = h.w; *q++ = s.c; *q++ = s.f.z; *q++ = s.d.y; *q++ = u.z; *q++ = *p;
          *q++ = z; }""",
        14,
        np.float64,
        np.int8(-3),
        np.uint8(200),
        np.int16(-5),
        np.bool_(True),
        np.int64(-(2**40)),
        np.float32(1.5),
        np.float64(2.5),
        np.arange(4, dtype=np.float32).tobytes(),
        np.array(
            [(7, (1, 2, 3), (4, 5))],
            np.dtype(
                {
                    "names": ["c", "f", "d"],
                    "formats": ["i1", ("f4", 3), ("f8", 2)],
                    "offsets": [0, 4, 16],
                    "itemsize": 32,
                }
            ),
        ).tobytes(),
        np.array([8, 9, 10], np.uint8).tobytes(),
        np.array([77], np.int32),
        np.int8(-9),
        block=(1,),
    )
    assert out.tolist() == [-3, 200, -5, 1, -(2.0**40), 1.5, 2.5, 3, 7, 3, 5, 10, 77, -9]


def test_launch_bounds_and_static_shared_memory_are_reported(device):
    module = device.compile(
        """extern "C" __global__ void __launch_bounds__(96) k(float* o) { __shared__ float s[64];
          s[threadIdx.x & 63] = 1; __syncthreads(); o[0] = s[0]; }
        __shared__ float other[100];
        extern "C" __global__ void bare(float* o) { o[0] = 1; }
        extern "C" __global__ void user(float* o) { other[threadIdx.x] = 1; __syncthreads();
          o[0] = other[1]; }
        extern "C" __global__ void warp(float* o) {
          __shared__ float s[8]; extern __shared__ float d[];
          d[threadIdx.x] = threadIdx.x; if (threadIdx.x < 8) s[threadIdx.x] = threadIdx.x;
          __syncthreads();
          o[threadIdx.x] = __shfl_xor_sync(~0u, s[threadIdx.x & 7], 1) + d[31 - threadIdx.x]; }"""
    )
    max_threads, shared_bytes = 0, 1  # CU_FUNC_ATTRIBUTE_...
    assert module.kernel("k").attribute(max_threads) == 96
    assert module.kernel("k").attribute(shared_bytes) == 256
    assert module.kernel("bare").attribute(shared_bytes) == 0
    assert module.kernel("user").attribute(shared_bytes) == 400
    # What the compiler adds for warp operations is not the program's, and in nobody's way.
    assert module.kernel("warp").attribute(shared_bytes) == 32
    out, lane = np.zeros(32, "f4"), np.arange(32)
    module.kernel("warp")(out, block=(32,), shared=128)
    assert (out == (lane ^ 1) % 8 + 31 - lane).all()


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        (
            "__device__ float nope(float);\n__global__ void k(float* a) { a[0] = nope(a[1]); }",
            2,
            "nope",
        ),
        (
            "__device__ int f(int n) {\n  __syncthreads();\n  return n ? f(n - 1) : 0; }\n"
            "__global__ void k(int* a) { a[0] = f(a[1]); }",
            2,
            "barrier",
        ),
        ("__global__ void k(\n  int&& a) { a = 1; }", 2, "takes an rvalue reference"),
        ("__global__ void\nk(int* a, ...) {}", 2, "any number of arguments"),
        ("struct A {\n  static __global__ void k(int* a) {} };", 2, "member of a class"),
        ('__global__ void k(int* a) {\n  asm("wgmma.fence.sync.aligned;"); }', 2, "ptx"),
    ],
)
def test_what_is_not_supported_is_refused_at_its_line(device, compile_error, source, line, text):
    with pytest.raises(compile_error) as error:
        device.image(source)
    message = str(error.value)
    assert f"kernel.cu:{line}:" in message and text in message.lower()


def test_more_constants_than_a_gpu_has_are_refused(device, compile_error):
    text = "__constant__ int c[%d]; __global__ void k(int* a) { a[0] = c[a[1]]; }"
    device.image(text % 16384)
    with pytest.raises(compile_error, match="65540 bytes of __constant__ variables"):
        device.image(text % 16385)


def test_same_input_gives_the_same_bytes(device):
    source = """__device__ int g[3];
    __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    extern "C" __global__ void k(float* o, const float* x, int n) { __shared__ float s[64];
      int t = threadIdx.x; float v = 0; for (int i = t; i < n; i += 64) v += sinf(x[i]);
      s[t] = v; __syncthreads(); if (t < g[0]) { s[t] += s[63 - t]; __syncthreads(); }
      o[t] = s[t] + fib(n); }"""
    first = device.image(source)
    device.image('extern "C" __global__ void other(int* o) { o[0] = 1; }')
    assert device.image(source) == first


def test_two_threads_compile_at_once(device):
    sources = [
        f"""extern "C" __global__ void k(float* o) {{ __shared__ float s[32]; int t = threadIdx.x;
        s[t] = t * {i}; __syncthreads(); o[t] = s[31 - t]; }}"""
        for i in range(8)
    ]
    images = [None] * len(sources)

    def work(start):
        for i in range(start, len(sources), 2):
            images[i] = device.image(sources[i])

    workers = [threading.Thread(target=work, args=(start,)) for start in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert images == [device.image(source) for source in sources]


def test_attributes_count_constant_memory(device):
    import ctypes

    module = device.compile(
        "__constant__ float table[25];\n__device__ int other[99];\n"
        'extern "C" __global__ void k(float* a) { a[0] = table[other[0]]; }'
    )
    size = ctypes.c_int()
    const_size_bytes = 2
    device.check(
        "cuFuncGetAttribute", ctypes.byref(size), const_size_bytes, module.kernel()._handle
    )
    assert size.value == 100


def test_indices_beyond_two_to_the_31_wrap_as_unsigned_numbers_do(device):
    source = """extern "C" __global__ void k(float* out, int* whole) {
      unsigned i = blockIdx.x * 100000u + threadIdx.x;
      out[blockIdx.x] = i;
      whole[blockIdx.x] = i < blockIdx.x;
    }"""
    blocks = 50000
    out, whole = np.zeros(blocks, "f4"), np.zeros(blocks, "i4")
    device.compile(source).kernel()(out, whole, grid=(blocks,))
    index = (np.arange(blocks, dtype="u8") * 100000).astype("u4")
    assert np.array_equal(out, index.astype("f4"))
    assert np.array_equal(whole, index < np.arange(blocks, dtype="u4"))
