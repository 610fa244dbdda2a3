// runs, made by treadle's scan generator around a user's text: segmented, narrow schedule
#define treadle_scan(a, b, across_seg_boundary) (across_seg_boundary ? b : a + b)
typedef int treadle_item;
typedef int treadle_index;

extern "C" __global__ void __launch_bounds__(1) runs_intervals(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums,
    long long *__restrict__ treadle_first_starts, unsigned char *__restrict__ treadle_starts) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  long long treadle_first = treadle_end;
  for (long long treadle_at = treadle_begin; treadle_at < treadle_end; ++treadle_at) {
    const treadle_index i = (treadle_index)treadle_at;
    const float before = x[i > 0 ? i - 1 : 0];
    treadle_item treadle_value = (
    x[i] != before
    );
    unsigned int treadle_flag;
    {
      const treadle_item a = treadle_value;
      treadle_flag = (
      a == 1
      ) ? 1 : 0;
    }
    if (treadle_at > treadle_begin)
      treadle_value = treadle_scan(treadle_carry, treadle_value, (treadle_flag));
    treadle_carry = treadle_value;
    treadle_scanned[treadle_at] = treadle_value;
    treadle_starts[treadle_at] = treadle_flag;
    if (treadle_flag && treadle_at < treadle_first)
      treadle_first = treadle_at;
  }
  treadle_sums[blockIdx.x] = treadle_carry;
  treadle_first_starts[blockIdx.x] = treadle_first;
}

extern "C" __global__ void __launch_bounds__(1) runs_outputs(
    float *x, float *y, treadle_index N, long long treadle_length, long long treadle_count,
    treadle_item *__restrict__ treadle_scanned, treadle_item *__restrict__ treadle_sums,
    long long *__restrict__ treadle_first_starts, unsigned char *__restrict__ treadle_starts) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  treadle_item treadle_carry;
  treadle_item last_item;
  for (long long treadle_k = 0; treadle_k < treadle_count; ++treadle_k) {
    treadle_item treadle_value = treadle_sums[treadle_k];
    const long long treadle_behind = (treadle_k + 1) * treadle_length;
    const unsigned int treadle_flag = treadle_first_starts[treadle_k] < (treadle_behind < N ? treadle_behind : N);
    if (treadle_k > 0)
      treadle_value = treadle_scan(last_item, treadle_value, (treadle_flag));
    last_item = treadle_value;
    if (treadle_k + 1 == blockIdx.x)
      treadle_carry = treadle_value;
  }
  const long long treadle_first = treadle_first_starts[blockIdx.x];
  for (long long treadle_at = treadle_begin; treadle_at < treadle_end; treadle_at += 1) {
    const treadle_index i = (treadle_index)treadle_at;
    treadle_item item = treadle_scanned[treadle_at];
    if (blockIdx.x > 0)
      item = treadle_scan(treadle_carry, item, (treadle_at >= treadle_first));
    treadle_item prev_item = 0;
    if (treadle_at > 0 && !treadle_starts[treadle_at]) {
      prev_item = treadle_carry;
      if (treadle_at > treadle_begin) {
        prev_item = treadle_scanned[treadle_at - 1];
        if (blockIdx.x > 0)
          prev_item = treadle_scan(treadle_carry, prev_item, (treadle_at - 1 >= treadle_first));
      }
    }
    {
      y[i] = prev_item + last_item;
    }
  }
}
