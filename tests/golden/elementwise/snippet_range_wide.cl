// axpy, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#define TWICE(v) ((v) + (v))
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) axpy(
    float a, __global float *x__base, long x__offset, __global float *y__base, long y__offset,
    long start, long stop, long step) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long tile = (long)(uint)get_group_id(0) * 1024 + (uint)get_local_id(0);
  float b = a;
  #pragma unroll
  for (uint item = 0; item < 4; ++item) {
    const long i = start + (tile + item * 256) * step;
    if (step < 0 ? i > stop : i < stop) {
      y[i] += a * x[i];
    }
  }
  b = TWICE(b);
}
