// count_bins_int64, made by treadle's generator of counts: narrow schedule

extern "C" __global__ void __launch_bounds__(1) count_bins_int64(
    long long *elements, unsigned int *counts, long long N, long long treadle_length,
    unsigned int bin_count, unsigned int copies) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const unsigned int some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
    unsigned int bins[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (unsigned int k = 0; k < some; ++k) {
      const unsigned int bin = (unsigned long long)elements[treadle_from + k] >= bin_count ? bin_count : (unsigned int)elements[treadle_from + k];
      bins[k] = bin;
    }
    for (unsigned int k = 0; k < some; ++k) {
      if (bins[k] < bin_count)
        atomicAdd(&counts[bins[k]], 1u);
    }
  }
}
