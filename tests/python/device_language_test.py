# SPDX-License-Identifier: MIT
"""Parts of CUDA C++ that kernels are written with, beside its functions: vector types and the
operators people give them, the heap, recursion, pointers to functions, virtual functions, and the
words that only promise something. One program, on whatever device there is."""

import numpy as np
import pycuda.driver as cuda
import pytest

# Size and alignment of the vectors of 1, 2, 3 and 4.
VECTORS = {
    "char": (101, 202, 301, 404),
    "uchar": (101, 202, 301, 404),
    "short": (202, 404, 602, 808),
    "ushort": (202, 404, 602, 808),
    "int": (404, 808, 1204, 1616),
    "uint": (404, 808, 1204, 1616),
    "long": (808, 1616, 2408, 3216),
    "ulong": (808, 1616, 2408, 3216),
    "longlong": (808, 1616, 2408, 3216),
    "ulonglong": (808, 1616, 2408, 3216),
    "float": (404, 808, 1204, 1616),
    "double": (808, 1616, 2408, 3216),
}
LAYOUT_OF = {
    f"{base}{count}": layout
    for base, layouts in VECTORS.items()
    for count, layout in zip((1, 2, 3, 4), layouts, strict=True)
}
# CUDA 13 names the alignment of four 64-bit numbers.
LAYOUT_OF |= {
    f"{base}4_{align}a": 3200 + align
    for base in ("long", "ulong", "longlong", "ulonglong", "double")
    for align in (16, 32)
}
LAYOUTS = "".join(
    f"  o[{k}] = 100 * sizeof({name}) + alignof({name});\n" for k, name in enumerate(LAYOUT_OF)
)
MADE = "".join(
    f"  {{ auto v = make_{base}4(1, 2, 3, 4); auto w = make_{base}2(5, 6);\n"
    f"    auto u = make_{base}1(7);\n"
    f"    auto t = make_{base}3(v.x, v.y, v.z); {base}4 a[2] = {{v, v}};\n"
    f"    o[{k}] = (int)(t.x + 10 * t.y + 100 * t.z + 1000 * a[1].w + w.y * u.x); }}\n"
    for k, base in enumerate(VECTORS)
)

SOURCE = (
    f"""
extern "C" __global__ void layouts(int* o) {{
  static_assert(sizeof(make_double4_32a(1, 2, 3, 4)) == 32, "");
{LAYOUTS}}}
extern "C" __global__ void made(int* o) {{
{MADE}}}
"""
    + r"""
__device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ inline float4 operator*(float s, float4 a) {
  return make_float4(s * a.x, s * a.y, s * a.z, s * a.w);
}
__device__ inline void operator+=(float4& a, float4 b) { a = a + b; }
__device__ inline bool operator==(int2 a, int2 b) { return a.x == b.x && a.y == b.y; }

extern "C" __global__ void operators(float4* o, const float4* a) {
  const int t = threadIdx.x;
  float4 sum = a[t] + 2.0f * a[31 - t];
  sum += make_float4(make_int2(t, 1) == make_int2(3, 1), 0, 0, 0);
  o[t] = sum;
}

struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};
extern "C" __global__ void heap(int* o) {
  const int t = threadIdx.x;
  Node* list = nullptr;
  for (int i = 0; i < 10; ++i) list = new Node(i * t, list);
  int* bytes = (int*)malloc(64);
  memset(bytes, 0, 64);
  double* several = new double[4];
  several[3] = t;
  int sum = bytes[7] + (int)several[3];
  while (list) {
    Node* next = list->next;
    sum += list->value;
    delete list;
    list = next;
  }
  delete[] several;
  free(bytes);
  o[t] = sum;
}

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }
extern "C" __global__ void recursion(int* o) {
  o[threadIdx.x] = ackermann(2, threadIdx.x) + 100 * is_even(threadIdx.x);
}

typedef float (*Operation)(float, float);
__device__ float plus_(float a, float b) { return a + b; }
__device__ float minus_(float a, float b) { return a - b; }
__device__ float times_(float a, float b) { return a * b; }
__device__ Operation table[3] = {plus_, minus_, times_};
__device__ float apply(Operation f, float a, float b) { return f(a, b); }
extern "C" __global__ void pointers(float* o, int n) {
  const int t = threadIdx.x;
  Operation chosen = t % 2 ? plus_ : times_;
  o[t] = apply(table[t % n], t, 3) + 1000 * chosen(t, 2);
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius; }
};
extern "C" __global__ void virtuals(float* o) {
  const int t = threadIdx.x;
  Shape* shape = t % 2 ? (Shape*)new Square(t) : (Shape*)new Circle(t);
  o[t] = shape->area();
  delete shape;
}

template <int n, class F>
__device__ float folded(F f) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) sum += f(i);
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += f(i);
#pragma unroll 4
  for (int i = 0; i < n; ++i) sum += f(i);
  return sum;
}
extern "C" __global__ void __launch_bounds__(64, 2)
promises(float* __restrict__ o, const float* __restrict__ a, const int4* __restrict__ b) {
  const int t = threadIdx.x;
  const int4 whole = __ldg(b + t);
  o[t] = folded<9>([=](int i) { return __ldg(a + t) * i; }) + whole.w + __ldg(&b[t].x);
}
"""
)


@pytest.fixture
def module(build):
    return build(SOURCE, no_extern_c=True)


def run(module, name, dtype, *arguments, count=32):
    out = np.zeros(count, dtype)
    module.get_function(name)(cuda.Out(out), *arguments, block=(32, 1, 1), grid=(1, 1))
    return out


def test_vector_types(module):
    out = run(module, "layouts", np.int32, count=len(LAYOUT_OF))
    assert dict(zip(LAYOUT_OF, out.tolist(), strict=True)) == LAYOUT_OF
    assert (run(module, "made", np.int32, count=len(VECTORS)) == 4321 + 42).all()


def test_operators_of_ones_own(module):
    a = np.arange(128, dtype=np.float32).reshape(32, 4)
    out = run(module, "operators", np.float32, cuda.In(a), count=128).reshape(32, 4)
    expected = a + 2 * a[::-1]
    expected[3, 0] += 1
    assert (out == expected).all()


def test_heap_recursion_and_calls_through_pointers(module):
    # A GPU's threads have 1 KB of stack unless they are promised more.
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, 32 << 10)
    t = np.arange(32)
    assert (run(module, "heap", np.int32) == 46 * t).all()
    assert (run(module, "recursion", np.int32) == 2 * t + 3 + 100 * (t % 2 == 0)).all()
    picked = np.choose(t % 3, [t + 3, t - 3, t * 3])
    chosen = np.where(t % 2, t + 2, t * 2)
    assert (run(module, "pointers", np.float32, np.int32(3)) == picked + 1000 * chosen).all()
    assert (run(module, "virtuals", np.float32) == np.where(t % 2, t * t, 3 * t * t)).all()


def test_words_that_promise_something(module):
    a, b = np.arange(32, dtype=np.float32), np.arange(128, dtype=np.int32)
    out = run(module, "promises", np.float32, cuda.In(a), cuda.In(b))
    assert (out == 3 * 36 * a + b[3::4] + b[::4]).all()
    function = module.get_function("promises")
    assert function.get_attribute(cuda.function_attribute.MAX_THREADS_PER_BLOCK) == 64
