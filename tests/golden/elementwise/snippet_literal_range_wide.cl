// axpy, made by treadle's elementwise generator around a user's text: literal loop, wide schedule
#define TWICE(v) ((v) + (v))
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) axpy(
    float a, __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    long start, long stop, long step) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const uint tid = (uint)get_local_id(0);
  const long total_threads = (long)(uint)get_num_groups(0) * 256;
  const long cta_start = (long)(uint)get_group_id(0) * 256;
  long i;
  float b = a;
  for (i = start + (cta_start + tid) * step; step < 0 ? i > stop : i < stop; i += total_threads * step) {
    y[i] += a * x[tid];
  }
  b = TWICE(b);
}
