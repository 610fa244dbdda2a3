// runs, made by treadle's scan generator around a user's text: segmented, wide schedule
#define treadle_scan(a, b, across_seg_boundary) (across_seg_boundary ? b : a + b)
typedef int treadle_item;
typedef int treadle_index;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) runs_intervals(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums,
    __global long *restrict treadle_first_starts, __global uchar *restrict treadle_starts) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  __local treadle_item treadle_tile[7936];
  __local treadle_item treadle_own[256];
  __local uchar treadle_flags[7936];
  __local uchar treadle_marks[256];
  __local long treadle_first;
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const uint treadle_low = (uint)get_local_id(0) * 31;
  treadle_item treadle_carry;
  if ((uint)get_local_id(0) == 0)
    treadle_first = treadle_end;
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 7936) {
    const uint treadle_here = treadle_end - treadle_from < 7936 ? (uint)(treadle_end - treadle_from) : 7936;
    #pragma unroll 31
    for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_here; treadle_k += 256) {
      const long treadle_at = treadle_from + treadle_k;
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
      treadle_tile[treadle_k] = treadle_value;
      treadle_flags[treadle_k] = treadle_flag;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint treadle_is_open = treadle_first == treadle_end;
    const uint treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
    treadle_item treadle_sum;
    uint treadle_mark = 0;
    if (treadle_low < treadle_here) {
      treadle_sum = treadle_tile[treadle_low];
      treadle_mark = treadle_flags[treadle_low];
      for (uint treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sum = treadle_scan(treadle_sum, treadle_next, (treadle_flags[treadle_k] != 0));
        treadle_tile[treadle_k] = treadle_sum;
        treadle_mark |= treadle_flags[treadle_k];
      }
    }
    treadle_own[(uint)get_local_id(0)] = treadle_sum;
    treadle_marks[(uint)get_local_id(0)] = treadle_mark;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_step = 1; treadle_step < 256; treadle_step *= 2) {
      if ((uint)get_local_id(0) >= treadle_step && treadle_low < treadle_here) {
        const treadle_item treadle_before = treadle_own[(uint)get_local_id(0) - treadle_step];
        treadle_sum = treadle_scan(treadle_before, treadle_sum, (treadle_mark != 0));
        treadle_mark |= treadle_marks[(uint)get_local_id(0) - treadle_step];
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      treadle_own[(uint)get_local_id(0)] = treadle_sum;
      treadle_marks[(uint)get_local_id(0)] = treadle_mark;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (treadle_low < treadle_here) {
      treadle_item treadle_before = treadle_carry;
      if ((uint)get_local_id(0) > 0) {
        const treadle_item treadle_group = treadle_own[(uint)get_local_id(0) - 1];
        treadle_before = treadle_group;
        if (treadle_from > treadle_begin)
          treadle_before = treadle_scan(treadle_carry, treadle_group, (treadle_marks[(uint)get_local_id(0) - 1] != 0));
      }
      const uint treadle_is_first = treadle_is_open && ((uint)get_local_id(0) == 0 || treadle_marks[(uint)get_local_id(0) - 1] == 0);
      uint treadle_across = 0;
      for (uint treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
        if (treadle_is_first && treadle_flags[treadle_k] && !treadle_across)
          treadle_first = treadle_from + treadle_k;
        treadle_across |= treadle_flags[treadle_k];
        const treadle_item treadle_next = treadle_tile[treadle_k];
        if ((uint)get_local_id(0) > 0 || treadle_from > treadle_begin)
          treadle_tile[treadle_k] = treadle_scan(treadle_before, treadle_next, (treadle_across != 0));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_here; treadle_k += 256) {
      const long treadle_at = treadle_from + treadle_k;
      treadle_scanned[treadle_at] = treadle_tile[treadle_k];
      treadle_starts[treadle_at] = treadle_flags[treadle_k];
    }
    treadle_carry = treadle_tile[treadle_here - 1];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if ((uint)get_local_id(0) == 0) {
    treadle_sums[(uint)get_group_id(0)] = treadle_carry;
    treadle_first_starts[(uint)get_group_id(0)] = treadle_first;
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) runs_totals(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums,
    __global long *restrict treadle_first_starts, __global uchar *restrict treadle_starts) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  __local treadle_item treadle_tile[7936];
  __local treadle_item treadle_own[256];
  __local uchar treadle_flags[7936];
  __local uchar treadle_marks[256];
  __local long treadle_first;
  const long treadle_begin = 0;
  const long treadle_end = treadle_count;
  const uint treadle_low = (uint)get_local_id(0) * 31;
  treadle_item treadle_carry;
  if ((uint)get_local_id(0) == 0)
    treadle_first = treadle_end;
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 7936) {
    const uint treadle_here = treadle_end - treadle_from < 7936 ? (uint)(treadle_end - treadle_from) : 7936;
    #pragma unroll 31
    for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_here; treadle_k += 256) {
      const long treadle_at = treadle_from + treadle_k;
      treadle_item treadle_value = treadle_sums[treadle_at];
      const long treadle_behind = (treadle_at + 1) * treadle_length;
      const uint treadle_flag = treadle_first_starts[treadle_at] < (treadle_behind < N ? treadle_behind : N);
      treadle_tile[treadle_k] = treadle_value;
      treadle_flags[treadle_k] = treadle_flag;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint treadle_is_open = treadle_first == treadle_end;
    const uint treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
    treadle_item treadle_sum;
    uint treadle_mark = 0;
    if (treadle_low < treadle_here) {
      treadle_sum = treadle_tile[treadle_low];
      treadle_mark = treadle_flags[treadle_low];
      for (uint treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sum = treadle_scan(treadle_sum, treadle_next, (treadle_flags[treadle_k] != 0));
        treadle_tile[treadle_k] = treadle_sum;
        treadle_mark |= treadle_flags[treadle_k];
      }
    }
    treadle_own[(uint)get_local_id(0)] = treadle_sum;
    treadle_marks[(uint)get_local_id(0)] = treadle_mark;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_step = 1; treadle_step < 256; treadle_step *= 2) {
      if ((uint)get_local_id(0) >= treadle_step && treadle_low < treadle_here) {
        const treadle_item treadle_before = treadle_own[(uint)get_local_id(0) - treadle_step];
        treadle_sum = treadle_scan(treadle_before, treadle_sum, (treadle_mark != 0));
        treadle_mark |= treadle_marks[(uint)get_local_id(0) - treadle_step];
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      treadle_own[(uint)get_local_id(0)] = treadle_sum;
      treadle_marks[(uint)get_local_id(0)] = treadle_mark;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (treadle_low < treadle_here) {
      treadle_item treadle_before = treadle_carry;
      if ((uint)get_local_id(0) > 0) {
        const treadle_item treadle_group = treadle_own[(uint)get_local_id(0) - 1];
        treadle_before = treadle_group;
        if (treadle_from > treadle_begin)
          treadle_before = treadle_scan(treadle_carry, treadle_group, (treadle_marks[(uint)get_local_id(0) - 1] != 0));
      }
      const uint treadle_is_first = treadle_is_open && ((uint)get_local_id(0) == 0 || treadle_marks[(uint)get_local_id(0) - 1] == 0);
      uint treadle_across = 0;
      for (uint treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
        if (treadle_is_first && treadle_flags[treadle_k] && !treadle_across)
          treadle_first = treadle_from + treadle_k;
        treadle_across |= treadle_flags[treadle_k];
        const treadle_item treadle_next = treadle_tile[treadle_k];
        if ((uint)get_local_id(0) > 0 || treadle_from > treadle_begin)
          treadle_tile[treadle_k] = treadle_scan(treadle_before, treadle_next, (treadle_across != 0));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_here; treadle_k += 256) {
      const long treadle_at = treadle_from + treadle_k;
      treadle_sums[treadle_at] = treadle_tile[treadle_k];
    }
    treadle_carry = treadle_tile[treadle_here - 1];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) runs_outputs(
    __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    treadle_index N, long treadle_length, long treadle_count,
    __global treadle_item *restrict treadle_scanned, __global treadle_item *restrict treadle_sums,
    __global long *restrict treadle_first_starts, __global uchar *restrict treadle_starts) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  if ((uint)get_group_id(0) > 0)
    treadle_carry = treadle_sums[(uint)get_group_id(0) - 1];
  const treadle_item last_item = treadle_sums[treadle_count - 1];
  const long treadle_first = treadle_first_starts[(uint)get_group_id(0)];
  #pragma unroll 5
  for (long treadle_at = treadle_begin + (uint)get_local_id(0); treadle_at < treadle_end; treadle_at += 256) {
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
