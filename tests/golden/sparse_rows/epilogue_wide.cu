// sparse_columned_by_vector_float64_multiply_subtract, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
extern "C" __global__ void __launch_bounds__(256) sparse_columned_by_vector_float64_multiply_subtract(
    double *data, int *columns, double *x, double *result0, double *beside0, double scalar0,
    long long row_count, long long column_count, long long pitch, long long depth, long long width,
    long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
    const long long row = i;
    double sum = 0.0;
    for (long long k = 0; k < depth; ++k) {
      const long long at = k * pitch + row;
      const long long column = columns[at];
      if (column >= 0) {
        const double stored = data[at];
        const double value = stored;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
        sum = before + product;
      }
    }
    const double product = sum;
    const double beside0_i = beside0[i];
    const double multiply_3 = product * scalar0;
    const double subtract_4 = beside0_i - multiply_3;
    result0[i] = subtract_4;
  }
}
