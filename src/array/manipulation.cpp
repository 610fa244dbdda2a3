// SPDX-License-Identifier: MIT
#include "treadle/array/manipulation.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

#include "array/access.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

Array with_layout(const Array& x, const Layout& layout) { return x.viewed(layout, x.dtype()); }

/// Counts the axes from 0 among `rank` axes. Throws for an axis that is named twice.
std::vector<int> distinct_axes(std::span<const int> axes, int rank, std::string_view what = {}) {
  std::vector<int> counted;
  for (const int axis : axes) {
    counted.push_back(checked_axis(axis, rank, what));
    if (std::ranges::count(counted, counted.back()) > 1)
      throw InvalidArgument("axis " + std::to_string(axis) + " is there twice");
  }
  return counted;
}

}  // namespace

Array reshape(const Array& x, const Shape& shape) {
  const std::size_t item = x.dtype().size_bytes();
  if (const auto view = x.layout().reshaped(shape, item)) return with_layout(x, *view);
  const Array dense = dense_copy(x);
  return with_layout(dense, *dense.layout().reshaped(shape, item));
}
Array reshape(const Array& x, const Shape& shape, MemoryOrder order) {
  if (order == MemoryOrder::c) return reshape(x, shape);
  return transpose(reshape(transpose(x), Shape(shape.rbegin(), shape.rend())));
}
Array ravel(const Array& x) { return ravel(x, MemoryOrder::c); }
Array ravel(const Array& x, MemoryOrder order) {
  Array flat = reshape(x, {-1}, order);
  return flat.layout().is_contiguous(flat.dtype().size_bytes()) ? flat : copy(flat);
}
Array ravel_in_memory_order(const Array& x) {
  std::vector<int> axes(x.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  const Extents strides = x.strides();
  std::ranges::stable_sort(axes, std::greater(), [&](int axis) {
    return std::abs(strides[static_cast<std::size_t>(axis)]);
  });
  return ravel(permute_dims(x, axes));
}
Array transpose(const Array& x) { return with_layout(x, x.layout().transposed()); }
Array permute_dims(const Array& x, List<int> axes) {
  return with_layout(x, x.layout().permuted(axes));
}
Array swapaxes(const Array& x, int axis, int other) {
  return with_layout(x, x.layout().swapped(axis, other));
}
Array moveaxis(const Array& x, int axis, int destination) {
  return with_layout(x, x.layout().moved(axis, destination));
}
Array moveaxis(const Array& x, List<int> axes, List<int> destinations) {
  if (axes.size() != destinations.size())
    throw InvalidArgument(std::to_string(axes.size()) + " axes are moved to " +
                              std::to_string(destinations.size()) + " places",
                          "give one for each");
  const std::vector<int> from = distinct_axes(axes, x.rank(), "source");
  const std::vector<int> to = distinct_axes(destinations, x.rank(), "destination");
  std::vector<int> order(x.shape().size(), -1);
  for (std::size_t i = 0; i < to.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  int next = 0;
  for (int& axis : order) {
    if (axis >= 0) continue;
    while (std::ranges::find(from, next) != from.end()) ++next;
    axis = next++;
  }
  return permute_dims(x, order);
}
Array squeeze(const Array& x) { return with_layout(x, x.layout().squeezed()); }
Array squeeze(const Array& x, int axis) { return with_layout(x, x.layout().squeezed(axis)); }
Array squeeze(const Array& x, List<int> axes) {
  std::vector<int> gone = distinct_axes(axes, x.rank());
  std::ranges::sort(gone, std::greater());
  Layout layout = x.layout();
  for (const int axis : gone) layout = layout.squeezed(axis);
  return with_layout(x, layout);
}
Array expand_dims(const Array& x, int axis) { return with_layout(x, x.layout().expanded(axis)); }
Array expand_dims(const Array& x, List<int> axes) {
  std::vector<int> added = distinct_axes(axes, x.rank() + static_cast<int>(axes.size()));
  std::ranges::sort(added);
  Layout layout = x.layout();
  for (const int axis : added) layout = layout.expanded(axis);
  return with_layout(x, layout);
}
Array flip(const Array& x, int axis) { return with_layout(x, x.layout().flipped(axis)); }
Array flip(const Array& x, List<int> axes) {
  Layout layout = x.layout();
  for (const int axis : distinct_axes(axes, x.rank())) layout = layout.flipped(axis);
  return with_layout(x, layout);
}
Array flip(const Array& x) {
  std::vector<int> all(x.shape().size());
  std::iota(all.begin(), all.end(), 0);
  return flip(x, all);
}
Array rot90(const Array& x, int quarters, int axis, int other) {
  const int plane[] = {axis, other};
  distinct_axes(plane, x.rank());
  const Layout& layout = x.layout();
  switch ((quarters % 4 + 4) % 4) {
    case 1:
      return with_layout(x, layout.flipped(other).swapped(axis, other));
    case 2:
      return flip(x, plane);
    case 3:
      return with_layout(x, layout.swapped(axis, other).flipped(other));
    default:
      return with_layout(x, layout);
  }
}
Array broadcast_to(const Array& x, const Shape& shape) {
  return with_layout(x, x.layout().broadcast_to(shape)).read_only();
}
Array diagonal(const Array& x, std::int64_t offset, int axis, int other) {
  return with_layout(x, x.layout().diagonal(offset, axis, other)).read_only();
}
void fill_diagonal(const Array& x, const Operand& value, std::int64_t offset) {
  if (x.rank() != 2)
    throw ShapeError("fill_diagonal() of an array of shape " + shape_text(x.shape()),
                     "it takes two axes");
  with_layout(x, x.layout().diagonal(offset, 0, 1)).assign(value);
}

Array view_as(const Array& x, const DType& dtype) {
  const auto from = static_cast<std::int64_t>(x.dtype().size_bytes());
  const auto to = static_cast<std::int64_t>(dtype.size_bytes());
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument("a view of " + x.dtype().name() + " as " + dtype.name() + ": " + why,
                          "x.astype(dtype) converts the numbers, copy() makes elements dense");
  };
  const Layout& layout = x.layout();
  Shape shape = shape_of(x), strides(layout.strides().begin(), layout.strides().end());
  if (from != to) {
    if (shape.empty()) refuse("an array without axes keeps the size of its element");
    if (shape.back() > 1 && strides.back() != from) refuse("the last axis is not contiguous");
    const std::int64_t bytes = shape.back() * from;
    if (bytes % to != 0 || (to < from && from % to != 0))
      refuse(std::to_string(bytes) + " bytes along the last axis are no whole number of elements");
    shape.back() = bytes / to;
    strides.back() = to;
  }
  const bool fits = std::ranges::all_of(strides, [&](auto stride) { return stride % to == 0; });
  if (!fits || layout.offset_bytes() % static_cast<std::int64_t>(dtype.alignment()) != 0)
    refuse("elements would not lie at multiples of their size");  // kernels count in elements
  return x.viewed(Layout(shape, strides, layout.offset_bytes()), dtype);
}

Array field(const Array& x, std::string_view name) {
  const auto fields = x.dtype().fields();
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found == fields.end()) {
    std::string names;
    for (const Field& one : fields) names += (names.empty() ? "" : ", ") + one.name;
    throw DTypeError(
        "an array of " + x.dtype().name() + " has no field '" + std::string(name) + "'",
        names.empty() ? "its elements are no records" : "it has " + names);
  }
  const Layout& layout = x.layout();
  const auto item = static_cast<std::int64_t>(found->type.size_bytes());
  const auto behind = static_cast<std::int64_t>(found->offset);
  Shape shape(layout.shape().begin(), layout.shape().end());
  Shape strides(layout.strides().begin(), layout.strides().end());
  const auto align = static_cast<std::int64_t>(found->type.alignment());
  // Kernels count in whole elements.
  const bool fits = std::ranges::all_of(strides, [&](auto stride) { return stride % item == 0; });
  if (!fits || (layout.offset_bytes() + behind) % align != 0)
    throw DTypeError(
        "field '" + found->name + "' of " + found->type.name() + " in records of " +
            std::to_string(x.dtype().size_bytes()) + " bytes",
        "lay records out as C does: numpy.dtype(..., align=True), sizes of fields that "
        "divide the record's");
  auto stride = item * static_cast<std::int64_t>(found->count());
  for (const std::int64_t length : found->shape) {
    stride /= std::max<std::int64_t>(length, 1);
    shape.push_back(length);
    strides.push_back(stride);
  }
  return x.viewed(Layout(shape, strides, layout.offset_bytes() + behind), found->type);
}

Array real_part(const Array& x) {
  const DType part = x.dtype().real_type();
  return part == x.dtype() ? x : x.viewed(x.layout(), part);
}
Array imaginary_part(const Array& x) {
  const DType part = x.dtype().real_type();
  if (part == x.dtype()) {
    const Array zero = zeros({}, part.scalar(), {.stream = x.stream()});
    const Layout layout = zero.layout().broadcast_to(x.shape());
    return Array::view_of(zero.buffer(), layout, part,
                          {.stream = x.stream(), .is_read_only = true, .is_unshared = true});
  }
  const Layout& layout = x.layout();
  const auto behind = static_cast<std::int64_t>(part.size_bytes());
  return x.viewed(Layout(layout.shape(), layout.strides(), layout.offset_bytes() + behind), part);
}

Array atleast_1d(const Array& x) { return x.rank() == 0 ? reshape(x, {1}) : x; }
Array atleast_2d(const Array& x) { return x.rank() < 2 ? reshape(x, {1, -1}) : x; }
Array atleast_3d(const Array& x) {
  if (x.rank() == 2) return expand_dims(x, 2);
  return x.rank() < 2 ? reshape(x, {1, -1, 1}) : x;
}
Array fliplr(const Array& x) { return flip(x, 1); }
Array flipud(const Array& x) { return flip(x, 0); }
Array matrix_transpose(const Array& x) {
  if (x.rank() < 2)
    throw ShapeError("matrix_transpose: an array of " + std::to_string(x.rank()) + " axes",
                     "matrices are the last two axes");
  return swapaxes(x, -1, -2);
}

}  // namespace treadle::array
