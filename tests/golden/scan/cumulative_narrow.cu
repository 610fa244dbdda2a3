// scan, made by treadle's scan generator around a user's text: narrow schedule
#define treadle_scan(a, b, across_seg_boundary) (a + b)
typedef float treadle_item;
typedef long long treadle_index;

extern "C" __global__ void __launch_bounds__(1) scan_intervals(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  for (long long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item treadle_value = (
    x[i]
    );
    if (treadle_at > treadle_begin)
      treadle_value = treadle_scan(treadle_carry, treadle_value, 0);
    treadle_carry = treadle_value;
    treadle_scanned[treadle_at] = treadle_value;
  }
  treadle_sums[blockIdx.x] = treadle_carry;
}

extern "C" __global__ void __launch_bounds__(1) scan_outputs(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  for (long long treadle_k = 0; treadle_k < blockIdx.x; ++treadle_k) {
    treadle_item treadle_value = treadle_sums[treadle_k];
    if (treadle_k > 0)
      treadle_value = treadle_scan(treadle_carry, treadle_value, 0);
    treadle_carry = treadle_value;
  }
  for (long long treadle_at = treadle_begin; treadle_at < treadle_end; treadle_at += 1) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_scanned[treadle_at];
    if (blockIdx.x > 0)
      item = treadle_scan(treadle_carry, item, 0);
    {
      y[i] = item;
    }
  }
}
