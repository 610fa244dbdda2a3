// radix_sort, made by treadle's radix sort generator around a user's text: each pass in one sweep
typedef unsigned int treadle_key;
typedef long long treadle_index;
typedef unsigned long long treadle_word;

extern "C" __global__ void __launch_bounds__(256) radix_sort_counts(
    unsigned int *keys, float *x, treadle_index N, unsigned int treadle_passes,
    long long treadle_tiles, treadle_word *treadle_words) {
  __shared__ unsigned int treadle_bins[1024];
  for (unsigned int treadle_k = threadIdx.x; treadle_k < 1024; treadle_k += 256) {
    treadle_bins[treadle_k] = 0;
  }
  // Words of the first pass.
  for (long long treadle_k = (long long)blockIdx.x * 256 + threadIdx.x; treadle_k < treadle_tiles * 256; treadle_k += gridDim.x * 256) {
    treadle_words[1028 + treadle_k] = 0;
  }
  __syncthreads();
  for (long long treadle_from = (long long)blockIdx.x * 1024; treadle_from < N; treadle_from += (long long)gridDim.x * 1024) {
    treadle_key treadle_keys[4];
    const long long treadle_own = treadle_from + threadIdx.x;
    // Where all are there, addresses are one and distances from it.
    if (N - treadle_from >= 1024) {
      const treadle_index treadle_first = (treadle_index)treadle_own;
      #pragma unroll
      for (unsigned int treadle_k = 0; treadle_k < 4; ++treadle_k) {
        const treadle_index i = treadle_first + (treadle_index)(treadle_k * 256);
        treadle_keys[treadle_k] = (treadle_key)(
        keys[i]
        );
      }
      #pragma unroll
      for (unsigned int treadle_p = 0; treadle_p < 4; ++treadle_p) {
        if (treadle_p < treadle_passes) {
          #pragma unroll
          for (unsigned int treadle_k = 0; treadle_k < 4; ++treadle_k) {
            atomicAdd(treadle_bins + treadle_p * 256 + ((unsigned int)(treadle_keys[treadle_k] >> treadle_p * 8) & 255), 1u);
          }
        }
      }
    } else {
      #pragma unroll
      for (unsigned int treadle_k = 0; treadle_k < 4; ++treadle_k) {
        const long long treadle_at = treadle_own + treadle_k * 256;
        if (treadle_at < N) {
          const treadle_index i = (treadle_index)treadle_at;
          treadle_keys[treadle_k] = (treadle_key)(
          keys[i]
          );
          #pragma unroll
          for (unsigned int treadle_p = 0; treadle_p < 4; ++treadle_p) {
            if (treadle_p < treadle_passes) {
              atomicAdd(treadle_bins + treadle_p * 256 + ((unsigned int)(treadle_keys[treadle_k] >> treadle_p * 8) & 255), 1u);
            }
          }
        }
      }
    }
  }
  __syncthreads();
  for (unsigned int treadle_k = threadIdx.x; treadle_k < 1024; treadle_k += 256) {
    if (treadle_bins[treadle_k] != 0)
      atomicAdd(treadle_words + treadle_k, (treadle_word)treadle_bins[treadle_k]);
  }
}

extern "C" __global__ void __launch_bounds__(384, 2)  radix_sort_places(
    unsigned int *treadle_sorted_keys, float *treadle_sorted_x, unsigned int *keys, float *x,
    treadle_index N, unsigned int treadle_pass, long long treadle_tiles,
    treadle_word *treadle_words) {
  __shared__ unsigned long long treadle_room[4416];
  __shared__ unsigned int treadle_start_sums[12];
  unsigned int *treadle_counters = (unsigned int *)treadle_room;
  const unsigned int treadle_lane = threadIdx.x % 32;
  const unsigned int treadle_own = threadIdx.x / 32 * 256;
  const unsigned int treadle_first = threadIdx.x / 32 * 736 + treadle_lane;
  unsigned int treadle_digits[23];
  __shared__ treadle_word treadle_found_sums[12];
  __shared__ unsigned char treadle_moved[8832];
  __shared__ treadle_word treadle_base[256];
  __shared__ unsigned int treadle_taken;
  if (threadIdx.x == 0)
    treadle_taken = (unsigned int)atomicAdd(treadle_words + 1024 + treadle_pass, 1);
  for (unsigned int treadle_d = threadIdx.x; treadle_d < 3072; treadle_d += 384) {
    treadle_counters[treadle_d] = 0;
  }
  __syncthreads();
  const unsigned int treadle_tile = treadle_taken;
  const long long treadle_begin = (long long)treadle_tile * 8832;
  const unsigned int treadle_there = N - treadle_begin < 8832 ? (unsigned int)(N - treadle_begin) : 8832;
  const treadle_word treadle_all = (treadle_word)1 << 63;
  treadle_word *treadle_states = treadle_words + 1028 + (treadle_pass % 2 == 0 ? 0 : treadle_tiles * 256);
  treadle_word *treadle_next = treadle_words + 1028 + (treadle_pass % 2 == 1 ? 0 : treadle_tiles * 256);
  unsigned int treadle_own_keys[23];
  if (treadle_there == 8832) {
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
      const treadle_index i = (treadle_index)(treadle_begin + treadle_first + treadle_k * 32);
      treadle_own_keys[treadle_k] = keys[i];
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      treadle_digits[treadle_k] = (unsigned int)(treadle_whole >> treadle_pass * 8) & 255;
    }
  } else {
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
      const unsigned int treadle_at = treadle_first + treadle_k * 32;
      const treadle_index i = (treadle_index)(treadle_begin + (treadle_at < treadle_there ? treadle_at : 0));
      treadle_own_keys[treadle_k] = keys[i];
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      treadle_digits[treadle_k] = treadle_at < treadle_there ? (unsigned int)(treadle_whole >> treadle_pass * 8) & 255 : 255;
    }
  }
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
    atomicAdd(treadle_counters + treadle_own + treadle_digits[treadle_k], 1u);
  }
  __syncthreads();
  unsigned int treadle_sum = 0;
  if (threadIdx.x < 256) {
    #pragma unroll
    for (unsigned int treadle_w = 0; treadle_w < 12; ++treadle_w) {
      const unsigned int treadle_count = treadle_counters[treadle_w * 256 + threadIdx.x];
      treadle_counters[treadle_w * 256 + threadIdx.x] = treadle_sum;
      treadle_sum += treadle_count;
    }
    if (treadle_tile > 0) {
      (*(volatile unsigned long long *)((treadle_states + treadle_tile * 256 + threadIdx.x)) = (treadle_sum + 1));
    }
    treadle_next[treadle_tile * 256 + threadIdx.x] = 0;
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
    for (unsigned int treadle_w = 0; treadle_w < 12; ++treadle_w) {
      treadle_counters[treadle_w * 256 + threadIdx.x] += treadle_start;
    }
  }
  __syncthreads();
  treadle_word treadle_found = 0;
  // The first tile says where digits begin.
  if (treadle_tile == 0) {
    if (threadIdx.x < 256)
      treadle_found = treadle_words[treadle_pass * 256 + threadIdx.x];
    {
      const treadle_word treadle_alone = treadle_found;
      #pragma unroll
      for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
        const treadle_word treadle_found_earlier = __shfl_up_sync(0xffffffffu, treadle_found, treadle_step);
        if (threadIdx.x % 32 >= treadle_step) {
          treadle_found += treadle_found_earlier;
        }
      }
      if (threadIdx.x % 32 == 31) {
        treadle_found_sums[threadIdx.x / 32] = treadle_found;
      }
      __syncthreads();
      if (threadIdx.x >= 32) {
        for (unsigned int treadle_sub_group = threadIdx.x / 32; treadle_sub_group > 0; --treadle_sub_group) {
          treadle_found += treadle_found_sums[treadle_sub_group - 1];
        }
      }
      treadle_found -= treadle_alone;
    }
  }
  #if defined(__TREADLE_CPU__)
  #pragma unroll 1
  #else
  #pragma unroll
  #endif
  for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
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
  if (threadIdx.x < 256) {
    unsigned int treadle_before = treadle_tile;
    while (treadle_before > 0) {
      const unsigned int treadle_last = treadle_before - 1;
      treadle_word treadle_seen[4];
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 4; ++treadle_q) {
        treadle_seen[treadle_q] = (*(volatile unsigned long long *)((treadle_states + (treadle_q < treadle_last ? treadle_last - treadle_q : 0) * 256 + threadIdx.x)));
      }
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 4; ++treadle_q) {
        if (treadle_before > 0) {
          while (treadle_seen[treadle_q] == 0) {
            treadle_seen[treadle_q] = (*(volatile unsigned long long *)((treadle_states + (treadle_last - treadle_q) * 256 + threadIdx.x)));
          }
          if ((treadle_seen[treadle_q] & treadle_all) != 0) {
            treadle_found += treadle_seen[treadle_q] - treadle_all;
            treadle_before = 0;
          } else {
            treadle_found += treadle_seen[treadle_q] - 1;
            --treadle_before;
          }
        }
      }
    }
    (*(volatile unsigned long long *)((treadle_states + treadle_tile * 256 + threadIdx.x)) = (treadle_all | (treadle_found + treadle_sum)));
    treadle_base[threadIdx.x] = treadle_found - treadle_start;
  }
  __syncthreads();
  unsigned int *treadle_moved_keys = (unsigned int *)treadle_room;
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
    const unsigned int treadle_rank = (treadle_digits[treadle_k] & 0xffff);
    treadle_moved_keys[treadle_rank] = treadle_own_keys[treadle_k];
    treadle_moved[treadle_rank] = (unsigned char)(treadle_digits[treadle_k] >> 16);
  }
  float treadle_own_x[23];
  if (treadle_there == 8832) {
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
      const treadle_index i = (treadle_index)(treadle_begin + treadle_first + treadle_k * 32);
      treadle_own_x[treadle_k] = x[i];
    }
  } else {
    #pragma unroll
    for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
      const unsigned int treadle_at = treadle_first + treadle_k * 32;
      const treadle_index i = (treadle_index)(treadle_begin + (treadle_at < treadle_there ? treadle_at : 0));
      treadle_own_x[treadle_k] = x[i];
    }
  }
  __syncthreads();
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
    const unsigned int treadle_at = treadle_k * 384 + threadIdx.x;
    if (treadle_at < treadle_there) {
      treadle_sorted_keys[(treadle_index)(treadle_base[treadle_moved[treadle_at]] + treadle_at)] = treadle_moved_keys[treadle_at];
    }
  }
  __syncthreads();
  float *treadle_moved_x = (float *)treadle_room;
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
    const unsigned int treadle_rank = (treadle_digits[treadle_k] & 0xffff);
    treadle_moved_x[treadle_rank] = treadle_own_x[treadle_k];
  }
  __syncthreads();
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 23; ++treadle_k) {
    const unsigned int treadle_at = treadle_k * 384 + threadIdx.x;
    if (treadle_at < treadle_there) {
      treadle_sorted_x[(treadle_index)(treadle_base[treadle_moved[treadle_at]] + treadle_at)] = treadle_moved_x[treadle_at];
    }
  }
}
