// product, made by treadle's generator of folds of segments around a user's text: narrow schedule
#define treadle_fold(a, b) (a + b)
typedef float treadle_item;

extern "C" __global__ void __launch_bounds__(1) product(
    float *a, int *column, float *x, long long *starts, long long *ends, float *y,
    long long treadle_row_segments, long long treadle_segments, long long treadle_row_length,
    long long treadle_interval) {
  const long long treadle_first = (long long)blockIdx.x * treadle_interval;
  const long long treadle_behind = treadle_segments - treadle_first < treadle_interval ? treadle_segments : treadle_first + treadle_interval;
  long long treadle_next = treadle_first % treadle_row_segments;
  long long treadle_row = treadle_first / treadle_row_segments * treadle_row_length;
  for (long long treadle_segment = treadle_first; treadle_segment < treadle_behind; ++treadle_segment) {
    if (treadle_next == treadle_row_segments) {
      treadle_next = 0;
      treadle_row += treadle_row_length;
    }
    const long long treadle_place = treadle_next;
    treadle_next += 1;
    const long long treadle_begin = treadle_row + starts[treadle_place];
    const long long treadle_end = treadle_row + ends[treadle_place];
    long long treadle_at = treadle_begin;
    treadle_item treadle_sum = 0;
    if (treadle_end - treadle_begin >= 64) {
      treadle_item treadle_sums[8];
      #pragma unroll
      for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
        treadle_sums[treadle_k] = treadle_sum;
      }
      for (; treadle_at + 8 <= treadle_end; treadle_at += 8) {
        #pragma unroll
        for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
          const long long i = treadle_at + treadle_k;
          const treadle_item treadle_value = (
          a[i] * x[column[i]]
          );
          treadle_sums[treadle_k] = treadle_fold(treadle_sums[treadle_k], treadle_value);
        }
      }
      #pragma unroll
      for (unsigned int treadle_k = 0; treadle_k < 8; ++treadle_k) {
        treadle_sum = treadle_fold(treadle_sum, treadle_sums[treadle_k]);
      }
    }
    treadle_item treadle_other = 0;
    for (; treadle_at + 2 <= treadle_end; treadle_at += 2) {
      {
        const long long i = treadle_at;
        const treadle_item treadle_value = (
        a[i] * x[column[i]]
        );
        treadle_sum = treadle_fold(treadle_sum, treadle_value);
      }
      {
        const long long i = treadle_at + 1;
        const treadle_item treadle_value = (
        a[i] * x[column[i]]
        );
        treadle_other = treadle_fold(treadle_other, treadle_value);
      }
    }
    treadle_sum = treadle_fold(treadle_sum, treadle_other);
    if (treadle_at < treadle_end) {
      const long long i = treadle_at;
      const treadle_item treadle_value = (
      a[i] * x[column[i]]
      );
      treadle_sum = treadle_fold(treadle_sum, treadle_value);
    }
    y[treadle_segment] = treadle_sum;
  }
}
