// radix_sort, made by treadle's radix sort generator around a user's text: narrow schedule
typedef uint treadle_key;
typedef long treadle_index;
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

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) radix_sort_counts(
    __global uint *keys__base, long keys__offset, __global float *x__base, long x__offset,
    treadle_index N, long treadle_length, long treadle_intervals, uint treadle_bit,
    __global treadle_index *treadle_numbers) {
  __global uint *keys = (__global uint *)((__global char *)keys__base + keys__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_own[1024];
  for (uint treadle_d = 0; treadle_d < 1024; ++treadle_d) {
    treadle_own[treadle_d] = 0;
  }
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const uint treadle_some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
    uint treadle_digits[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      const long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      const uint treadle_digit = (uint)(treadle_whole >> treadle_bit) & 255;
      treadle_digits[treadle_k] = treadle_digit;
    }
    for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      ++treadle_own[treadle_k % 4 * 256 + treadle_digits[treadle_k]];
    }
  }
  for (uint treadle_d = 0; treadle_d < 256; ++treadle_d) {
    for (uint treadle_k = 1; treadle_k < 4; ++treadle_k) {
      treadle_own[treadle_d] += treadle_own[treadle_k * 256 + treadle_d];
    }
  }
  for (uint treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_numbers[treadle_d * treadle_intervals + (uint)get_group_id(0)] = treadle_own[treadle_d];
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) radix_sort_places(
    __global uint *treadle_sorted_keys__base, long treadle_sorted_keys__offset,
    __global float *treadle_sorted_x__base, long treadle_sorted_x__offset,
    __global uint *keys__base, long keys__offset, __global float *x__base, long x__offset,
    treadle_index N, long treadle_length, long treadle_intervals, uint treadle_bit,
    __global treadle_index *treadle_numbers) {
  __global uint *treadle_sorted_keys = (__global uint *)((__global char *)treadle_sorted_keys__base + treadle_sorted_keys__offset);
  __global float *treadle_sorted_x = (__global float *)((__global char *)treadle_sorted_x__base + treadle_sorted_x__offset);
  __global uint *keys = (__global uint *)((__global char *)keys__base + keys__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_next[256];
  for (uint treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_next[treadle_d] = treadle_numbers[treadle_d * treadle_intervals + (uint)get_group_id(0)];
  }
  treadle_index treadle_first[256];
  uint treadle_line_keys[8192];
  float treadle_line_x[8192];
  for (uint treadle_d = 0; treadle_d < 256; ++treadle_d) {
    treadle_first[treadle_d] = treadle_next[treadle_d];
  }
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const uint treadle_some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
    uint treadle_digits[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      const long treadle_at = treadle_from + treadle_k;
      const treadle_index i = (treadle_index)treadle_at;
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      const uint treadle_digit = (uint)(treadle_whole >> treadle_bit) & 255;
      treadle_digits[treadle_k] = treadle_digit;
    }
    for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
      const long treadle_at = treadle_from + treadle_k;
      const uint treadle_digit = treadle_digits[treadle_k];
      const treadle_index treadle_place = treadle_next[treadle_digit]++;
      const uint treadle_slot = (uint)treadle_place & 31;
      treadle_line_keys[treadle_digit * 32 + treadle_slot] = keys[treadle_at];
      treadle_line_x[treadle_digit * 32 + treadle_slot] = x[treadle_at];
      if (treadle_slot == 31) {
        if (treadle_place - treadle_first[treadle_digit] >= 31) {
          for (uint treadle_q = 0; treadle_q < 32; ++treadle_q) {
            TREADLE_STORE_PAST(&treadle_sorted_keys[treadle_place - 31 + treadle_q], treadle_line_keys[treadle_digit * 32 + treadle_q]);
          }
          for (uint treadle_q = 0; treadle_q < 32; ++treadle_q) {
            TREADLE_STORE_PAST(&treadle_sorted_x[treadle_place - 31 + treadle_q], treadle_line_x[treadle_digit * 32 + treadle_q]);
          }
        } else {
          for (treadle_index treadle_q = treadle_first[treadle_digit]; treadle_q < treadle_place + 1; ++treadle_q) {
            treadle_sorted_keys[treadle_q] = treadle_line_keys[treadle_digit * 32 + ((uint)treadle_q & 31)];
            treadle_sorted_x[treadle_q] = treadle_line_x[treadle_digit * 32 + ((uint)treadle_q & 31)];
          }
        }
      }
    }
  }
  for (uint treadle_digit = 0; treadle_digit < 256; ++treadle_digit) {
    const treadle_index treadle_place = treadle_next[treadle_digit];
    treadle_index treadle_from = treadle_place - (treadle_index)((uint)treadle_place & 31);
    if (treadle_from < treadle_first[treadle_digit])
      treadle_from = treadle_first[treadle_digit];
    for (treadle_index treadle_q = treadle_from; treadle_q < treadle_place; ++treadle_q) {
      treadle_sorted_keys[treadle_q] = treadle_line_keys[treadle_digit * 32 + ((uint)treadle_q & 31)];
      treadle_sorted_x[treadle_q] = treadle_line_x[treadle_digit * 32 + ((uint)treadle_q & 31)];
    }
  }
  TREADLE_STORED_PAST();
}
