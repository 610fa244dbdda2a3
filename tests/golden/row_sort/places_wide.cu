// sort_rows, made by treadle's generator of sorts of rows: wide schedule
#define treadle_ordered(bits) (bits)

extern "C" __global__ void __launch_bounds__(512, 2)  sort_rows(
    unsigned int *elements, unsigned int *sorted, unsigned int *places,
    unsigned int *sorted_places, long long length, unsigned int flip) {
  __shared__ unsigned long long treadle_room[2048];
  __shared__ unsigned int treadle_start_sums[16];
  unsigned int *treadle_counters = (unsigned int *)treadle_room;
  const unsigned int treadle_lane = threadIdx.x % 32;
  const unsigned int treadle_own = threadIdx.x / 32 * 256;
  const unsigned int treadle_first = threadIdx.x / 32 * 256 + treadle_lane;
  unsigned int treadle_digits[8];
  const unsigned int treadle_there = (unsigned int)length;
  const long long treadle_begin = (long long)blockIdx.x * length;
  unsigned int treadle_own_elements[8];
  unsigned int treadle_own_places[8];
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
    const unsigned int treadle_at = treadle_first + treadle_k * 32;
    const long long treadle_place = treadle_begin + (treadle_at < treadle_there ? treadle_at : 0);
    treadle_own_elements[treadle_k] = elements[treadle_place];
    treadle_own_places[treadle_k] = places[treadle_place];
  }
  for (unsigned int treadle_bit = 0; treadle_bit < 32; treadle_bit += 8) {
    for (unsigned int treadle_d = threadIdx.x; treadle_d < 4096; treadle_d += 512) {
      treadle_counters[treadle_d] = 0;
    }
    __syncthreads();
    // What is behind the row stays there.
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      const unsigned int treadle_at = treadle_first + treadle_k * 32;
      const unsigned int treadle_key = treadle_ordered(treadle_own_elements[treadle_k]) ^ flip;
      treadle_digits[treadle_k] = treadle_at < treadle_there ? (unsigned int)(treadle_key >> treadle_bit) & 255 : 255;
    }
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      atomicAdd(treadle_counters + treadle_own + treadle_digits[treadle_k], 1u);
    }
    __syncthreads();
    unsigned int treadle_sum = 0;
    if (threadIdx.x < 256) {
      #pragma unroll
      for (unsigned int treadle_w = 0; treadle_w < 16; ++treadle_w) {
        const unsigned int treadle_count = treadle_counters[treadle_w * 256 + threadIdx.x];
        treadle_counters[treadle_w * 256 + threadIdx.x] = treadle_sum;
        treadle_sum += treadle_count;
      }
    }
    unsigned int treadle_start = treadle_sum;
    {
      const unsigned int treadle_alone = treadle_start;
      #pragma unroll
      for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
        const unsigned int treadle_start_earlier = __shfl_up_sync(0xffffffffu, treadle_start, treadle_step);
        if (threadIdx.x % 32 >= treadle_step) {
          treadle_start += treadle_start_earlier;
        }
      }
      if (threadIdx.x % 32 == 31) {
        treadle_start_sums[threadIdx.x / 32] = treadle_start;
      }
      __syncthreads();
      if (threadIdx.x >= 32) {
        for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
          treadle_start += treadle_start_sums[treadle_sub_group - 1];
        }
      }
      treadle_start -= treadle_alone;
    }
    if (threadIdx.x < 256) {
      #pragma unroll
      for (unsigned int treadle_w = 0; treadle_w < 16; ++treadle_w) {
        treadle_counters[treadle_w * 256 + threadIdx.x] += treadle_start;
      }
    }
    __syncthreads();
    #if defined(__TREADLE_CPU__)
    #pragma unroll 1
    #else
    #pragma unroll
    #endif
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      const unsigned int treadle_digit = treadle_digits[treadle_k];
      unsigned int treadle_same = ~0u;
      #pragma unroll
      for (unsigned int treadle_b = 0; treadle_b < 8; ++treadle_b) {
        // All bits of it, or none.
        const unsigned int treadle_bit_mask = 0u - (treadle_digit >> treadle_b & 1);
        treadle_same &= ~(__ballot_sync(0xffffffffu, treadle_bit_mask) ^ treadle_bit_mask);
      }
      const unsigned int treadle_so_far = treadle_counters[treadle_own + treadle_digit];
      const unsigned int treadle_before = (unsigned int)__popc(treadle_same & ((1u << treadle_lane) - 1));
      __syncwarp();
      if (treadle_before == 0)
        treadle_counters[treadle_own + treadle_digit] = treadle_so_far + (unsigned int)__popc(treadle_same);
      __syncwarp();
      treadle_digits[treadle_k] = treadle_digit << 16 | (treadle_so_far + treadle_before);
    }
    __syncthreads();
    unsigned int *treadle_moved_elements = (unsigned int *)treadle_room;
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      treadle_moved_elements[(treadle_digits[treadle_k] & 0xffff)] = treadle_own_elements[treadle_k];
    }
    __syncthreads();
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      const unsigned int treadle_at = treadle_first + treadle_k * 32;
      treadle_own_elements[treadle_k] = treadle_moved_elements[treadle_at];
    }
    __syncthreads();
    unsigned int *treadle_moved_places = (unsigned int *)treadle_room;
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      treadle_moved_places[(treadle_digits[treadle_k] & 0xffff)] = treadle_own_places[treadle_k];
    }
    __syncthreads();
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
      const unsigned int treadle_at = treadle_first + treadle_k * 32;
      treadle_own_places[treadle_k] = treadle_moved_places[treadle_at];
    }
    __syncthreads();
  }
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
    const unsigned int treadle_at = treadle_first + treadle_k * 32;
    if (treadle_at < treadle_there) {
      sorted[treadle_begin + treadle_at] = treadle_own_elements[treadle_k];
      sorted_places[treadle_begin + treadle_at] = treadle_own_places[treadle_k];
    }
  }
}
