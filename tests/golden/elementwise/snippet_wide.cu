// axpy, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#define TWICE(v) ((v) + (v))
extern "C" __global__ void __launch_bounds__(256) axpy(
    float a, float *__restrict__ x, float *__restrict__ y, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  float b = a;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
    y[i] += a * x[i];
  }
  b = TWICE(b);
}
