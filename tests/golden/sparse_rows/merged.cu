// sparse_merge_float32, made by treadle's generator of products by merged rows: wide schedule

extern "C" __global__ void __launch_bounds__(256) sparse_merge_float32(
    float *data, int *columns, long long *starts, float *x, float *result, long long *left_rows,
    float *left_sums, long long row_count, long long entries) {
  __shared__ float products[1792];
  __shared__ int ends[1792 + 1];
  __shared__ int rows[256];
  __shared__ float sums[256];
  __shared__ long long bounds[4];
  __shared__ int rows_sums[8];
  __shared__ float sums_sums[8];
  const long long total = row_count + entries;
  const long long first = (long long)blockIdx.x * 1792;
  const long long last = total - first < 1792 ? total : first + 1792;
  if (threadIdx.x == 0) {
    bounds[0] = first > entries ? first - entries : 0;
    bounds[1] = first < row_count ? first : row_count;
    bounds[2] = last > entries ? last - entries : 0;
    bounds[3] = last < row_count ? last : row_count;
  }
  __syncthreads();
  for (long long span = row_count; span > 0; span /= 256) {
    const long long bound_0 = bounds[0];
    const long long bound_1 = bounds[1];
    const long long bound_2 = bounds[2];
    const long long bound_3 = bounds[3];
    __syncthreads();
    {
      const long long low = bound_0;
      const long long high = bound_1;
      const long long step = (high - low + 255) / 256;
      const long long here = low + threadIdx.x * step;
      const long long there = here + step;
      const int is_before = here < high && starts[here + 1] + here + 1 <= first;
      const int is_next_before = there < high && starts[there + 1] + there + 1 <= first;
      if (is_before && !is_next_before) {
        bounds[0] = here + 1;
        bounds[1] = there < high ? there : high;
      }
      if (threadIdx.x == 0 && !is_before) {
        bounds[1] = low;
      }
    }
    {
      const long long low = bound_2;
      const long long high = bound_3;
      const long long step = (high - low + 255) / 256;
      const long long here = low + threadIdx.x * step;
      const long long there = here + step;
      const int is_before = here < high && starts[here + 1] + here + 1 <= last;
      const int is_next_before = there < high && starts[there + 1] + there + 1 <= last;
      if (is_before && !is_next_before) {
        bounds[2] = here + 1;
        bounds[3] = there < high ? there : high;
      }
      if (threadIdx.x == 0 && !is_before) {
        bounds[3] = low;
      }
    }
    __syncthreads();
  }
  const long long first_row = bounds[0];
  const long long last_row = bounds[2];
  const long long first_entry = first - first_row;
  const int entry_count = (int)(last - last_row - first_entry);
  const int row_ends = (int)(last_row - first_row);
  for (int k = (int)threadIdx.x; k < row_ends; k += 256) {
    ends[k] = (int)(starts[first_row + k + 1] - first_entry);
  }
  if (threadIdx.x == 0) {
    ends[row_ends] = 1792 + 1;
  }
  int own_columns[7];
  float own_data[7];
  float own_others[7];
  #pragma unroll
  for (unsigned int treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + threadIdx.x);
    own_columns[treadle_q] = k < entry_count ? columns[first_entry + k] : 0;
  }
  #pragma unroll
  for (unsigned int treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + threadIdx.x);
    own_data[treadle_q] = k < entry_count ? data[first_entry + k] : 0;
  }
  #pragma unroll
  for (unsigned int treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + threadIdx.x);
    own_others[treadle_q] = k < entry_count ? x[own_columns[treadle_q]] : 0;
  }
  #pragma unroll
  for (unsigned int treadle_q = 0; treadle_q < 7; ++treadle_q) {
    const int k = (int)(treadle_q * 256 + threadIdx.x);
    if (k < entry_count) {
      products[k] = own_data[treadle_q] * own_others[treadle_q];
    }
  }
  __syncthreads();
  const int count = entry_count + row_ends;
  const int from = (int)threadIdx.x * 7;
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
  #pragma unroll
  for (unsigned int scan_step = 1; scan_step < 32; scan_step *= 2) {
    const int row_earlier = __shfl_up_sync(0xffffffffu, row, scan_step);
    const float sum_earlier = __shfl_up_sync(0xffffffffu, sum, scan_step);
    if (threadIdx.x % 32 >= scan_step) {
      if (row_earlier == row) {
        sum = sum_earlier + sum;
      }
    }
  }
  if (threadIdx.x % 32 == 31) {
    rows_sums[threadIdx.x / 32] = row;
    sums_sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    for (unsigned int scan_sub_group = threadIdx.x / 32; scan_sub_group > 0; --scan_sub_group) {
      if (rows_sums[scan_sub_group - 1] == row) {
        sum = sums_sums[scan_sub_group - 1] + sum;
      }
    }
  }
  rows[threadIdx.x] = row;
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (head_row >= 0) {
    if (threadIdx.x > 0 && rows[threadIdx.x - 1] == head_row) {
      head_sum = sums[threadIdx.x - 1] + head_sum;
    }
    result[first_row + head_row] = head_sum;
  }
  if (threadIdx.x == 256 - 1) {
    left_rows[blockIdx.x] = first_row + row;
    left_sums[blockIdx.x] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(256) sparse_merge_float32_rest(
    long long *left_rows, float *left_sums, float *result, long long row_count,
    long long group_count) {
  const long long which = (long long)blockIdx.x * 256 + threadIdx.x;
  if (which < group_count) {
    const long long row = left_rows[which];
    if (row < row_count && (which == 0 || left_rows[which - 1] != row)) {
      float sum = left_sums[which];
      for (long long k = which + 1; k < group_count && left_rows[k] == row; ++k) {
        sum += left_sums[k];
      }
      result[row] += sum;
    }
  }
}
