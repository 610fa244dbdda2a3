// sparse_product, made by treadle's generator of tables of columns: narrow schedule
static __device__ inline void sort_row(int *columns, double *data, long long length) {
  long long gap = 1;
  while (gap < length / 3) {
    gap = 3 * gap + 1;
  }
  for (; gap > 0; gap /= 3) {
    for (long long k = gap; k < length; ++k) {
      const int column = columns[k];
      const double element = data[k];
      long long to = k;
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

extern "C" __global__ void __launch_bounds__(1) sparse_product_lengths(
    int *columns, long long *starts, int *other_columns, long long *other_starts,
    long long *result_starts, long long *table, long long row_count, long long column_count,
    long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  const long long own = number * column_count;
  for (long long column = 0; column < column_count; ++column) {
    table[own + column] = -1;
  }
  for (long long row = begin; row < behind; ++row) {
    long long length = 0;
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long named = columns[at];
      for (long long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long long column = other_columns[with];
        if (table[own + column] != row) {
          table[own + column] = row;
          ++length;
        }
      }
    }
    result_starts[row + 1] = length;
  }
}

extern "C" __global__ void __launch_bounds__(1) sparse_product_sums(
    int *columns, long long *starts, int *other_columns, long long *other_starts, double *data,
    double *other_data, int *result_columns, double *result_data, long long *result_starts,
    long long *table, long long row_count, long long column_count, long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  const long long own = number * column_count;
  for (long long column = 0; column < column_count; ++column) {
    table[own + column] = -1;
  }
  for (long long row = begin; row < behind; ++row) {
    const long long first = result_starts[row];
    long long next = first;
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long named = columns[at];
      for (long long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long long column = other_columns[with];
        const double factor = data[at];
        const double other = other_data[with];
        const double product = factor * other;
        const long long place = table[own + column];
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
