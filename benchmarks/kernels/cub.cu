// SPDX-License-Identifier: MIT
// CUB's reductions of float32, called by workers/arrays_cub.py.
#include <cub/cub.cuh>

namespace {

float *values, *result;
void *scratch;
size_t scratch_bytes;
int count;

cudaError_t reduce(bool largest) {
  return largest ? cub::DeviceReduce::Max(scratch, scratch_bytes, values, result, count)
                 : cub::DeviceReduce::Sum(scratch, scratch_bytes, values, result, count);
}

}  // namespace

/// Takes the elements over. Returns 0, or CUDA's error.
extern "C" int cub_put(const float *host, int n) {
  count = n;
  if (auto error = cudaMalloc(&values, n * sizeof(float))) return error;
  if (auto error = cudaMalloc(&result, sizeof(float))) return error;
  size_t most = 0;
  for (const bool largest : {false, true}) {
    if (auto error = reduce(largest)) return error;  // without scratch memory it tells the size
    if (scratch_bytes > most) most = scratch_bytes;
  }
  scratch_bytes = most;
  if (auto error = cudaMalloc(&scratch, most)) return error;
  return cudaMemcpy(values, host, n * sizeof(float), cudaMemcpyHostToDevice);
}

/// Seconds of one reduction among `repeats`, its result in `host`; negative: CUDA's error.
extern "C" double cub_reduce(int largest, int repeats, float *host) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start);
  for (int i = 0; i < repeats; ++i) reduce(largest != 0);
  cudaEventRecord(end);
  cudaMemcpy(host, result, sizeof(float), cudaMemcpyDeviceToHost);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, end);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  const auto error = cudaGetLastError();
  return error == cudaSuccess ? ms * 1e-3 / repeats : -static_cast<double>(error);
}
