// axpy, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#define TWICE(x) ((x) + (x))
extern "C" __global__ void __launch_bounds__(256) axpy(
    float a, float *x, float *y, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  float b = a;
#pragma unroll
  for (unsigned int item = 0; item < 4; ++item) {
    const long long i = tile + item * 256;
    if (i < n) {
      y[i] += a * x[i];
    }
  }
  b = TWICE(b);
}
