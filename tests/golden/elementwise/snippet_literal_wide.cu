// axpy, made by treadle's elementwise generator around a user's text: literal loop, wide schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(256) axpy(float a, float *x, float *y, long long n) {
  const unsigned int tid = threadIdx.x;
  const long long total_threads = (long long)gridDim.x * 256;
  const long long cta_start = (long long)blockIdx.x * 256;
  long long i;
  float b = a;
  for (i = cta_start + tid; i < n; i += total_threads) {
    y[i] += a * x[tid];
  }
  b = TWICE(b);
}
