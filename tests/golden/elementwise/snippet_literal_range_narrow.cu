// axpy, made by treadle's elementwise generator around a user's text: literal loop, narrow schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(256) axpy(
    float a, float *x, float *y, long long start, long long stop, long long step) {
  const unsigned int tid = threadIdx.x;
  const long long total_threads = (long long)gridDim.x * 256;
  const long long cta_start = (long long)blockIdx.x * 256;
  long long i;
  float b = a;
  for (i = start + (cta_start + tid) * step; step < 0 ? i > stop : i < stop; i += total_threads * step) {
    y[i] += a * x[tid];
  }
  b = TWICE(b);
}
