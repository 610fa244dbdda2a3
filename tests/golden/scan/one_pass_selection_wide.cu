// select, made by treadle's scan generator around a user's text: in one pass, wide schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
typedef unsigned int treadle_item;
typedef long long treadle_index;
typedef struct __align__(4) {
  unsigned char at[4];
} treadle_pack_mask;
typedef struct __align__(16) {
  float at[4];
} treadle_pack_x;

extern "C" __global__ void __launch_bounds__(256, 4) select_tiles(
    unsigned char *mask, float *x, float *chosen, unsigned int *count, long long room,
    treadle_index N, long long treadle_tiles, long long treadle_word_count,
    unsigned long long *treadle_words) {
  __shared__ unsigned int treadle_ticket_taken;
  __shared__ unsigned int treadle_epoch_taken;
  __shared__ treadle_item treadle_before_tile;
  if (threadIdx.x == 0) {
    const unsigned long long treadle_taken = atomicAdd(treadle_words, 1);
    treadle_ticket_taken = (unsigned int)treadle_taken;
    treadle_epoch_taken = (unsigned int)(treadle_taken >> 32);
    // Nobody takes another one of this launch.
    if (treadle_ticket_taken + 1 == treadle_tiles) {
      (*(volatile unsigned long long *)(treadle_words) = ((unsigned long long)(treadle_epoch_taken == 0x7fffffffu ? 1u : treadle_epoch_taken + 1) << 32));
    }
    // Of words that no launch has used for long, each is cleared before its epoch returns.
    if (treadle_ticket_taken == 0) {
      const long long treadle_old = 1 + treadle_epoch_taken % (treadle_word_count - 1);
      if (treadle_old > (treadle_tiles + (treadle_tiles - 1) / 256)) {
        (*(volatile unsigned long long *)((treadle_words + treadle_old)) = (0));
      }
    }
  }
  __syncthreads();
  const unsigned int treadle_ticket = treadle_ticket_taken;
  const unsigned int treadle_epoch = treadle_epoch_taken;
  const long long treadle_from = (long long)treadle_ticket * 8192;
  const unsigned int treadle_here = N - treadle_from < 8192 ? (unsigned int)(N - treadle_from) : 8192;
  __shared__ unsigned int treadle_own[8];
  __shared__ float treadle_moved_0[8192];
  const unsigned int treadle_lane = threadIdx.x % 32;
  const unsigned int treadle_sub_group = threadIdx.x / 32;
  const unsigned int treadle_first = treadle_sub_group * 1024 + treadle_lane * 4;
  unsigned int treadle_flags[1];
  #pragma unroll
  for (unsigned int treadle_w = 0; treadle_w < 1; ++treadle_w) {
    treadle_flags[treadle_w] = 0;
  }
  treadle_pack_mask treadle_in_mask[8];
  treadle_pack_x treadle_in_x[8];
  const unsigned int treadle_has_packs = treadle_here == 8192 && (unsigned long long)mask % 4 == 0 && (unsigned long long)x % 16 == 0;
  if (treadle_has_packs) {
    #pragma unroll
    for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
      treadle_in_mask[treadle_row] = *(const treadle_pack_mask *)(mask + treadle_from + treadle_first + treadle_row * 128);
    }
    #pragma unroll
    for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
      treadle_in_x[treadle_row] = *(const treadle_pack_x *)(x + treadle_from + treadle_first + treadle_row * 128);
    }
    #pragma unroll
    for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
      #pragma unroll
      for (unsigned int treadle_j = 0; treadle_j < 4; ++treadle_j) {
        const unsigned int treadle_k = treadle_first + treadle_row * 128 + treadle_j;
        const long long treadle_at = treadle_from + treadle_k;
        const treadle_index i = (treadle_index)treadle_at;
        (void)i;
        treadle_item treadle_value = (
        treadle_in_mask[treadle_row].at[treadle_j] != 0
        );
        treadle_flags[(treadle_row * 4 + treadle_j) / 32] |= (treadle_value != 0 ? 1u : 0u) << (treadle_row * 4 + treadle_j) % 32;
      }
    }
  } else {
    #pragma unroll
    for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
      #pragma unroll
      for (unsigned int treadle_j = 0; treadle_j < 4; ++treadle_j) {
        const unsigned int treadle_k = treadle_first + treadle_row * 128 + treadle_j;
        if (treadle_k < treadle_here) {
          const long long treadle_at = treadle_from + treadle_k;
          const treadle_index i = (treadle_index)treadle_at;
          treadle_item treadle_value = (
          mask[i] != 0
          );
          treadle_flags[(treadle_row * 4 + treadle_j) / 32] |= (treadle_value != 0 ? 1u : 0u) << (treadle_row * 4 + treadle_j) % 32;
        }
      }
    }
  }
  unsigned int treadle_counts[2];
  unsigned int treadle_sums[2];
  unsigned int treadle_totals[2];
  #pragma unroll
  for (unsigned int treadle_w = 0; treadle_w < 2; ++treadle_w) {
    treadle_counts[treadle_w] = 0;
  }
  #pragma unroll
  for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
    treadle_counts[treadle_row / 4] += __popc(treadle_flags[treadle_row * 4 / 32] >> treadle_row * 4 % 32 & 15u) << treadle_row % 4 * 8;
  }
  #pragma unroll
  for (unsigned int treadle_w = 0; treadle_w < 2; ++treadle_w) {
    treadle_sums[treadle_w] = treadle_counts[treadle_w];
  }
  #pragma unroll
  for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
    #pragma unroll
    for (unsigned int treadle_w = 0; treadle_w < 2; ++treadle_w) {
      const unsigned int treadle_earlier = __shfl_up_sync(0xffffffffu, treadle_sums[treadle_w], treadle_step);
      if (treadle_lane >= treadle_step)
        treadle_sums[treadle_w] += treadle_earlier;
    }
  }
  #pragma unroll
  for (unsigned int treadle_w = 0; treadle_w < 2; ++treadle_w) {
    treadle_totals[treadle_w] = __shfl_sync(0xffffffffu, treadle_sums[treadle_w], (int)(31));
    treadle_sums[treadle_w] -= treadle_counts[treadle_w];
  }
  unsigned int treadle_ranks[8];
  unsigned int treadle_count = 0;
  #pragma unroll
  for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
    treadle_ranks[treadle_row] = treadle_count + (treadle_sums[treadle_row / 4] >> treadle_row % 4 * 8 & 255u);
    treadle_count += treadle_totals[treadle_row / 4] >> treadle_row % 4 * 8 & 255u;
  }
  if (treadle_lane == 0)
    treadle_own[treadle_sub_group] = treadle_count;
  __syncthreads();
  unsigned int treadle_group = 0;
  unsigned int treadle_all = 0;
  #pragma unroll
  for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
    const unsigned int treadle_next = treadle_own[treadle_k];
    if (treadle_k < treadle_sub_group)
      treadle_group += treadle_next;
    treadle_all += treadle_next;
  }
  if (threadIdx.x == 0) {
    {
      const long long treadle_slot = treadle_ticket;
      (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)) = (((unsigned long long)(treadle_epoch << 1) << 32) | (unsigned int)(treadle_item)treadle_all));
    }
  }
  if (treadle_has_packs) {
    #pragma unroll
    for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
      unsigned int treadle_to = treadle_group + treadle_ranks[treadle_row];
      #pragma unroll
      for (unsigned int treadle_j = 0; treadle_j < 4; ++treadle_j) {
        const unsigned int treadle_k = treadle_first + treadle_row * 128 + treadle_j;
        if (treadle_flags[(treadle_row * 4 + treadle_j) / 32] >> (treadle_row * 4 + treadle_j) % 32 & 1) {
          const treadle_index i = (treadle_index)(treadle_from + treadle_k);
          (void)i;
          treadle_moved_0[treadle_to] = (
          treadle_in_x[treadle_row].at[treadle_j]
          );
          treadle_to += 1;
        }
      }
    }
  } else {
    #pragma unroll
    for (unsigned int treadle_row = 0; treadle_row < 8; ++treadle_row) {
      unsigned int treadle_to = treadle_group + treadle_ranks[treadle_row];
      #pragma unroll
      for (unsigned int treadle_j = 0; treadle_j < 4; ++treadle_j) {
        const unsigned int treadle_k = treadle_first + treadle_row * 128 + treadle_j;
        if (treadle_flags[(treadle_row * 4 + treadle_j) / 32] >> (treadle_row * 4 + treadle_j) % 32 & 1) {
          const treadle_index i = (treadle_index)(treadle_from + treadle_k);
          (void)i;
          treadle_moved_0[treadle_to] = (
          x[i]
          );
          treadle_to += 1;
        }
      }
    }
  }
  treadle_item treadle_value;
  treadle_item treadle_folded;
  const unsigned int treadle_place = treadle_ticket % 256;
  const unsigned int treadle_stretch = treadle_ticket / 256;
  for (unsigned int treadle_window = 0; treadle_window < treadle_place; treadle_window += 32) {
    const unsigned int treadle_there = treadle_place - treadle_window < 32 ? treadle_place - treadle_window : 32;
    if (threadIdx.x < treadle_there) {
      {
        const long long treadle_slot = treadle_ticket - treadle_place + treadle_window + threadIdx.x;
        unsigned long long treadle_word_0 = (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)));
        while ((unsigned int)(treadle_word_0 >> 33) != treadle_epoch) {
          treadle_word_0 = (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)));
        }
        treadle_value = (treadle_item)(unsigned int)treadle_word_0;
      }
    }
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const treadle_item treadle_value_later = __shfl_down_sync(0xffffffffu, treadle_value, treadle_step);
      if (threadIdx.x % (2 * treadle_step) == 0 && threadIdx.x + treadle_step < treadle_there) {
        treadle_value = treadle_scan(treadle_value, treadle_value_later, 0);
      }
    }
    if (threadIdx.x == 0) {
      if (treadle_window > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      }
      treadle_folded = treadle_value;
    }
  }
  if (threadIdx.x == 0) {
    if (treadle_stretch > 0) {
      {
        const long long treadle_slot = treadle_tiles + treadle_stretch - 1;
        unsigned long long treadle_word_0 = (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)));
        while ((unsigned int)(treadle_word_0 >> 33) != treadle_epoch) {
          treadle_word_0 = (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)));
        }
        treadle_value = (treadle_item)(unsigned int)treadle_word_0;
      }
      if (treadle_place > 0) {
        treadle_value = treadle_scan(treadle_value, treadle_folded, 0);
      }
      treadle_folded = treadle_value;
    }
    if (treadle_place + 1 == 256 && treadle_ticket + 1 < treadle_tiles) {
      treadle_value = (treadle_item)treadle_all;
      if (treadle_ticket > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      }
      {
        const long long treadle_slot = treadle_tiles + treadle_stretch;
        (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)) = (((unsigned long long)(treadle_epoch << 1) << 32) | (unsigned int)treadle_value));
      }
    }
    treadle_before_tile = treadle_folded;
  }
  __syncthreads();
  const treadle_item treadle_base = treadle_ticket > 0 ? treadle_before_tile : 0;
  if (threadIdx.x == 0 && treadle_ticket + 1 == treadle_tiles)
    *count = treadle_base + treadle_all;
  #pragma unroll 5
  for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_all; treadle_k += 256) {
    const treadle_item treadle_to = treadle_base + treadle_k;
    if (treadle_to < (room)) {
      chosen[treadle_to] = treadle_moved_0[treadle_k];
    }
  }
}
