// radix_sort, made by treadle's radix sort generator around a user's text: wide schedule
typedef unsigned int treadle_key;
typedef long long treadle_index;

extern "C" __global__ void __launch_bounds__(256) radix_sort_counts(
    unsigned int *keys, float *x, treadle_index N, long long treadle_length,
    long long treadle_intervals, unsigned int treadle_bit, treadle_index *treadle_numbers) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  __shared__ treadle_index treadle_counters[4096];
  for (unsigned int treadle_d = 0; treadle_d < 16; treadle_d += 1) {
    treadle_counters[treadle_d * 256 + threadIdx.x] = 0;
  }
  for (long long treadle_at = treadle_begin + threadIdx.x; treadle_at < treadle_end; treadle_at += 256) {
    const treadle_index i = (treadle_index)treadle_at;
    const treadle_key treadle_whole = (treadle_key)(
    keys[i]
    );
    const unsigned int treadle_digit = (unsigned int)(treadle_whole >> treadle_bit) & 15;
    ++treadle_counters[treadle_digit * 256 + threadIdx.x];
  }
  __syncthreads();
  for (unsigned int treadle_d = threadIdx.x; treadle_d < 16; treadle_d += 256) {
    treadle_index treadle_sum = 0;
    for (unsigned int treadle_k = 0; treadle_k < 256; ++treadle_k) {
      treadle_sum += treadle_counters[treadle_d * 256 + (treadle_k + treadle_d) % 256];
    }
    treadle_numbers[treadle_d * treadle_intervals + blockIdx.x] = treadle_sum;
  }
}

extern "C" __global__ void __launch_bounds__(256) radix_sort_places(
    unsigned int *treadle_sorted_keys, float *treadle_sorted_x, unsigned int *keys, float *x,
    treadle_index N, long long treadle_length, long long treadle_intervals,
    unsigned int treadle_bit, treadle_index *treadle_numbers) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  __shared__ unsigned short treadle_counters[4096];
  __shared__ unsigned int treadle_sums_sums[8];
  __shared__ unsigned int treadle_starts[17];
  __shared__ treadle_index treadle_next[16];
  for (unsigned int treadle_d = threadIdx.x; treadle_d < 16; treadle_d += 256) {
    treadle_next[treadle_d] = treadle_numbers[treadle_d * treadle_intervals + blockIdx.x];
  }
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 1792) {
    for (unsigned int treadle_d = 0; treadle_d < 16; treadle_d += 1) {
      treadle_counters[treadle_d * 256 + threadIdx.x] = 0;
    }
    unsigned int treadle_digits[7];
    unsigned int treadle_ranks[7];
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 7; ++treadle_k) {
      const long long treadle_at = treadle_from + threadIdx.x * 7 + treadle_k;
      if (treadle_at >= treadle_end)
        break;
      const treadle_index i = (treadle_index)treadle_at;
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      const unsigned int treadle_digit = (unsigned int)(treadle_whole >> treadle_bit) & 15;
      treadle_digits[treadle_k] = treadle_digit;
      treadle_ranks[treadle_k] = treadle_counters[treadle_digit * 256 + threadIdx.x]++;
    }
    __syncthreads();
    unsigned int treadle_sum = 0;
    for (unsigned int treadle_d = 0; treadle_d < 16; treadle_d += 1) {
      treadle_sum += treadle_counters[threadIdx.x * 16 + treadle_d];
    }
    unsigned int treadle_before = treadle_sum;
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const unsigned int treadle_before_earlier = __shfl_up_sync(0xffffffffu, treadle_before, treadle_step);
      if (threadIdx.x % 32 >= treadle_step) {
        treadle_before += treadle_before_earlier;
      }
    }
    if (threadIdx.x % 32 == 31) {
      treadle_sums_sums[threadIdx.x / 32] = treadle_before;
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
      for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
        treadle_before += treadle_sums_sums[treadle_sub_group - 1];
      }
    }
    if (threadIdx.x == 255)
      treadle_starts[16] = treadle_before;
    treadle_before -= treadle_sum;
    for (unsigned int treadle_d = 0; treadle_d < 16; treadle_d += 1) {
      const unsigned int treadle_c = threadIdx.x * 16 + treadle_d;
      const unsigned int treadle_count = treadle_counters[treadle_c];
      treadle_counters[treadle_c] = (unsigned short)treadle_before;
      if (treadle_c % 256 == 0)
        treadle_starts[treadle_c / 256] = treadle_before;
      treadle_before += treadle_count;
    }
    __syncthreads();
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 7; ++treadle_k) {
      const long long treadle_at = treadle_from + threadIdx.x * 7 + treadle_k;
      if (treadle_at >= treadle_end)
        break;
      const treadle_index i = (treadle_index)treadle_at;
      const unsigned int treadle_digit = treadle_digits[treadle_k];
      const treadle_index treadle_place = treadle_next[treadle_digit] + (treadle_index)(treadle_counters[treadle_digit * 256 + threadIdx.x] + treadle_ranks[treadle_k] - treadle_starts[treadle_digit]);
      treadle_sorted_keys[treadle_place] = keys[i];
      treadle_sorted_x[treadle_place] = x[i];
    }
    __syncthreads();
    for (unsigned int treadle_d = threadIdx.x; treadle_d < 16; treadle_d += 256) {
      treadle_next[treadle_d] += (treadle_index)(treadle_starts[treadle_d + 1] - treadle_starts[treadle_d]);
    }
    __syncthreads();
  }
}
