// product, made by treadle's generator of folds of segments around a user's text: wide schedule
#define treadle_fold(a, b) (a + b)
typedef float treadle_item;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) product(
    __global float *a__base, long a__offset, __global int *column__base, long column__offset,
    __global float *x__base, long x__offset, __global long *starts__base, long starts__offset,
    __global long *ends__base, long ends__offset, __global float *y__base, long y__offset,
    long treadle_row_segments, long treadle_segments, long treadle_row_length) {
  __global float *a = (__global float *)((__global char *)a__base + a__offset);
  __global int *column = (__global int *)((__global char *)column__base + column__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global long *ends = (__global long *)((__global char *)ends__base + ends__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  __local treadle_item treadle_sum_shared[256];
  const uint treadle_lane = (uint)get_local_id(0) % 32;
  const long treadle_segment = (long)(uint)get_group_id(0) * 8 + (uint)get_local_id(0) / 32;
  treadle_item treadle_sum = 0;
  if (treadle_segment < treadle_segments) {
    const long treadle_place = treadle_segment % treadle_row_segments;
    const long treadle_row = treadle_segment / treadle_row_segments * treadle_row_length;
    const long treadle_begin = treadle_row + starts[treadle_place];
    const long treadle_end = treadle_row + ends[treadle_place];
    #pragma unroll 4
    for (long treadle_at = treadle_begin + treadle_lane; treadle_at < treadle_end; treadle_at += 32) {
      const long i = treadle_at;
      const treadle_item treadle_value = (
      a[i] * x[column[i]]
      );
      treadle_sum = treadle_fold(treadle_sum, treadle_value);
    }
  }
  treadle_sum_shared[(uint)get_local_id(0)] = treadle_sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 16; step > 0; step /= 2) {
    if (treadle_lane < step) {
      const treadle_item treadle_next = treadle_sum_shared[(uint)get_local_id(0) + step];
      treadle_sum = treadle_fold(treadle_sum, treadle_next);
      treadle_sum_shared[(uint)get_local_id(0)] = treadle_sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (treadle_lane == 0 && treadle_segment < treadle_segments) {
    y[treadle_segment] = treadle_sum;
  }
}
