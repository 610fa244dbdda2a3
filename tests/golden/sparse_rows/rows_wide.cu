// sparse_rows_by_columns_float32, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
extern "C" __global__ void __launch_bounds__(256) sparse_rows_by_columns_float32(
    double *data, int *columns, long long *starts, float *x, float *result, long long row_count,
    long long column_count, long long pitch, long long depth, long long width, long long n) {
  const long long tile = (long long)blockIdx.x * 1024 + threadIdx.x;
  const unsigned int items = tile + 768 < n ? 4 : tile < n ? (unsigned int)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (unsigned int item = 0; item < items; ++item) {
    const long long i = tile + item * 256;
    const long long pieces = (width + 0) / 1;
    const long long row = i / pieces;
    const long long first = i % pieces * 1;
    float sums[1];
    #pragma unroll
    for (int q = 0; q < 1; ++q) {
      sums[q] = 0.0f;
    }
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long column = columns[at];
      const double stored = data[at];
      const float value = (float)stored;
      const float * beside = x + column * width + first;
      const float other = beside[0];
      const float product = value * other;
      const float before = sums[0];
      sums[0] = before + product;
    }
    result[row * width + first] = sums[0];
  }
}
