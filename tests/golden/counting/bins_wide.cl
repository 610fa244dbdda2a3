// count_bins_int64, made by treadle's generator of counts: wide schedule
static inline uint bin_of(long x, uint bin_count) {
  return (ulong)x >= bin_count ? bin_count : (uint)x;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) count_bins_int64(
    __global long *elements__base, long elements__offset, __global uint *counts__base,
    long counts__offset, long N, long treadle_length, uint bin_count, uint copies) {
  __global long *elements = (__global long *)((__global char *)elements__base + elements__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  for (long treadle_from = treadle_begin + (uint)get_local_id(0); treadle_from < treadle_end; treadle_from += 256 * 5) {
    uint bins[5];
    #pragma unroll
    for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
      bins[treadle_q] = treadle_from + treadle_q * 256 < treadle_end ? bin_of(elements[treadle_from + treadle_q * 256], bin_count) : bin_count;
    }
    #pragma unroll
    for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
      if (bins[treadle_q] < bin_count)
        atomic_add(&counts[bins[treadle_q]], 1u);
    }
  }
}
