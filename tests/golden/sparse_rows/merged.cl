// sparse_merge_float32, made by treadle's generator of products by merged rows: wide schedule

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_merge_float32(
    __global float *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *result__base, long result__offset,
    __global long *left_rows__base, long left_rows__offset, __global float *left_sums__base,
    long left_sums__offset, long row_count, long entries) {
  __global float *data = (__global float *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *result = (__global float *)((__global char *)result__base + result__offset);
  __global long *left_rows = (__global long *)((__global char *)left_rows__base + left_rows__offset);
  __global float *left_sums = (__global float *)((__global char *)left_sums__base + left_sums__offset);
  __local float products[1792];
  __local int ends[1792 + 1];
  __local int rows[256];
  __local float sums[256];
  __local long bounds[4];
  const long total = row_count + entries;
  const long first = (long)(uint)get_group_id(0) * 1792;
  const long last = total - first < 1792 ? total : first + 1792;
  if ((uint)get_local_id(0) == 0) {
    bounds[0] = first > entries ? first - entries : 0;
    bounds[1] = first < row_count ? first : row_count;
    bounds[2] = last > entries ? last - entries : 0;
    bounds[3] = last < row_count ? last : row_count;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (long span = row_count; span > 0; span /= 256) {
    const long bound_0 = bounds[0];
    const long bound_1 = bounds[1];
    const long bound_2 = bounds[2];
    const long bound_3 = bounds[3];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
      const long low = bound_0;
      const long high = bound_1;
      const long step = (high - low + 255) / 256;
      const long here = low + (uint)get_local_id(0) * step;
      const long there = here + step;
      const int is_before = here < high && starts[here + 1] + here + 1 <= first;
      const int is_next_before = there < high && starts[there + 1] + there + 1 <= first;
      if (is_before && !is_next_before) {
        bounds[0] = here + 1;
        bounds[1] = there < high ? there : high;
      }
      if ((uint)get_local_id(0) == 0 && !is_before) {
        bounds[1] = low;
      }
    }
    {
      const long low = bound_2;
      const long high = bound_3;
      const long step = (high - low + 255) / 256;
      const long here = low + (uint)get_local_id(0) * step;
      const long there = here + step;
      const int is_before = here < high && starts[here + 1] + here + 1 <= last;
      const int is_next_before = there < high && starts[there + 1] + there + 1 <= last;
      if (is_before && !is_next_before) {
        bounds[2] = here + 1;
        bounds[3] = there < high ? there : high;
      }
      if ((uint)get_local_id(0) == 0 && !is_before) {
        bounds[3] = low;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  const long first_row = bounds[0];
  const long last_row = bounds[2];
  const long first_entry = first - first_row;
  const int entry_count = (int)(last - last_row - first_entry);
  const int row_ends = (int)(last_row - first_row);
  for (int k = (int)(uint)get_local_id(0); k < row_ends; k += 256) {
    ends[k] = (int)(starts[first_row + k + 1] - first_entry);
  }
  if ((uint)get_local_id(0) == 0) {
    ends[row_ends] = 1792 + 1;
  }
  int own_columns[7];
  float own_data[7];
  float own_others[7];
  #pragma unroll
  for (uint treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + (uint)get_local_id(0));
    own_columns[treadle_q] = k < entry_count ? columns[first_entry + k] : 0;
  }
  #pragma unroll
  for (uint treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + (uint)get_local_id(0));
    own_data[treadle_q] = k < entry_count ? data[first_entry + k] : 0;
  }
  #pragma unroll
  for (uint treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + (uint)get_local_id(0));
    own_others[treadle_q] = k < entry_count ? x[own_columns[treadle_q]] : 0;
  }
  #pragma unroll
  for (uint treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + (uint)get_local_id(0));
    if (k < entry_count) {
      products[k] = own_data[treadle_q] * own_others[treadle_q];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const int count = entry_count + row_ends;
  const int from = (int)(uint)get_local_id(0) * 7;
  const int mine = from < count ? from : count;
  const int behind = count - mine < 7 ? count : mine + 7;
  int row = mine > entry_count ? mine - entry_count : 0;
  int high = mine < row_ends ? mine : row_ends;
  while (row < high) {
    const int middle = (row + high) / 2;
    if (ends[middle] + middle + 1 <= mine) {
      row = middle + 1;
    } else {
      high = middle;
    }
  }
  int at = mine - row;
  float sum = 0;
  int head_row = -1;
  float head_sum = 0;
  for (int item = mine; item < behind; ++item) {
    if (ends[row] > at) {
      sum += products[at];
      at += 1;
    } else {
      if (head_row < 0) {
        head_row = row;
        head_sum = sum;
      } else {
        result[first_row + row] = sum;
      }
      sum = 0;
      row += 1;
    }
  }
  rows[(uint)get_local_id(0)] = row;
  sums[(uint)get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint scan_step = 1; scan_step < 256; scan_step *= 2) {
    if ((uint)get_local_id(0) >= scan_step) {
      if (rows[(uint)get_local_id(0) - scan_step] == row) {
        sum = sums[(uint)get_local_id(0) - scan_step] + sum;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    rows[(uint)get_local_id(0)] = row;
    sums[(uint)get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (head_row >= 0) {
    if ((uint)get_local_id(0) > 0 && rows[(uint)get_local_id(0) - 1] == head_row) {
      head_sum = sums[(uint)get_local_id(0) - 1] + head_sum;
    }
    result[first_row + head_row] = head_sum;
  }
  if ((uint)get_local_id(0) == 256 - 1) {
    left_rows[(uint)get_group_id(0)] = first_row + row;
    left_sums[(uint)get_group_id(0)] = sum;
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_merge_float32_rest(
    __global long *left_rows__base, long left_rows__offset, __global float *left_sums__base,
    long left_sums__offset, __global float *result__base, long result__offset, long row_count,
    long group_count) {
  __global long *left_rows = (__global long *)((__global char *)left_rows__base + left_rows__offset);
  __global float *left_sums = (__global float *)((__global char *)left_sums__base + left_sums__offset);
  __global float *result = (__global float *)((__global char *)result__base + result__offset);
  const long which = (long)(uint)get_group_id(0) * 256 + (uint)get_local_id(0);
  if (which < group_count) {
    const long row = left_rows[which];
    if (row < row_count && (which == 0 || left_rows[which - 1] != row)) {
      float sum = left_sums[which];
      for (long k = which + 1; k < group_count && left_rows[k] == row; ++k) {
        sum += left_sums[k];
      }
      result[row] += sum;
    }
  }
}
