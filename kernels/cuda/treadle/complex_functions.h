// SPDX-License-Identifier: MIT
// The functions of complex numbers. Read once for each namespace that has a complex<T>, whose name
// __TREADLE_COMPLEX_NAMESPACE then is: pycuda, std.
#ifdef __TREADLE_COMPLEX_NAMESPACE

extern "C++" {
namespace __TREADLE_COMPLEX_NAMESPACE {

#define __TREADLE_OF_COMPLEX template <class T> __host__ __device__ inline

__TREADLE_OF_COMPLEX T real(const complex<T>& z) { return z.real(); }
__TREADLE_OF_COMPLEX T imag(const complex<T>& z) { return z.imag(); }
__TREADLE_OF_COMPLEX T abs(const complex<T>& z) { return ::hypot(z.real(), z.imag()); }
__TREADLE_OF_COMPLEX T arg(const complex<T>& z) { return ::atan2(z.imag(), z.real()); }
__TREADLE_OF_COMPLEX T norm(const complex<T>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
__TREADLE_OF_COMPLEX complex<T> conj(const complex<T>& z) { return complex<T>(z.real(), -z.imag()); }
__TREADLE_OF_COMPLEX complex<T> polar(const T& rho, const T& theta = T()) {
  return complex<T>(rho * ::cos(theta), rho * ::sin(theta));
}

/// The root in the right half plane. The half of |z| + |re| is at least as large as any part of z: nothing cancels.
__TREADLE_OF_COMPLEX complex<T> sqrt(const complex<T>& z) {
  const T half = T(0.5);
  const T larger = ::sqrt(half * abs(z) + half * ::fabs(z.real()));
  if (larger == T()) return complex<T>(T(), z.imag());
  const T smaller = half * z.imag() / larger;
  if (z.real() >= T()) return complex<T>(larger, smaller);
  return complex<T>(::fabs(smaller), ::copysign(larger, z.imag()));
}

__TREADLE_OF_COMPLEX complex<T> exp(const complex<T>& z) { return polar(::exp(z.real()), z.imag()); }

/// Near the unit circle the logarithm of |z| is that of a number near 1, whose distance from 1 is computed instead.
__TREADLE_OF_COMPLEX complex<T> log(const complex<T>& z) {
  const T size = abs(z);
  if (!(size > T(0.5) && size < T(2))) return complex<T>(::log(size), arg(z));
  const T re = ::fabs(z.real()), im = ::fabs(z.imag());
  const T larger = re > im ? re : im, smaller = re > im ? im : re;
  const T beyond = (larger - T(1)) * (larger + T(1)) + smaller * smaller;
  return complex<T>(T(0.5) * ::log1p(beyond), arg(z));
}
__TREADLE_OF_COMPLEX complex<T> log10(const complex<T>& z) { return log(z) / T(2.30258509299404568402); }

/// By squaring: exact where products are.
__TREADLE_OF_COMPLEX complex<T> __treadle_power(const complex<T>& z, long long exponent) {
  complex<T> factor = exponent < 0 ? T(1) / z : z, product(T(1));
  unsigned long long left = static_cast<unsigned long long>(exponent < 0 ? -exponent : exponent);
  for (; left != 0; left >>= 1) {
    if (left & 1) product *= factor;
    factor *= factor;
  }
  return product;
}
__TREADLE_OF_COMPLEX complex<T> pow(const complex<T>& z, const T& exponent) {
  if (z == T()) return complex<T>(::pow(T(), exponent));
  return polar(::pow(abs(z), exponent), exponent * arg(z));
}
__TREADLE_OF_COMPLEX complex<T> pow(const complex<T>& z, const complex<T>& exponent) {
  if (z == T()) return pow(z, exponent.real());
  return exp(exponent * log(z));
}
__TREADLE_OF_COMPLEX complex<T> pow(const T& base, const complex<T>& exponent) {
  if (base > T()) return polar(::pow(base, exponent.real()), exponent.imag() * ::log(base));
  return pow(complex<T>(base), exponent);
}

__TREADLE_OF_COMPLEX complex<T> sin(const complex<T>& z) {
  return complex<T>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag()));
}
__TREADLE_OF_COMPLEX complex<T> cos(const complex<T>& z) {
  return complex<T>(::cos(z.real()) * ::cosh(z.imag()), -(::sin(z.real()) * ::sinh(z.imag())));
}
__TREADLE_OF_COMPLEX complex<T> sinh(const complex<T>& z) {
  return complex<T>(::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag()));
}
__TREADLE_OF_COMPLEX complex<T> cosh(const complex<T>& z) {
  return complex<T>(::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag()));
}

/// With t = tan(im) and s = sinh(re) (Kahan, "Branch cuts for complex elementary functions", 1987). Far from the
/// imaginary axis the result is 1 or -1, and its imaginary part what is left of a quotient that would overflow.
__TREADLE_OF_COMPLEX complex<T> tanh(const complex<T>& z) {
  const T re = z.real(), im = z.imag();
  if (::fabs(re) > T(20)) {
    const T rest = T(4) * ::sin(im) * ::cos(im) * ::exp(T(-2) * ::fabs(re));
    return complex<T>(::copysign(T(1), re), rest);
  }
  const T t = ::tan(im), s = ::sinh(re);
  const T beta = T(1) + t * t, rho = ::sqrt(T(1) + s * s);
  const T divisor = T(1) + beta * s * s;
  return complex<T>(beta * rho * s / divisor, t / divisor);
}
/// tan z = -i tanh(i z).
__TREADLE_OF_COMPLEX complex<T> tan(const complex<T>& z) {
  const complex<T> turned = tanh(complex<T>(-z.imag(), z.real()));
  return complex<T>(turned.imag(), -turned.real());
}
#undef __TREADLE_OF_COMPLEX

}
}
#undef __TREADLE_COMPLEX_NAMESPACE
#endif
