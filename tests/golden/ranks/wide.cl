// ranks_float32, made by treadle's generator of ranks: wide schedule
static inline __attribute__((always_inline)) uint treadle_ordered(uint bits) {
  const uint all = ((uint)1 << 31) | (((uint)1 << 31) - 1);
  const uint size = bits & (((uint)1 << 31) - 1);
  const uint turned = bits & ((uint)1 << 31) ? bits ^ all : bits | ((uint)1 << 31);
  return size > 0x7f800000u ? all : size == 0 ? ((uint)1 << 31) : turned;
}
static inline __attribute__((always_inline)) uint treadle_element(uint whole) {
  return whole & ((uint)1 << 31) ? whole ^ ((uint)1 << 31) : ~whole;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) ranks_float32_begin(
    __global long *places__base, long places__offset, __global ulong *known__base,
    long known__offset, __global uint *counts__base, long counts__offset, uint rank_count) {
  __global long *places = (__global long *)((__global char *)places__base + places__offset);
  __global ulong *known = (__global ulong *)((__global char *)known__base + known__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < rank_count * 2048; treadle_k += 256) {
    counts[treadle_k] = 0;
  }
  for (uint r = (uint)get_local_id(0); r < rank_count; r += 256) {
    known[3 * r] = 0;
    known[3 * r + 1] = (ulong)places[r];
    known[3 * r + 2] = 0;
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) ranks_float32_count(
    __global uint *elements__base, long elements__offset, __global ulong *known__base,
    long known__offset, __global uint *counts__base, long counts__offset, long N,
    long treadle_length, uint rank_count, uint width, uint shift) {
  __global uint *elements = (__global uint *)((__global char *)elements__base + elements__offset);
  __global ulong *known = (__global ulong *)((__global char *)known__base + known__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const uint bins = 1u << width;
  const uint above = width + shift;
  __local uint own[4 * 2048];
  __local uint chosen[4];
  __local uint chosen_digits[4];
  __local uint chosen_count;
  __local uint next_rank;
  if ((uint)get_local_id(0) == 0)
    next_rank = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  while (next_rank < rank_count) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if ((uint)get_local_id(0) == 0) {
      uint r = next_rank;
      uint count = 0;
      for (; r < rank_count && count < 4; ++r) {
        if (known[3 * r + 2] != r)
          continue;
        chosen[count] = r;
        chosen_digits[count++] = (uint)known[3 * r];
      }
      next_rank = r;
      chosen_count = count;
    }
    for (uint treadle_k = (uint)get_local_id(0); treadle_k < 4 * 2048; treadle_k += 256) {
      own[treadle_k] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint count = chosen_count;
    for (long treadle_from = treadle_begin + (uint)get_local_id(0); treadle_from < treadle_end; treadle_from += 256 * 5) {
      uint seen[5];
      #pragma unroll
      for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
        seen[treadle_q] = treadle_ordered(elements[treadle_from + treadle_q * 256 < treadle_end ? treadle_from + treadle_q * 256 : treadle_begin]);
      }
      #pragma unroll
      for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
        if (treadle_from + treadle_q * 256 >= treadle_end)
          break;
        const uint before = above == 32 ? 0 : seen[treadle_q] >> above;
        const uint bin = (uint)(seen[treadle_q] >> shift) & (bins - 1);
        for (uint c = 0; c < count; ++c) {
          if (before == chosen_digits[c]) {
            atomic_add(&own[c * 2048 + bin], 1u);
          }
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint c = 0; c < count; ++c) {
      for (uint bin = (uint)get_local_id(0); bin < bins; bin += 256) {
        if (own[c * 2048 + bin] != 0) {
          atomic_add(&counts[chosen[c] * 2048 + bin], own[c * 2048 + bin]);
        }
      }
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) ranks_float32_choose(
    __global ulong *known__base, long known__offset, __global uint *counts__base,
    long counts__offset, __global uint *found__base, long found__offset, long groups,
    uint rank_count, uint width, uint shift) {
  __global ulong *known = (__global ulong *)((__global char *)known__base + known__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  __global uint *found = (__global uint *)((__global char *)found__base + found__offset);
  const uint bins = 1u << width;
  __local uint sums[256];
  const uint share = (bins + 255) / 256;
  const uint first = (uint)get_local_id(0) * share;
  for (uint r = 0; r < rank_count; ++r) {
    __global const uint *own = counts + known[3 * r + 2] * 2048;
    const ulong place = known[3 * r + 1];
    uint sum = 0;
    for (uint bin = first; bin < first + share && bin < bins; ++bin) {
      sum += own[bin];
    }
    uint end = sum;
    sums[(uint)get_local_id(0)] = end;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_step = 1; treadle_step < 256; treadle_step *= 2) {
      if ((uint)get_local_id(0) >= treadle_step) {
        end += sums[(uint)get_local_id(0) - treadle_step];
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      sums[(uint)get_local_id(0)] = end;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    const uint begin = end - sum;
    if (begin <= place && place < end) {
      uint bin = first;
      ulong rest = place - begin;
      for (; rest >= own[bin]; ++bin) {
        rest -= own[bin];
      }
      known[3 * r] = (known[3 * r] << width) | bin;
      known[3 * r + 1] = rest;
      if (shift == 0)
        found[r] = (uint)treadle_element((uint)known[3 * r]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if ((uint)get_local_id(0) == 0) {
    for (uint r = 0; r < rank_count; ++r) {
      uint same = 0;
      while (known[3 * same] != known[3 * r]) {
        ++same;
      }
      known[3 * r + 2] = same;
    }
  }
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < rank_count * 2048; treadle_k += 256) {
    counts[treadle_k] = 0;
  }
}
