// axpy, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(256) axpy(
    float a, float *x, float *y, long long start, long long stop, long long step) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  float b = a;
  #pragma unroll
  for (unsigned int item = 0; item < 4; ++item) {
    const long long i = start + (tile + item * 256) * step;
    if (step < 0 ? i > stop : i < stop) {
      y[i] += a * x[i];
    }
  }
  b = TWICE(b);
}
