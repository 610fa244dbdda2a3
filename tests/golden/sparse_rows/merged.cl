// sparse_merge_float32, made by treadle's generator of products by merged rows: wide schedule
static inline long rows_before(const __global long *starts, long low, long high, long items) {
  while (low < high) {
    const long middle = (low + high) / 2;
    if (starts[middle + 1] + middle + 1 <= items) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

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
  __local long rows[256];
  __local float sums[256];
  const long total = row_count + entries;
  const long first = (long)(uint)get_group_id(0) * 1792;
  const long last = total - first < 1792 ? total : first + 1792;
  const long first_row = rows_before(starts, first > entries ? first - entries : 0, first < row_count ? first : row_count, first);
  const long last_row = rows_before(starts, first_row, last < row_count ? last : row_count, last);
  const long first_entry = first - first_row;
  const long entry_count = last - last_row - first_entry;
  for (long k = (uint)get_local_id(0); k < entry_count; k += 256) {
    products[k] = data[first_entry + k] * x[columns[first_entry + k]];
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const long from = first + (long)(uint)get_local_id(0) * 7;
  const long mine = from < last ? from : last;
  const long behind = last - mine < 7 ? last : mine + 7;
  long row = rows_before(starts, first_row, last_row, mine);
  long at = mine - row - first_entry;
  float sum = 0;
  long head_row = -1;
  float head_sum = 0;
  for (long item = mine; item < behind; ++item) {
    if (starts[row + 1] - first_entry > at) {
      sum += products[at];
      at += 1;
    } else {
      if (head_row < 0) {
        head_row = row;
        head_sum = sum;
      } else {
        result[row] = sum;
      }
      sum = 0;
      row += 1;
    }
  }
  const uint id = (uint)get_local_id(0);
  rows[id] = row;
  sums[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 1; step < 256; step *= 2) {
    int is_same = 0;
    float before = 0;
    if (id >= step && rows[id - step] == row) {
      is_same = 1;
      before = sums[id - step];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_same != 0) {
      sum = before + sum;
      sums[id] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (head_row >= 0) {
    if (id > 0) {
      head_sum = sums[id - 1] + head_sum;
    }
    result[head_row] = head_sum;
  }
  if (id == 256 - 1) {
    left_rows[(uint)get_group_id(0)] = row;
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
