// sparse_sliced_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
extern "C" __global__ void __launch_bounds__(256) sparse_sliced_by_vector_float64(
    double *data, int *columns, long long *starts, double *x, double *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
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
