// SPDX-License-Identifier: MIT
// One long kernel: a block follows a point of an image. It cuts a window, correlates it with the
// point's template by way of cumulative sums, and moves the point to where both agree best. Some 40
// barriers, most behind loops over elements with a stride of the block's size.
constexpr int radius = 20, side = 2 * radius + 1, template_side = 25;
constexpr int padded = side + template_side - 1, area = padded * padded;

struct Point {
  int row, column;
};

// over 80 lines because such kernels are; over 6 parameters because they are not packed
extern "C" __global__ void track(const float* image, int rows, int columns, float* templates,
                                 Point* points, float* memory, float learning, int frame) {
  const int t = threadIdx.x, threads = blockDim.x;
  float* small = templates + blockIdx.x * template_side * template_side;
  float* window = memory + (size_t)blockIdx.x * 8 * area;
  float *turned = window + area, *product = turned + area, *sums = product + area,
        *squares = sums + area, *score = squares + area, *mask = score + area,
        *scratch = mask + area;
  __shared__ float part[512], part_of_squares[512], best[512];
  __shared__ int best_at[512];
  __shared__ float mean, deviation, scale;
  const Point point = points[blockIdx.x];

  // The first frame: the template is what lies around the point.
  if (frame == 0) {
    for (int i = t; i < template_side * template_side; i += threads) {
      const int r = i / template_side, c = i % template_side;
      const int row = point.row - template_side / 2 + r, column = point.column - template_side / 2 + c;
      small[i] = row >= 0 && row < rows && column >= 0 && column < columns
                     ? image[row * columns + column]
                     : 0.0f;
    }
    return;
  }

  // The template turned by half a turn.
  for (int i = t; i < template_side * template_side; i += threads) {
    const int r = i / template_side, c = i - r * template_side;
    turned[i] = small[(template_side - 1 - r) * template_side + template_side - 1 - c];
  }
  __syncthreads();

  // The window, with zeros around.
  for (int i = t; i < area; i += threads) {
    const int r = i / padded - template_side / 2, c = i % padded - template_side / 2;
    const int row = point.row - radius + r, column = point.column - radius + c;
    window[i] = r >= 0 && r < side && c >= 0 && c < side && row >= 0 && row < rows &&
                        column >= 0 && column < columns
                    ? image[row * columns + column]
                    : 0.0f;
  }
  __syncthreads();

  // Convolution.
  for (int i = t; i < area; i += threads) {
    const int r = i / padded, c = i % padded;
    float sum = 0.0f;
    const int first_row = max(0, r - template_side + 1), last_row = min(r, padded - 1);
    const int first_column = max(0, c - template_side + 1), last_column = min(c, padded - 1);
    for (int a = first_row; a <= last_row; ++a)
      for (int b = first_column; b <= last_column; ++b)
        sum += window[a * padded + b] * turned[(r - a) * template_side + c - b];
    product[i] = sum;
  }
  __syncthreads();

  // Sums along columns, then the difference of two of them.
  for (int i = t; i < area; i += threads) sums[i] = window[i];
  __syncthreads();
  for (int c = t; c < padded; c += threads) {
    float sum = 0.0f;
    for (int r = 0; r < padded; ++r) {
      sum += sums[r * padded + c];
      sums[r * padded + c] = sum;
    }
  }
  __syncthreads();
  for (int i = t; i < area; i += threads) {
    const int r = i / padded;
    scratch[i] = sums[i] - (r >= template_side ? sums[i - template_side * padded] : 0.0f);
  }
  __syncthreads();
  for (int r = t; r < padded; r += threads) {
    float sum = 0.0f;
    for (int c = 0; c < padded; ++c) {
      sum += scratch[r * padded + c];
      scratch[r * padded + c] = sum;
    }
  }
  __syncthreads();
  for (int i = t; i < area; i += threads) {
    const int c = i % padded;
    sums[i] = scratch[i] - (c >= template_side ? scratch[i - template_side] : 0.0f);
  }
  __syncthreads();

  // The same of the squares.
  for (int i = t; i < area; i += threads) squares[i] = window[i] * window[i];
  __syncthreads();
  for (int c = t; c < padded; c += threads) {
    float sum = 0.0f;
    for (int r = 0; r < padded; ++r) {
      sum += squares[r * padded + c];
      squares[r * padded + c] = sum;
    }
  }
  __syncthreads();
  for (int i = t; i < area; i += threads) {
    const int r = i / padded;
    scratch[i] = squares[i] - (r >= template_side ? squares[i - template_side * padded] : 0.0f);
  }
  __syncthreads();
  for (int r = t; r < padded; r += threads) {
    float sum = 0.0f;
    for (int c = 0; c < padded; ++c) {
      sum += scratch[r * padded + c];
      scratch[r * padded + c] = sum;
    }
  }
  __syncthreads();
  for (int i = t; i < area; i += threads) {
    const int c = i % padded;
    squares[i] = scratch[i] - (c >= template_side ? scratch[i - template_side] : 0.0f);
  }
  __syncthreads();

  // Mean and deviation of the template.
  float own = 0.0f, own_squares = 0.0f;
  for (int i = t; i < template_side * template_side; i += threads) {
    own += turned[i];
    own_squares += turned[i] * turned[i];
  }
  part[t] = own;
  part_of_squares[t] = own_squares;
  __syncthreads();
  for (int half = 256; half > 0; half /= 2) {
    if (t < half && t + half < threads) {
      part[t] += part[t + half];
      part_of_squares[t] += part_of_squares[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    const float count = template_side * template_side;
    mean = part[0] / count;
    deviation = sqrtf(fmaxf(part_of_squares[0] / count - mean * mean, 0.0f)) * sqrtf(count - 1);
  }
  __syncthreads();

  // Correlation.
  for (int i = t; i < area; i += threads) {
    const float count = template_side * template_side;
    const float variance = squares[i] - sums[i] * sums[i] / count;
    const float below = sqrtf(fmaxf(variance, 0.0f)) * deviation;
    const float above = product[i] - sums[i] * mean;
    score[i] = below > 0.0f ? above / below : 0.0f;
  }
  __syncthreads();

  // A mask around the last place, blurred.
  for (int i = t; i < area; i += threads) {
    const int r = i / padded - padded / 2, c = i % padded - padded / 2;
    mask[i] = abs(r) < 10 && abs(c) < 10 ? 1.0f : 0.0f;
  }
  __syncthreads();
  for (int i = t; i < area; i += threads) {
    const int r = i / padded, c = i % padded;
    float sum = 0.0f;
    for (int a = max(0, r - 2); a <= min(padded - 1, r + 2); ++a)
      for (int b = max(0, c - 2); b <= min(padded - 1, c + 2); ++b) sum += mask[a * padded + b];
    scratch[i] = sum / 25.0f;
  }
  __syncthreads();
  for (int i = t; i < area; i += threads) score[i] *= scratch[i];
  __syncthreads();

  // The largest.
  float largest = -1e30f;
  int largest_at = 0;
  for (int i = t; i < area; i += threads)
    if (score[i] > largest) {
      largest = score[i];
      largest_at = i;
    }
  best[t] = largest;
  best_at[t] = largest_at;
  __syncthreads();
  for (int half = 256; half > 0; half /= 2) {
    if (t < half && t + half < threads && best[t + half] > best[t]) {
      best[t] = best[t + half];
      best_at[t] = best_at[t + half];
    }
    __syncthreads();
  }
  const int found = best_at[0];
  const int row = point.row - padded / 2 + found / padded;
  const int column = point.column - padded / 2 + found % padded;

  // The template learns what lies there, scaled to the brightness it had.
  own = 0.0f;
  for (int i = t; i < template_side * template_side; i += threads) {
    const int r = row - template_side / 2 + i / template_side;
    const int c = column - template_side / 2 + i % template_side;
    own += r >= 0 && r < rows && c >= 0 && c < columns ? image[r * columns + c] : 0.0f;
  }
  part[t] = own;
  __syncthreads();
  for (int half = 256; half > 0; half /= 2) {
    if (t < half && t + half < threads) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) scale = part[0] > 0.0f ? mean * template_side * template_side / part[0] : 1.0f;
  __syncthreads();
  for (int i = t; i < template_side * template_side; i += threads) {
    const int r = row - template_side / 2 + i / template_side;
    const int c = column - template_side / 2 + i % template_side;
    const float seen = r >= 0 && r < rows && c >= 0 && c < columns ? image[r * columns + c] : 0.0f;
    small[i] += learning * (seen * scale - small[i]);
  }
  if (t == 0) points[blockIdx.x] = Point{row, column};
}
