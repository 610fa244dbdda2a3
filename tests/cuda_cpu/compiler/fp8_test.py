# SPDX-License-Identifier: MIT
"""Numbers of 8 bits, on each machine there is: all 256 of either type to every wider type, and to
them all numbers of 16 bits, the middles between them and what lies just beside those. Compared bit
by bit with tables made from what the formats are."""

import numpy as np
import pytest

KINDS = {"e4m3": (3, 7, 0x7E), "e5m2": (2, 15, 0x7B)}  # digits, bias, code of the largest
INTEGERS = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}
KERNELS = """
extern "C" __global__ void widen_KIND(unsigned short* h, unsigned short* b, float* f, double* d,
                                      unsigned short* h2, float* f2, float4* f4) {
  int i = threadIdx.x; __nv_fp8_KIND x; x.__x = i;
  h[i] = __nv_cvt_fp8_to_halfraw(i, NAME).x; b[i] = __bfloat16_as_ushort((__nv_bfloat16)x);
  if (__half_as_ushort((__half)x) != h[i]) h[i] = 0x1234;
  f[i] = (float)x; d[i] = (double)x + ((bool)x ? 0 : 1000);
  __nv_fp8x2_KIND two; two.__x = (255 - i) << 8 | i;
  __half2_raw raw = __nv_cvt_fp8x2_to_halfraw2(two.__x, NAME), wide = (__half2)two;
  h2[2 * i] = raw.x; h2[2 * i + 1] = wide.y;
  f2[2 * i] = ((float2)two).x; f2[2 * i + 1] = ((float2)two).y;
  __nv_fp8x4_KIND four; four.__x = (unsigned)i << 24 | i << 16 | (255 - i) << 8 | (i ^ 1);
  f4[i] = (float4)four;
}
extern "C" __global__ void integers_KIND(signed char* a, unsigned char* b, short* c,
    unsigned short* d, int* e, unsigned* f, long long* g, unsigned long long* h) {
  int i = threadIdx.x; __nv_fp8_KIND x; x.__x = i;
  a[i] = (signed char)x; b[i] = (unsigned char)x; c[i] = (short)x; d[i] = (unsigned short)x;
  e[i] = (int)x; f[i] = (unsigned)x; g[i] = (long long)x; h[i] = (unsigned long long)x;
}
extern "C" __global__ void narrow_KIND(int n, const unsigned short* h, const float* f,
    const double* d, unsigned char* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; o += 16 * i;
  __half_raw half; half.x = h[i]; __nv_bfloat16_raw b; b.x = h[i];
  o[0] = __nv_cvt_halfraw_to_fp8(half, __NV_NOSAT, NAME);
  o[1] = __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, NAME);
  o[2] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, NAME);
  o[3] = __nv_cvt_bfloat16raw_to_fp8(b, __NV_SATFINITE, NAME);
  o[4] = __nv_cvt_float_to_fp8(f[i], __NV_NOSAT, NAME);
  o[5] = __nv_cvt_float_to_fp8(f[i], __NV_SATFINITE, NAME);
  o[6] = __nv_cvt_double_to_fp8(d[i], __NV_NOSAT, NAME);
  o[7] = __nv_cvt_double_to_fp8(d[i], __NV_SATFINITE, NAME);
  o[8] = __nv_fp8_KIND(__half(half)).__x; o[9] = __nv_fp8_KIND(__nv_bfloat16(b)).__x;
  o[10] = __nv_fp8_KIND(f[i]).__x; o[11] = __nv_fp8_KIND(d[i]).__x;
  int k = 1 - i % 2; __half2_raw pair; pair.x = pair.y = h[i];
  o[12] = __nv_cvt_halfraw2_to_fp8x2(pair, __NV_NOSAT, NAME) >> 8 * k;
  o[13] = __nv_fp8x2_KIND(make_float2(f[i], f[i])).__x >> 8 * k;
  o[14] = __nv_fp8x4_KIND(__half2(pair), __half2(pair)).__x >> 16 * k;
  o[15] = __nv_fp8x4_KIND(make_float4(f[i], f[i], f[i], f[i])).__x >> 24 * k;
}
extern "C" __global__ void pairs_KIND(int n, const unsigned short* h, const double* d,
                                      unsigned char* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; o += 6 * i;
  __nv_bfloat162_raw b; b.x = h[i]; b.y = h[n - 1 - i];
  double2 e = make_double2(d[i], d[n - 1 - i]);
  unsigned x = __nv_cvt_bfloat16raw2_to_fp8x2(b, __NV_NOSAT, NAME); o[0] = x; o[1] = x >> 8;
  x = __nv_cvt_double2_to_fp8x2(e, __NV_NOSAT, NAME); o[2] = x; o[3] = x >> 8;
  x = __nv_fp8x4_KIND(__nv_bfloat162(b), __nv_bfloat162(b)).__x; o[4] = x; o[5] = x >> 24;
}
extern "C" __global__ void counted_KIND(int n, const long long* v, unsigned char* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; o += 6 * i;
  o[0] = __nv_fp8_KIND(v[i]).__x; o[1] = __nv_fp8_KIND((int)v[i]).__x;
  o[2] = __nv_fp8_KIND((short)v[i]).__x; o[3] = __nv_fp8_KIND((unsigned short)v[i]).__x;
  o[4] = __nv_fp8_KIND((unsigned)v[i]).__x; o[5] = __nv_fp8_KIND((unsigned long long)v[i]).__x;
}
"""
SOURCE = "#include <cuda_fp8.h>\n" + "".join(
    KERNELS.replace("KIND", kind).replace("NAME", f"__NV_{kind.upper()}") for kind in KINDS
)


def sizes(kind):
    """What the codes without a sign stand for, and the number the next one would."""
    digits, bias, largest = KINDS[kind]
    code = np.arange(largest + 2)
    exponent, rest = code >> digits, code & ((1 << digits) - 1)
    whole = np.where(exponent == 0, rest, (1 << digits) + rest)
    return np.ldexp(whole.astype(float), np.maximum(exponent, 1) - bias - digits)


def wide(kind):
    """The values of all 256 codes."""
    size = np.full(128, np.nan)
    known = sizes(kind)
    size[: len(known) - 1] = known[:-1]
    if kind == "e5m2":
        size[0x7C] = np.inf
    return np.concatenate([size, -size])


def narrow(kind, values, saturates):
    """The nearest codes, of two the even one."""
    largest = KINDS[kind][2]
    known, size = sizes(kind), abs(values)
    middles = (known[:-1] + known[1:]) / 2  # exact
    code = np.searchsorted(middles, size)
    tie = (code < len(middles)) & (middles[np.minimum(code, largest)] == size)
    code = code + (tie & (code % 2 == 1))
    code = np.where(code > largest, largest if saturates else largest + 1, code)
    return np.where(np.isnan(values), 0x7F, code | np.where(np.signbit(values), 0x80, 0))


def check(kind, found, values, saturates, what):
    expected = narrow(kind, values, saturates)
    nan = np.isnan(wide(kind))  # whose sign and digits are not promised
    same = (found == expected) | (nan[found] & np.isnan(values))
    wrong = np.argwhere(~same)
    assert not len(wrong), (what, values[wrong[0][0]], found[wrong[0][0]], expected[wrong[0][0]])


def middles_and_beside(kind, dtype):
    known = sizes(kind)
    middles = np.concatenate([known, (known[:-1] + known[1:]) / 2, [np.inf, np.nan, 1e30, 1e-30]])
    middles = middles.astype(dtype)
    some = np.concatenate([middles, np.nextafter(middles, dtype(np.inf))])
    some = np.concatenate([some, np.nextafter(middles, dtype(-np.inf))])
    return np.concatenate([some, -some])


@pytest.fixture
def run(machine):
    module = machine.module("fp8", SOURCE, "cuda_fp8.h")

    def launch(name, *arguments, count=256):
        kernel = module.kernel(name)
        kernel(*arguments, block=(256,), grid=(-(-count // 256),))

    return launch


@pytest.mark.parametrize("kind", KINDS)
def test_all_numbers_of_8_bits_widen_exactly(run, kind):
    half, bfloat, half2 = (np.zeros(n, np.uint16) for n in (256, 256, 512))
    single, double = np.zeros(256, np.float32), np.zeros(256)
    single2, single4 = np.zeros((256, 2), np.float32), np.zeros((256, 4), np.float32)
    run(f"widen_{kind}", half, bfloat, single, double, half2, single2, single4)
    exact = wide(kind)
    zero = np.where(exact == 0, 1000, exact)  # of which bool is false
    as_bfloat = (bfloat.astype(np.uint32) << 16).view(np.float32)
    for found in half.view(np.float16), as_bfloat, single:
        assert np.array_equal(found, exact, equal_nan=True)
        assert (np.signbit(found) == np.signbit(exact))[~np.isnan(exact)].all()
    assert np.array_equal(double, zero, equal_nan=True)
    pairs = np.stack([exact, exact[::-1]], 1)
    assert np.array_equal(half2.view(np.float16).reshape(256, 2), pairs, equal_nan=True)
    assert np.array_equal(single2, pairs, equal_nan=True)
    fours = np.stack([exact[np.arange(256) ^ 1], exact[::-1], exact, exact], 1)
    assert np.array_equal(single4, fours, equal_nan=True)


@pytest.mark.parametrize("kind", KINDS)
def test_all_numbers_of_8_bits_become_integers(run, kind):
    results = [np.zeros(256, dtype) for dtype in INTEGERS.values()]
    run(f"integers_{kind}", *results)
    exact = wide(kind)
    for name, found in zip(INTEGERS, results, strict=True):
        limits = np.iinfo(found.dtype)
        unknown = 1 << 63 if limits.bits == 64 else 0
        for x, y in zip(exact.tolist(), found.tolist(), strict=True):
            if x != x:
                expected = unknown - (unknown << 1) * (limits.min < 0)
            elif abs(x) == np.inf:
                expected = limits.max if x > 0 else limits.min
            else:
                expected = min(max(int(x), limits.min), limits.max)
            assert y == expected, (name, x)


@pytest.mark.parametrize("kind", KINDS)
def test_to_8_bits_the_nearest_number_is_taken(run, kind):
    bits = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        half = bits.view(np.float16).astype(float)
        bfloat = (bits.astype(np.uint32) << 16).view(np.float32).astype(float)
    singles, doubles = (middles_and_beside(kind, t) for t in (np.float32, np.float64))
    single = np.resize(singles, len(bits))
    double = np.resize(doubles, len(bits))
    out = np.zeros((len(bits), 16), np.uint8)
    run(f"narrow_{kind}", np.int32(len(bits)), bits, single, double, out, count=len(bits))
    single = single.astype(float)
    sources = [half, bfloat, single, double]
    for column, found in enumerate(out.T):
        values = sources[column // 2 if column < 8 else column % 4]
        values = [half, single, half, single][column - 12] if column >= 12 else values
        saturates = column not in (0, 2, 4, 6, 12)
        check(kind, found, values, saturates, column)
    pairs = np.zeros((len(bits), 6), np.uint8)
    run(f"pairs_{kind}", np.int32(len(bits)), bits, double, pairs, count=len(bits))
    sources = [bfloat, bfloat[::-1], double, double[::-1], bfloat, bfloat[::-1]]
    for column, found in enumerate(pairs.T):
        check(kind, found, sources[column], column >= 4, column)


@pytest.mark.parametrize("kind", KINDS)
def test_integers_become_the_nearest_number_of_8_bits(run, kind):
    v = np.concatenate([np.arange(-70000, 70000, 3), np.arange(-600, 600)]).astype(np.int64)
    v = np.concatenate([v, [(1 << 63) - 1, -(1 << 63), 1 << 32, (1 << 31) + 17]]).astype(np.int64)
    out = np.zeros((len(v), 6), np.uint8)
    run(f"counted_{kind}", np.int32(len(v)), v, out, count=len(v))
    for dtype, found in zip("int64 int32 int16 uint16 uint32 uint64".split(), out.T, strict=True):
        check(kind, found, v.astype(dtype).astype(float), True, dtype)
