// axpy, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#define TWICE(v) ((v) + (v))
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) axpy(
    float a, __global float *restrict x__base, long x__offset, __global float *restrict y__base,
    long y__offset, long n) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *y = (__global float *)((__global char *)y__base + y__offset);
  const long tile = (long)(uint)get_group_id(0) * 1024 + (uint)get_local_id(0);
  float b = a;
  const uint items = tile + 768 < n ? 4 : tile < n ? (uint)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (uint item = 0; item < items; ++item) {
    const long i = tile + item * 256;
    y[i] += a * x[i];
  }
  b = TWICE(b);
}
