// scan, made by treadle's scan generator around a user's text: narrow schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
typedef float treadle_item;
typedef long treadle_index;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) scan_intervals(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  for (long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item treadle_value = (
    x[i]
    );
    if (treadle_at > treadle_begin)
      treadle_value = treadle_scan(treadle_carry, treadle_value, 0);
    treadle_carry = treadle_value;
    treadle_scanned[treadle_at] = treadle_value;
  }
  treadle_sums[(uint)get_group_id(0)] = treadle_carry;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) scan_outputs(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  for (long treadle_k = 0; treadle_k < (uint)get_group_id(0); ++treadle_k) {
    treadle_item treadle_value = treadle_sums[treadle_k];
    if (treadle_k > 0)
      treadle_value = treadle_scan(treadle_carry, treadle_value, 0);
    treadle_carry = treadle_value;
  }
  for (long treadle_at = treadle_begin; treadle_at < treadle_end; treadle_at += 1) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_scanned[treadle_at];
    if ((uint)get_group_id(0) > 0)
      item = treadle_scan(treadle_carry, item, 0);
    {
      y[i] = item;
    }
  }
}
