// ranks_float32, made by treadle's generator of ranks: wide schedule
static __device__ inline __attribute__((always_inline)) unsigned int treadle_ordered(
    unsigned int bits) {
  const unsigned int all = ((unsigned int)1 << 31) | (((unsigned int)1 << 31) - 1);
  const unsigned int size = bits & (((unsigned int)1 << 31) - 1);
  const unsigned int turned = bits & ((unsigned int)1 << 31) ? bits ^ all : bits | ((unsigned int)1 << 31);
  return size > 0x7f800000u ? all : size == 0 ? ((unsigned int)1 << 31) : turned;
}
static __device__ inline __attribute__((always_inline)) unsigned int treadle_element(
    unsigned int whole) {
  return whole & ((unsigned int)1 << 31) ? whole ^ ((unsigned int)1 << 31) : ~whole;
}

extern "C" __global__ void __launch_bounds__(256) ranks_float32_begin(
    long long *places, unsigned long long *known, unsigned int *counts, unsigned int rank_count) {
  for (unsigned int treadle_k = threadIdx.x; treadle_k < rank_count * 2048; treadle_k += 256) {
    counts[treadle_k] = 0;
  }
  for (unsigned int r = threadIdx.x; r < rank_count; r += 256) {
    known[3 * r] = 0;
    known[3 * r + 1] = (unsigned long long)places[r];
    known[3 * r + 2] = 0;
  }
}

extern "C" __global__ void __launch_bounds__(256) ranks_float32_count(
    unsigned int *elements, unsigned long long *known, unsigned int *counts, long long N,
    long long treadle_length, unsigned int rank_count, unsigned int width, unsigned int shift) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const unsigned int bins = 1u << width;
  const unsigned int above = width + shift;
  __shared__ unsigned int own[4 * 2048];
  __shared__ unsigned int chosen[4];
  __shared__ unsigned int chosen_digits[4];
  __shared__ unsigned int chosen_count;
  __shared__ unsigned int next_rank;
  if (threadIdx.x == 0)
    next_rank = 0;
  __syncthreads();
  while (next_rank < rank_count) {
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned int r = next_rank;
      unsigned int count = 0;
      for (; r < rank_count && count < 4; ++r) {
        if (known[3 * r + 2] != r)
          continue;
        chosen[count] = r;
        chosen_digits[count++] = (unsigned int)known[3 * r];
      }
      next_rank = r;
      chosen_count = count;
    }
    for (unsigned int treadle_k = threadIdx.x; treadle_k < 4 * 2048; treadle_k += 256) {
      own[treadle_k] = 0;
    }
    __syncthreads();
    const unsigned int count = chosen_count;
    for (long long treadle_from = treadle_begin + threadIdx.x; treadle_from < treadle_end; treadle_from += 256 * 5) {
      unsigned int seen[5];
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
        seen[treadle_q] = treadle_ordered(elements[treadle_from + treadle_q * 256 < treadle_end ? treadle_from + treadle_q * 256 : treadle_begin]);
      }
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
        if (treadle_from + treadle_q * 256 >= treadle_end)
          break;
        const unsigned int before = above == 32 ? 0 : seen[treadle_q] >> above;
        const unsigned int bin = (unsigned int)(seen[treadle_q] >> shift) & (bins - 1);
        for (unsigned int c = 0; c < count; ++c) {
          if (before == chosen_digits[c]) {
            atomicAdd(&own[c * 2048 + bin], 1u);
          }
        }
      }
    }
    __syncthreads();
    for (unsigned int c = 0; c < count; ++c) {
      for (unsigned int bin = threadIdx.x; bin < bins; bin += 256) {
        if (own[c * 2048 + bin] != 0) {
          atomicAdd(&counts[chosen[c] * 2048 + bin], own[c * 2048 + bin]);
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) ranks_float32_choose(
    unsigned long long *known, unsigned int *counts, unsigned int *found, long long groups,
    unsigned int rank_count, unsigned int width, unsigned int shift) {
  const unsigned int bins = 1u << width;
  __shared__ unsigned int sums_sums[8];
  const unsigned int share = (bins + 255) / 256;
  const unsigned int first = threadIdx.x * share;
  for (unsigned int r = 0; r < rank_count; ++r) {
    const unsigned int *own = counts + known[3 * r + 2] * 2048;
    const unsigned long long place = known[3 * r + 1];
    unsigned int sum = 0;
    for (unsigned int bin = first; bin < first + share && bin < bins; ++bin) {
      sum += own[bin];
    }
    unsigned int end = sum;
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const unsigned int end_earlier = __shfl_up_sync(0xffffffffu, end, treadle_step);
      if (threadIdx.x % 32 >= treadle_step) {
        end += end_earlier;
      }
    }
    if (threadIdx.x % 32 == 31) {
      sums_sums[threadIdx.x / 32] = end;
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
      for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
        end += sums_sums[treadle_sub_group - 1];
      }
    }
    const unsigned int begin = end - sum;
    if (begin <= place && place < end) {
      unsigned int bin = first;
      unsigned long long rest = place - begin;
      for (; rest >= own[bin]; ++bin) {
        rest -= own[bin];
      }
      known[3 * r] = (known[3 * r] << width) | bin;
      known[3 * r + 1] = rest;
      if (shift == 0)
        found[r] = (unsigned int)treadle_element((unsigned int)known[3 * r]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    for (unsigned int r = 0; r < rank_count; ++r) {
      unsigned int same = 0;
      while (known[3 * same] != known[3 * r]) {
        ++same;
      }
      known[3 * r + 2] = same;
    }
  }
  for (unsigned int treadle_k = threadIdx.x; treadle_k < rank_count * 2048; treadle_k += 256) {
    counts[treadle_k] = 0;
  }
}
