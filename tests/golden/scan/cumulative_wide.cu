// scan, made by treadle's scan generator around a user's text: wide schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
typedef float treadle_item;
typedef long long treadle_index;

extern "C" __global__ void __launch_bounds__(256) scan_intervals(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums) {
  __shared__ treadle_item treadle_tile[7936];
  __shared__ treadle_item treadle_own[256];
  __shared__ treadle_item treadle_own_sums[8];
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const unsigned int treadle_low = threadIdx.x * 31;
  treadle_item treadle_carry;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 7936) {
    const unsigned int treadle_here = treadle_end - treadle_from < 7936 ? (unsigned int)(treadle_end - treadle_from) : 7936;
    #pragma unroll 31
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      treadle_item treadle_value = (
      x[i]
      );
      treadle_tile[treadle_k] = treadle_value;
    }
    __syncthreads();
    const unsigned int treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
    treadle_item treadle_sum;
    if (treadle_low < treadle_here) {
      treadle_sum = treadle_tile[treadle_low];
      for (unsigned int treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sum = treadle_scan(treadle_sum, treadle_next, 0);
        treadle_tile[treadle_k] = treadle_sum;
      }
    }
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const treadle_item treadle_sum_earlier = __shfl_up_sync(0xffffffffu, treadle_sum, treadle_step);
      if (threadIdx.x % 32 >= treadle_step && treadle_low < treadle_here) {
        const treadle_item treadle_before = treadle_sum_earlier;
        treadle_sum = treadle_scan(treadle_before, treadle_sum, 0);
      }
    }
    if (threadIdx.x % 32 == 31) {
      treadle_own_sums[threadIdx.x / 32] = treadle_sum;
    }
    __syncthreads();
    if (threadIdx.x >= 32 && treadle_low < treadle_here) {
      for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
        const treadle_item treadle_before = treadle_own_sums[treadle_sub_group - 1];
        treadle_sum = treadle_scan(treadle_before, treadle_sum, 0);
      }
    }
    treadle_own[threadIdx.x] = treadle_sum;
    __syncthreads();
    if (treadle_low < treadle_here) {
      treadle_item treadle_before = treadle_carry;
      if (threadIdx.x > 0) {
        const treadle_item treadle_group = treadle_own[threadIdx.x - 1];
        treadle_before = treadle_group;
        if (treadle_from > treadle_begin)
          treadle_before = treadle_scan(treadle_carry, treadle_group, 0);
      }
      for (unsigned int treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        if (threadIdx.x > 0 || treadle_from > treadle_begin)
          treadle_tile[treadle_k] = treadle_scan(treadle_before, treadle_next, 0);
      }
    }
    __syncthreads();
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      treadle_scanned[treadle_at] = treadle_tile[treadle_k];
    }
    treadle_carry = treadle_tile[treadle_here - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    treadle_sums[blockIdx.x] = treadle_carry;
  }
}

extern "C" __global__ void __launch_bounds__(256) scan_totals(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums) {
  __shared__ treadle_item treadle_tile[7936];
  __shared__ treadle_item treadle_own[256];
  __shared__ treadle_item treadle_own_sums[8];
  const long long treadle_begin = 0;
  const long long treadle_end = treadle_count;
  const unsigned int treadle_low = threadIdx.x * 31;
  treadle_item treadle_carry;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 7936) {
    const unsigned int treadle_here = treadle_end - treadle_from < 7936 ? (unsigned int)(treadle_end - treadle_from) : 7936;
    #pragma unroll 31
    for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
      const long long treadle_at = treadle_from + treadle_k;
      treadle_item treadle_value = treadle_sums[treadle_at];
      treadle_tile[treadle_k] = treadle_value;
    }
    __syncthreads();
    const unsigned int treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
    treadle_item treadle_sum;
    if (treadle_low < treadle_here) {
      treadle_sum = treadle_tile[treadle_low];
      for (unsigned int treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sum = treadle_scan(treadle_sum, treadle_next, 0);
        treadle_tile[treadle_k] = treadle_sum;
      }
    }
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const treadle_item treadle_sum_earlier = __shfl_up_sync(0xffffffffu, treadle_sum, treadle_step);
      if (threadIdx.x % 32 >= treadle_step && treadle_low < treadle_here) {
        const treadle_item treadle_before = treadle_sum_earlier;
        treadle_sum = treadle_scan(treadle_before, treadle_sum, 0);
      }
    }
    if (threadIdx.x % 32 == 31) {
      treadle_own_sums[threadIdx.x / 32] = treadle_sum;
    }
    __syncthreads();
    if (threadIdx.x >= 32 && treadle_low < treadle_here) {
      for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
        const treadle_item treadle_before = treadle_own_sums[treadle_sub_group - 1];
        treadle_sum = treadle_scan(treadle_before, treadle_sum, 0);
      }
    }
    treadle_own[threadIdx.x] = treadle_sum;
    __syncthreads();
    if (treadle_low < treadle_here) {
      treadle_item treadle_before = treadle_carry;
      if (threadIdx.x > 0) {
        const treadle_item treadle_group = treadle_own[threadIdx.x - 1];
        treadle_before = treadle_group;
        if (treadle_from > treadle_begin)
          treadle_before = treadle_scan(treadle_carry, treadle_group, 0);
      }
      for (unsigned int treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
        const treadle_item treadle_next = treadle_tile[treadle_k];
        if (threadIdx.x > 0 || treadle_from > treadle_begin)
          treadle_tile[treadle_k] = treadle_scan(treadle_before, treadle_next, 0);
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

extern "C" __global__ void __launch_bounds__(256) scan_outputs(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  if (blockIdx.x > 0)
    treadle_carry = treadle_sums[blockIdx.x - 1];
  #pragma unroll 5
  for (long long treadle_at = treadle_begin + threadIdx.x; treadle_at < treadle_end; treadle_at += 256) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_scanned[treadle_at];
    if (blockIdx.x > 0)
      item = treadle_scan(treadle_carry, item, 0);
    {
      y[i] = item;
    }
  }
}
