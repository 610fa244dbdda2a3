# SPDX-License-Identifier: MIT
"""<pycuda-complex.hpp>, <pycuda-helpers.hpp> and <cuComplex.h> on the default device: every
function against NumPy, in both precisions."""

import numpy as np
import pycuda.driver as cuda
import pytest

COUNT = 256
# C++ of complex z, w and real x, against NumPy; the largest error in units of the type's epsilon.
FUNCTIONS = {
    "z + w": lambda z, w, x: z + w,
    "z - w": lambda z, w, x: z - w,
    "z * w": lambda z, w, x: z * w,
    "z / w": lambda z, w, x: z / w,
    "x + z": lambda z, w, x: x + z,
    "z + x": lambda z, w, x: x + z,
    "x - z": lambda z, w, x: x - z,
    "z - x": lambda z, w, x: z - x,
    "x * z": lambda z, w, x: x * z,
    "z * x": lambda z, w, x: z * x,
    "x / z": lambda z, w, x: x / z,
    "z / x": lambda z, w, x: z / x,
    "+z": lambda z, w, x: z,
    "-z": lambda z, w, x: -z,
    "(z += w, z *= w, z -= w, z /= w)": lambda z, w, x: ((z + w) * w - w) / w,
    "(z += x, z *= x, z -= x, z /= x)": lambda z, w, x: ((z + x) * x - x) / x,
    "C(z == w || z == x || x == z, z != w && z != x && x != z)": lambda z, w, x: 1j + 0 * z,
    "C(z == z && C(x) == x, z != z || x != C(x))": lambda z, w, x: 1 + 0 * z,
    "C(real(z), imag(z))": lambda z, w, x: z,
    "C(z.imag(), z.real())": lambda z, w, x: z.imag + 1j * z.real,
    "abs(z)": lambda z, w, x: abs(z),
    "arg(z)": lambda z, w, x: np.angle(z),
    "norm(z)": lambda z, w, x: abs(z) ** 2,
    "conj(z)": lambda z, w, x: z.conj(),
    "pycuda::polar(x, real(z))": lambda z, w, x: x * np.exp(1j * z.real),
    "pycuda::polar(x)": lambda z, w, x: x,
    "sqrt(z)": lambda z, w, x: np.sqrt(z),
    "exp(z)": lambda z, w, x: np.exp(z),
    "log(z)": lambda z, w, x: np.log(z),
    "log10(z)": lambda z, w, x: np.log10(z),
    "pow(z, x)": lambda z, w, x: z**x,
    "pow(x, z)": lambda z, w, x: x**z,
    "pow(z, w)": lambda z, w, x: z**w,
    "pow(z, 3)": lambda z, w, x: z**3,
    "pow(z, -2)": lambda z, w, x: z**-2,
    "pow(z, 0)": lambda z, w, x: z**0,
    "sin(z)": lambda z, w, x: np.sin(z),
    "cos(z)": lambda z, w, x: np.cos(z),
    "tan(z)": lambda z, w, x: np.tan(z),
    "sinh(z)": lambda z, w, x: np.sinh(z),
    "cosh(z)": lambda z, w, x: np.cosh(z),
    "tanh(z)": lambda z, w, x: np.tanh(z),
}
HEAD = """#include <pycuda-helpers.hpp>
#include <pycuda-complex.hpp>
#include <cuComplex.h>
"""
KERNEL = """
__global__ void functions_{real}(pycuda::complex<{real}>* o, const pycuda::complex<{real}>* zs,
                                 const pycuda::complex<{real}>* ws, const {real}* xs) {{
  typedef pycuda::complex<{real}> C;
  const int i = threadIdx.x;
  const C w = ws[i];
  const {real} x = xs[i];
  C z;
{rows}}}
"""


def functions_kernel(real):
    rows = "".join(
        f"  z = zs[i]; o[{row * COUNT} + i] = {text};\n" for row, text in enumerate(FUNCTIONS)
    )
    return KERNEL.format(real=real, rows=rows)


REST = """
typedef pycuda::complex<float> cf;
typedef pycuda::complex<double> cd;
__global__ void conversions(cd* o, cf f, cd d) {
  cd wide = f;           // without loss: implicit
  cf narrow(d);          // with loss: said
  f = d;
  o[0] = wide + cd(narrow) + cd(f);
  o[1].real(3.0);
  o[1].imag(4.0);
  o[2] = 5.0;
  cd product = d;
  product *= narrow;
  o[3] = product;
  o[4] = cd(sizeof(cf) + 10 * alignof(cf), sizeof(cd) + 10 * alignof(cd));
  o[5] = cd(tan(cd(0.3, 800.0)) == cd(0, 1) && tanh(cd(-800.0, 0.3)) == cd(-1, 0),
            abs(cd(1e300, 1e300) / cd(1e300, 1e300) - cd(1)));
  o[6] = cd(fp_tex_value(make_uint2(0x3f800000u, 0x40000000u)));
  o[7] = cd(fp_tex_value(make_int2(0, 0x40080000)), sizeof(fp_tex_cdouble));
}
__global__ void volatile_sum(cf* o, const cf* a) {
  __shared__ volatile cf s[32];
  const int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    if (t < step) s[t] = s[t] + s[t + step] * cf(1.0f);
    __syncthreads();
  }
  cf sum = s[0];
  if (t == 0) *o = sum;
}
__global__ void of_c(double2* o, cuDoubleComplex a, cuDoubleComplex b) {
  const cuFloatComplex f = cuComplexDoubleToFloat(a), g = cuComplexDoubleToFloat(b);
  o[0] = cuCadd(a, b); o[1] = cuCsub(a, b); o[2] = cuCmul(a, b); o[3] = cuCdiv(a, b);
  o[4] = cuConj(a); o[5] = make_cuDoubleComplex(cuCabs(a), cuCreal(a) * cuCimag(a));
  o[6] = cuCfma(a, b, a);
  o[7] = cuComplexFloatToDouble(cuCaddf(f, g)); o[8] = cuComplexFloatToDouble(cuCsubf(f, g));
  o[9] = cuComplexFloatToDouble(cuCmulf(f, g)); o[10] = cuComplexFloatToDouble(cuCdivf(f, g));
  o[11] = cuComplexFloatToDouble(cuConjf(f));
  o[12] = make_double2(cuCabsf(f), cuCrealf(f) * cuCimagf(f));
  o[13] = cuComplexFloatToDouble(cuCfmaf(f, g, make_cuComplex(f.x, f.y)));
}
"""
SOURCE = HEAD + functions_kernel("float") + functions_kernel("double") + REST


@pytest.mark.parametrize("real, dtype", [("float", np.complex64), ("double", np.complex128)])
def test_every_function(build, real, dtype):
    random = np.random.default_rng(3)
    z, w = (random.uniform(-2, 2, 2 * COUNT).view(complex).astype(dtype) for _ in range(2))
    z[: COUNT // 4] /= abs(z[: COUNT // 4])  # where a logarithm cancels
    x = random.uniform(0.5, 3, COUNT).astype(dtype(0).real.dtype)
    out = np.zeros((len(FUNCTIONS), COUNT), dtype)
    kernel = build(SOURCE).get_function(f"functions_{real}")
    kernel(cuda.Out(out), cuda.In(z), cuda.In(w), cuda.In(x), block=(COUNT, 1, 1), grid=(1, 1))
    wide = (z.astype(complex), w.astype(complex), x.astype(float))
    tolerance = 32 * np.finfo(dtype).eps
    for row, (text, reference) in zip(out, FUNCTIONS.items(), strict=True):
        np.testing.assert_allclose(row, reference(*wide), tolerance, tolerance, err_msg=text)


def test_conversions_sizes_and_saturation(build):
    f, d = np.complex64(1 + 2j), np.complex128(0.5 - 1j)
    out = np.zeros(8, np.complex128)
    kernel = build(SOURCE).get_function("conversions")
    kernel(cuda.InOut(out), f, d, block=(1, 1, 1), grid=(1, 1))
    assert out[:4].tolist() == [2, 3 + 4j, 5, (0.5 - 1j) ** 2]
    assert out[4:].tolist() == [48 + 96j, 1, 1 + 2j, 3 + 16j]


def test_volatile_shared_sum(build):
    values = (np.arange(32) - 1j * np.arange(32)).astype(np.complex64)
    out = np.zeros(1, np.complex64)
    kernel = build(SOURCE).get_function("volatile_sum")
    kernel(cuda.Out(out), cuda.In(values), block=(32, 1, 1), grid=(1, 1))
    assert out[0] == values.sum()


def test_cucomplex(build):
    a, b = 1.5 - 2j, -0.25 + 4j
    out = np.zeros(14, np.complex128)
    kernel = build(SOURCE).get_function("of_c")
    kernel(cuda.Out(out), np.complex128(a), np.complex128(b), block=(1, 1, 1), grid=(1, 1))
    rows = [a + b, a - b, a * b, a / b, a.conjugate(), abs(a) + 1j * a.real * a.imag, a * b + a]
    np.testing.assert_allclose(out[:7], rows, rtol=1e-15)
    np.testing.assert_allclose(out[7:], rows, rtol=3e-7)
