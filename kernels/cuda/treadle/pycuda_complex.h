// SPDX-License-Identifier: MIT
// pycuda::complex and its operators: complex numbers of device code, as PyCUDA's programs expect them: two reals side by
// side, aligned as one of them, so that arrays of numpy.complex64 and complex128 are arrays of it.
#pragma once

extern "C++" {
namespace pycuda {

// Copying is trivial: a complex number is passed to kernels by value, and stands in shared memory.
template <class T>
struct complex {
  typedef T value_type;
  T _M_re, _M_im;

  complex() = default;
  __device__ complex(const T& re, const T& im = T()) : _M_re(re), _M_im(im) {}
  /// Without loss: implicit. With loss: said.
  template <class U, int (*)[sizeof(U) < sizeof(T) ? 1 : -1] = nullptr>
  __device__ complex(const complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}
  template <class U, int (*)[(sizeof(U) > sizeof(T)) ? 1 : -1] = nullptr, class = void>
  __device__ explicit complex(const complex<U>& z) : _M_re(static_cast<T>(z._M_re)), _M_im(static_cast<T>(z._M_im)) {}
  /// A template, for a constructor from a volatile number of this very type would make copying not trivial.
  template <class U, int (*)[sizeof(U) <= sizeof(T) ? 1 : -1] = nullptr>
  __device__ complex(const volatile complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}

  __device__ T real() const { return _M_re; }
  __device__ T imag() const { return _M_im; }
  __device__ T real() const volatile { return _M_re; }
  __device__ T imag() const volatile { return _M_im; }
  __device__ void real(T value) { _M_re = value; }
  __device__ void imag(T value) { _M_im = value; }

  __device__ complex& operator=(const T& re) { return set(re, T()); }
  template <class U>
  __device__ complex& operator=(const complex<U>& z) {
    return set(static_cast<T>(z._M_re), static_cast<T>(z._M_im));
  }
  template <class U>
  __device__ complex& operator=(const volatile complex<U>& z) {
    return set(static_cast<T>(z._M_re), static_cast<T>(z._M_im));
  }
  __device__ volatile complex& operator=(const T& re) volatile { return set_volatile(re, T()); }
  template <class U>
  __device__ volatile complex& operator=(const complex<U>& z) volatile {
    return set_volatile(static_cast<T>(z._M_re), static_cast<T>(z._M_im));
  }
  template <class U>
  __device__ volatile complex& operator=(const volatile complex<U>& z) volatile {
    return set_volatile(static_cast<T>(z._M_re), static_cast<T>(z._M_im));
  }

  __device__ complex& operator+=(const T& x) { return set(_M_re + x, _M_im); }
  __device__ complex& operator-=(const T& x) { return set(_M_re - x, _M_im); }
  __device__ complex& operator*=(const T& x) { return set(_M_re * x, _M_im * x); }
  __device__ complex& operator/=(const T& x) { return set(_M_re / x, _M_im / x); }
  template <class U>
  __device__ complex& operator+=(const complex<U>& z) {
    return set(_M_re + static_cast<T>(z._M_re), _M_im + static_cast<T>(z._M_im));
  }
  template <class U>
  __device__ complex& operator-=(const complex<U>& z) {
    return set(_M_re - static_cast<T>(z._M_re), _M_im - static_cast<T>(z._M_im));
  }
  template <class U>
  __device__ complex& operator*=(const complex<U>& z) {
    const T re = static_cast<T>(z._M_re), im = static_cast<T>(z._M_im);
    return set(_M_re * re - _M_im * im, _M_re * im + _M_im * re);
  }
  /// Smith's way (1962): by the quotient of the divisor's parts, so that its square neither overflows nor vanishes.
  template <class U>
  __device__ complex& operator/=(const complex<U>& z) {
    const T re = static_cast<T>(z._M_re), im = static_cast<T>(z._M_im);
    if (::fabs(re) >= ::fabs(im)) {
      const T ratio = im / re, divisor = re + im * ratio;
      return set((_M_re + _M_im * ratio) / divisor, (_M_im - _M_re * ratio) / divisor);
    }
    const T ratio = re / im, divisor = re * ratio + im;
    return set((_M_re * ratio + _M_im) / divisor, (_M_im * ratio - _M_re) / divisor);
  }

 private:
  __device__ complex& set(T re, T im) {
    _M_re = re;
    _M_im = im;
    return *this;
  }
  __device__ volatile complex& set_volatile(T re, T im) volatile {
    _M_re = re;
    _M_im = im;
    return *this;
  }
};

#define __TREADLE_COMPLEX_OPERATOR(op)                                             \
  template <class T>                                                               \
  __device__ inline complex<T> operator op(const complex<T>& a, const complex<T>& b) { \
    complex<T> result = a;                                                         \
    return result op##= b;                                                         \
  }                                                                                \
  template <class T>                                                               \
  __device__ inline complex<T> operator op(const complex<T>& a, const T& b) {      \
    complex<T> result = a;                                                         \
    return result op##= b;                                                         \
  }                                                                                \
  template <class T>                                                               \
  __device__ inline complex<T> operator op(const T& a, const complex<T>& b) {      \
    complex<T> result(a);                                                          \
    return result op##= b;                                                         \
  }
__TREADLE_COMPLEX_OPERATOR(+)
__TREADLE_COMPLEX_OPERATOR(-)
__TREADLE_COMPLEX_OPERATOR(*)
__TREADLE_COMPLEX_OPERATOR(/)
#undef __TREADLE_COMPLEX_OPERATOR

// Reductions of old keep their partial results in volatile shared memory.
#define __TREADLE_VOLATILE_OPERATOR(op, left, right)                                              \
  template <class T>                                                                              \
  __device__ inline complex<T> operator op(left complex<T>& a, right complex<T>& b) {             \
    return complex<T>(a) op complex<T>(b);                                                        \
  }
__TREADLE_VOLATILE_OPERATOR(+, const volatile, const volatile)
__TREADLE_VOLATILE_OPERATOR(+, const volatile, const)
__TREADLE_VOLATILE_OPERATOR(+, const, const volatile)
__TREADLE_VOLATILE_OPERATOR(*, const volatile, const volatile)
__TREADLE_VOLATILE_OPERATOR(*, const volatile, const)
__TREADLE_VOLATILE_OPERATOR(*, const, const volatile)
#undef __TREADLE_VOLATILE_OPERATOR
template <class T>
__device__ inline complex<T> operator+(const complex<T>& z) {
  return z;
}
template <class T>
__device__ inline complex<T> operator-(const complex<T>& z) {
  return complex<T>(-z._M_re, -z._M_im);
}

#define __TREADLE_COMPLEX_EQUALITY(op, join)                                       \
  template <class T>                                                               \
  __device__ inline bool operator op(const complex<T>& a, const complex<T>& b) {   \
    return a._M_re op b._M_re join a._M_im op b._M_im;                             \
  }                                                                                \
  template <class T>                                                               \
  __device__ inline bool operator op(const complex<T>& a, const T& b) {            \
    return a._M_re op b join a._M_im op T();                                       \
  }                                                                                \
  template <class T>                                                               \
  __device__ inline bool operator op(const T& a, const complex<T>& b) {            \
    return a op b._M_re join T() op b._M_im;                                       \
  }
__TREADLE_COMPLEX_EQUALITY(==, &&)
__TREADLE_COMPLEX_EQUALITY(!=, ||)
#undef __TREADLE_COMPLEX_EQUALITY

}  // namespace pycuda
}
