# SPDX-License-Identifier: MIT
"""Numbers of 256 bits, as miners and cryptographers multiply them: carries go from one assembly
statement to the next, each in a function of its own. Python's integers are the reference."""

import random

import numpy as np
import pycuda.driver as cuda
import pytest

COUNT, BITS = 64, 256
PRIME = 2**256 - 2**32 - 977

ONE_INSTRUCTION = """
#define INSTRUCTION(name, text, T, letter) \
  __device__ __forceinline__ T name(T a, T b) { T r; \
    asm volatile(text " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b)); return r; }
#define MULTIPLY(name, text, T, letter) \
  __device__ __forceinline__ T name(T a, T b, T c) { T r; \
    asm volatile(text " %0, %1, %2, %3;" : "=" letter(r) : letter(a), letter(b), letter(c)); \
    return r; }
#define ALL(T, type, letter) \
  INSTRUCTION(add_cc, "add.cc." type, T, letter) INSTRUCTION(addc_cc, "addc.cc." type, T, letter) \
  INSTRUCTION(addc, "addc." type, T, letter) INSTRUCTION(sub_cc, "sub.cc." type, T, letter) \
  INSTRUCTION(subc_cc, "subc.cc." type, T, letter) INSTRUCTION(subc, "subc." type, T, letter) \
  MULTIPLY(mad_lo_cc, "mad.lo.cc." type, T, letter) \
  MULTIPLY(madc_lo_cc, "madc.lo.cc." type, T, letter) \
  MULTIPLY(mad_hi_cc, "mad.hi.cc." type, T, letter) \
  MULTIPLY(madc_hi_cc, "madc.hi.cc." type, T, letter) \
  MULTIPLY(madc_hi, "madc.hi." type, T, letter)
ALL(unsigned, "u32", "r")
ALL(unsigned long long, "u64", "l")
"""

KERNELS = """
template <class T, int N> __device__ void multiply(const T* a, const T* b, T* r) {
#pragma unroll
  for (int i = 0; i < 2 * N; i++) r[i] = 0;
#pragma unroll
  for (int i = 0; i < N; i++) {
    r[i] = mad_lo_cc(a[0], b[i], r[i]);
#pragma unroll
    for (int j = 1; j < N; j++) r[i + j] = madc_lo_cc(a[j], b[i], r[i + j]);
    r[i + N] = addc((T)0, (T)0);
    r[i + 1] = mad_hi_cc(a[0], b[i], r[i + 1]);
#pragma unroll
    for (int j = 1; j < N - 1; j++) r[i + j + 1] = madc_hi_cc(a[j], b[i], r[i + j + 1]);
    r[i + N] = madc_hi(a[N - 1], b[i], r[i + N]);
  }
}
// 512 bits modulo 2^256 - c: the upper half c times to the lower one, twice.
__device__ void reduce(const unsigned long long* t, unsigned long long* r) {
  const unsigned long long c = 0x1000003D1ull;
  r[0] = mad_lo_cc(t[4], c, t[0]);
  r[1] = madc_lo_cc(t[5], c, t[1]);
  r[2] = madc_lo_cc(t[6], c, t[2]);
  r[3] = madc_lo_cc(t[7], c, t[3]);
  unsigned long long top = addc(0ull, 0ull);
  r[1] = mad_hi_cc(t[4], c, r[1]);
  r[2] = madc_hi_cc(t[5], c, r[2]);
  r[3] = madc_hi_cc(t[6], c, r[3]);
  top = madc_hi(t[7], c, top);
  r[0] = mad_lo_cc(top, c, r[0]);
  r[1] = madc_hi_cc(top, c, r[1]);
  r[2] = addc_cc(r[2], 0ull);
  r[3] = addc_cc(r[3], 0ull);
  top = addc(0ull, 0ull);
  r[0] = add_cc(r[0], top * c);
  r[1] = addc_cc(r[1], 0ull);
  r[2] = addc_cc(r[2], 0ull);
  r[3] = addc(r[3], 0ull);
  unsigned long long s[4];
  s[0] = sub_cc(r[0], 0xFFFFFFFEFFFFFC2Full);
  s[1] = subc_cc(r[1], ~0ull);
  s[2] = subc_cc(r[2], ~0ull);
  s[3] = subc_cc(r[3], ~0ull);
  bool smaller = subc(0ull, 0ull) != 0;
  for (int i = 0; i < 4; i++) r[i] = smaller ? r[i] : s[i];
}
template <class T, int N> __device__ void product(const T* a, const T* b, T* out) {
  T x[N], y[N];
  union { T parts[2 * N]; unsigned long long words[8]; } t;
  unsigned long long r[4];
  for (int i = 0; i < N; i++) { x[i] = a[i]; y[i] = b[i]; }
  multiply<T, N>(x, y, t.parts);
  reduce(t.words, r);
  for (int i = 0; i < 4; i++) ((unsigned long long*)out)[i] = r[i];
}
extern "C" __global__ void product32(const unsigned* a, const unsigned* b, unsigned* out) {
  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  product<unsigned, 8>(a + i, b + i, out + i);
}
extern "C" __global__ void product64(const unsigned long long* a, const unsigned long long* b,
                                     unsigned long long* out) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  product<unsigned long long, 4>(a + i, b + i, out + i);
}
// One assembly for all four words, and one of two whose carry is used only where it is set.
extern "C" __global__ void sum(const unsigned long long* a, const unsigned long long* b,
                               unsigned long long* out) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long long r0, r1, r2, r3;
  asm("add.cc.u64 %0, %4, %8; addc.cc.u64 %1, %5, %9;\\n\\t"
      "addc.cc.u64 %2, %6, %10; addc.u64 %3, %7, %11;"
      : "=l"(r0), "=l"(r1), "=l"(r2), "=l"(r3)
      : "l"(a[i]), "l"(a[i + 1]), "l"(a[i + 2]), "l"(a[i + 3]),
        "l"(b[i]), "l"(b[i + 1]), "l"(b[i + 2]), "l"(b[i + 3]));
  out[i] = r0; out[i + 1] = r1; out[i + 2] = r2; out[i + 3] = r3;
}
"""


def numbers(seed):
    random.seed(seed)
    edges = [0, 1, PRIME - 1, PRIME - 2, 2**255, 2**256 - 1, 2**32 + 976, 2**128 - 1]
    return edges + [random.getrandbits(BITS) for _ in range(COUNT - len(edges))]


def words(values):
    return np.frombuffer(b"".join(v.to_bytes(32, "little") for v in values), np.uint64).copy()


def values(array):
    return [int.from_bytes(row.tobytes(), "little") for row in array.reshape(-1, 4)]


@pytest.fixture
def module(build):
    return build(ONE_INSTRUCTION + KERNELS, no_extern_c=True)


@pytest.mark.parametrize("name", ["product32", "product64", "sum"])
def test_carries_reach_the_next_statement(module, name):
    a, b = numbers(1), numbers(2)[::-1]
    out = np.zeros(4 * COUNT, np.uint64)
    shape = {"block": (32, 1, 1), "grid": (COUNT // 32, 1)}
    module.get_function(name)(cuda.In(words(a)), cuda.In(words(b)), cuda.Out(out), **shape)
    pairs = zip(a, b, strict=True)
    expected = [(x + y) % 2**256 if name == "sum" else x * y % PRIME for x, y in pairs]
    assert values(out) == expected
