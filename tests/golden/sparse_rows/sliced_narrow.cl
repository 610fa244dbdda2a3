// sparse_sliced_by_vector_float64, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_sliced_by_vector_float64(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global double *x__base, long x__offset, __global double *result__base, long result__offset,
    long row_count, long column_count, long pitch, long depth, long width, long n) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global double *x = (__global double *)((__global char *)x__base + x__offset);
  __global double *result = (__global double *)((__global char *)result__base + result__offset);
  const long start = (long)(uint)get_group_id(0) * 32768;
  const long end = n - start < 32768 ? n : start + 32768;
  for (long i = start; i < end; ++i) {
    const long row = i;
    double sum = 0.0;
    const long slice = row / 32;
    const long behind = starts[slice + 1];
    for (long at = starts[slice] + row % 32; at < behind; at += 32) {
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
    result[i] = sum;
  }
}
