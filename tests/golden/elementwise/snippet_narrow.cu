// axpy, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(1) axpy(
    float a, float *x, float *y, long long n) {
  const long long chunk = (long long)blockIdx.x * 65536;
  float b = a;
  const long long chunk_end = n - chunk < 65536 ? n : chunk + 65536;
  for (long long i = chunk; i < chunk_end; ++i) {
    y[i] += a * x[i];
  }
  b = TWICE(b);
}
