// select, made by treadle's scan generator around a user's text: in one pass, narrow schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
typedef unsigned int treadle_item;
typedef long long treadle_index;

extern "C" __global__ void __launch_bounds__(1) select_tiles(
    unsigned char *mask, float *x, float *chosen, unsigned int *count, long long room,
    treadle_index N, long long treadle_tiles, long long treadle_word_count,
    unsigned long long *treadle_words) {
  unsigned int treadle_ticket_taken;
  unsigned int treadle_epoch_taken;
  treadle_item treadle_before_tile;
  {
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
      if (treadle_old > (treadle_tiles - 1)) {
        (*(volatile unsigned long long *)((treadle_words + treadle_old)) = (0));
      }
    }
  }
  const unsigned int treadle_ticket = treadle_ticket_taken;
  const unsigned int treadle_epoch = treadle_epoch_taken;
  const long long treadle_from = (long long)treadle_ticket * 8192;
  const unsigned int treadle_here = N - treadle_from < 8192 ? (unsigned int)(N - treadle_from) : 8192;
  __shared__ treadle_item treadle_tile[8192];
  for (unsigned int treadle_k = 0; treadle_k < treadle_here; ++treadle_k) {
    const long long treadle_at = treadle_from + treadle_k;
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item treadle_value = (
    mask[i] != 0
    );
    treadle_tile[treadle_k] = treadle_value;
  }
  treadle_item treadle_sums[8];
  const unsigned int treadle_is_whole = treadle_here == 8192;
  if (treadle_is_whole) {
    #pragma unroll
    for (unsigned int treadle_part = 0; treadle_part < 8; ++treadle_part) {
      treadle_sums[treadle_part] = treadle_tile[treadle_part * 1024];
    }
    for (unsigned int treadle_step = 1; treadle_step < 1024; ++treadle_step) {
      #pragma unroll
      for (unsigned int treadle_part = 0; treadle_part < 8; ++treadle_part) {
        const unsigned int treadle_k = treadle_part * 1024 + treadle_step;
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sums[treadle_part] = treadle_scan(treadle_sums[treadle_part], treadle_next, 0);
        treadle_tile[treadle_k] = treadle_sums[treadle_part];
      }
    }
  } else {
    treadle_sums[0] = treadle_tile[0];
    for (unsigned int treadle_k = 1; treadle_k < treadle_here; ++treadle_k) {
      const treadle_item treadle_next = treadle_tile[treadle_k];
      treadle_sums[0] = treadle_scan(treadle_sums[0], treadle_next, 0);
      treadle_tile[treadle_k] = treadle_sums[0];
    }
  }
  treadle_item treadle_sum = treadle_sums[0];
  if (treadle_is_whole) {
    #pragma unroll
    for (unsigned int treadle_part = 1; treadle_part < 8; ++treadle_part) {
      const treadle_item treadle_next = treadle_sums[treadle_part];
      treadle_sums[treadle_part] = treadle_sum;
      treadle_sum = treadle_scan(treadle_sum, treadle_next, 0);
    }
  }
  treadle_item treadle_value;
  treadle_item treadle_folded;
  const unsigned int treadle_stretch = treadle_ticket;
  {
    if (treadle_stretch > 0) {
      {
        const long long treadle_slot = treadle_stretch - 1;
        unsigned long long treadle_word_0 = (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)));
        while ((unsigned int)(treadle_word_0 >> 33) != treadle_epoch) {
          treadle_word_0 = (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)));
        }
        treadle_value = (treadle_item)(unsigned int)treadle_word_0;
      }
      treadle_folded = treadle_value;
    }
    if (treadle_ticket + 1 < treadle_tiles) {
      treadle_value = treadle_sum;
      if (treadle_ticket > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      }
      {
        const long long treadle_slot = treadle_stretch;
        (*(volatile unsigned long long *)((treadle_words + 1 + treadle_slot)) = (((unsigned long long)(treadle_epoch << 1) << 32) | (unsigned int)treadle_value));
      }
    }
    treadle_before_tile = treadle_folded;
  }
  for (unsigned int treadle_part = 0; treadle_part < (treadle_is_whole ? 8 : 1); ++treadle_part) {
    const unsigned int treadle_low = treadle_part * 1024;
    const unsigned int treadle_high = treadle_is_whole ? treadle_low + 1024 : treadle_here;
    treadle_item treadle_carry = treadle_before_tile;
    if (treadle_part > 0) {
      treadle_carry = treadle_sums[treadle_part];
      if (treadle_ticket > 0)
        treadle_carry = treadle_scan(treadle_before_tile, treadle_carry, 0);
    }
    const unsigned int treadle_has_before = treadle_ticket > 0 || treadle_part > 0;
    for (unsigned int treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
      const long long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      treadle_item item = treadle_tile[treadle_k];
      if (treadle_has_before)
        item = treadle_scan(treadle_carry, treadle_tile[treadle_k], 0);
      treadle_item prev_item = 0;
      if (treadle_at > 0) {
        prev_item = treadle_carry;
        if (treadle_k > treadle_low) {
          prev_item = treadle_tile[treadle_k - 1];
          if (treadle_has_before)
            prev_item = treadle_scan(treadle_carry, treadle_tile[treadle_k - 1], 0);
        }
      }
      {
        if (item != prev_item) {
          if (prev_item < room)
            chosen[prev_item] = x[i];
        }
        if (i == N - 1)
          *count = item;
      }
    }
  }
}
