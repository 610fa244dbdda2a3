// SPDX-License-Identifier: MIT
// Gives: 6 6
// Shared memory under one name inside and outside of extern "C".
template <class T>
__device__ T total(int n) {
  extern __shared__ int memory[];
  T sum = 0;
  for (int i = 0; i < n; i++) sum += memory[i];
  return sum;
}
__device__ void fill() {
  extern __shared__ int memory[];
  memory[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void k(long long* out) {
  extern __shared__ int memory[];
  fill();
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total<long long>(4);
  if (threadIdx.x == 1) out[1] = memory[0] + memory[1] + memory[2] + memory[3];
}
extern "C" {
__global__ void unused(int* out) {
  extern __shared__ int memory[];
  out[0] = memory[0] + sizeof(memory[0]);
}
}
