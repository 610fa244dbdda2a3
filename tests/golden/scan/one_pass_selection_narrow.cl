// select, made by treadle's scan generator around a user's text: in one pass, narrow schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef uint treadle_item;
typedef long treadle_index;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) select_tiles(
    __global uchar *mask__base, long mask__offset, __global float *x__base, long x__offset,
    __global float *chosen__base, long chosen__offset, __global uint *count__base,
    long count__offset, long room, treadle_index N, long treadle_tiles, long treadle_word_count,
    __global ulong *treadle_words) {
  __global uchar *mask = (__global uchar *)((__global char *)mask__base + mask__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *chosen = (__global float *)((__global char *)chosen__base + chosen__offset);
  __global uint *count = (__global uint *)((__global char *)count__base + count__offset);
  uint treadle_ticket_taken;
  uint treadle_epoch_taken;
  treadle_item treadle_before_tile;
  {
    const ulong treadle_taken = atom_add(treadle_words, 1);
    treadle_ticket_taken = (uint)treadle_taken;
    treadle_epoch_taken = (uint)(treadle_taken >> 32);
    // Nobody takes another one of this launch.
    if (treadle_ticket_taken + 1 == treadle_tiles) {
      (*(volatile __global ulong *)(treadle_words) = ((ulong)(treadle_epoch_taken == 0x7fffffffu ? 1u : treadle_epoch_taken + 1) << 32));
    }
    // Of words that no launch has used for long, each is cleared before its epoch returns.
    if (treadle_ticket_taken == 0) {
      const long treadle_old = 1 + treadle_epoch_taken % (treadle_word_count - 1);
      if (treadle_old > (treadle_tiles - 1)) {
        (*(volatile __global ulong *)((treadle_words + treadle_old)) = (0));
      }
    }
  }
  const uint treadle_ticket = treadle_ticket_taken;
  const uint treadle_epoch = treadle_epoch_taken;
  const long treadle_from = (long)treadle_ticket * 8192;
  const uint treadle_here = N - treadle_from < 8192 ? (uint)(N - treadle_from) : 8192;
  __local treadle_item treadle_tile[8192];
  for (uint treadle_k = 0; treadle_k < treadle_here; ++treadle_k) {
    const long treadle_at = treadle_from + treadle_k;
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item treadle_value = (
    mask[i] != 0
    );
    treadle_tile[treadle_k] = treadle_value;
  }
  treadle_item treadle_sums[8];
  const uint treadle_is_whole = treadle_here == 8192;
  if (treadle_is_whole) {
    #pragma unroll
    for (uint treadle_part = 0; treadle_part < 8; ++treadle_part) {
      treadle_sums[treadle_part] = treadle_tile[treadle_part * 1024];
    }
    for (uint treadle_step = 1; treadle_step < 1024; ++treadle_step) {
      #pragma unroll
      for (uint treadle_part = 0; treadle_part < 8; ++treadle_part) {
        const uint treadle_k = treadle_part * 1024 + treadle_step;
        const treadle_item treadle_next = treadle_tile[treadle_k];
        treadle_sums[treadle_part] = treadle_scan(treadle_sums[treadle_part], treadle_next, 0);
        treadle_tile[treadle_k] = treadle_sums[treadle_part];
      }
    }
  } else {
    treadle_sums[0] = treadle_tile[0];
    for (uint treadle_k = 1; treadle_k < treadle_here; ++treadle_k) {
      const treadle_item treadle_next = treadle_tile[treadle_k];
      treadle_sums[0] = treadle_scan(treadle_sums[0], treadle_next, 0);
      treadle_tile[treadle_k] = treadle_sums[0];
    }
  }
  treadle_item treadle_sum = treadle_sums[0];
  if (treadle_is_whole) {
    #pragma unroll
    for (uint treadle_part = 1; treadle_part < 8; ++treadle_part) {
      const treadle_item treadle_next = treadle_sums[treadle_part];
      treadle_sums[treadle_part] = treadle_sum;
      treadle_sum = treadle_scan(treadle_sum, treadle_next, 0);
    }
  }
  treadle_item treadle_value;
  treadle_item treadle_folded;
  const uint treadle_stretch = treadle_ticket;
  {
    if (treadle_stretch > 0) {
      {
        const long treadle_slot = treadle_stretch - 1;
        ulong treadle_word_0 = (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)));
        while ((uint)(treadle_word_0 >> 33) != treadle_epoch) {
          treadle_word_0 = (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)));
        }
        treadle_value = (treadle_item)(uint)treadle_word_0;
      }
      treadle_folded = treadle_value;
    }
    if (treadle_ticket + 1 < treadle_tiles) {
      treadle_value = treadle_sum;
      if (treadle_ticket > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      }
      {
        const long treadle_slot = treadle_stretch;
        (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)) = (((ulong)(treadle_epoch << 1) << 32) | (uint)treadle_value));
      }
    }
    treadle_before_tile = treadle_folded;
  }
  for (uint treadle_part = 0; treadle_part < (treadle_is_whole ? 8 : 1); ++treadle_part) {
    const uint treadle_low = treadle_part * 1024;
    const uint treadle_high = treadle_is_whole ? treadle_low + 1024 : treadle_here;
    treadle_item treadle_carry = treadle_before_tile;
    if (treadle_part > 0) {
      treadle_carry = treadle_sums[treadle_part];
      if (treadle_ticket > 0)
        treadle_carry = treadle_scan(treadle_before_tile, treadle_carry, 0);
    }
    const uint treadle_has_before = treadle_ticket > 0 || treadle_part > 0;
    for (uint treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
      const long treadle_at = treadle_from + treadle_k;
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
