# SPDX-License-Identifier: MIT
"""C++ in kernels: templates, operators, virtual functions, recursion, lambdas, unions, a switch that
falls through, structures in constant memory, a table of an edit distance."""

import math

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda.compiler import SourceModule

mod = SourceModule(
    r"""
#include <cfloat>
#include <climits>
#include <type_traits>

template <class T, int N> __device__ T block_sum(T value)
{
    __shared__ T s[N];
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int k = N / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    T sum = s[0];
    __syncthreads();
    return sum;
}

template <int R, int C> struct Mat {
    float v[R][C];
    __device__ Mat() { for (int i = 0; i < R; i++) for (int j = 0; j < C; j++) v[i][j] = i == j; }
    template <int K> __device__ Mat<R, K> operator*(const Mat<C, K> &o) const {
        Mat<R, K> r;
        for (int i = 0; i < R; i++)
            for (int j = 0; j < K; j++) {
                r.v[i][j] = 0;
                for (int k = 0; k < C; k++) r.v[i][j] += v[i][k] * o.v[k][j];
            }
        return r;
    }
};
template <int N> struct Poly {
    __device__ static float at(const float *c, float x) { return c[N] + x * Poly<N - 1>::at(c, x); }
};
template <> struct Poly<0> { __device__ static float at(const float *c, float) { return c[0]; } };

template <typename T>
__device__ typename std::enable_if<std::is_integral<T>::value, T>::type twice(T x) { return x << 1; }
template <typename T>
__device__ typename std::enable_if<std::is_floating_point<T>::value, T>::type twice(T x) { return x * 2; }
template <class... A> __device__ int how_many(A...) { return sizeof...(A); }

struct Op { virtual __device__ float of(float) const = 0; };
struct Double : Op { __device__ float of(float x) const override { return 2 * x; } };
struct Next : Op { __device__ float of(float x) const override { return x + 1; } };

typedef float (*Function)(float);
__device__ float square(float x) { return x * x; }
__device__ float negative(float x) { return -x; }
__device__ Function table[2] = {square, negative};

__device__ void exchange(int &a, int &b) { int t = a; a = b; b = t; }
__device__ void quicksort(int *a, int low, int high)
{
    if (low >= high) return;
    int pivot = a[high], i = low - 1;
    for (int j = low; j < high; j++) if (a[j] <= pivot) exchange(a[++i], a[j]);
    exchange(a[i + 1], a[high]);
    quicksort(a, low, i);
    quicksort(a, i + 2, high);
}

struct Stack {
    int d[16], n;
    __device__ Stack() : n(0) {}
    __device__ void push(int v) { d[n++] = v; }
    __device__ int pop() { return d[--n]; }
};
union Bits { float f; unsigned u; };
enum class Kind : unsigned char { first = 1, second = 4 };
__constant__ int tree[15] = {7, 3, 11, 1, 5, 9, 13, 0, 2, 4, 6, 8, 10, 12, 14};
__constant__ struct { float a, b; int n[3]; } settings;

extern "C" {
__global__ void sums(const float *x, float *o, const double *d, double *od)
{
    int t = blockIdx.x * 128 + threadIdx.x;
    float s = block_sum<float, 128>(x[t]);
    double e = block_sum<double, 128>(d[t]);
    if (threadIdx.x == 0) { o[blockIdx.x] = s; od[blockIdx.x] = e; }
}
__global__ void classes(float *o, const float *c)
{
    float t = threadIdx.x;
    Mat<2, 3> a;
    Mat<3, 2> b;
    a.v[0][2] = t;
    b.v[2][1] = 2;
    Mat<2, 2> p = a * b;
    Double twofold;
    Next next;
    const Op *op = threadIdx.x & 1 ? (const Op *) &twofold : &next;
    auto scaled = [=](float x) { return x * t; };
    Bits bits;
    bits.f = t;
    float *row = o + threadIdx.x * 8;
    row[0] = p.v[0][1];
    row[1] = op->of(t);
    row[2] = table[threadIdx.x & 1](t);
    row[3] = Poly<3>::at(c, t * .1f);
    row[4] = scaled(3) + twice(5) + twice(.25f);
    row[5] = how_many(1, 2., 'c') + (int) Kind::second;
    row[6] = bits.u >> 23;
    row[7] = settings.a * t + settings.b + settings.n[threadIdx.x % 3];
}
__global__ void sort_rows(int *a, int n) { quicksort(a + threadIdx.x * n, 0, n - 1); }
__global__ void walk(int *o)
{
    Stack s;
    s.push(0);
    int sum = 0;
    while (s.n != 0) {
        int i = s.pop();
        if (tree[i] <= (int) threadIdx.x) sum += tree[i];
        if (2 * i + 2 < 15) { s.push(2 * i + 1); s.push(2 * i + 2); }
    }
    o[threadIdx.x] = sum;
}
__global__ void falls_through(int *o)
{
    int i = threadIdx.x, r = 0;
    switch (i % 6) {
    case 0: r = 1;
    case 1: r += 10; break;
    case 2:
    case 3: r = i; break;
    case 4:
        for (int k = 0; k < i; k++) {
            if (k == 3) continue;
            r += k;
        }
        break;
    default: r = -1;
    }
    o[i] = r;
}
__global__ void early(int *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0;; k++)
        if (k * k > i) { o[i] = k; return; }
}
// The table's diagonals, one after the other: each cell needs three of the two before.
__global__ void distance(const char *a, const char *b, int *o, int n)
{
    __shared__ int row[3][65];
    int i = threadIdx.x;
    for (int d = 0; d <= 2 * n; d++) {
        int j = d - i, *old = row[(d + 2) % 3];
        if (j >= 0 && j <= n) {
            int v = i == 0 ? j : i;
            if (i != 0 && j != 0)
                v = min(min(old[i - 1], old[i]) + 1, row[(d + 1) % 3][i - 1] + (a[i - 1] != b[j - 1]));
            row[d % 3][i] = v;
        }
        __syncthreads();
    }
    if (i == n) *o = row[(2 * n) % 3][n];
}
__global__ void limits(double *o)
{
    o[0] = INT_MAX; o[1] = FLT_EPSILON; o[2] = DBL_MAX; o[3] = UINT_MAX; o[4] = (double) LLONG_MIN;
    o[5] = sizeof(float3); o[6] = sizeof(long); o[7] = warpSize; o[8] = alignof(float4);
}
}
""",
    no_extern_c=True,
)
kernel = mod.get_function
rng = np.random.RandomState(5)

x, d = rng.rand(512).astype(np.float32), rng.rand(512)
of_floats, of_doubles = np.zeros(4, np.float32), np.zeros(4)
kernel("sums")(
    drv.In(x), drv.Out(of_floats), drv.In(d), drv.Out(of_doubles), block=(128, 1, 1), grid=(4, 1)
)
assert np.allclose(of_floats, x.reshape(4, 128).sum(1))
assert np.allclose(of_doubles, d.reshape(4, 128).sum(1), rtol=1e-12)

settings = np.zeros(1, [("a", "f4"), ("b", "f4"), ("n", "i4", 3)])
settings["a"], settings["b"], settings["n"] = 2, 1, [10, 20, 30]
address, size = mod.get_global("settings")
assert size == settings.nbytes
drv.memcpy_htod(address, settings)
c = rng.rand(4).astype(np.float32)
rows = np.zeros((12, 8), np.float32)
kernel("classes")(drv.Out(rows), drv.In(c), block=(12, 1, 1))
t = np.arange(12, dtype=np.float32)
odd = np.arange(12) % 2 == 1
wanted = [
    2 * t,
    np.where(odd, 2 * t, t + 1),
    np.where(odd, -t, t * t),
    np.polyval(c, t * 0.1),
    3 * t + 10.5,
    np.full(12, 7),
    t.view(np.uint32) >> 23,
    2 * t + 1 + np.tile([10, 20, 30], 4),
]
assert np.allclose(rows, np.stack(wanted, 1), rtol=1e-5), rows - np.stack(wanted, 1)

a = rng.randint(-50, 50, (16, 40)).astype(np.int32)
found = a.copy()
kernel("sort_rows")(drv.InOut(found), np.int32(40), block=(16, 1, 1))
assert (found == np.sort(a, axis=1)).all()
sums = np.zeros(20, np.int32)
kernel("walk")(drv.Out(sums), block=(20, 1, 1))
assert sums.tolist() == [sum(range(min(i, 14) + 1)) for i in range(20)]


def falls_through(i):
    if i % 6 == 4:
        return sum(k for k in range(i) if k != 3)
    return [11, 10, i, i, None, -1][i % 6]


found = np.zeros(40, np.int32)
kernel("falls_through")(drv.Out(found), block=(40, 1, 1))
assert found.tolist() == [falls_through(i) for i in range(40)]
found = np.full(100, -1, np.int32)
kernel("early")(drv.InOut(found), np.int32(90), block=(32, 1, 1), grid=(4, 1))
assert found.tolist() == [math.isqrt(i) + 1 if i < 90 else -1 for i in range(100)]

n = 50
one, other = rng.randint(0, 4, n).astype(np.int8), rng.randint(0, 4, n).astype(np.int8)
cells = np.add.outer(np.arange(n + 1), np.arange(n + 1))
for i in range(1, n + 1):
    for j in range(1, n + 1):
        apart = cells[i - 1, j - 1] + (one[i - 1] != other[j - 1])
        cells[i, j] = min(cells[i - 1, j] + 1, cells[i, j - 1] + 1, apart)
found = np.zeros(1, np.int32)
kernel("distance")(drv.In(one), drv.In(other), drv.Out(found), np.int32(n), block=(n + 1, 1, 1))
assert found[0] == cells[n, n]

numbers = np.zeros(9)
kernel("limits")(drv.Out(numbers), block=(1, 1, 1))
largest = np.finfo(float).max
long_size = np.dtype("l").itemsize
assert numbers.tolist() == [
    2**31 - 1,
    2.0**-23,
    largest,
    2**32 - 1,
    -(2.0**63),
    12,
    long_size,
    32,
    16,
]
