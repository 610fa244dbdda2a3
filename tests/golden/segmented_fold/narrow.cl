// product, made by treadle's generator of folds of segments around a user's text: narrow schedule
#define treadle_fold(a, b) (a + b)
typedef float treadle_item;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) product(
    __global float *a__base, long a__offset, __global int *column__base, long column__offset,
    __global float *x__base, long x__offset, __global long *starts__base, long starts__offset,
    __global long *ends__base, long ends__offset, __global float *y__base, long y__offset,
    long treadle_row_segments, long treadle_segments, long treadle_row_length,
    long treadle_interval) {
  __global float *a = (__global float *)((__global char *)a__base + a__offset);
  __global int *column = (__global int *)((__global char *)column__base + column__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global long *ends = (__global long *)((__global char *)ends__base + ends__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long treadle_first = (long)(uint)get_group_id(0) * treadle_interval;
  const long treadle_behind = treadle_segments - treadle_first < treadle_interval ? treadle_segments : treadle_first + treadle_interval;
  long treadle_next = treadle_first % treadle_row_segments;
  long treadle_row = treadle_first / treadle_row_segments * treadle_row_length;
  for (long treadle_segment = treadle_first; treadle_segment < treadle_behind; ++treadle_segment) {
    if (treadle_next == treadle_row_segments) {
      treadle_next = 0;
      treadle_row += treadle_row_length;
    }
    const long treadle_place = treadle_next;
    treadle_next += 1;
    const long treadle_begin = treadle_row + starts[treadle_place];
    const long treadle_end = treadle_row + ends[treadle_place];
    long treadle_at = treadle_begin;
    treadle_item treadle_sum = 0;
    if (treadle_end - treadle_begin >= 64) {
      treadle_item treadle_sums[8];
      #pragma unroll
      for (uint treadle_k = 0; treadle_k < 8; ++treadle_k) {
        treadle_sums[treadle_k] = treadle_sum;
      }
      for (; treadle_at + 8 <= treadle_end; treadle_at += 8) {
        #pragma unroll
        for (uint treadle_k = 0; treadle_k < 8; ++treadle_k) {
          const long i = treadle_at + treadle_k;
          const treadle_item treadle_value = (
          a[i] * x[column[i]]
          );
          treadle_sums[treadle_k] = treadle_fold(treadle_sums[treadle_k], treadle_value);
        }
      }
      #pragma unroll
      for (uint treadle_k = 0; treadle_k < 8; ++treadle_k) {
        treadle_sum = treadle_fold(treadle_sum, treadle_sums[treadle_k]);
      }
    }
    treadle_item treadle_other = 0;
    for (; treadle_at + 2 <= treadle_end; treadle_at += 2) {
      {
        const long i = treadle_at;
        const treadle_item treadle_value = (
        a[i] * x[column[i]]
        );
        treadle_sum = treadle_fold(treadle_sum, treadle_value);
      }
      {
        const long i = treadle_at + 1;
        const treadle_item treadle_value = (
        a[i] * x[column[i]]
        );
        treadle_other = treadle_fold(treadle_other, treadle_value);
      }
    }
    treadle_sum = treadle_fold(treadle_sum, treadle_other);
    if (treadle_at < treadle_end) {
      const long i = treadle_at;
      const treadle_item treadle_value = (
      a[i] * x[column[i]]
      );
      treadle_sum = treadle_fold(treadle_sum, treadle_value);
    }
    y[treadle_segment] = treadle_sum;
  }
}
