// product, made by treadle's generator of folds of segments around a user's text: wide schedule
#define treadle_fold(a, b) (a + b)
typedef float treadle_item;

extern "C" __global__ void __launch_bounds__(256) product(
    float *a, int *column, float *x, long long *starts, long long *ends, float *y,
    long long treadle_row_segments, long long treadle_segments, long long treadle_row_length) {
  const unsigned int treadle_lane = threadIdx.x % 32;
  const long long treadle_segment = (long long)blockIdx.x * 8 + threadIdx.x / 32;
  treadle_item treadle_sum = 0;
  if (treadle_segment < treadle_segments) {
    const long long treadle_place = treadle_segment % treadle_row_segments;
    const long long treadle_row = treadle_segment / treadle_row_segments * treadle_row_length;
    const long long treadle_begin = treadle_row + starts[treadle_place];
    const long long treadle_end = treadle_row + ends[treadle_place];
    #pragma unroll 4
    for (long long treadle_at = treadle_begin + treadle_lane; treadle_at < treadle_end; treadle_at += 32) {
      const long long i = treadle_at;
      const treadle_item treadle_value = (
      a[i] * x[column[i]]
      );
      treadle_sum = treadle_fold(treadle_sum, treadle_value);
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const treadle_item treadle_sum_other = __shfl_down_sync(0xffffffffu, treadle_sum, step);
    const treadle_item treadle_next = treadle_sum_other;
    treadle_sum = treadle_fold(treadle_sum, treadle_next);
  }
  if (treadle_lane == 0 && treadle_segment < treadle_segments) {
    y[treadle_segment] = treadle_sum;
  }
}
