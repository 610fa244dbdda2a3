// SPDX-License-Identifier: MIT
// Gives: 6 1 5 3 2 1 7 4
// Names of std without an include.
template <class T, class U>
__device__ int kind(T&& value, U) {
  return std::is_same<typename std::remove_reference<T>::type, U>::value
             ? (int)std::forward<T>(value)
             : 0;
}
extern "C" __global__ void k(long long* out) {
  float x = threadIdx.x < 4 ? 4.0f : 0.0f;
  out[0] = (int)(std::sqrt(x) + std::pow(2.0f, 2));
  out[1] = std::isnan(x - x) + std::isinf(x / 0.0f);
  out[2] = std::abs(-3) + (int)std::fabs(-2.5f);
  float y = 3;
  float z = std::move(y);
  out[3] = (int)z;
  std::swap(x, z);
  out[4] = kind(out[3], 1ll) - (std::is_integral<float>::value ? 0 : 1);
  typename std::conditional<true, int, float>::type one = 1;
  out[5] = one;
  out[6] = std::min(7, 9) + std::max(0, -1);
  out[7] = (int)std::floor(z + 0.5f);
}
