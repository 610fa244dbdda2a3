# SPDX-License-Identifier: MIT
"""Numbers of 6 and of 4 bits, and powers of two of 8, on each machine there is: every code to every
wider type, and back the numbers, the middles between them and what lies just beside those."""

import numpy as np
import pytest

# Type, bits from one to the next in a vector, digits, bias, the largest code.
KINDS = {
    "fp6_e2m3": ("__NV_E2M3", 8, 3, 1, 31),
    "fp6_e3m2": ("__NV_E3M2", 8, 2, 3, 31),
    "fp4_e2m1": ("__NV_E2M1", 4, 1, 1, 7),
}
KERNELS = """
extern "C" __global__ void widen_TYPE(unsigned short* h, unsigned short* b, float* f, double* d,
                                      float4* f4, int* i4) {
  int i = threadIdx.x; __nv_TYPE x; x.__x = i;
  h[i] = __nv_cvt_FAMILY_to_halfraw(i, NAME).x; b[i] = __bfloat16_as_ushort((__nv_bfloat16)x);
  f[i] = (float)x; d[i] = (double)x + ((bool)x ? 0 : 1000);
  if (__half_as_ushort((__half)x) != h[i]) h[i] = 0x1234;
  __nv_FAMILYx4_FORM four; four.__x = 0;
  for (int k = 0; k < 4; ++k) four.__x |= (unsigned)((i + k) % CODES) << k * WIDTH;
  f4[i] = (float4)four;
  i4[4 * i] = (int)x; i4[4 * i + 1] = (unsigned char)x; i4[4 * i + 2] = (long long)x;
  i4[4 * i + 3] = (short)x;
}
extern "C" __global__ void narrow_TYPE(int n, const float* f, const double* d, unsigned char* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; o += 8 * i;
  int other = n - 1 - i;
  o[0] = __nv_cvt_float_to_FAMILY(f[i], NAME, cudaRoundNearest);
  o[1] = __nv_cvt_double_to_FAMILY(d[i], NAME, cudaRoundNearest);
  o[2] = __nv_TYPE(f[i]).__x; o[3] = __nv_TYPE(d[i]).__x;
  unsigned two = __nv_cvt_float2_to_FAMILYx2(make_float2(f[other], f[i]), NAME, cudaRoundNearest);
  o[4] = two >> WIDTH;
  o[5] = __nv_FAMILYx2_FORM(make_float2(f[other], f[i])).__x >> WIDTH;
  o[6] = __nv_FAMILYx4_FORM(make_float4(f[other], f[other], f[other], f[i])).__x >> 3 * WIDTH;
  o[7] = __nv_TYPE(__float2half(f[i])).__x;
}
"""
SCALES = """
extern "C" __global__ void scales(float* f, unsigned short* b, double* d) {
  int i = threadIdx.x; __nv_fp8_e8m0 x; x.__x = i;
  f[i] = (float)x; d[i] = (double)x; b[i] = __nv_cvt_e8m0_to_bf16raw(i).x;
}
extern "C" __global__ void to_scales(int n, const float* f, unsigned char* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; o += 5 * i;
  o[0] = __nv_cvt_float_to_e8m0(f[i], __NV_NOSAT, cudaRoundZero);
  o[1] = __nv_cvt_float_to_e8m0(f[i], __NV_SATFINITE, cudaRoundZero);
  o[2] = __nv_cvt_float_to_e8m0(f[i], __NV_NOSAT, cudaRoundPosInf);
  o[3] = __nv_cvt_double_to_e8m0(f[i], __NV_SATFINITE, cudaRoundPosInf);
  o[4] = __nv_fp8_e8m0(f[i]).__x;
}
"""


def text_of(kind):
    name, width, _, _, largest = KINDS[kind]
    text = KERNELS.replace("TYPE", kind).replace("NAME", name).replace("WIDTH", str(width))
    size, form = kind.split("_")
    return (
        text.replace("FAMILY", size).replace("FORM", form).replace("CODES", str(2 * (largest + 1)))
    )


SOURCE = "#include <cuda_fp4.h>\n" + "".join(map(text_of, KINDS)) + SCALES


@pytest.fixture
def run(machine):
    module = machine.module("small", SOURCE, "cuda_fp4.h")

    def launch(name, *arguments, count):
        kernel = module.kernel(name)
        block = min(count, 256)
        kernel(*arguments, block=(block,), grid=(-(-count // block),))

    return launch


def sizes(kind):
    _, _, digits, bias, largest = KINDS[kind]
    code = np.arange(largest + 1)
    exponent, rest = code >> digits, code & ((1 << digits) - 1)
    whole = np.where(exponent == 0, rest, (1 << digits) + rest)
    return np.ldexp(whole.astype(float), np.maximum(exponent, 1) - bias - digits)


@pytest.mark.parametrize("kind", KINDS)
def test_all_numbers_widen_exactly(run, kind):
    known = sizes(kind)
    exact = np.concatenate([known, -known])
    n = len(exact)
    half, bfloat = np.zeros(n, np.uint16), np.zeros(n, np.uint16)
    single, double = np.zeros(n, np.float32), np.zeros(n)
    four, whole = np.zeros((n, 4), np.float32), np.zeros((n, 4), np.int32)
    run(f"widen_{kind}", half, bfloat, single, double, four, whole, count=n)
    as_bfloat = (bfloat.astype(np.uint32) << 16).view(np.float32)
    for found in half.view(np.float16), as_bfloat, single:
        assert np.array_equal(found, exact)
        assert np.array_equal(np.signbit(found), np.arange(n) >= n // 2)
    assert np.array_equal(double, np.where(exact == 0, 1000, exact))
    assert np.array_equal(four, np.stack([np.roll(exact, -k) for k in range(4)], 1))
    towards_zero = np.trunc(exact)
    assert np.array_equal(whole[:, 0], towards_zero)
    assert np.array_equal(whole[:, 1], towards_zero.clip(0))
    assert np.array_equal(whole[:, 2:], np.stack([towards_zero, towards_zero], 1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_number_is_taken(run, kind):
    known, largest = sizes(kind), KINDS[kind][4]
    middles = (known[:-1] + known[1:]) / 2
    some = np.concatenate([known, middles, [known[-1] * 2, 1e30, 1e-30, np.inf]])
    some = some.astype(np.float32)
    beside = [np.nextafter(some, np.float32(side)) for side in (np.inf, -np.inf)]
    values = np.concatenate([some, *beside])
    values = np.concatenate([values, -values, [np.nan]]).astype(np.float32)
    size = abs(values.astype(float))
    code = np.searchsorted(middles, size)
    tie = (code < len(middles)) & (middles[np.minimum(code, largest - 1)] == size)
    code = np.minimum(code + (tie & (code % 2 == 1)), largest)
    expected = np.where(np.signbit(values), code | (largest + 1), code)
    expected[np.isnan(values)] = largest
    out = np.zeros((len(values), 8), np.uint8)
    double = values.astype(float)
    run(f"narrow_{kind}", np.int32(len(values)), values, double, out, count=len(values))
    for column in range(7):
        assert np.array_equal(out[:, column] & (2 * largest + 1), expected), column
    # What a half holds goes through one as it is.
    with np.errstate(over="ignore", under="ignore"):
        exact = values.astype(np.float16).astype(np.float32) == values
    assert np.array_equal(out[exact, 7], expected[exact])


def test_powers_of_two(run):
    single, bfloat, double = np.zeros(256, np.float32), np.zeros(256, np.uint16), np.zeros(256)
    run("scales", single, bfloat, double, count=256)
    exact = np.ldexp(1.0, np.arange(256) - 127)
    exact[255] = np.nan
    for found in single, double, (bfloat.astype(np.uint32) << 16).view(np.float32):
        assert np.array_equal(found, exact, equal_nan=True)


def test_scales_are_rounded_up_or_towards_zero(run):
    exact = np.ldexp(np.float32(1), np.arange(255) - 127).astype(np.float32)
    beside = [np.nextafter(exact, np.float32(side)) for side in (np.inf, 0)]
    values = np.concatenate([exact, *beside, [0, 3e38, np.inf, np.nan, 1e-45]]).astype(np.float32)
    values = np.concatenate([values, -values])
    out = np.zeros((len(values), 5), np.uint8)
    run("to_scales", np.int32(len(values)), values, out, count=len(values))
    size = abs(values.astype(float))
    below = np.searchsorted(exact.astype(float), size, "right").clip(1) - 1
    above = np.searchsorted(exact.astype(float), size, "left")
    infinite, unknown = np.isinf(size), np.isnan(size)
    for column, (code, saturates) in enumerate(
        [(below, False), (below, True), (above, False), (above, True), (above, True)]
    ):
        too_large = infinite | (code > 254)
        expected = np.where(too_large, 254 if saturates else 255, code)
        assert np.array_equal(out[:, column], np.where(unknown, 255, expected)), column
