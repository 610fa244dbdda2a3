// top_k_int64, made by treadle's generator of largest elements: narrow schedule
static __device__ inline __attribute__((always_inline)) unsigned long long treadle_ordered(
    unsigned long long bits) {
  return bits ^ ((unsigned long long)1 << 63);
}
static __device__ inline void keep_largest(
    unsigned long long *keys, unsigned int *kept, unsigned long long *other_keys,
    unsigned int *other_kept, unsigned int count) {
  for (unsigned int shift = 0; shift < 64; shift += 8) {
    unsigned int next[256];
    unsigned int sum = 0;
    for (unsigned int d = 0; d < 256; ++d) {
      next[d] = 0;
    }
    for (unsigned int i = 0; i < count; ++i) {
      ++next[(unsigned int)(keys[i] >> shift) & 255];
    }
    for (unsigned int d = 256; d-- > 0; ) {
      const unsigned int own = next[d];
      next[d] = sum;
      sum += own;
    }
    for (unsigned int i = 0; i < count; ++i) {
      const unsigned int place = next[(unsigned int)(keys[i] >> shift) & 255]++;
      other_keys[place] = keys[i];
      other_kept[place] = kept[i];
    }
    for (unsigned int i = 0; i < count; ++i) {
      keys[i] = other_keys[i];
      kept[i] = other_kept[i];
    }
  }
}

extern "C" __global__ void __launch_bounds__(1) top_k_int64(
    unsigned long long *elements, unsigned long long *values, long long *places, long long length,
    long long pieces, long long k, unsigned long long flip) {
  const long long group = blockIdx.x;
  const long long row = group / pieces;
  const long long piece = group % pieces;
  const long long begin = row * length + length * piece / pieces;
  const long long end = row * length + length * (piece + 1) / pieces;
  unsigned long long keys[256];
  unsigned long long other_keys[256];
  unsigned int kept[256];
  unsigned int other_kept[256];
  unsigned int count = 0;
  unsigned int is_open = 1;
  unsigned long long least = 0;
  for (long long from = begin; from < end; from += 64) {
    const unsigned int some = end - from < 64 ? (unsigned int)(end - from) : 64;
    unsigned long long seen[64];
    unsigned int any = is_open;
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (unsigned int i = 0; i < some; ++i) {
      seen[i] = treadle_ordered(elements[from + i]) ^ flip;
      any |= seen[i] > least;
    }
    if (any == 0)
      continue;
    for (unsigned int i = 0; i < some; ++i) {
      keys[count] = seen[i];
      kept[count] = (unsigned int)(from - begin) + i;
      count += is_open | (seen[i] > least);
      if (count < 256)
        continue;
      keep_largest(keys, kept, other_keys, other_kept, count);
      count = (unsigned int)k;
      least = keys[k - 1];
      is_open = 0;
    }
  }
  keep_largest(keys, kept, other_keys, other_kept, count);
  for (unsigned int i = 0; i < (unsigned int)k; ++i) {
    values[group * k + i] = elements[begin + kept[i]];
    places[group * k + i] = begin - row * length + kept[i];
  }
}
