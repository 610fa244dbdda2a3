// axpy, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(1) axpy(float a, float *x, float *y, long long n) {
  const long long start = (long long)blockIdx.x * 65536;
  float b = a;
  const long long end = n - start < 65536 ? n : start + 65536;
  for (long long i = start; i < end; ++i) {
    y[i] += a * x[i];
  }
  b = TWICE(b);
}
