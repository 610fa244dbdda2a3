// sparse_rows_by_columns_float32, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) sparse_rows_by_columns_float32(
    double *data, int *columns, long long *starts, float *x, float *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long start = (long long)blockIdx.x * 32768;
  const long long end = n - start < 32768 ? n : start + 32768;
  for (long long i = start; i < end; ++i) {
    const long long pieces = (width + 15) / 16;
    const long long row = i / pieces;
    const long long first = i % pieces * 16;
    const long long few = width - first < 16 ? width - first : 16;
    float sums[16];
    #pragma unroll
    for (int q = 0; q < 16; ++q) {
      sums[q] = 0.0f;
    }
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long column = columns[at];
      const double stored = data[at];
      const float value = (float)stored;
      const float * beside = x + column * width + first;
      if (few == 16) {
        #pragma unroll
        for (int q = 0; q < 16; ++q) {
          const float other = beside[q];
          const float product = value * other;
          const float before = sums[q];
          sums[q] = before + product;
        }
      } else {
        for (int q = 0; q < (int)few; ++q) {
          const float other = beside[q];
          const float product = value * other;
          const float before = sums[q];
          sums[q] = before + product;
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
