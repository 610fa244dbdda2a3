// ranks_float32, made by treadle's generator of ranks: narrow schedule
static __device__ inline __attribute__((always_inline)) unsigned int treadle_ordered(
    unsigned int bits) {
  const unsigned int all = ((unsigned int)1 << 31) | (((unsigned int)1 << 31) - 1);
  const unsigned int size = bits & (((unsigned int)1 << 31) - 1);
  const unsigned int turned = bits & ((unsigned int)1 << 31) ? bits ^ all : bits | ((unsigned int)1 << 31);
  return size > 0x7f800000u ? all : size == 0 ? ((unsigned int)1 << 31) : turned;
}
static __device__ inline __attribute__((always_inline)) unsigned int treadle_element(
    unsigned int whole) {
  return whole & ((unsigned int)1 << 31) ? whole ^ ((unsigned int)1 << 31) : ~whole;
}

extern "C" __global__ void __launch_bounds__(1) ranks_float32_begin(
    long long *places, unsigned long long *known, unsigned int rank_count) {
  for (unsigned int r = 0; r < rank_count; ++r) {
    known[3 * r] = 0;
    known[3 * r + 1] = (unsigned long long)places[r];
    known[3 * r + 2] = 0;
  }
}

extern "C" __global__ void __launch_bounds__(1) ranks_float32_count(
    unsigned int *elements, unsigned long long *known, unsigned int *counts, long long N,
    long long treadle_length, unsigned int rank_count, unsigned int width, unsigned int shift) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const unsigned int bins = 1u << width;
  const unsigned int above = width + shift;
  const long long group = blockIdx.x;
  for (unsigned int r = 0; r < rank_count; ++r) {
    if (known[3 * r + 2] != r)
      continue;
    const unsigned int digits = (unsigned int)known[3 * r];
    unsigned int own[(2048 + 1) * 4];
    for (unsigned int k = 0; k < (bins + 1) * 4; ++k) {
      own[k] = 0;
    }
    for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
      const unsigned int some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
      unsigned int chosen[64];
      unsigned int any = 0;
      if (above == 32) {
        any = 1;
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int k = 0; k < some; ++k) {
          chosen[k] = (unsigned int)(treadle_ordered(elements[treadle_from + k]) >> shift);
        }
      } else {
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int k = 0; k < some; ++k) {
          const unsigned int whole = treadle_ordered(elements[treadle_from + k]);
          const unsigned int is_one = whole >> above == digits;
          chosen[k] = is_one ? (unsigned int)(whole >> shift) & (bins - 1) : bins;
          any += is_one;
        }
      }
      if (any == 0)
        continue;
      for (unsigned int k = 0; k < some; ++k) {
        ++own[k % 4 * (bins + 1) + chosen[k]];
      }
    }
    for (unsigned int bin = 0; bin < bins; ++bin) {
      unsigned int sum = 0;
      for (unsigned int k = 0; k < 4; ++k) {
        sum += own[k * (bins + 1) + bin];
      }
      counts[((group * rank_count + r) << width) + bin] = sum;
    }
  }
}

extern "C" __global__ void __launch_bounds__(1) ranks_float32_choose(
    unsigned long long *known, unsigned int *counts, unsigned int *found, long long groups,
    unsigned int rank_count, unsigned int width, unsigned int shift) {
  const unsigned int bins = 1u << width;
  for (unsigned int r = 0; r < rank_count; ++r) {
    const unsigned long long same = known[3 * r + 2];
    unsigned long long before = known[3 * r + 1];
    unsigned int bin = 0;
    for (; bin < bins; ++bin) {
      unsigned long long sum = 0;
      for (long long group = 0; group < groups; ++group) {
        sum += counts[((group * rank_count + same) << width) + bin];
      }
      if (before < sum)
        break;
      before -= sum;
    }
    known[3 * r] = (known[3 * r] << width) | bin;
    known[3 * r + 1] = before;
    if (shift == 0)
      found[r] = (unsigned int)treadle_element((unsigned int)known[3 * r]);
  }
  for (unsigned int r = 0; r < rank_count; ++r) {
    unsigned int same = 0;
    while (known[3 * same] != known[3 * r]) {
      ++same;
    }
    known[3 * r + 2] = same;
  }
}
