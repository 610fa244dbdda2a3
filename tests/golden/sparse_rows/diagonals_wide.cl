// sparse_diagonals_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_diagonals_by_vector_float64(
    __global double *data__base, long data__offset, __global long *shifts__base,
    long shifts__offset, __global double *x__base, long x__offset, __global double *result__base,
    long result__offset, long row_count, long column_count, long pitch, long depth, long width,
    long n) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global long *shifts = (__global long *)((__global char *)shifts__base + shifts__offset);
  __global double *x = (__global double *)((__global char *)x__base + x__offset);
  __global double *result = (__global double *)((__global char *)result__base + result__offset);
  const long tile = (long)(uint)get_group_id(0) * 1024 + (uint)get_local_id(0);
  const uint items = tile + 768 < n ? 4 : tile < n ? (uint)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (uint item = 0; item < items; ++item) {
    const long i = tile + item * 256;
    const long row = i;
    double sum = 0.0;
    {
      const long column = row + shifts[0];
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
      const long column = row + shifts[1];
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
