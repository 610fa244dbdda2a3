// sparse_stencil_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_stencil_by_vector_float64(
    __global uchar *bits__base, long bits__offset, __global double *x__base, long x__offset,
    __global double *result__base, long result__offset, long row_count, long column_count,
    long pitch, long depth, long width, long n) {
  __global uchar *bits = (__global uchar *)((__global char *)bits__base + bits__offset);
  __global double *x = (__global double *)((__global char *)x__base + x__offset);
  __global double *result = (__global double *)((__global char *)result__base + result__offset);
  const long start = (long)(uint)get_group_id(0) * 32768;
  const long end = n - start < 32768 ? n : start + 32768;
  for (long i = start; i < end; ++i) {
    const long row = i;
    double sum = 0.0;
    const uchar there = bits[row];
    {
      const long column = row - 1;
      if ((there >> 0 & 1) != 0) {
        const double value = -1.0;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
        sum = before + product;
      }
    }
    {
      const long column = row + 0;
      if ((there >> 1 & 1) != 0) {
        const double value = 2.0;
        const double other = x[column];
        const double product = value * other;
        const double before = sum;
        sum = before + product;
      }
    }
    result[i] = sum;
  }
}
