// sparse_columned_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
static __device__ inline float treadle_half_to_float(unsigned short bits)
{
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
}

extern "C" __global__ void __launch_bounds__(1) sparse_columned_by_vector_float64(
    unsigned short *data, int *columns, double *x, double *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long start = (long long)blockIdx.x * 32768;
  const long long end = n - start < 32768 ? n : start + 32768;
  for (long long i = start; i < end; ++i) {
    const long long row = i;
    double sum = 0.0;
    for (long long k = 0; k < depth; ++k) {
      const long long at = k * pitch + row;
      const long long column = columns[at];
      if (column >= 0) {
        const float stored = treadle_half_to_float(data[at]);
        const double value = (double)stored;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
        sum = before + product;
      }
    }
    result[i] = sum;
  }
}
