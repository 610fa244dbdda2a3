// select, made by treadle's scan generator around a user's text: in one pass, wide schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef uint treadle_item;
typedef long treadle_index;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) select_tiles(
    __global uchar *mask__base, long mask__offset, __global float *x__base, long x__offset,
    __global float *chosen__base, long chosen__offset, __global uint *count__base,
    long count__offset, long room, treadle_index N, long treadle_tiles, long treadle_word_count,
    __global ulong *treadle_words) {
  __global uchar *mask = (__global uchar *)((__global char *)mask__base + mask__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *chosen = (__global float *)((__global char *)chosen__base + chosen__offset);
  __global uint *count = (__global uint *)((__global char *)count__base + count__offset);
  __local treadle_item treadle_tile[7936];
  __local treadle_item treadle_own[256];
  __local uint treadle_ticket_taken;
  __local uint treadle_epoch_taken;
  __local treadle_item treadle_before_tile;
  __local treadle_item treadle_stretch_sums[256];
  if ((uint)get_local_id(0) == 0) {
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
      if (treadle_old > (treadle_tiles + (treadle_tiles - 1) / 256)) {
        (*(volatile __global ulong *)((treadle_words + treadle_old)) = (0));
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint treadle_ticket = treadle_ticket_taken;
  const uint treadle_epoch = treadle_epoch_taken;
  const long treadle_from = (long)treadle_ticket * 7936;
  const uint treadle_here = N - treadle_from < 7936 ? (uint)(N - treadle_from) : 7936;
  #pragma unroll 31
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_here; treadle_k += 256) {
    const long treadle_at = treadle_from + treadle_k;
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item treadle_value = (
    mask[i] != 0
    );
    treadle_tile[treadle_k] = treadle_value;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint treadle_low = (uint)get_local_id(0) * 31;
  const uint treadle_high = treadle_low + 31 < treadle_here ? treadle_low + 31 : treadle_here;
  treadle_item treadle_sum;
  if (treadle_low < treadle_here) {
    treadle_sum = treadle_tile[treadle_low];
    for (uint treadle_k = treadle_low + 1; treadle_k < treadle_high; ++treadle_k) {
      const treadle_item treadle_next = treadle_tile[treadle_k];
      treadle_sum = treadle_scan(treadle_sum, treadle_next, 0);
    }
  }
  treadle_own[(uint)get_local_id(0)] = treadle_sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_step = 1; treadle_step < 256; treadle_step *= 2) {
    if ((uint)get_local_id(0) >= treadle_step && treadle_low < treadle_here) {
      const treadle_item treadle_before = treadle_own[(uint)get_local_id(0) - treadle_step];
      treadle_sum = treadle_scan(treadle_before, treadle_sum, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    treadle_own[(uint)get_local_id(0)] = treadle_sum;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  const uint treadle_last = (treadle_here - 1) / 31;
  if ((uint)get_local_id(0) == 0) {
    {
      const long treadle_slot = treadle_ticket;
      (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)) = (((ulong)(treadle_epoch << 1) << 32) | (uint)treadle_own[treadle_last]));
    }
  }
  treadle_item treadle_value;
  treadle_item treadle_folded;
  const uint treadle_place = treadle_ticket % 256;
  const uint treadle_stretch = treadle_ticket / 256;
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_place; treadle_k += 256) {
    {
      const long treadle_slot = treadle_ticket - treadle_place + treadle_k;
      ulong treadle_word_0 = (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)));
      while ((uint)(treadle_word_0 >> 33) != treadle_epoch) {
        treadle_word_0 = (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)));
      }
      treadle_value = (treadle_item)(uint)treadle_word_0;
    }
    treadle_stretch_sums[treadle_k] = treadle_value;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_k = (uint)get_local_id(0) * 16; treadle_k < treadle_place; treadle_k += 4096) {
    const uint treadle_end = treadle_place - treadle_k < 16 ? treadle_place : treadle_k + 16;
    treadle_folded = treadle_stretch_sums[treadle_k];
    for (uint treadle_j = treadle_k + 1; treadle_j < treadle_end; ++treadle_j) {
      treadle_value = treadle_stretch_sums[treadle_j];
      treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      treadle_folded = treadle_value;
    }
    treadle_stretch_sums[treadle_k] = treadle_folded;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0 && treadle_place > 0) {
    treadle_folded = treadle_stretch_sums[0];
    for (uint treadle_j = 0 + 16; treadle_j < treadle_place; treadle_j += 16) {
      treadle_value = treadle_stretch_sums[treadle_j];
      treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      treadle_folded = treadle_value;
    }
  }
  if ((uint)get_local_id(0) == 0) {
    if (treadle_stretch > 0) {
      {
        const long treadle_slot = treadle_tiles + treadle_stretch - 1;
        ulong treadle_word_0 = (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)));
        while ((uint)(treadle_word_0 >> 33) != treadle_epoch) {
          treadle_word_0 = (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)));
        }
        treadle_value = (treadle_item)(uint)treadle_word_0;
      }
      if (treadle_place > 0) {
        treadle_value = treadle_scan(treadle_value, treadle_folded, 0);
      }
      treadle_folded = treadle_value;
    }
    if (treadle_place + 1 == 256 && treadle_ticket + 1 < treadle_tiles) {
      treadle_value = treadle_own[treadle_last];
      if (treadle_ticket > 0) {
        treadle_value = treadle_scan(treadle_folded, treadle_value, 0);
      }
      {
        const long treadle_slot = treadle_tiles + treadle_stretch;
        (*(volatile __global ulong *)((treadle_words + 1 + treadle_slot)) = (((ulong)(treadle_epoch << 1) << 32) | (uint)treadle_value));
      }
    }
    treadle_before_tile = treadle_folded;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (treadle_low < treadle_here) {
    const uint treadle_has_before = (uint)get_local_id(0) > 0 || treadle_ticket > 0;
    treadle_item treadle_carry;
    if (treadle_ticket > 0)
      treadle_carry = treadle_before_tile;
    if ((uint)get_local_id(0) > 0) {
      const treadle_item treadle_group = treadle_own[(uint)get_local_id(0) - 1];
      if (treadle_ticket > 0) {
        treadle_carry = treadle_scan(treadle_carry, treadle_group, 0);
      } else {
        treadle_carry = treadle_group;
      }
    }
    for (uint treadle_k = treadle_low; treadle_k < treadle_high; ++treadle_k) {
      treadle_item treadle_next = treadle_tile[treadle_k];
      if (treadle_has_before || treadle_k > treadle_low)
        treadle_next = treadle_scan(treadle_carry, treadle_next, 0);
      treadle_tile[treadle_k] = treadle_next;
      treadle_carry = treadle_next;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  #pragma unroll 5
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < treadle_here; treadle_k += 256) {
    const long treadle_at = treadle_from + treadle_k;
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_tile[treadle_k];
    treadle_item prev_item = 0;
    if (treadle_at > 0) {
      if (treadle_k > 0) {
        prev_item = treadle_tile[treadle_k - 1];
      } else {
        prev_item = treadle_before_tile;
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
