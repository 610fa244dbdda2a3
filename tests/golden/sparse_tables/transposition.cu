// sparse_transposition, made by treadle's generator of tables of columns: narrow schedule

extern "C" __global__ void __launch_bounds__(1) sparse_transposition_count(
    int *columns, long long *starts, unsigned int *table, long long row_count,
    long long column_count, long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  const long long own = number * column_count;
  for (long long column = 0; column < column_count; ++column) {
    table[own + column] = 0;
  }
  for (long long at = starts[begin]; at < starts[behind]; ++at) {
    ++table[own + columns[at]];
  }
}

extern "C" __global__ void __launch_bounds__(1) sparse_transposition_places(
    unsigned int *table, long long *result_starts, long long column_count,
    long long interval_count, long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = column_count - begin < interval ? column_count : begin + interval;
  for (long long column = begin; column < behind; ++column) {
    unsigned int sum = 0;
    for (long long k = 0; k < interval_count; ++k) {
      const unsigned int count = table[k * column_count + column];
      table[k * column_count + column] = sum;
      sum += count;
    }
    result_starts[column + 1] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(1) sparse_transposition_scatter(
    double *data, int *columns, long long *starts, int *result_columns, double *result_data,
    long long *result_starts, unsigned int *table, long long row_count, long long column_count,
    long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  const long long own = number * column_count;
  for (long long row = begin; row < behind; ++row) {
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long column = columns[at];
      const long long place = result_starts[column] + table[own + column]++;
      result_columns[place] = (int)row;
      result_data[place] = data[at];
    }
  }
}
