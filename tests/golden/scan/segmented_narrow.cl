// runs, made by treadle's scan generator around a user's text: segmented, narrow schedule
#define treadle_scan(a, b, across_seg_boundary) (across_seg_boundary ? b : a + b)
typedef int treadle_item;
typedef int treadle_index;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) runs_intervals(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums,
    __global long *restrict treadle_first_starts, __global uchar *restrict treadle_starts) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  long treadle_first = treadle_end;
  for (long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    const float before = x[i > 0 ? i - 1 : 0];
    treadle_item treadle_value = (
    x[i] != before
    );
    uint treadle_flag;
    {
      const treadle_item a = treadle_value;
      treadle_flag = (
      a == 1
      ) ? 1 : 0;
    }
    if (treadle_at > treadle_begin)
      treadle_value = treadle_scan(treadle_carry, treadle_value, (treadle_flag));
    treadle_carry = treadle_value;
    treadle_scanned[treadle_at] = treadle_value;
    treadle_starts[treadle_at] = treadle_flag;
    if (treadle_flag && treadle_at < treadle_first)
      treadle_first = treadle_at;
  }
  treadle_sums[(uint)get_group_id(0)] = treadle_carry;
  treadle_first_starts[(uint)get_group_id(0)] = treadle_first;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) runs_outputs(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums,
    __global long *restrict treadle_first_starts, __global uchar *restrict treadle_starts) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  treadle_item last_item;
  for (long treadle_k = 0; treadle_k < treadle_count; ++treadle_k) {
    treadle_item treadle_value = treadle_sums[treadle_k];
    const long treadle_behind = (treadle_k + 1) * treadle_length;
    const uint treadle_flag = treadle_first_starts[treadle_k] < (treadle_behind < N ? treadle_behind : N);
    if (treadle_k > 0)
      treadle_value = treadle_scan(last_item, treadle_value, (treadle_flag));
    last_item = treadle_value;
    if (treadle_k + 1 == (uint)get_group_id(0))
      treadle_carry = treadle_value;
  }
  const long treadle_first = treadle_first_starts[(uint)get_group_id(0)];
  for (long treadle_at = treadle_begin; treadle_at < treadle_end; treadle_at += 1) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_scanned[treadle_at];
    if ((uint)get_group_id(0) > 0)
      item = treadle_scan(treadle_carry, item, (treadle_at >= treadle_first));
    treadle_item prev_item = 0;
    if (treadle_at > 0 && !treadle_starts[treadle_at]) {
      prev_item = treadle_carry;
      if (treadle_at > treadle_begin) {
        prev_item = treadle_scanned[treadle_at - 1];
        if ((uint)get_group_id(0) > 0)
          prev_item = treadle_scan(treadle_carry, prev_item, (treadle_at - 1 >= treadle_first));
      }
    }
    {
      y[i] = prev_item + last_item;
    }
  }
}
