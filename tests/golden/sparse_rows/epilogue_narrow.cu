// sparse_columned_by_vector_float64_multiply_subtract, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) sparse_columned_by_vector_float64_multiply_subtract(
    double *data, int *columns, double *x, double *result0, double *beside0, double scalar0,
    long long row_count, long long column_count, long long pitch, long long depth, long long width,
    long long n) {
  const long long start = (long long)blockIdx.x * 32768;
  const long long end = n - start < 32768 ? n : start + 32768;
  for (long long i = start; i < end; ++i) {
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
