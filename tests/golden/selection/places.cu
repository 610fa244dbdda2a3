// places_under_mask, made by treadle's generator of selections: narrow schedule

extern "C" __global__ void __launch_bounds__(1) places_under_mask_counts(
    unsigned char *mask, long long N, long long treadle_length, long long *counts) {
  const long long group = blockIdx.x;
  const long long treadle_begin = group * treadle_length;
  const long long treadle_end = treadle_begin + treadle_length < N ? treadle_begin + treadle_length : N;
  long long sum = 0;
  for (long long i = treadle_begin; i < treadle_end; ++i) {
    sum += mask[i] != 0;
  }
  counts[group] = sum;
}

extern "C" __global__ void __launch_bounds__(1) places_under_mask_stores(
    unsigned char *mask, long long *elements, long long *selected, long long *total,
    long long capacity, long long N, long long treadle_length, long long *counts) {
  const long long group = blockIdx.x;
  const long long treadle_begin = group * treadle_length;
  const long long treadle_end = treadle_begin + treadle_length < N ? treadle_begin + treadle_length : N;
  long long place = 0;
  long long i = treadle_begin;
  for (long long k = 0; k < group; ++k) {
    place += counts[k];
  }
  const long long behind = place + counts[group];
  if (treadle_end == N)
    *total = behind;
  const long long stop = behind < capacity ? behind : capacity;
  while (place < stop) {
    selected[place] = i;
    place += mask[i] != 0;
    ++i;
  }
}
