// radix_sort, made by treadle's radix sort generator around a user's text: narrow schedule
typedef unsigned int treadle_key;
typedef long long treadle_index;
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store) && defined(__x86_64__)
#define TREADLE_STORE_PAST(pointer, value) __builtin_nontemporal_store(value, pointer)
#define TREADLE_STORED_PAST() __sync_synchronize()
#endif
#endif
#ifndef TREADLE_STORE_PAST
#define TREADLE_STORE_PAST(pointer, value) *(pointer) = (value)
#define TREADLE_STORED_PAST() (void)0
#endif

extern "C" __global__ void __launch_bounds__(1) radix_sort_counts(
    unsigned int *keys, float *x, treadle_index N, long long treadle_length,
    long long treadle_intervals, unsigned int treadle_bit, treadle_index *treadle_numbers) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_own[1024];
  for (unsigned int treadle_d = 0; treadle_d < 1024; ++treadle_d) {
    treadle_own[treadle_d] = 0;
  }
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const unsigned int treadle_some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
    unsigned int treadle_digits[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      const long long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      const unsigned int treadle_digit = (unsigned int)(treadle_whole >> treadle_bit) & 255;
      treadle_digits[treadle_k] = treadle_digit;
    }
    for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      ++treadle_own[treadle_k % 4 * 256 + treadle_digits[treadle_k]];
    }
  }
  for (unsigned int treadle_d = 0; treadle_d < 256; ++treadle_d) {
    for (unsigned int treadle_k = 1; treadle_k < 4; ++treadle_k) {
      treadle_own[treadle_d] += treadle_own[treadle_k * 256 + treadle_d];
    }
  }
  for (unsigned int treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_numbers[treadle_d * treadle_intervals + blockIdx.x] = treadle_own[treadle_d];
  }
}

extern "C" __global__ void __launch_bounds__(1) radix_sort_places(
    unsigned int *treadle_sorted_keys, float *treadle_sorted_x, unsigned int *keys, float *x,
    treadle_index N, long long treadle_length, long long treadle_intervals,
    unsigned int treadle_bit, treadle_index *treadle_numbers) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_next[256];
  for (unsigned int treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_next[treadle_d] = treadle_numbers[treadle_d * treadle_intervals + blockIdx.x];
  }
  treadle_index treadle_first[256];
  unsigned int treadle_line_keys[8192];
  float treadle_line_x[8192];
  for (unsigned int treadle_d = 0; treadle_d < 256; ++treadle_d) {
    treadle_first[treadle_d] = treadle_next[treadle_d];
  }
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const unsigned int treadle_some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
    unsigned int treadle_digits[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      const long long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      const unsigned int treadle_digit = (unsigned int)(treadle_whole >> treadle_bit) & 255;
      treadle_digits[treadle_k] = treadle_digit;
    }
    for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      const long long treadle_at = treadle_from + treadle_k;
      const unsigned int treadle_digit = treadle_digits[treadle_k];
      const treadle_index treadle_place = treadle_next[treadle_digit]++;
      const unsigned int treadle_slot = (unsigned int)treadle_place & 31;
      treadle_line_keys[treadle_digit * 32 + treadle_slot] = keys[treadle_at];
      treadle_line_x[treadle_digit * 32 + treadle_slot] = x[treadle_at];
      if (treadle_slot == 31) {
        if (treadle_place - treadle_first[treadle_digit] >= 31) {
          for (unsigned int treadle_q = 0; treadle_q < 32; ++treadle_q) {
            TREADLE_STORE_PAST(&treadle_sorted_keys[treadle_place - 31 + treadle_q], treadle_line_keys[treadle_digit * 32 + treadle_q]);
          }
          for (unsigned int treadle_q = 0; treadle_q < 32; ++treadle_q) {
            TREADLE_STORE_PAST(&treadle_sorted_x[treadle_place - 31 + treadle_q], treadle_line_x[treadle_digit * 32 + treadle_q]);
          }
        } else {
          for (treadle_index treadle_q = treadle_first[treadle_digit]; treadle_q < treadle_place + 1; ++treadle_q) {
            treadle_sorted_keys[treadle_q] = treadle_line_keys[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
            treadle_sorted_x[treadle_q] = treadle_line_x[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
          }
        }
      }
    }
  }
  for (unsigned int treadle_digit = 0; treadle_digit < 256; ++treadle_digit) {
    const treadle_index treadle_place = treadle_next[treadle_digit];
    treadle_index treadle_from = treadle_place - (treadle_index)((unsigned int)treadle_place & 31);
    if (treadle_from < treadle_first[treadle_digit])
      treadle_from = treadle_first[treadle_digit];
    for (treadle_index treadle_q = treadle_from; treadle_q < treadle_place; ++treadle_q) {
      treadle_sorted_keys[treadle_q] = treadle_line_keys[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
      treadle_sorted_x[treadle_q] = treadle_line_x[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
    }
  }
  TREADLE_STORED_PAST();
}
