// sparse_diagonals_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
extern "C" __global__ void __launch_bounds__(256) sparse_diagonals_by_vector_float64(
    double *data, long long *shifts, double *x, double *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
    const long long row = i;
    double sum = 0.0;
    {
      const long long column = row + shifts[0];
      if (column >= 0 && column < column_count) {
        const double stored = data[0 * pitch + row];
        if (stored != 0) {
          const double value = stored;
          const double other = x[column];
          const double product = value * other;
          const double before = sum;
          sum = before + product;
        }
      }
    }
    {
      const long long column = row + shifts[1];
      if (column >= 0 && column < column_count) {
        const double stored = data[1 * pitch + row];
        if (stored != 0) {
          const double value = stored;
          const double other = x[column];
          const double product = value * other;
          const double before = sum;
          sum = before + product;
        }
      }
    }
    result[i] = sum;
  }
}
