// count_bins_int64, made by treadle's generator of counts: wide schedule
static __device__ inline unsigned int bin_of(long long x, unsigned int bin_count) {
  return (unsigned long long)x >= bin_count ? bin_count : (unsigned int)x;
}

extern "C" __global__ void __launch_bounds__(256) count_bins_int64(
    long long *elements, unsigned int *counts, long long N, long long treadle_length,
    unsigned int bin_count, unsigned int copies) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  for (long long treadle_from = treadle_begin + threadIdx.x; treadle_from < treadle_end; treadle_from += 256 * 5) {
    unsigned int bins[5];
    #pragma unroll
    for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
      bins[treadle_q] = treadle_from + treadle_q * 256 < treadle_end ? bin_of(elements[treadle_from + treadle_q * 256], bin_count) : bin_count;
    }
    #pragma unroll
    for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
      if (bins[treadle_q] < bin_count)
        atomicAdd(&counts[bins[treadle_q]], 1u);
    }
  }
}
