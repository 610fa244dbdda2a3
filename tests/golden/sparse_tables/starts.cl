// sparse_starts, made by treadle's generator of tables of columns: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_starts(
    __global long *starts__base, long starts__offset, long count) {
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  long sum = 0;
  starts[0] = 0;
  for (long k = 1; k < count + 1; ++k) {
    sum += starts[k];
    starts[k] = sum;
  }
}
