// SPDX-License-Identifier: MIT
// The filter bank for every shape: a work-item has one pixel and four filters, and all bounds are
// known at run time only. It is what the tuned variants are compared with.
#include "treadle/dialect.h"

// over 6 parameters because the shape is six numbers
TREADLE_KERNEL filterbank(TREADLE_GLOBAL float* TREADLE_RESTRICT out,
                          TREADLE_GLOBAL const float* TREADLE_RESTRICT image,
                          TREADLE_GLOBAL const float* TREADLE_RESTRICT bank, int height, int width,
                          int channels, int filters, int filter_height, int filter_width) {
  const int x = treadle_global_id(0), y = treadle_global_id(1), first = 4 * treadle_global_id(2);
  const int out_width = width - filter_width + 1, out_height = height - filter_height + 1;
  if (x >= out_width || y >= out_height) return;
  const int size = filter_height * filter_width * channels;
  float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  TREADLE_GLOBAL const float* filter0 = bank + first * size;
  // Filters beyond the last are the last: their sums are not stored.
  TREADLE_GLOBAL const float* filter1 = bank + min(first + 1, filters - 1) * size;
  TREADLE_GLOBAL const float* filter2 = bank + min(first + 2, filters - 1) * size;
  TREADLE_GLOBAL const float* filter3 = bank + min(first + 3, filters - 1) * size;
  int k = 0;
  for (int j = 0; j < filter_height; ++j) {
    TREADLE_GLOBAL const float* row = image + ((treadle_int64)(y + j) * width + x) * channels;
    // Sums of rows are added up: one sum of all would have larger errors.
    float row0 = 0, row1 = 0, row2 = 0, row3 = 0;
    for (int i = 0; i < filter_width * channels; ++i, ++k) {
      const float value = row[i];
      row0 = fma(value, filter0[k], row0);
      row1 = fma(value, filter1[k], row1);
      row2 = fma(value, filter2[k], row2);
      row3 = fma(value, filter3[k], row3);
    }
    sum0 += row0;
    sum1 += row1;
    sum2 += row2;
    sum3 += row3;
  }
  TREADLE_GLOBAL float* result = out + ((treadle_int64)y * out_width + x) * filters + first;
  result[0] = sum0;
  if (first + 1 < filters) result[1] = sum1;
  if (first + 2 < filters) result[2] = sum2;
  if (first + 3 < filters) result[3] = sum3;
}
