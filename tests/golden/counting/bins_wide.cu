// count_bins_int64, made by treadle's generator of counts: wide schedule
typedef struct __align__(16) {
  long long at[2];
} treadle_pack;

extern "C" __global__ void __launch_bounds__(256) count_bins_int64(
    long long *elements, unsigned int *counts, long long N, long long treadle_length,
    unsigned int bin_count, unsigned int copies) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const int has_packs = (unsigned long long)elements % 16 == 0;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 2560) {
    if (treadle_end - treadle_from >= 2560) {
      treadle_pack packs[5];
      if (has_packs) {
        #pragma unroll
        for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
          packs[treadle_q] = *(const treadle_pack *)(elements + treadle_from + (treadle_q * 256 + threadIdx.x) * 2);
        }
      } else {
        #pragma unroll
        for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
          #pragma unroll
          for (unsigned int treadle_j = 0; treadle_j < 2; ++treadle_j) {
            packs[treadle_q].at[treadle_j] = elements[treadle_from + (treadle_q * 2 + treadle_j) * 256 + threadIdx.x];
          }
        }
      }
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
        #pragma unroll
        for (unsigned int treadle_j = 0; treadle_j < 2; ++treadle_j) {
          const unsigned int bin = (unsigned long long)packs[treadle_q].at[treadle_j] >= bin_count ? bin_count : (unsigned int)packs[treadle_q].at[treadle_j];
          if (bin < bin_count)
            atomicAdd(&counts[bin], 1u);
        }
      }
    } else {
      for (long long treadle_k = treadle_from + threadIdx.x; treadle_k < treadle_end; treadle_k += 256) {
        const unsigned int bin = (unsigned long long)elements[treadle_k] >= bin_count ? bin_count : (unsigned int)elements[treadle_k];
        if (bin < bin_count)
          atomicAdd(&counts[bin], 1u);
      }
    }
  }
}
