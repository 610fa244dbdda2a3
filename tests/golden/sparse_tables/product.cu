// sparse_product, made by treadle's generator of tables of columns: narrow schedule

extern "C" __global__ void __launch_bounds__(1) sparse_product_lengths(
    int *columns, long long *starts, int *other_columns, long long *other_starts,
    long long *result_starts, unsigned int *marks, long long row_count, long long column_count,
    long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  const long long words = (column_count + 31) / 32;
  const long long groups = (words + 31) / 32;
  const long long tops = (groups + 31) / 32;
  const long long own = number * (words + groups + tops);
  const long long group_marks = own + words;
  const long long top_marks = group_marks + groups;
  for (long long k = own; k < top_marks + tops; ++k) {
    marks[k] = 0;
  }
  for (long long row = begin; row < behind; ++row) {
    long long length = 0;
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long named = columns[at];
      for (long long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long long column = other_columns[with];
        const unsigned int beside = marks[own + (column >> 5)];
        const unsigned int bit = 1u << (column & 31);
        marks[own + (column >> 5)] = beside | bit;
        length += (beside & bit) == 0;
      }
    }
    result_starts[row + 1] = length;
    if (length < words / 4) {
      for (long long at = starts[row]; at < starts[row + 1]; ++at) {
        const long long named = columns[at];
        for (long long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
          const long long column = other_columns[with];
          marks[own + (column >> 5)] = 0;
        }
      }
    } else {
      for (long long k = own; k < own + words; ++k) {
        marks[k] = 0;
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(1) sparse_product_sums(
    int *columns, long long *starts, int *other_columns, long long *other_starts, double *data,
    double *other_data, int *result_columns, double *result_data, long long *result_starts,
    double *sums, unsigned int *marks, long long row_count, long long column_count,
    long long interval) {
  const long long number = (long long)blockIdx.x;
  const long long begin = number * interval;
  const long long behind = row_count - begin < interval ? row_count : begin + interval;
  const long long words = (column_count + 31) / 32;
  const long long groups = (words + 31) / 32;
  const long long tops = (groups + 31) / 32;
  const long long own = number * (words + groups + tops);
  const long long group_marks = own + words;
  const long long top_marks = group_marks + groups;
  for (long long k = own; k < top_marks + tops; ++k) {
    marks[k] = 0;
  }
  const long long table = number * column_count;
  for (long long row = begin; row < behind; ++row) {
    for (long long at = starts[row]; at < starts[row + 1]; ++at) {
      const long long named = columns[at];
      for (long long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long long column = other_columns[with];
        const double factor = data[at];
        const double other = other_data[with];
        const double product = factor * other;
        const unsigned int beside = marks[own + (column >> 5)];
        const unsigned int bit = 1u << (column & 31);
        if ((beside & bit) == 0) {
          marks[own + (column >> 5)] = beside | bit;
          if (beside == 0) {
            marks[group_marks + (column >> 10)] |= 1u << (column >> 5 & 31);
            marks[top_marks + (column >> 15)] |= 1u << (column >> 10 & 31);
          }
          sums[table + column] = product;
        } else {
          const double before = sums[table + column];
          sums[table + column] = before + product;
        }
      }
    }
    long long next = result_starts[row];
    for (long long top = 0; top < tops; ++top) {
      unsigned int groups_left = marks[top_marks + top];
      marks[top_marks + top] = 0;
      while (groups_left != 0) {
        const long long group = top * 32 + __popc((groups_left & (0u - groups_left)) - 1u);
        groups_left &= groups_left - 1u;
        unsigned int words_left = marks[group_marks + group];
        marks[group_marks + group] = 0;
        while (words_left != 0) {
          const long long word = group * 32 + __popc((words_left & (0u - words_left)) - 1u);
          words_left &= words_left - 1u;
          unsigned int columns_left = marks[own + word];
          marks[own + word] = 0;
          while (columns_left != 0) {
            const long long column = word * 32 + __popc((columns_left & (0u - columns_left)) - 1u);
            columns_left &= columns_left - 1u;
            result_columns[next] = (int)column;
            result_data[next] = sums[table + column];
            ++next;
          }
        }
      }
    }
  }
}
