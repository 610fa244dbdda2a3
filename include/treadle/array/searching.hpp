// SPDX-License-Identifier: MIT
// Places of elements among others that are sorted.
#pragma once

#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// On which side of equal elements a place is.
enum class SearchSide : std::uint8_t { left, right };

/// Where in `sorted`, an array of one axis in the order of sorted(), elements of `x` would stand:
/// int64, in the shape of x. Both are compared in their common dtype. `sorter`, integers, is an
/// order by which `sorted` is sorted. Throws ShapeError for several axes and for a sorter of
/// another length.
Array searchsorted(const Array& sorted, const Array& x, SearchSide side = SearchSide::left,
                   const Array& sorter = {});
/// Which of the bins between these edges each element is in: 0 before the first edge. Edges go up
/// or down; bins have their lower edge, or (is_right) their upper one. Looks at the edges, and
/// waits. Throws ShapeError for edges of several axes, InvalidArgument for edges without an order.
Array digitize(const Array& x, const Array& edges, bool is_right = false);

/// What interp() gives beyond the places.
struct InterpolationOptions {
  std::optional<double> left = {};    ///< before the first; none: the first value
  std::optional<double> right = {};   ///< behind the last; none: the last value
  std::optional<double> period = {};  ///< places repeat at this distance; nothing is beyond then
};
/// Values at `x` on the line through `values` (real or complex) at `places`, which go up unless
/// there is a period; float64 or complex128. Throws ShapeError unless both have one axis of one
/// length, InvalidArgument for none of them and for a period of 0.
Array interp(const Array& x, const Array& places, const Array& values,
             const InterpolationOptions& options = {});

}  // namespace treadle::array
