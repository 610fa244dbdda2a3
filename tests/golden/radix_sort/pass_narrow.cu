// radix_sort, made by treadle's radix sort generator around a user's text: narrow schedule
typedef unsigned int treadle_key;
typedef long long treadle_index;

extern "C" __global__ void __launch_bounds__(1) radix_sort_counts(
    unsigned int *keys, float *x, treadle_index N, long long treadle_length,
    long long treadle_intervals, unsigned int treadle_bit, treadle_index *treadle_numbers) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_index treadle_own[256];
  for (unsigned int treadle_d = 0; treadle_d < 256; treadle_d += 1) {
    treadle_own[treadle_d] = 0;
  }
  for (long long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    const treadle_key treadle_whole = (treadle_key)(
    keys[i]
    );
    const unsigned int treadle_digit = (unsigned int)(treadle_whole >> treadle_bit) & 255;
    ++treadle_own[treadle_digit];
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
  for (long long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    const treadle_key treadle_whole = (treadle_key)(
    keys[i]
    );
    const unsigned int treadle_digit = (unsigned int)(treadle_whole >> treadle_bit) & 255;
    const treadle_index treadle_place = treadle_next[treadle_digit]++;
    treadle_sorted_keys[treadle_place] = keys[i];
    treadle_sorted_x[treadle_place] = x[i];
  }
}
