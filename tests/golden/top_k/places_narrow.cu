// top_k_float16, made by treadle's generator of largest elements: narrow schedule
static __device__ inline __attribute__((always_inline)) unsigned int treadle_ordered(
    unsigned int bits) {
  const unsigned int all = ((unsigned int)1 << 15) | (((unsigned int)1 << 15) - 1);
  const unsigned int size = bits & (((unsigned int)1 << 15) - 1);
  const unsigned int turned = bits & ((unsigned int)1 << 15) ? bits ^ all : bits | ((unsigned int)1 << 15);
  return size > 0x7c00u ? all : size == 0 ? ((unsigned int)1 << 15) : turned;
}
static __device__ inline void keep_largest(
    unsigned int *keys, unsigned int *kept, unsigned int *other_keys, unsigned int *other_kept,
    unsigned int count) {
  for (unsigned int shift = 0; shift < 16; shift += 8) {
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

extern "C" __global__ void __launch_bounds__(1) top_k_float16(
    unsigned short *elements, unsigned short *values, long long *places, long long *given,
    long long length, long long pieces, long long k, unsigned int flip) {
  const long long group = blockIdx.x;
  const long long row = group / pieces;
  const long long piece = group % pieces;
  const long long begin = row * length + length * piece / pieces;
  const long long end = row * length + length * (piece + 1) / pieces;
  unsigned int keys[256];
  unsigned int other_keys[256];
  unsigned int kept[256];
  unsigned int other_kept[256];
  unsigned int count = 0;
  unsigned int is_open = 1;
  unsigned int least = 0;
  for (long long from = begin; from < end; from += 64) {
    const unsigned int some = end - from < 64 ? (unsigned int)(end - from) : 64;
    unsigned int seen[64];
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
    places[group * k + i] = given[begin + kept[i]];
  }
}
