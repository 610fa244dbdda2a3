// SPDX-License-Identifier: MIT
// CUB's reductions and its scan of float32, called by workers/arrays_cub.py.
#include <cub/cub.cuh>

namespace {

float *values, *result, *sums;
void *scratch;
size_t scratch_bytes;
int count;

enum Task { sum, largest, sums_so_far };

cudaError_t run(Task task) {
  switch (task) {
    case sum: return cub::DeviceReduce::Sum(scratch, scratch_bytes, values, result, count);
    case largest: return cub::DeviceReduce::Max(scratch, scratch_bytes, values, result, count);
    default: return cub::DeviceScan::InclusiveSum(scratch, scratch_bytes, values, sums, count);
  }
}

}  // namespace

/// Takes the elements over. Returns 0, or CUDA's error.
extern "C" int cub_put(const float *host, int n) {
  count = n;
  if (auto error = cudaMalloc(&values, n * sizeof(float))) return error;
  if (auto error = cudaMalloc(&result, sizeof(float))) return error;
  if (auto error = cudaMalloc(&sums, n * sizeof(float))) return error;
  size_t most = 0;
  for (const Task task : {sum, largest, sums_so_far}) {
    if (auto error = run(task)) return error;  // without scratch memory it tells the size
    if (scratch_bytes > most) most = scratch_bytes;
  }
  scratch_bytes = most;
  if (auto error = cudaMalloc(&scratch, most)) return error;
  return cudaMemcpy(values, host, n * sizeof(float), cudaMemcpyHostToDevice);
}

/// Seconds of one run among `repeats`, its results in `host`: one, or of a scan as many as there are
/// elements. `host` may be null. Negative: CUDA's error.
extern "C" double cub_run(int task, int repeats, float *host) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start);
  for (int i = 0; i < repeats; ++i) run(static_cast<Task>(task));
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  const bool many = task == sums_so_far;
  if (host)
    cudaMemcpy(host, many ? sums : result, (many ? count : 1) * sizeof(float),
               cudaMemcpyDeviceToHost);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, end);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  const auto error = cudaGetLastError();
  return error == cudaSuccess ? ms * 1e-3 / repeats : -static_cast<double>(error);
}
