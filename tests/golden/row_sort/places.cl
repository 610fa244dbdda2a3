// sort_rows, made by treadle's generator of sorts of rows: narrow schedule
#define treadle_ordered(bits) (bits)
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

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sort_rows(
    __global uint *elements__base, long elements__offset, __global uint *sorted__base,
    long sorted__offset, __global uint *scratch__base, long scratch__offset,
    __global uint *places__base, long places__offset, __global uint *sorted_places__base,
    long sorted_places__offset, __global uint *scratch_places__base, long scratch_places__offset,
    long rows, long length, long together, uint flip) {
  __global uint *elements = (__global uint *)((__global char *)elements__base + elements__offset);
  __global uint *sorted = (__global uint *)((__global char *)sorted__base + sorted__offset);
  __global uint *scratch = (__global uint *)((__global char *)scratch__base + scratch__offset);
  __global uint *places = (__global uint *)((__global char *)places__base + places__offset);
  __global uint *sorted_places = (__global uint *)((__global char *)sorted_places__base + sorted_places__offset);
  __global uint *scratch_places = (__global uint *)((__global char *)scratch_places__base + scratch_places__offset);
  const long treadle_row_begin = (uint)get_group_id(0) * together;
  const long treadle_row_end = rows - treadle_row_begin < together ? rows : treadle_row_begin + together;
  for (long treadle_row = treadle_row_begin; treadle_row < treadle_row_end; ++treadle_row) {
    const long treadle_begin = 0;
    const long treadle_end = length;
    __global uint *treadle_elements = elements + treadle_row * length;
    __global uint *treadle_places = places + treadle_row * length;
    __global uint *treadle_sorted = sorted + treadle_row * length;
    __global uint *treadle_sorted_places = sorted_places + treadle_row * length;
    if (length <= 48) {
      uint treadle_keys[48];
      const uint treadle_count = (uint)length;
      const uint treadle_all = (treadle_count + 15) / 16 * 16;
      for (uint treadle_k = 0; treadle_k < treadle_count; ++treadle_k) {
        treadle_keys[treadle_k] = treadle_ordered(treadle_elements[treadle_k]) ^ flip;
      }
      for (uint treadle_k = treadle_count; treadle_k < treadle_all; ++treadle_k) {
        treadle_keys[treadle_k] = ~(uint)0;
      }
      for (uint treadle_k = 0; treadle_k < treadle_count; ++treadle_k) {
        const uint treadle_own = treadle_keys[treadle_k];
        uint treadle_rank = 0;
        for (uint treadle_q = 0; treadle_q < treadle_all; ++treadle_q) {
          treadle_rank += (treadle_keys[treadle_q] < treadle_own) | ((treadle_keys[treadle_q] == treadle_own) & (treadle_q < treadle_k));
        }
        treadle_sorted[treadle_rank] = treadle_elements[treadle_k];
        treadle_sorted_places[treadle_rank] = treadle_places[treadle_k];
      }
    } else {
      uint treadle_counts[1024];
      for (uint treadle_d = 0; treadle_d < 1024; ++treadle_d) {
        treadle_counts[treadle_d] = 0;
      }
      for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
        const uint treadle_some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
        uint treadle_keys[64];
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
          treadle_keys[treadle_k] = treadle_ordered(treadle_elements[treadle_from + treadle_k]) ^ flip;
        }
        for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
          for (uint treadle_pass = 0; treadle_pass < 4; ++treadle_pass) {
            ++treadle_counts[treadle_pass * 256 + ((uint)(treadle_keys[treadle_k] >> treadle_pass * 8) & 255)];
          }
        }
      }
      const uint treadle_one = treadle_ordered(treadle_elements[0]) ^ flip;
      uint treadle_left = 0;
      uint treadle_passes = 0;
      for (uint treadle_pass = 0; treadle_pass < 4; ++treadle_pass) {
        if (treadle_counts[treadle_pass * 256 + ((uint)(treadle_one >> treadle_pass * 8) & 255)] != length) {
          ++treadle_left;
          treadle_passes |= 1u << treadle_pass;
        }
      }
      if (treadle_left == 0) {
        for (long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
          treadle_sorted[treadle_at] = treadle_elements[treadle_at];
          treadle_sorted_places[treadle_at] = treadle_places[treadle_at];
        }
      }
      __global uint *treadle_source = treadle_elements;
      __global uint *treadle_source_places = treadle_places;
      for (uint treadle_pass = 0; treadle_pass < 4; ++treadle_pass) {
        if ((treadle_passes >> treadle_pass & 1) == 0)
          continue;
        --treadle_left;
        __global uint *treadle_target = treadle_left % 2 == 0 ? treadle_sorted : scratch + (uint)get_group_id(0) * length;
        __global uint *treadle_target_places = treadle_left % 2 == 0 ? treadle_sorted_places : scratch_places + (uint)get_group_id(0) * length;
        uint treadle_next[256];
        uint treadle_sum = 0;
        for (uint treadle_d = 0; treadle_d < 256; ++treadle_d) {
          treadle_next[treadle_d] = treadle_sum;
          treadle_sum += treadle_counts[treadle_pass * 256 + treadle_d];
        }
        if (length * 4 <= 262144) {
          for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
            const uint treadle_some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
            uint treadle_digits[64];
            #ifdef __clang__
            #pragma clang loop vectorize(assume_safety)
            #endif
            for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
              const long treadle_at = treadle_from + treadle_k;
              const uint treadle_key = treadle_ordered(treadle_source[treadle_at]) ^ flip;
              const uint treadle_digit = ((uint)(treadle_key >> treadle_pass * 8) & 255);
              treadle_digits[treadle_k] = treadle_digit;
            }
            for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
              const long treadle_at = treadle_from + treadle_k;
              const uint treadle_digit = treadle_digits[treadle_k];
              const uint treadle_place = treadle_next[treadle_digit]++;
              treadle_target[treadle_place] = treadle_source[treadle_at];
              treadle_target_places[treadle_place] = treadle_source_places[treadle_at];
            }
          }
        } else {
          uint treadle_first[256];
          uint treadle_line_treadle_source[8192];
          uint treadle_line_treadle_source_places[8192];
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
              const uint treadle_key = treadle_ordered(treadle_source[treadle_at]) ^ flip;
              const uint treadle_digit = ((uint)(treadle_key >> treadle_pass * 8) & 255);
              treadle_digits[treadle_k] = treadle_digit;
            }
            for (uint treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
              const long treadle_at = treadle_from + treadle_k;
              const uint treadle_digit = treadle_digits[treadle_k];
              const uint treadle_place = treadle_next[treadle_digit]++;
              const uint treadle_slot = (uint)treadle_place & 31;
              treadle_line_treadle_source[treadle_digit * 32 + treadle_slot] = treadle_source[treadle_at];
              treadle_line_treadle_source_places[treadle_digit * 32 + treadle_slot] = treadle_source_places[treadle_at];
              if (treadle_slot == 31) {
                if (treadle_place - treadle_first[treadle_digit] >= 31) {
                  for (uint treadle_q = 0; treadle_q < 32; ++treadle_q) {
                    TREADLE_STORE_PAST(&treadle_target[treadle_place - 31 + treadle_q], treadle_line_treadle_source[treadle_digit * 32 + treadle_q]);
                  }
                  for (uint treadle_q = 0; treadle_q < 32; ++treadle_q) {
                    TREADLE_STORE_PAST(&treadle_target_places[treadle_place - 31 + treadle_q], treadle_line_treadle_source_places[treadle_digit * 32 + treadle_q]);
                  }
                } else {
                  for (uint treadle_q = treadle_first[treadle_digit]; treadle_q < treadle_place + 1; ++treadle_q) {
                    treadle_target[treadle_q] = treadle_line_treadle_source[treadle_digit * 32 + ((uint)treadle_q & 31)];
                    treadle_target_places[treadle_q] = treadle_line_treadle_source_places[treadle_digit * 32 + ((uint)treadle_q & 31)];
                  }
                }
              }
            }
          }
          for (uint treadle_digit = 0; treadle_digit < 256; ++treadle_digit) {
            const uint treadle_place = treadle_next[treadle_digit];
            uint treadle_from = treadle_place - (uint)((uint)treadle_place & 31);
            if (treadle_from < treadle_first[treadle_digit])
              treadle_from = treadle_first[treadle_digit];
            for (uint treadle_q = treadle_from; treadle_q < treadle_place; ++treadle_q) {
              treadle_target[treadle_q] = treadle_line_treadle_source[treadle_digit * 32 + ((uint)treadle_q & 31)];
              treadle_target_places[treadle_q] = treadle_line_treadle_source_places[treadle_digit * 32 + ((uint)treadle_q & 31)];
            }
          }
          TREADLE_STORED_PAST();
        }
        treadle_source = treadle_target;
        treadle_source_places = treadle_target_places;
      }
    }
  }
}
