// sparse_transposition, made by treadle's generator of tables of columns: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_transposition_count(
    __global int *columns__base, long columns__offset, __global long *starts__base,
    long starts__offset, __global uint *table__base, long table__offset, long row_count,
    long column_count, long interval) {
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global uint *table = (__global uint *)((__global char *)table__base + table__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  const long own = number * column_count;
  for (long column = 0; column < column_count; ++column) {
    table[own + column] = 0;
  }
  for (long at = starts[begin]; at < starts[behind]; ++at) {
    ++table[own + columns[at]];
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_transposition_places(
    __global uint *table__base, long table__offset, __global long *result_starts__base,
    long result_starts__offset, long column_count, long interval_count, long interval) {
  __global uint *table = (__global uint *)((__global char *)table__base + table__offset);
  __global long *result_starts = (__global long *)((__global char *)result_starts__base + result_starts__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = column_count - begin < interval ? column_count : begin + interval;
  for (long column = begin; column < behind; ++column) {
    uint sum = 0;
    for (long k = 0; k < interval_count; ++k) {
      const uint count = table[k * column_count + column];
      table[k * column_count + column] = sum;
      sum += count;
    }
    result_starts[column + 1] = sum;
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_transposition_scatter(
    __global double *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global int *result_columns__base, long result_columns__offset,
    __global double *result_data__base, long result_data__offset,
    __global long *result_starts__base, long result_starts__offset, __global uint *table__base,
    long table__offset, long row_count, long column_count, long interval) {
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global int *result_columns = (__global int *)((__global char *)result_columns__base + result_columns__offset);
  __global double *result_data = (__global double *)((__global char *)result_data__base + result_data__offset);
  __global long *result_starts = (__global long *)((__global char *)result_starts__base + result_starts__offset);
  __global uint *table = (__global uint *)((__global char *)table__base + table__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  const long own = number * column_count;
  for (long row = begin; row < behind; ++row) {
    for (long at = starts[row]; at < starts[row + 1]; ++at) {
      const long column = columns[at];
      const long place = result_starts[column] + table[own + column]++;
      result_columns[place] = (int)row;
      result_data[place] = data[at];
    }
  }
}
