// SPDX-License-Identifier: MIT
// Gives: 5 81 3 2 8 25 3 1 7
// Functions of <cmath> of integers and of two types, which are double.
template <class T>
__device__ bool is_double(T) {
  return false;
}
__device__ bool is_double(double) { return true; }

extern "C" __global__ void k(long long* out) {
  int three = 3, i = threadIdx.x < 4 ? 16 : 0;
  unsigned two = 2;
  float half = 0.5f;
  double quarter = 0.25;
  unsigned char c = 9;
  out[0] = (long long)(sqrt(i) + log2(two));
  out[1] = (long long)pow(three, 4);
  out[2] = (long long)(std::sqrt(c) + floor(i / 20));
  out[3] = is_double(pow(half, quarter)) + is_double(ceil(i)) + is_double(pow(half, 2));
  out[4] = (long long)(fmin(8.0, i) + fmax(half, quarter) + fmod(half, quarter));
  out[5] = (long long)(std::hypot(three, 4) * std::sqrtf(25.0f));
  out[6] = (long long)(ldexp(three, 0) + atan2(0, i) + 0.5);
  out[7] = isnan(i) + isfinite(two);
  std::int32_t seven = 7;
  u_int32_t as_word = (u_char)seven;
  out[8] = MAXFLOAT > 1 ? as_word : 0;
}
