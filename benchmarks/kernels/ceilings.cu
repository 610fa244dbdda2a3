// SPDX-License-Identifier: MIT
// What memory allows: each thread moves EACH float4 of a tile, in which neighbouring threads have
// neighbouring ones. The launch has exactly as many threads as that takes.
typedef unsigned long long u64;

#define FOR_EACH                                                                  \
  const u64 first = static_cast<u64>(blockIdx.x) * blockDim.x * EACH + threadIdx.x; \
  _Pragma("unroll") for (int e = 0; e < EACH; ++e)
#define AT (first + e * blockDim.x)

__device__ float4 linear_of(float4 x, float4 y) {
  return make_float4(5 * x.x + 6 * y.x, 5 * x.y + 6 * y.y, 5 * x.z + 6 * y.z, 5 * x.w + 6 * y.w);
}

__device__ float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }

extern "C" __global__ void copy(float4 *z, const float4 *x) {
  FOR_EACH z[AT] = x[AT];
}

extern "C" __global__ void linear(float4 *z, const float4 *x, const float4 *y) {
  FOR_EACH z[AT] = linear_of(x[AT], y[AT]);
}

// No sum is negative, so nothing is written; but no compiler knows.
extern "C" __global__ void read_one(float *z, const float4 *x) {
  float sum = 0;
  FOR_EACH sum += sum_of(x[AT]);
  if (sum < 0) *z = sum;
}

extern "C" __global__ void read_two(float *z, const float4 *x, const float4 *y) {
  float sum = 0;
  FOR_EACH sum += sum_of(x[AT]) + sum_of(y[AT]);
  if (sum < 0) *z = sum;
}
