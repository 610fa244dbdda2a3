// SPDX-License-Identifier: MIT
#include "treadle/fft/convolution.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "treadle/array/elementwise.hpp"
#include "treadle/base/error.hpp"
#include "treadle/fft/fft.hpp"

namespace treadle::fft {
namespace {

using array::Array;
using array::Overlap;

void require_signals(const Array& x, const Array& y) {
  for (const Array* signal : {&x, &y})
    if (signal->rank() == 0 || signal->size() == 0)
      throw ShapeError("convolve_fft: an array of shape " + shape_text(signal->shape()),
                       "it takes arrays with one axis and one element at least");
  if (x.rank() != y.rank())
    throw ShapeError(
        "convolve_fft: arrays of shapes " + shape_text(x.shape()) + " and " + shape_text(y.shape()),
        "give both as many axes");
}

/// Where the result begins in the full one, and its length.
struct Part {
  std::int64_t begin, length;
};
Part part_of(const Array& x, const Array& y, std::size_t axis, Overlap overlap) {
  const std::int64_t n = x.shape()[axis], m = y.shape()[axis], full = n + m - 1;
  switch (overlap) {
    case Overlap::full:
      return {0, full};
    case Overlap::same:
      return {(m - 1) / 2, n};
    case Overlap::valid:
      return {std::min(n, m) - 1, std::abs(n - m) + 1};
  }
  return {0, full};
}

void require_within(const Array& x, const Array& y) {
  bool x_holds = true, y_holds = true;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    x_holds = x_holds && x.shape()[axis] >= y.shape()[axis];
    y_holds = y_holds && y.shape()[axis] >= x.shape()[axis];
  }
  if (!x_holds && !y_holds)
    throw ShapeError("convolve_fft: valid places of arrays of shapes " + shape_text(x.shape()) +
                         " and " + shape_text(y.shape()),
                     "one of them has to be as long as the other along every axis");
}

}  // namespace

std::int64_t fast_length(std::int64_t n) {
  if (n < 1 || n > std::int64_t{1} << 58)
    throw InvalidArgument("fast_length: n=" + std::to_string(n), "give a length from 1 to 2^58");
  std::int64_t best = 1;
  while (best < n) best *= 2;
  // Each product of the odd factors below the best, filled up with powers of 2.
  for (std::int64_t a = 1; a < best; a *= 11)
    for (std::int64_t b = a; b < best; b *= 7)
      for (std::int64_t c = b; c < best; c *= 5)
        for (std::int64_t d = c; d < best; d *= 3) {
          std::int64_t length = d;
          while (length < n) length *= 2;
          best = std::min(best, length);
          if (d > best / 3) break;
        }
  return best;
}

Array convolve_fft(const Array& x, const Array& y, Overlap overlap) {
  require_signals(x, y);
  if (overlap == Overlap::valid) require_within(x, y);
  Options options = {.axes = {}};
  std::vector<Index> cut;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    options.axes.push_back(static_cast<int>(axis));
    options.lengths.push_back(fast_length(x.shape()[axis] + y.shape()[axis] - 1));
    const Part part = part_of(x, y, axis, overlap);
    cut.push_back({.start = part.begin, .stop = part.begin + part.length});
  }
  const auto is_complex = [](const Array& z) { return z.dtype().kind() == ScalarKind::complex; };
  if (is_complex(x) || is_complex(y))
    return ifft(fft(x, options) * fft(y, options), options).at(cut);
  return irfft(rfft(x, options) * rfft(y, options), options).at(cut);
}

}  // namespace treadle::fft
