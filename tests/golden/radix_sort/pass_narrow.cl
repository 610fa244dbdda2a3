// radix_sort, made by treadle's radix sort generator around a user's text: narrow schedule
typedef uint treadle_key;
typedef long treadle_index;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) radix_sort_counts(
    __global uint *keys__base, long keys__offset, __global float *x__base, long x__offset,
    treadle_index N, long treadle_length, long treadle_intervals, uint treadle_bit,
    __global treadle_index *treadle_numbers) {
  __global uint *keys = (__global uint *)((__global char *)keys__base + keys__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_own[256];
  for (uint treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_own[treadle_d] = 0;
  }
  for (long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    const treadle_key treadle_whole = (treadle_key)(
    keys[i]
    );
    const uint treadle_digit = (uint)(treadle_whole >> treadle_bit) & 255;
    ++treadle_own[treadle_digit];
  }
  for (uint treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_numbers[treadle_d * treadle_intervals + (uint)get_group_id(0)] = treadle_own[treadle_d];
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) radix_sort_places(
    __global uint *treadle_sorted_keys__base, long treadle_sorted_keys__offset,
    __global float *treadle_sorted_x__base, long treadle_sorted_x__offset,
    __global uint *keys__base, long keys__offset, __global float *x__base, long x__offset,
    treadle_index N, long treadle_length, long treadle_intervals, uint treadle_bit,
    __global treadle_index *treadle_numbers) {
  __global uint *treadle_sorted_keys = (__global uint *)((__global char *)treadle_sorted_keys__base + treadle_sorted_keys__offset);
  __global float *treadle_sorted_x = (__global float *)((__global char *)treadle_sorted_x__base + treadle_sorted_x__offset);
  __global uint *keys = (__global uint *)((__global char *)keys__base + keys__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_next[256];
  for (uint treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_next[treadle_d] = treadle_numbers[treadle_d * treadle_intervals + (uint)get_group_id(0)];
  }
  for (long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    const treadle_key treadle_whole = (treadle_key)(
    keys[i]
    );
    const uint treadle_digit = (uint)(treadle_whole >> treadle_bit) & 255;
    const treadle_index treadle_place = treadle_next[treadle_digit]++;
    treadle_sorted_keys[treadle_place] = keys[i];
    treadle_sorted_x[treadle_place] = x[i];
  }
}
