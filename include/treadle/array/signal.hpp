// SPDX-License-Identifier: MIT
// Sampled signals: windows, convolutions, slopes and steps. Everything but unwrap() waits until
// somebody looks; unwrap() adds up corrections, which is queued at once.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Windows of `count` numbers of float64; 1 alone where one is asked for, none for less than 1.
/// The triangle, 0 at both ends.
Array bartlett(std::int64_t count, const Placement& placement = {});
/// 0.42 + 0.5 cos + 0.08 cos of twice the angle.
Array blackman(std::int64_t count, const Placement& placement = {});
Array hamming(std::int64_t count, const Placement& placement = {});  ///< 0.54 + 0.46 cos
Array hanning(std::int64_t count, const Placement& placement = {});  ///< 0.5 + 0.5 cos
/// The modified Bessel function of order 0 (Abramowitz & Stegun 9.6.12 up to 30, 9.7.1 beyond), to
/// a few units in the last place; float32 stays, integers give float64. Throws DTypeError for
/// complex.
Array i0(const Array& x);
/// i0() of a half circle that is beta high, over i0(beta).
Array kaiser(std::int64_t count, double beta, const Placement& placement = {});

/// Which places of one signal beside the other give a result, of n and m elements with n >= m.
enum class Overlap : std::uint8_t {
  full,  ///< every place where they meet: n + m - 1
  same,  ///< n of them, in the middle
  valid  ///< those where all m meet an element: n - m + 1
};
/// The sums of x[k - j] * y[j] over j for each k, of two arrays with one axis, in their common
/// dtype; of bool whether any product is true. n * m products. Throws ShapeError for other ranks
/// and for arrays without elements.
Array convolve(const Array& x, const Array& y, Overlap overlap = Overlap::full);
/// The sums of x[k + j] * conj(y[j]) over j for each k; likewise.
Array correlate(const Array& x, const Array& y, Overlap overlap = Overlap::valid);

/// Slopes along an axis of samples `distance` apart: of the two neighbours, at the ends by one
/// neighbour (edge_order 1) or two (2). Integers give float64. Throws ShapeError for less than
/// edge_order + 1 samples, InvalidArgument for another edge_order, IndexError.
Array gradient(const Array& x, const Operand& distance = 1.0, int axis = -1, int edge_order = 1);
/// The same of samples at these places, one axis of as many. Throws ShapeError for another number.
Array gradient_at(const Array& x, const Array& places, int axis = -1, int edge_order = 1);

/// How unwrap() takes steps.
struct UnwrapOptions {
  std::optional<double> discontinuity = {};  ///< the least step that is a jump; none: half a period
  int axis = -1;
  double period = 6.283185307179586;  ///< of the angles
};
/// Angles whose steps along an axis are at most half a period: multiples of the period are added
/// behind each jump. Integers with a whole period stay integers, others become float64.
Array unwrap(const Array& x, const UnwrapOptions& options = {});

}  // namespace treadle::array
