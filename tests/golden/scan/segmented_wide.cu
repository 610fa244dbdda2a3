// runs, made by treadle's scan generator around a user's text: segmented, wide schedule
#define treadle_scan(a, b, across_seg_boundary) (across_seg_boundary ? b : a + b)
typedef int treadle_item;
typedef int treadle_index;

extern "C" __global__ void __launch_bounds__(256) runs_intervals(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums,
    long long *__restrict__ treadle_first_starts, unsigned char *__restrict__ treadle_starts) {
  __shared__ treadle_item treadle_tile[7936];
  __shared__ treadle_item treadle_own[256];
  __shared__ treadle_item treadle_own_sums[8];
  __shared__ unsigned int treadle_marks_sums[8];
  __shared__ unsigned char treadle_flags[7936];
  __shared__ unsigned char treadle_marks[256];
  __shared__ long long treadle_first;
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const unsigned int treadle_low = threadIdx.x * 31;
  treadle_item treadle_carry;
  if (threadIdx.x == 0)
    treadle_first = treadle_end;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 7936) {
    const unsigned int treadle_here = treadle_end - treadle_from < 7936 ? (unsigned int)(treadle_end - treadle_from) : 7936;
    #pragma unroll 31
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      const float before = x[i > 0 ? i - 1 : 0];
      treadle_item treadle_value = (
      x[i] != before
      );
      unsigned int treadle_flag;
      {
        const treadle_item a = treadle_value;
        treadle_flag = (
        a == 1
        ) ? 1 : 0;
      }
      treadle_tile[treadle_k] = treadle_value;
      treadle_flags[treadle_k] = treadle_flag;
    }
    __syncthreads();
    const unsigned int treadle_is_open = treadle_first == treadle_end;
    const unsigned int treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
    treadle_item treadle_sum;
    unsigned int treadle_mark = 0;
    if (treadle_low < treadle_here) {
      treadle_sum = treadle_tile[treadle_low];
      treadle_mark = treadle_flags[treadle_low];
      for (unsigned int treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sum = treadle_scan(treadle_sum, treadle_next, (treadle_flags[treadle_k] != 0));
        treadle_tile[treadle_k] = treadle_sum;
        treadle_mark |= treadle_flags[treadle_k];
      }
    }
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const treadle_item treadle_sum_earlier = __shfl_up_sync(0xffffffffu, treadle_sum, treadle_step);
      const unsigned int treadle_mark_earlier = __shfl_up_sync(0xffffffffu, treadle_mark, treadle_step);
      if (threadIdx.x % 32 >= treadle_step && treadle_low < treadle_here) {
        const treadle_item treadle_before = treadle_sum_earlier;
        treadle_sum = treadle_scan(treadle_before, treadle_sum, (treadle_mark != 0));
        treadle_mark |= treadle_mark_earlier;
      }
    }
    if (threadIdx.x % 32 == 31) {
      treadle_own_sums[threadIdx.x / 32] = treadle_sum;
      treadle_marks_sums[threadIdx.x / 32] = treadle_mark;
    }
    __syncthreads();
    if (threadIdx.x >= 32 && treadle_low < treadle_here) {
      for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
        const treadle_item treadle_before = treadle_own_sums[treadle_sub_group - 1];
        treadle_sum = treadle_scan(treadle_before, treadle_sum, (treadle_mark != 0));
        treadle_mark |= treadle_marks_sums[treadle_sub_group - 1];
      }
    }
    treadle_own[threadIdx.x] = treadle_sum;
    treadle_marks[threadIdx.x] = treadle_mark;
    __syncthreads();
    if (treadle_low < treadle_here) {
      treadle_item treadle_before = treadle_carry;
      if (threadIdx.x > 0) {
        const treadle_item treadle_group = treadle_own[threadIdx.x - 1];
        treadle_before = treadle_group;
        if (treadle_from > treadle_begin)
          treadle_before = treadle_scan(treadle_carry, treadle_group, (treadle_marks[threadIdx.x - 1] != 0));
      }
      const unsigned int treadle_is_first = treadle_is_open && (threadIdx.x == 0 || treadle_marks[threadIdx.x - 1] == 0);
      unsigned int treadle_across = 0;
      for (unsigned int treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
        if (treadle_is_first && treadle_flags[treadle_k] && !treadle_across)
          treadle_first = treadle_from + treadle_k;
        treadle_across |= treadle_flags[treadle_k];
        const treadle_item treadle_next = treadle_tile[treadle_k];
        if (threadIdx.x > 0 || treadle_from > treadle_begin)
          treadle_tile[treadle_k] = treadle_scan(treadle_before, treadle_next, (treadle_across != 0));
      }
    }
    __syncthreads();
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      treadle_scanned[treadle_at] = treadle_tile[treadle_k];
      treadle_starts[treadle_at] = treadle_flags[treadle_k];
    }
    treadle_carry = treadle_tile[treadle_here - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    treadle_sums[blockIdx.x] = treadle_carry;
    treadle_first_starts[blockIdx.x] = treadle_first;
  }
}

extern "C" __global__ void __launch_bounds__(256) runs_totals(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums,
    long long *__restrict__ treadle_first_starts, unsigned char *__restrict__ treadle_starts) {
  __shared__ treadle_item treadle_tile[7936];
  __shared__ treadle_item treadle_own[256];
  __shared__ treadle_item treadle_own_sums[8];
  __shared__ unsigned int treadle_marks_sums[8];
  __shared__ unsigned char treadle_flags[7936];
  __shared__ unsigned char treadle_marks[256];
  __shared__ long long treadle_first;
  const long long treadle_begin = 0;
  const long long treadle_end = treadle_count;
  const unsigned int treadle_low = threadIdx.x * 31;
  treadle_item treadle_carry;
  if (threadIdx.x == 0)
    treadle_first = treadle_end;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 7936) {
    const unsigned int treadle_here = treadle_end - treadle_from < 7936 ? (unsigned int)(treadle_end - treadle_from) : 7936;
    #pragma unroll 31
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      treadle_item treadle_value = treadle_sums[treadle_at];
      const long long treadle_behind = (treadle_at + 1) * treadle_length;
      const unsigned int treadle_flag = treadle_first_starts[treadle_at] < (treadle_behind < N ? treadle_behind : N);
      treadle_tile[treadle_k] = treadle_value;
      treadle_flags[treadle_k] = treadle_flag;
    }
    __syncthreads();
    const unsigned int treadle_is_open = treadle_first == treadle_end;
    const unsigned int treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
    treadle_item treadle_sum;
    unsigned int treadle_mark = 0;
    if (treadle_low < treadle_here) {
      treadle_sum = treadle_tile[treadle_low];
      treadle_mark = treadle_flags[treadle_low];
      for (unsigned int treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sum = treadle_scan(treadle_sum, treadle_next, (treadle_flags[treadle_k] != 0));
        treadle_tile[treadle_k] = treadle_sum;
        treadle_mark |= treadle_flags[treadle_k];
      }
    }
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const treadle_item treadle_sum_earlier = __shfl_up_sync(0xffffffffu, treadle_sum, treadle_step);
      const unsigned int treadle_mark_earlier = __shfl_up_sync(0xffffffffu, treadle_mark, treadle_step);
      if (threadIdx.x % 32 >= treadle_step && treadle_low < treadle_here) {
        const treadle_item treadle_before = treadle_sum_earlier;
        treadle_sum = treadle_scan(treadle_before, treadle_sum, (treadle_mark != 0));
        treadle_mark |= treadle_mark_earlier;
      }
    }
    if (threadIdx.x % 32 == 31) {
      treadle_own_sums[threadIdx.x / 32] = treadle_sum;
      treadle_marks_sums[threadIdx.x / 32] = treadle_mark;
    }
    __syncthreads();
    if (threadIdx.x >= 32 && treadle_low < treadle_here) {
      for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
        const treadle_item treadle_before = treadle_own_sums[treadle_sub_group - 1];
        treadle_sum = treadle_scan(treadle_before, treadle_sum, (treadle_mark != 0));
        treadle_mark |= treadle_marks_sums[treadle_sub_group - 1];
      }
    }
    treadle_own[threadIdx.x] = treadle_sum;
    treadle_marks[threadIdx.x] = treadle_mark;
    __syncthreads();
    if (treadle_low < treadle_here) {
      treadle_item treadle_before = treadle_carry;
      if (threadIdx.x > 0) {
        const treadle_item treadle_group = treadle_own[threadIdx.x - 1];
        treadle_before = treadle_group;
        if (treadle_from > treadle_begin)
          treadle_before = treadle_scan(treadle_carry, treadle_group, (treadle_marks[threadIdx.x - 1] != 0));
      }
      const unsigned int treadle_is_first = treadle_is_open && (threadIdx.x == 0 || treadle_marks[threadIdx.x - 1] == 0);
      unsigned int treadle_across = 0;
      for (unsigned int treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
        if (treadle_is_first && treadle_flags[treadle_k] && !treadle_across)
          treadle_first = treadle_from + treadle_k;
        treadle_across |= treadle_flags[treadle_k];
        const treadle_item treadle_next = treadle_tile[treadle_k];
        if (threadIdx.x > 0 || treadle_from > treadle_begin)
          treadle_tile[treadle_k] = treadle_scan(treadle_before, treadle_next, (treadle_across != 0));
      }
    }
    __syncthreads();
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      treadle_sums[treadle_at] = treadle_tile[treadle_k];
    }
    treadle_carry = treadle_tile[treadle_here - 1];
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(256) runs_outputs(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums,
    long long *__restrict__ treadle_first_starts, unsigned char *__restrict__ treadle_starts) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  if (blockIdx.x > 0)
    treadle_carry = treadle_sums[blockIdx.x - 1];
  const treadle_item last_item = treadle_sums[treadle_count - 1];
  const long long treadle_first = treadle_first_starts[blockIdx.x];
  #pragma unroll 5
  for (long long treadle_at = treadle_begin + threadIdx.x; treadle_at < treadle_end; treadle_at += 256) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_scanned[treadle_at];
    if (blockIdx.x > 0)
      item = treadle_scan(treadle_carry, item, (treadle_at >= treadle_first));
    treadle_item prev_item = 0;
    if (treadle_at > 0 && !treadle_starts[treadle_at]) {
      prev_item = treadle_carry;
      if (treadle_at > treadle_begin) {
        prev_item = treadle_scanned[treadle_at - 1];
        if (blockIdx.x > 0)
          prev_item = treadle_scan(treadle_carry, prev_item, (treadle_at - 1 >= treadle_first));
      }
    }
    {
      y[i] = prev_item + last_item;
    }
  }
}
