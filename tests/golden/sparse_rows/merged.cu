// sparse_merge_float32, made by treadle's generator of products by merged rows: wide schedule
static __device__ inline long long rows_before(
    const long long *starts, long long low, long long high, long long items) {
  while (low < high) {
    const long long middle = (low + high) / 2;
    if (starts[middle + 1] + middle + 1 <= items) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(256) sparse_merge_float32(
    float *data, int *columns, long long *starts, float *x, float *result, long long *left_rows,
    float *left_sums, long long row_count, long long entries) {
  __shared__ float products[1792];
  __shared__ long long rows[256];
  __shared__ float sums[256];
  const long long total = row_count + entries;
  const long long first = (long long)blockIdx.x * 1792;
  const long long last = total - first < 1792 ? total : first + 1792;
  const long long first_row = rows_before(starts, first > entries ? first - entries : 0, first < row_count ? first : row_count, first);
  const long long last_row = rows_before(starts, first_row, last < row_count ? last : row_count, last);
  const long long first_entry = first - first_row;
  const long long entry_count = last - last_row - first_entry;
  for (long long k = threadIdx.x; k < entry_count; k += 256) {
    products[k] = data[first_entry + k] * x[columns[first_entry + k]];
  }
  __syncthreads();
  const long long from = first + (long long)threadIdx.x * 7;
  const long long mine = from < last ? from : last;
  const long long behind = last - mine < 7 ? last : mine + 7;
  long long row = rows_before(starts, first_row, last_row, mine);
  long long at = mine - row - first_entry;
  float sum = 0;
  long long head_row = -1;
  float head_sum = 0;
  for (long long item = mine; item < behind; ++item) {
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
  const unsigned int id = threadIdx.x;
  rows[id] = row;
  sums[id] = sum;
  __syncthreads();
  for (unsigned int step = 1; step < 256; step *= 2) {
    int is_same = 0;
    float before = 0;
    if (id >= step && rows[id - step] == row) {
      is_same = 1;
      before = sums[id - step];
    }
    __syncthreads();
    if (is_same != 0) {
      sum = before + sum;
      sums[id] = sum;
    }
    __syncthreads();
  }
  if (head_row >= 0) {
    if (id > 0) {
      head_sum = sums[id - 1] + head_sum;
    }
    result[head_row] = head_sum;
  }
  if (id == 256 - 1) {
    left_rows[blockIdx.x] = row;
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
