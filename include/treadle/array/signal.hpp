// SPDX-License-Identifier: MIT
// Sampled signals: windows, convolutions, slopes and steps. The results are pending, except that
// unwrap() queues its sum of corrections at once.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Windows of `count` numbers of float64. A count of 1 gives 1, a smaller count gives no numbers.
/// bartlett() is a triangle with 0 at both ends.
Array bartlett(std::int64_t count, const Placement& placement = {});
/// 0.42 + 0.5 cos(angle) + 0.08 cos(2 angle).
Array blackman(std::int64_t count, const Placement& placement = {});
Array hamming(std::int64_t count, const Placement& placement = {});  ///< 0.54 + 0.46 cos
Array hanning(std::int64_t count, const Placement& placement = {});  ///< 0.5 + 0.5 cos
/// The modified Bessel function of order 0 (Abramowitz & Stegun 9.6.12 up to 30, 9.7.1 beyond),
/// with an error of a few units in the last place. float32 stays float32, integers give float64.
/// Throws DTypeError for complex numbers.
Array i0(const Array& x);
/// i0() of a half circle of height beta, divided by i0(beta).
Array kaiser(std::int64_t count, double beta, const Placement& placement = {});

/// Which relative places of two signals of n and m elements, n >= m, give a result.
enum class Overlap : std::uint8_t {
  full,  ///< all places where the signals overlap: n + m - 1
  same,  ///< the n places in the middle
  valid  ///< the places where all m elements overlap: n - m + 1
};
/// Sums x[k - j] * y[j] over j for each k. Both arrays have one axis; the dtype is the common one.
/// For bool, tells whether any product is true. Computes n * m products. Throws ShapeError for
/// other ranks and for arrays without elements.
Array convolve(const Array& x, const Array& y, Overlap overlap = Overlap::full);
/// Sums x[k + j] * conj(y[j]) over j for each k. Otherwise as convolve().
Array correlate(const Array& x, const Array& y, Overlap overlap = Overlap::valid);

/// Slopes along an axis of samples `distance` apart. The slope uses both neighbours; at the ends it
/// uses one neighbour (edge_order 1) or two (edge_order 2). Integers give float64. Throws
/// ShapeError for less than edge_order + 1 samples, InvalidArgument for another edge_order,
/// IndexError.
Array gradient(const Array& x, const Operand& distance = 1.0, int axis = -1, int edge_order = 1);
/// Slopes of samples at `places`, one place for each sample. Throws ShapeError for another number.
Array gradient_at(const Array& x, const Array& places, int axis = -1, int edge_order = 1);

/// Options of unwrap().
struct UnwrapOptions {
  std::optional<double> discontinuity = {};  ///< the least step that is a jump; none: half a period
  int axis = -1;
  double period = 6.283185307179586;  ///< of the angles
};
/// Adds multiples of the period behind each jump, so that steps along an axis are at most half a
/// period. Integers with a whole period stay integers, other dtypes become float64.
Array unwrap(const Array& x, const UnwrapOptions& options = {});

}  // namespace treadle::array
