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

extern "C" __global__ void __launch_bounds__(1) sort_rows(
    unsigned int *elements, unsigned int *sorted, unsigned int *scratch, unsigned int *places,
    unsigned int *sorted_places, unsigned int *scratch_places, long long rows, long long length,
    long long together, unsigned int flip) {
  const long long treadle_row_begin = blockIdx.x * together;
  const long long treadle_row_end = rows - treadle_row_begin < together ? rows : treadle_row_begin + together;
  for (long long treadle_row = treadle_row_begin; treadle_row < treadle_row_end; ++treadle_row) {
    const long long treadle_begin = 0;
    const long long treadle_end = length;
    unsigned int *treadle_elements = elements + treadle_row * length;
    unsigned int *treadle_places = places + treadle_row * length;
    unsigned int *treadle_sorted = sorted + treadle_row * length;
    unsigned int *treadle_sorted_places = sorted_places + treadle_row * length;
    if (length <= 48) {
      unsigned int treadle_keys[48];
      const unsigned int treadle_count = (unsigned int)length;
      const unsigned int treadle_all = (treadle_count + 15) / 16 * 16;
      for (unsigned int treadle_k = 0; treadle_k < treadle_count; ++treadle_k) {
        treadle_keys[treadle_k] = treadle_ordered(treadle_elements[treadle_k]) ^ flip;
      }
      for (unsigned int treadle_k = treadle_count; treadle_k < treadle_all; ++treadle_k) {
        treadle_keys[treadle_k] = ~(unsigned int)0;
      }
      for (unsigned int treadle_k = 0; treadle_k < treadle_count; ++treadle_k) {
        const unsigned int treadle_own = treadle_keys[treadle_k];
        unsigned int treadle_rank = 0;
        for (unsigned int treadle_q = 0; treadle_q < treadle_all; ++treadle_q) {
          treadle_rank += (treadle_keys[treadle_q] < treadle_own) | ((treadle_keys[treadle_q] == treadle_own) & (treadle_q < treadle_k));
        }
        treadle_sorted[treadle_rank] = treadle_elements[treadle_k];
        treadle_sorted_places[treadle_rank] = treadle_places[treadle_k];
      }
    } else {
      unsigned int treadle_counts[1024];
      for (unsigned int treadle_d = 0; treadle_d < 1024; ++treadle_d) {
        treadle_counts[treadle_d] = 0;
      }
      for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
        const unsigned int treadle_some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
        unsigned int treadle_keys[64];
        #ifdef __clang__
        #pragma clang loop vectorize(assume_safety)
        #endif
        for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
          treadle_keys[treadle_k] = treadle_ordered(treadle_elements[treadle_from + treadle_k]) ^ flip;
        }
        for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
          for (unsigned int treadle_pass = 0; treadle_pass < 4; ++treadle_pass) {
            ++treadle_counts[treadle_pass * 256 + ((unsigned int)(treadle_keys[treadle_k] >> treadle_pass * 8) & 255)];
          }
        }
      }
      const unsigned int treadle_one = treadle_ordered(treadle_elements[0]) ^ flip;
      unsigned int treadle_left = 0;
      unsigned int treadle_passes = 0;
      for (unsigned int treadle_pass = 0; treadle_pass < 4; ++treadle_pass) {
        if (treadle_counts[treadle_pass * 256 + ((unsigned int)(treadle_one >> treadle_pass * 8) & 255)] != length) {
          ++treadle_left;
          treadle_passes |= 1u << treadle_pass;
        }
      }
      if (treadle_left == 0) {
        for (long long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
          treadle_sorted[treadle_at] = treadle_elements[treadle_at];
          treadle_sorted_places[treadle_at] = treadle_places[treadle_at];
        }
      }
      unsigned int *treadle_source = treadle_elements;
      unsigned int *treadle_source_places = treadle_places;
      for (unsigned int treadle_pass = 0; treadle_pass < 4; ++treadle_pass) {
        if ((treadle_passes >> treadle_pass & 1) == 0)
          continue;
        --treadle_left;
        unsigned int *treadle_target = treadle_left % 2 == 0 ? treadle_sorted : scratch + blockIdx.x * length;
        unsigned int *treadle_target_places = treadle_left % 2 == 0 ? treadle_sorted_places : scratch_places + blockIdx.x * length;
        unsigned int treadle_next[256];
        unsigned int treadle_sum = 0;
        for (unsigned int treadle_d = 0; treadle_d < 256; ++treadle_d) {
          treadle_next[treadle_d] = treadle_sum;
          treadle_sum += treadle_counts[treadle_pass * 256 + treadle_d];
        }
        if (length * 4 <= 262144) {
          for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
            const unsigned int treadle_some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
            unsigned int treadle_digits[64];
            #ifdef __clang__
            #pragma clang loop vectorize(assume_safety)
            #endif
            for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
              const long long treadle_at = treadle_from + treadle_k;
              const unsigned int treadle_key = treadle_ordered(treadle_source[treadle_at]) ^ flip;
              const unsigned int treadle_digit = ((unsigned int)(treadle_key >> treadle_pass * 8) & 255);
              treadle_digits[treadle_k] = treadle_digit;
            }
            for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
              const long long treadle_at = treadle_from + treadle_k;
              const unsigned int treadle_digit = treadle_digits[treadle_k];
              const unsigned int treadle_place = treadle_next[treadle_digit]++;
              treadle_target[treadle_place] = treadle_source[treadle_at];
              treadle_target_places[treadle_place] = treadle_source_places[treadle_at];
            }
          }
        } else {
          unsigned int treadle_first[256];
          unsigned int treadle_line_treadle_source[8192];
          unsigned int treadle_line_treadle_source_places[8192];
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
              const unsigned int treadle_key = treadle_ordered(treadle_source[treadle_at]) ^ flip;
              const unsigned int treadle_digit = ((unsigned int)(treadle_key >> treadle_pass * 8) & 255);
              treadle_digits[treadle_k] = treadle_digit;
            }
            for (unsigned int treadle_k = 0; treadle_k < treadle_some; ++treadle_k) {
              const long long treadle_at = treadle_from + treadle_k;
              const unsigned int treadle_digit = treadle_digits[treadle_k];
              const unsigned int treadle_place = treadle_next[treadle_digit]++;
              const unsigned int treadle_slot = (unsigned int)treadle_place & 31;
              treadle_line_treadle_source[treadle_digit * 32 + treadle_slot] = treadle_source[treadle_at];
              treadle_line_treadle_source_places[treadle_digit * 32 + treadle_slot] = treadle_source_places[treadle_at];
              if (treadle_slot == 31) {
                if (treadle_place - treadle_first[treadle_digit] >= 31) {
                  for (unsigned int treadle_q = 0; treadle_q < 32; ++treadle_q) {
                    TREADLE_STORE_PAST(&treadle_target[treadle_place - 31 + treadle_q], treadle_line_treadle_source[treadle_digit * 32 + treadle_q]);
                  }
                  for (unsigned int treadle_q = 0; treadle_q < 32; ++treadle_q) {
                    TREADLE_STORE_PAST(&treadle_target_places[treadle_place - 31 + treadle_q], treadle_line_treadle_source_places[treadle_digit * 32 + treadle_q]);
                  }
                } else {
                  for (unsigned int treadle_q = treadle_first[treadle_digit]; treadle_q < treadle_place + 1; ++treadle_q) {
                    treadle_target[treadle_q] = treadle_line_treadle_source[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
                    treadle_target_places[treadle_q] = treadle_line_treadle_source_places[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
                  }
                }
              }
            }
          }
          for (unsigned int treadle_digit = 0; treadle_digit < 256; ++treadle_digit) {
            const unsigned int treadle_place = treadle_next[treadle_digit];
            unsigned int treadle_from = treadle_place - (unsigned int)((unsigned int)treadle_place & 31);
            if (treadle_from < treadle_first[treadle_digit])
              treadle_from = treadle_first[treadle_digit];
            for (unsigned int treadle_q = treadle_from; treadle_q < treadle_place; ++treadle_q) {
              treadle_target[treadle_q] = treadle_line_treadle_source[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
              treadle_target_places[treadle_q] = treadle_line_treadle_source_places[treadle_digit * 32 + ((unsigned int)treadle_q & 31)];
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
