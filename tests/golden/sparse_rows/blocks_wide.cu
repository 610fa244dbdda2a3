// sparse_blocks_by_columns_float64, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
extern "C" __global__ void __launch_bounds__(256) sparse_blocks_by_columns_float64(
    double *data, int *columns, long long *starts, double *x, double *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
    const long long pieces = (width + 0) / 1;
    const long long row = i / pieces;
    const long long first = i % pieces * 1;
    double sums[1];
    #pragma unroll
    for (int q = 0; q < 1; ++q) {
      sums[q] = 0.0;
    }
    const long long block_row = row / 2;
    for (long long k = starts[block_row]; k < starts[block_row + 1]; ++k) {
      const long long in_block = (k * 2 + row % 2) * 3;
      const long long block_column = (long long)columns[k] * 3;
      #pragma unroll
      for (int p = 0; p < 3; ++p) {
        const long long column = block_column + p;
        const double stored = data[in_block + p];
        if (stored != 0) {
          const double value = stored;
          const double * beside = x + column * width + first;
          const double other = beside[0];
          const double product = value * other;
          const double before = sums[0];
          sums[0] = before + product;
        }
      }
    }
    result[row * width + first] = sums[0];
  }
}
