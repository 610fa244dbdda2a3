// sparse_blocks_by_columns_float64, made by treadle's elementwise generator around a user's text: linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_blocks_by_columns_float64(
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
    const long pieces = (width + 15) / 16;
    const long row = i / pieces;
    const long first = i % pieces * 16;
    const long few = width - first < 16 ? width - first : 16;
    double sums[16];
    #pragma unroll
    for (int q = 0; q < 16; ++q) {
      sums[q] = 0.0;
    }
    const long block_row = row / 2;
    for (long k = starts[block_row]; k < starts[block_row + 1]; ++k) {
      const long in_block = (k * 2 + row % 2) * 3;
      const long block_column = (long)columns[k] * 3;
      #pragma unroll
      for (int p = 0; p < 3; ++p) {
        const long column = block_column + p;
        const double stored = data[in_block + p];
        if (stored != 0) {
          const double value = stored;
          const __global double * beside = x + column * width + first;
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
