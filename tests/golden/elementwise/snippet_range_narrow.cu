// axpy, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(1) axpy(
    float a, float *x, float *y, long long start, long long stop, long long step) {
  const long long start_ = (long long)blockIdx.x * 65536;
  float b = a;
  for (unsigned int item = 0; item < 65536; ++item) {
    const long long i = start + (start_ + item) * step;
    if (step < 0 ? i > stop : i < stop) {
      y[i] += a * x[i];
    }
  }
  b = TWICE(b);
}
