// count_bins_int64, made by treadle's generator of counts: wide schedule
typedef struct __attribute__((aligned(16))) {
  long at[2];
} treadle_pack;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) count_bins_int64(
    __global long *elements__base, long elements__offset, __global uint *counts__base,
    long counts__offset, long N, long treadle_length, uint bin_count, uint copies) {
  __global long *elements = (__global long *)((__global char *)elements__base + elements__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const int has_packs = (ulong)elements % 16 == 0;
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 2560) {
    if (treadle_end - treadle_from >= 2560) {
      treadle_pack packs[5];
      if (has_packs) {
        #pragma unroll
        for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
          packs[treadle_q] = *(const __global treadle_pack *)(elements + treadle_from + (treadle_q * 256 + (uint)get_local_id(0)) * 2);
        }
      } else {
        #pragma unroll
        for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
          #pragma unroll
          for (uint treadle_j = 0; treadle_j < 2; ++treadle_j) {
            packs[treadle_q].at[treadle_j] = elements[treadle_from + (treadle_q * 2 + treadle_j) * 256 + (uint)get_local_id(0)];
          }
        }
      }
      #pragma unroll
      for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
        #pragma unroll
        for (uint treadle_j = 0; treadle_j < 2; ++treadle_j) {
          const uint bin = (ulong)packs[treadle_q].at[treadle_j] >= bin_count ? bin_count : (uint)packs[treadle_q].at[treadle_j];
          if (bin < bin_count)
            atomic_add(&counts[bin], 1u);
        }
      }
    } else {
      for (long treadle_k = treadle_from + (uint)get_local_id(0); treadle_k < treadle_end; treadle_k += 256) {
        const uint bin = (ulong)elements[treadle_k] >= bin_count ? bin_count : (uint)elements[treadle_k];
        if (bin < bin_count)
          atomic_add(&counts[bin], 1u);
      }
    }
  }
}
