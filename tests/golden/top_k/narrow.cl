// top_k_int64, made by treadle's generator of largest elements: narrow schedule
static inline __attribute__((always_inline)) ulong treadle_ordered(ulong bits) {
  return bits ^ ((ulong)1 << 63);
}
static inline void keep_largest(
    ulong *keys, uint *kept, ulong *other_keys, uint *other_kept, uint count) {
  for (uint shift = 0; shift < 64; shift += 8) {
    uint next[256];
    uint sum = 0;
    for (uint d = 0; d < 256; ++d) {
      next[d] = 0;
    }
    for (uint i = 0; i < count; ++i) {
      ++next[(uint)(keys[i] >> shift) & 255];
    }
    for (uint d = 256; d-- > 0; ) {
      const uint own = next[d];
      next[d] = sum;
      sum += own;
    }
    for (uint i = 0; i < count; ++i) {
      const uint place = next[(uint)(keys[i] >> shift) & 255]++;
      other_keys[place] = keys[i];
      other_kept[place] = kept[i];
    }
    for (uint i = 0; i < count; ++i) {
      keys[i] = other_keys[i];
      kept[i] = other_kept[i];
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) top_k_int64(
    __global ulong *elements__base, long elements__offset, __global ulong *values__base,
    long values__offset, __global long *places__base, long places__offset, long length,
    long pieces, long k, ulong flip) {
  __global ulong *elements = (__global ulong *)((__global char *)elements__base + elements__offset);
  __global ulong *values = (__global ulong *)((__global char *)values__base + values__offset);
  __global long *places = (__global long *)((__global char *)places__base + places__offset);
  const long group = (uint)get_group_id(0);
  const long row = group / pieces;
  const long piece = group % pieces;
  const long begin = row * length + length * piece / pieces;
  const long end = row * length + length * (piece + 1) / pieces;
  ulong keys[256];
  ulong other_keys[256];
  uint kept[256];
  uint other_kept[256];
  uint count = 0;
  uint is_open = 1;
  ulong least = 0;
  for (long from = begin; from < end; from += 64) {
    const uint some = end - from < 64 ? (uint)(end - from) : 64;
    ulong seen[64];
    uint any = is_open;
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (uint i = 0; i < some; ++i) {
      seen[i] = treadle_ordered(elements[from + i]) ^ flip;
      any |= seen[i] > least;
    }
    if (any == 0)
      continue;
    for (uint i = 0; i < some; ++i) {
      keys[count] = seen[i];
      kept[count] = (uint)(from - begin) + i;
      count += is_open | (seen[i] > least);
      if (count < 256)
        continue;
      keep_largest(keys, kept, other_keys, other_kept, count);
      count = (uint)k;
      least = keys[k - 1];
      is_open = 0;
    }
  }
  keep_largest(keys, kept, other_keys, other_kept, count);
  for (uint i = 0; i < (uint)k; ++i) {
    values[group * k + i] = elements[begin + kept[i]];
    places[group * k + i] = begin - row * length + kept[i];
  }
}
