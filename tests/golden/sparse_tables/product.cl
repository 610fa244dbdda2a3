// sparse_product, made by treadle's generator of tables of columns: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_product_lengths(
    __global int *columns__base, long columns__offset, __global long *starts__base,
    long starts__offset, __global int *other_columns__base, long other_columns__offset,
    __global long *other_starts__base, long other_starts__offset,
    __global long *result_starts__base, long result_starts__offset, __global uint *marks__base,
    long marks__offset, long row_count, long column_count, long interval) {
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global int *other_columns = (__global int *)((__global char *)other_columns__base + other_columns__offset);
  __global long *other_starts = (__global long *)((__global char *)other_starts__base + other_starts__offset);
  __global long *result_starts = (__global long *)((__global char *)result_starts__base + result_starts__offset);
  __global uint *marks = (__global uint *)((__global char *)marks__base + marks__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  const long words = (column_count + 31) / 32;
  const long groups = (words + 31) / 32;
  const long tops = (groups + 31) / 32;
  const long own = number * (words + groups + tops);
  const long group_marks = own + words;
  const long top_marks = group_marks + groups;
  for (long k = own; k < top_marks + tops; ++k) {
    marks[k] = 0;
  }
  for (long row = begin; row < behind; ++row) {
    long length = 0;
    for (long at = starts[row]; at < starts[row + 1]; ++at) {
      const long named = columns[at];
      for (long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long column = other_columns[with];
        const uint beside = marks[own + (column >> 5)];
        const uint bit = 1u << (column & 31);
        marks[own + (column >> 5)] = beside | bit;
        length += (beside & bit) == 0;
      }
    }
    result_starts[row + 1] = length;
    if (length < words / 4) {
      for (long at = starts[row]; at < starts[row + 1]; ++at) {
        const long named = columns[at];
        for (long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
          const long column = other_columns[with];
          marks[own + (column >> 5)] = 0;
        }
      }
    } else {
      for (long k = own; k < own + words; ++k) {
        marks[k] = 0;
      }
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sparse_product_sums(
    __global int *columns__base, long columns__offset, __global long *starts__base,
    long starts__offset, __global int *other_columns__base, long other_columns__offset,
    __global long *other_starts__base, long other_starts__offset, __global double *data__base,
    long data__offset, __global double *other_data__base, long other_data__offset,
    __global int *result_columns__base, long result_columns__offset,
    __global double *result_data__base, long result_data__offset,
    __global long *result_starts__base, long result_starts__offset, __global double *sums__base,
    long sums__offset, __global uint *marks__base, long marks__offset, long row_count,
    long column_count, long interval) {
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global int *other_columns = (__global int *)((__global char *)other_columns__base + other_columns__offset);
  __global long *other_starts = (__global long *)((__global char *)other_starts__base + other_starts__offset);
  __global double *data = (__global double *)((__global char *)data__base + data__offset);
  __global double *other_data = (__global double *)((__global char *)other_data__base + other_data__offset);
  __global int *result_columns = (__global int *)((__global char *)result_columns__base + result_columns__offset);
  __global double *result_data = (__global double *)((__global char *)result_data__base + result_data__offset);
  __global long *result_starts = (__global long *)((__global char *)result_starts__base + result_starts__offset);
  __global double *sums = (__global double *)((__global char *)sums__base + sums__offset);
  __global uint *marks = (__global uint *)((__global char *)marks__base + marks__offset);
  const long number = (long)(uint)get_group_id(0);
  const long begin = number * interval;
  const long behind = row_count - begin < interval ? row_count : begin + interval;
  const long words = (column_count + 31) / 32;
  const long groups = (words + 31) / 32;
  const long tops = (groups + 31) / 32;
  const long own = number * (words + groups + tops);
  const long group_marks = own + words;
  const long top_marks = group_marks + groups;
  for (long k = own; k < top_marks + tops; ++k) {
    marks[k] = 0;
  }
  const long table = number * column_count;
  for (long row = begin; row < behind; ++row) {
    for (long at = starts[row]; at < starts[row + 1]; ++at) {
      const long named = columns[at];
      for (long with = other_starts[named]; with < other_starts[named + 1]; ++with) {
        const long column = other_columns[with];
        const double factor = data[at];
        const double other = other_data[with];
        const double product = factor * other;
        const uint beside = marks[own + (column >> 5)];
        const uint bit = 1u << (column & 31);
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
    long next = result_starts[row];
    for (long top = 0; top < tops; ++top) {
      uint groups_left = marks[top_marks + top];
      marks[top_marks + top] = 0;
      while (groups_left != 0) {
        const long group = top * 32 + ((int)popcount((uint)((groups_left & (0u - groups_left)) - 1u)));
        groups_left &= groups_left - 1u;
        uint words_left = marks[group_marks + group];
        marks[group_marks + group] = 0;
        while (words_left != 0) {
          const long word = group * 32 + ((int)popcount((uint)((words_left & (0u - words_left)) - 1u)));
          words_left &= words_left - 1u;
          uint columns_left = marks[own + word];
          marks[own + word] = 0;
          while (columns_left != 0) {
            const long column = word * 32 + ((int)popcount((uint)((columns_left & (0u - columns_left)) - 1u)));
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
