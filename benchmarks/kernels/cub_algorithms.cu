// SPDX-License-Identifier: MIT
// CUB's algorithms on device memory that the caller holds, called by gpu_libraries.py.
#include <cub/cub.cuh>

namespace {

struct AboveHalf {
  __host__ __device__ bool operator()(float x) const { return x > 0.5f; }
};

void* scratch;
size_t scratch_bytes;

/// Calls CUB twice: without scratch memory, which tells how much there has to be, and with it.
template <class Call>
int run(const Call& call) {
  size_t bytes = 0;
  if (const cudaError_t error = call(nullptr, bytes)) return error;
  if (bytes > scratch_bytes) {
    cudaFree(scratch);
    scratch_bytes = 0;
    if (const cudaError_t error = cudaMalloc(&scratch, bytes)) return error;
    scratch_bytes = bytes;
  }
  return call(scratch, bytes);
}

}  // namespace

// Each queues its work on the default stream and returns 0, or CUDA's error.
extern "C" {

int cub_scan_f4(const float* in, float* out, int n) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(at, bytes, in, out, n);
  });
}
int cub_scan_i2(const short* in, short* out, int n) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(at, bytes, in, out, n);
  });
}
int cub_select(const float* in, float* out, int* chosen, int n) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceSelect::If(at, bytes, in, out, chosen, n, AboveHalf());
  });
}
int cub_sort_u4(const unsigned* in, unsigned* out, int n) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(at, bytes, in, out, n);
  });
}
int cub_sort_pairs_u4(const unsigned* in, unsigned* out, const unsigned* values, unsigned* sorted,
                      int n) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(at, bytes, in, out, values, sorted, n);
  });
}
int cub_histogram_f4(const float* in, int* counts, int bins, int n) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(at, bytes, in, counts, bins + 1, 0.0f, 1.0f, n);
  });
}
int cub_segment_sums_f4(const float* in, float* out, const int* offsets, int segments) {
  return run([&](void* at, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(at, bytes, in, out, segments, offsets, offsets + 1);
  });
}
}
