// SPDX-License-Identifier: MIT
// A plain loop over a filter bank, as somebody writes it down: out[y, x, k] is the sum over j, i, c
// of image[y + j, x + i, c] * bank[k, j, i, c].
#include <cstddef>

// over 6 parameters because the shape is six numbers
extern "C" void filterbank(float* __restrict out, const float* __restrict image,
                           const float* __restrict bank, int height, int width, int channels,
                           int filters, int filter_height, int filter_width) {
  const int rows = height - filter_height + 1, columns = width - filter_width + 1;
#pragma omp parallel for
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (int k = 0; k < filters; ++k) {
        float sum = 0;
        for (int j = 0; j < filter_height; ++j) {
          const float* pixels = image + (static_cast<std::size_t>(y + j) * width + x) * channels;
          const float* weights = bank + (k * filter_height + j) * filter_width * channels;
          for (int i = 0; i < filter_width * channels; ++i) sum += pixels[i] * weights[i];
        }
        out[(static_cast<std::size_t>(y) * columns + x) * filters + k] = sum;
      }
}
