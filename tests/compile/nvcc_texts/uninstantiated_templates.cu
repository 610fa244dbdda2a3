// SPDX-License-Identifier: MIT
// Gives: 7 8 9 10
// Names in templates that nobody instantiates.
template <class T> __device__ T unused(T x) { return missing_function(3) + missing_variable; }
template <class T> struct Unused {
  __device__ T get() { return missing_member + missing_function(1); }
  T value;
};
template <class T> struct Base { T value; };
template <class T> struct Derived : Base<T> {
  __device__ T get() { return value; }
  __device__ T right() { return this->value; }
};
template <class T> struct Traits { typedef T type; };
template <class T> __device__ void forgotten_typename() { Traits<T>::type x; }
template <class T> __device__ T used(T x) { return x + 1; }
extern "C" __global__ void k(long long* out) {
  Unused<int> a = {5};
  Derived<int> b;
  b.value = threadIdx.x + 1;
  out[threadIdx.x] = used(a.value) + b.right();
}
