// SPDX-License-Identifier: MIT
// New arrays that are others with a border: of numbers, or of elements of the array itself, as
// NumPy's pad() makes them. They are computed at once.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// How many elements are put before and behind an axis.
using PadWidth = std::pair<std::int64_t, std::int64_t>;
/// With a border of one number. Takes a width for each axis; throws InvalidArgument for another
/// count, or for one below 0.
Array pad(const Array& x, std::span<const PadWidth> widths, const Operand& value = 0);
/// What is put before and behind an axis.
using PadValues = std::pair<Operand, Operand>;
/// With a number of its own for each side: corners have that of the last axis. Throws
/// InvalidArgument for another count of numbers than of axes.
Array pad(const Array& x, std::span<const PadWidth> widths, std::span<const PadValues> values);

/// Where the elements of a border come from. In each, axes are padded one after the other, so that
/// corners come from the borders of earlier axes.
enum class PadMode : std::uint8_t {
  edge,         ///< the outermost element
  reflect,      ///< the elements inside, mirrored at the outermost one
  symmetric,    ///< the same, with the outermost one
  wrap,         ///< the elements at the other end
  linear_ramp,  ///< from the outermost element in equal steps to PadOptions::ends
  maximum,      ///< of the elements at that end
  mean,         ///< of them; rounded to the nearest integer where x has integers
  median,       ///< of them; rounded likewise
  minimum,      ///< of them
};

/// More about a border. Spans have a pair for each axis, or none.
struct PadOptions {
  bool is_odd = false;  ///< mirrored in the value of the outermost element, too: 2 * edge - element
  /// How many elements at each end count for maximum, mean, median and minimum; none: all.
  std::span<const PadWidth> lengths = {};
  std::span<const PadValues> ends = {};  ///< of ramps, at the outer ends; none: 0
};

/// x with a border. Queued at once. Throws InvalidArgument for another count of widths, lengths or
/// ends than of axes, and for widths below 0 and lengths of
/// extrema below 1; ShapeError for a border along an
/// axis without elements.
Array pad(const Array& x, std::span<const PadWidth> widths, PadMode mode,
          const PadOptions& options = {});

}  // namespace treadle::array
