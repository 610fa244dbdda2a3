// runs, made by treadle's scan generator around a user's text: in one pass, segmented, wide schedule
#define treadle_scan(a, b, across_seg_boundary) (across_seg_boundary ? b : a + b)
typedef int treadle_item;
typedef int treadle_index;

extern "C" __global__ void __launch_bounds__(256) runs_tiles(
    float *x, float *y, treadle_index N, long long treadle_tiles, long long treadle_word_count,
    unsigned long long *treadle_words) {
  __shared__ treadle_item treadle_tile[7936];
  __shared__ treadle_item treadle_own[256];
  __shared__ treadle_item treadle_own_sums[8];
  __shared__ unsigned int treadle_marks_sums[8];
  __shared__ unsigned char treadle_flags[7936];
  __shared__ unsigned char treadle_marks[256];
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
  const long long treadle_from = (long long)treadle_ticket * 7936;
  const unsigned int treadle_here = N - treadle_from < 7936 ? (unsigned int)(N - treadle_from) : 7936;
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
  const unsigned int treadle_low = threadIdx.x * 31;
  const unsigned int treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
  treadle_item treadle_sum;
  unsigned int treadle_mark = 0;
  if (treadle_low < treadle_here) {
    treadle_sum = treadle_tile[treadle_low];
    treadle_mark = treadle_flags[treadle_low];
    for (unsigned int treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
      const treadle_item treadle_next = treadle_tile[treadle_k];
      treadle_sum = treadle_scan(treadle_sum, treadle_next, (treadle_flags[treadle_k] != 0));
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
  const unsigned int treadle_last = (treadle_here - 1) / 31;
  if (threadIdx.x == 0) {
    {
      const long long treadle_slot = treadle_ticket;
      (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)) = (((unsigned long long)(treadle_epoch << 1 | ((treadle_marks[treadle_last]) != 0 ? 1u : 0u)) << 32) | (unsigned int)treadle_own[treadle_last]));
    }
  }
  treadle_item treadle_value;
  treadle_item treadle_folded;
  unsigned int treadle_mark_there = 0;
  unsigned int treadle_mark_folded = 0;
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
        treadle_mark_there = (unsigned int)(treadle_word_0 >> 32) & 1u;
      }
    }
    #pragma unroll
    for (unsigned int treadle_step = 1; treadle_step < 32; treadle_step *= 2) {
      const treadle_item treadle_value_later = __shfl_down_sync(0xffffffffu, treadle_value, treadle_step);
      const unsigned int treadle_mark_there_later = __shfl_down_sync(0xffffffffu, treadle_mark_there, treadle_step);
      if (threadIdx.x % (2 * treadle_step) == 0 && threadIdx.x + treadle_step < treadle_there) {
        treadle_value = treadle_scan(treadle_value, treadle_value_later, (treadle_mark_there_later != 0));
        treadle_mark_there = treadle_mark_there | treadle_mark_there_later;
      }
    }
    if (threadIdx.x == 0) {
      if (treadle_window > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, (treadle_mark_there != 0));
        treadle_mark_there = treadle_mark_folded | treadle_mark_there;
      }
      treadle_folded = treadle_value;
      treadle_mark_folded = treadle_mark_there;
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
        treadle_mark_there = (unsigned int)(treadle_word_0 >> 32) & 1u;
      }
      if (treadle_place > 0) {
        treadle_value = treadle_scan(treadle_value, treadle_folded, (treadle_mark_folded != 0));
        treadle_mark_there = treadle_mark_there | treadle_mark_folded;
      }
      treadle_folded = treadle_value;
      treadle_mark_folded = treadle_mark_there;
    }
    if (treadle_place + 1 == 256 && treadle_ticket + 1 < treadle_tiles) {
      treadle_value = treadle_own[treadle_last];
      treadle_mark_there = treadle_marks[treadle_last];
      if (treadle_ticket > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, (treadle_mark_there != 0));
        treadle_mark_there = treadle_mark_folded | treadle_mark_there;
      }
      {
        const long long treadle_slot = treadle_tiles + treadle_stretch;
        (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)) = (((unsigned long long)(treadle_epoch << 1 | ((treadle_mark_there) != 0 ? 1u : 0u)) << 32) | (unsigned int)treadle_value));
      }
    }
    treadle_before_tile = treadle_folded;
  }
  __syncthreads();
  if (treadle_low < treadle_here) {
    const unsigned int treadle_has_before = threadIdx.x > 0 || treadle_ticket > 0;
    treadle_item treadle_carry;
    if (treadle_ticket > 0)
      treadle_carry = treadle_before_tile;
    if (threadIdx.x > 0) {
      const treadle_item treadle_group = treadle_own[threadIdx.x - 1];
      if (treadle_ticket > 0) {
        treadle_carry = treadle_scan(treadle_carry, treadle_group, (treadle_marks[threadIdx.x - 1] != 0));
      } else {
        treadle_carry = treadle_group;
      }
    }
    for (unsigned int treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
      treadle_item treadle_next = treadle_tile[treadle_k];
      if (treadle_has_before || treadle_k > treadle_low)
        treadle_next = treadle_scan(treadle_carry, treadle_next, (treadle_flags[treadle_k] != 0));
      treadle_tile[treadle_k] = treadle_next;
      treadle_carry = treadle_next;
    }
  }
  __syncthreads();
  #pragma unroll 5
  for (unsigned int treadle_k = threadIdx.x; treadle_k < treadle_here; treadle_k += 256) {
    const long long treadle_at = treadle_from + treadle_k;
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item prev_item = 0;
    if (treadle_at > 0 && !treadle_flags[treadle_k]) {
      if (treadle_k > 0) {
        prev_item = treadle_tile[treadle_k - 1];
      } else {
        prev_item = treadle_before_tile;
      }
    }
    {
      y[i] = prev_item;
    }
  }
}
