// sparse_blocks_by_columns_float64, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) sparse_blocks_by_columns_float64(
    double *data, int *columns, long long *starts, double *x, double *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long start = (long long)blockIdx.x * 32768;
  const long long end = n - start < 32768 ? n : start + 32768;
  for (long long i = start; i < end; ++i) {
    const long long pieces = (width + 15) / 16;
    const long long row = i / pieces;
    const long long first = i % pieces * 16;
    const long long few = width - first < 16 ? width - first : 16;
    double sums[16];
    #pragma unroll
    for (int q = 0; q < 16; ++q) {
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
          if (few == 16) {
            #pragma unroll
            for (int q = 0; q < 16; ++q) {
              const double other = beside[q];
              const double product = value * other;
              const double before = sums[q];
              sums[q] = before + product;
            }
          } else {
            for (int q = 0; q < (int)few; ++q) {
              const double other = beside[q];
              const double product = value * other;
              const double before = sums[q];
              sums[q] = before + product;
            }
          }
        }
      }
    }
    for (int q = 0; q < 16; ++q) {
      if (q < few) {
        result[row * width + first + q] = sums[q];
      }
    };
  }
}
