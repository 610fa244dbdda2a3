// SPDX-License-Identifier: MIT
// Finds the places of elements in sorted arrays.
#pragma once

#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The side of equal elements on which a place lies.
enum class SearchSide : std::uint8_t { left, right };

/// The place in `sorted` where each element of `x` belongs, as int64 in the shape of x. `sorted`
/// has one axis and the order of sorted(). Both arrays are compared in their common dtype. `sorter`
/// holds integers, an order that sorts `sorted`. Throws ShapeError for several axes and for a
/// sorter of another length.
Array searchsorted(const Array& sorted, const Array& x, SearchSide side = SearchSide::left,
                   const Array& sorter = {});
/// The number of the bin of each element; 0 before the first edge. Edges go up or down. A bin
/// contains its lower edge, or with is_right its upper edge. Reads the edges, and waits. Throws
/// ShapeError for edges of several axes, InvalidArgument for edges that are not sorted.
Array digitize(const Array& x, const Array& edges, bool is_right = false);

/// What interp() returns beyond the places.
struct InterpolationOptions {
  std::optional<double> left = {};    ///< before the first; none: the first value
  std::optional<double> right = {};   ///< behind the last; none: the last value
  std::optional<double> period = {};  ///< distance at which places repeat; unused: left, right
};
/// Interpolates linearly at `x` between `values` (real or complex) at `places`; float64 or
/// complex128. Places are ascending unless there is a period. Throws ShapeError unless both arrays
/// have one axis of one length, InvalidArgument for no places and for a period of 0.
Array interp(const Array& x, const Array& places, const Array& values,
             const InterpolationOptions& options = {});

}  // namespace treadle::array
