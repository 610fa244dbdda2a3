// SPDX-License-Identifier: MIT
// Gives: 6 14 3 20 9
// Lambdas that say where they run, which nvcc takes with --extended-lambda.
#define EACH(n, body) each(n, [=] __host__ __device__(int i) { body; })
template <class F>
__device__ void each(int n, F f) {
  for (int i = 0; i < n; ++i) f(i);
}
template <class F>
__device__ long long total(int n, F f) {
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += f(i);
  return sum;
}
[[nodiscard]] __device__ long long three() { return 3; }
extern "C" __global__ void k(long long* out) {
  const int scale[2] = {1, 2};
  out[0] = total(4, [=] __device__(int i) { return i * scale[0]; });
  out[1] = total(4, [] __host__ __device__(int i) { return i * i; });
  out[2] = [] __device__ { return three(); }();
  out[3] = 0;
  EACH(5, out[3] += 2 * i);
  out[4] = [first = scale[1]] __device__(auto x) { return first + x; }(7);
}
