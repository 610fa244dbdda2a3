// count_bins_int64, made by treadle's generator of counts: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) count_bins_int64(
    __global long *elements__base, long elements__offset, __global uint *counts__base,
    long counts__offset, long N, long treadle_length, uint bin_count, uint copies) {
  __global long *elements = (__global long *)((__global char *)elements__base + elements__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const uint some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
    uint bins[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (uint k = 0; k < some; ++k) {
      const uint bin = (ulong)elements[treadle_from + k] >= bin_count ? bin_count : (uint)elements[treadle_from + k];
      bins[k] = bin;
    }
    for (uint k = 0; k < some; ++k) {
      if (bins[k] < bin_count)
        atomic_add(&counts[bins[k]], 1u);
    }
  }
}
