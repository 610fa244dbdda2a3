// ranks_float32, made by treadle's generator of ranks: narrow schedule
static inline __attribute__((always_inline)) uint treadle_ordered(uint bits) {
  const uint all = ((uint)1 << 31) | (((uint)1 << 31) - 1);
  const uint size = bits & (((uint)1 << 31) - 1);
  const uint turned = bits & ((uint)1 << 31) ? bits ^ all : bits | ((uint)1 << 31);
  return size > 0x7f800000u ? all : size == 0 ? ((uint)1 << 31) : turned;
}
static inline __attribute__((always_inline)) uint treadle_element(uint whole) {
  return whole & ((uint)1 << 31) ? whole ^ ((uint)1 << 31) : ~whole;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) ranks_float32_begin(
    __global long *places__base, long places__offset, __global ulong *known__base,
    long known__offset, uint rank_count) {
  __global long *places = (__global long *)((__global char *)places__base + places__offset);
  __global ulong *known = (__global ulong *)((__global char *)known__base + known__offset);
  for (uint r = 0; r < rank_count; ++r) {
    known[3 * r] = 0;
    known[3 * r + 1] = (ulong)places[r];
    known[3 * r + 2] = 0;
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) ranks_float32_count(
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
  const long group = (uint)get_group_id(0);
  for (uint r = 0; r < rank_count; ++r) {
    if (known[3 * r + 2] != r)
      continue;
    const uint digits = (uint)known[3 * r];
    uint own[(2048 + 1) * 4];
    for (uint k = 0; k < (bins + 1) * 4; ++k) {
      own[k] = 0;
    }
    for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
      const uint some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
      uint chosen[64];
      uint any = 0;
      if (above == 32) {
        any = 1;
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (uint k = 0; k < some; ++k) {
          chosen[k] = (uint)(treadle_ordered(elements[treadle_from + k]) >> shift);
        }
      } else {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (uint k = 0; k < some; ++k) {
          const uint whole = treadle_ordered(elements[treadle_from + k]);
          const uint is_one = whole >> above == digits;
          chosen[k] = is_one ? (uint)(whole >> shift) & (bins - 1) : bins;
          any += is_one;
        }
      }
      if (any == 0)
        continue;
      for (uint k = 0; k < some; ++k) {
        ++own[k % 4 * (bins + 1) + chosen[k]];
      }
    }
    for (uint bin = 0; bin < bins; ++bin) {
      uint sum = 0;
      for (uint k = 0; k < 4; ++k) {
        sum += own[k * (bins + 1) + bin];
      }
      counts[((group * rank_count + r) << width) + bin] = sum;
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) ranks_float32_choose(
    __global ulong *known__base, long known__offset, __global uint *counts__base,
    long counts__offset, __global uint *found__base, long found__offset, long groups,
    uint rank_count, uint width, uint shift) {
  __global ulong *known = (__global ulong *)((__global char *)known__base + known__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  __global uint *found = (__global uint *)((__global char *)found__base + found__offset);
  const uint bins = 1u << width;
  for (uint r = 0; r < rank_count; ++r) {
    const ulong same = known[3 * r + 2];
    ulong before = known[3 * r + 1];
    uint bin = 0;
    for (; bin < bins; ++bin) {
      ulong sum = 0;
      for (long group = 0; group < groups; ++group) {
        sum += counts[((group * rank_count + same) << width) + bin];
      }
      if (before < sum)
        break;
      before -= sum;
    }
    known[3 * r] = (known[3 * r] << width) | bin;
    known[3 * r + 1] = before;
    if (shift == 0)
      found[r] = (uint)treadle_element((uint)known[3 * r]);
  }
  for (uint r = 0; r < rank_count; ++r) {
    uint same = 0;
    while (known[3 * same] != known[3 * r]) {
      ++same;
    }
    known[3 * r + 2] = same;
  }
}
