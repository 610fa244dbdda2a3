// sparse_rows_by_columns_float32, made by treadle's elementwise generator around a user's text: linear loop, wide schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_rows_by_columns_float32(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *result__base, long result__offset,
    long row_count, long column_count, long pitch, long depth, long width, long n) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *result = (__global float *)((__global char *)result__base + result__offset);
  const long tile = (long)(uint)get_group_id(0) * 1024 + (uint)get_local_id(0);
  const uint items = tile + 768 < n ? 4 : tile < n ? (uint)((n - tile + 255) / 256) : 0;
  #pragma unroll 4
  for (uint item = 0; item < items; ++item) {
    const long i = tile + item * 256;
    const long pieces = (width + 0) / 1;
    const long row = i / pieces;
    const long first = i % pieces * 1;
    float sums[1];
    #pragma unroll
    for (int q = 0; q < 1; ++q) {
      sums[q] = 0.0f;
    }
    for (long at = starts[row]; at < starts[row + 1]; ++at) {
      const long column = columns[at];
      const double stored = data[at];
      const float value = (float)stored;
      const __global float * beside = x + column * width + first;
      const float other = beside[0];
      const float product = value * other;
      const float before = sums[0];
      sums[0] = before + product;
    }
    result[row * width + first] = sums[0];
  }
}
