// sparse_stencil_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
extern "C" __global__ void __launch_bounds__(256) sparse_stencil_by_vector_float64(
    unsigned char *bits, double *x, double *result, long long row_count, long long column_count,
    long long pitch, long long depth, long long width, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
    const long long row = i;
    double sum = 0.0;
    const unsigned char there = bits[row];
    {
      const long long column = row - 1;
      if ((there >> 0 & 1) != 0) {
        const double value = -1.0;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
        sum = before + product;
      }
    }
    {
      const long long column = row + 0;
      if ((there >> 1 & 1) != 0) {
        const double value = 2.0;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
        sum = before + product;
      }
    }
    result[i] = sum;
  }
}
