// sparse_columned_by_vector_float64_multiply_subtract, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_columned_by_vector_float64_multiply_subtract(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global double *x__base, long x__offset, __global double *result0__base,
    long result0__offset, __global double *beside0__base, long beside0__offset, double scalar0,
    long row_count, long column_count, long pitch, long depth, long width, long n) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global double *x = (__global double *)((__global char *)x__base + x__offset);
  __global double *result0 = (__global double *)((__global char *)result0__base + result0__offset);
  __global double *beside0 = (__global double *)((__global char *)beside0__base + beside0__offset);
  const long tile = (long)(uint)get_group_id(0) * 1024 + (uint)get_local_id(0);
  const uint items = tile + 768 < n ? 4 : tile < n ? (uint)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (uint item = 0; item < items; ++item) {
    const long i = tile + item * 256;
    const long row = i;
    double sum = 0.0;
    for (long k = 0; k < depth; ++k) {
      const long at = k * pitch + row;
      const long column = columns[at];
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
