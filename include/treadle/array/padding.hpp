// SPDX-License-Identifier: MIT
// Adds borders to arrays as NumPy's pad() does: borders of numbers, or of elements of the array.
// The results are computed at once.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// The number of elements added before and behind an axis.
using PadWidth = std::pair<std::int64_t, std::int64_t>;
/// Adds a border of one number. Takes a width for each axis; throws InvalidArgument for another
/// number of widths, or a width below 0.
Array pad(const Array& x, List<PadWidth> widths, const Operand& value = 0);
/// The numbers added before and behind an axis.
using PadValues = std::pair<Operand, Operand>;
/// Adds a border with a number for each side. Corners have the number of the last axis. Throws
/// InvalidArgument for another number of values than of axes.
Array pad(const Array& x, List<PadWidth> widths, List<PadValues> values);

/// The source of a border's elements. Axes are padded one after the other, so that corners come
/// from the borders of earlier axes.
enum class PadMode : std::uint8_t {
  edge,         ///< the outermost element
  reflect,      ///< the inner elements, mirrored at the outermost element
  symmetric,    ///< the inner elements and the outermost element, mirrored at the edge
  wrap,         ///< the elements at the other end
  linear_ramp,  ///< from the outermost element in equal steps to PadOptions::ends
  maximum,      ///< the maximum of the elements at that end
  mean,         ///< the mean of these elements; rounded to the nearest integer for an integer x
  median,       ///< the median of these elements; rounded likewise
  minimum,      ///< the minimum of these elements
};

/// Options of a border. Spans have a pair for each axis, or are empty.
struct PadOptions {
  bool is_odd = false;  ///< mirrored in the outermost element's value, too: 2 * edge - element
  /// The number of elements at each end for maximum, mean, median and minimum. Empty: all.
  std::span<const PadWidth> lengths = {};
  std::span<const PadValues> ends = {};  ///< outer values of ramps; empty: 0
};

/// Adds a border to x. Queued at once. Throws InvalidArgument for another number of widths, lengths
/// or ends than of axes, for widths below 0 and for lengths of extrema below 1; ShapeError for a
/// border along an axis without elements.
Array pad(const Array& x, List<PadWidth> widths, PadMode mode, const PadOptions& options = {});

}  // namespace treadle::array
