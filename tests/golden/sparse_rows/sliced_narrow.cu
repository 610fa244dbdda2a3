// sparse_sliced_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) sparse_sliced_by_vector_float64(
    double *data, int *columns, long long *starts, double *x, double *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long start = (long long)blockIdx.x * 32768;
  const long long end = n - start < 32768 ? n : start + 32768;
  for (long long i = start; i < end; ++i) {
    const long long row = i;
    double sum = 0.0;
    const long long slice = row / 32;
    const long long behind = starts[slice + 1];
    for (long long at = starts[slice] + row % 32; at < behind; at += 32) {
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
    result[i] = sum;
  }
}
