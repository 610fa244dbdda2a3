// sparse_product, made by treadle's generator of tables of columns: narrow schedule
static inline void sort_row(__global int *columns, __global double *data, long length) {
  long gap = 1;
  while (gap < length / 3) {
    gap = 3 * gap + 1;
  }
  for (; gap > 0; gap /= 3) {
    for (long k = gap; k < length; ++k) {
      const int column = columns[k];
      const double element = data[k];
      long to = k;
      while (to >= gap && columns[to - gap] > column) {
        columns[to] = columns[to - gap];
        data[to] = data[to - gap];
        to -= gap;
      }
      columns[to] = column;
      data[to] = element;
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_product_lengths(
    __global int *columns__base, long columns__offset, __global long *starts__base,
    long starts__offset, __global int *other_columns__base, long other_columns__offset,
    __global long *other_starts__base, long other_starts__offset,
    __global long *result_starts__base, long result_starts__offset, __global long *table__base,
    long table__offset, long row_count, long column_count, long interval) {
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global int *other_columns = (__global int *)((__global char *)other_columns__base + other_columns__offset);
  __global long *other_starts = (__global long *)((__global char *)other_starts__base + other_starts__offset);
  __global long *result_starts = (__global long *)((__global char *)result_starts__base + result_starts__offset);
  __global long *table = (__global long *)((__global char *)table__base + table__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  const long own = number * column_count;
  for (long column = 0; column < column_count; ++column) {
    table[own + column] = -1;
  }
  for (long row = begin; row < behind; ++row) {
    long length = 0;
    for (long at = starts[row]; at < starts[row + 1]; ++at) {
      const long named = columns[at];
      for (long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long column = other_columns[with];
        if (table[own + column] != row) {
          table[own + column] = row;
          ++length;
        }
      }
    }
    result_starts[row + 1] = length;
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_product_sums(
    __global int *columns__base, long columns__offset, __global long *starts__base,
    long starts__offset, __global int *other_columns__base, long other_columns__offset,
    __global long *other_starts__base, long other_starts__offset, __global double *data__base,
    long data__offset, __global double *other_data__base, long other_data__offset,
    __global int *result_columns__base, long result_columns__offset,
    __global double *result_data__base, long result_data__offset,
    __global long *result_starts__base, long result_starts__offset, __global long *table__base,
    long table__offset, long row_count, long column_count, long interval) {
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global int *other_columns = (__global int *)((__global char *)other_columns__base + other_columns__offset);
  __global long *other_starts = (__global long *)((__global char *)other_starts__base + other_starts__offset);
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global double *other_data = (__global double *)((__global char *)other_data__base + other_data__offset);
  __global int *result_columns = (__global int *)((__global char *)result_columns__base + result_columns__offset);
  __global double *result_data = (__global double *)((__global char *)result_data__base + result_data__offset);
  __global long *result_starts = (__global long *)((__global char *)result_starts__base + result_starts__offset);
  __global long *table = (__global long *)((__global char *)table__base + table__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  const long own = number * column_count;
  for (long column = 0; column < column_count; ++column) {
    table[own + column] = -1;
  }
  for (long row = begin; row < behind; ++row) {
    const long first = result_starts[row];
    long next = first;
    for (long at = starts[row]; at < starts[row + 1]; ++at) {
      const long named = columns[at];
      for (long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long column = other_columns[with];
        const double factor = data[at];
        const double other = other_data[with];
        const double product = factor * other;
        const long place = table[own + column];
        if (place < first) {
          table[own + column] = next;
          result_columns[next] = (int)column;
          result_data[next] = product;
          ++next;
        } else {
          const double before = result_data[place];
          result_data[place] = before + product;
        }
      }
    }
    sort_row(result_columns + first, result_data + first, next - first);
  }
}
