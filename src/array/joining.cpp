// SPDX-License-Identifier: MIT
#include "treadle/array/joining.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/parts.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

DType common_dtype(std::span<const Array> arrays) {
  const DType& first = arrays.front().dtype();
  if (std::ranges::all_of(arrays, [&](const Array& x) { return x.dtype() == first; })) return first;
  std::vector<OperandType> types;
  for (const Array& x : arrays) types.push_back(Operand(x).type());
  return promote(types);
}

void require_joinable(std::span<const Array> arrays, std::size_t axis) {
  const Array& first = arrays.front();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    require_one_context("concatenate", *Access::node(first).context,
                        *Access::node(arrays[i]).context);
    Shape shape = shape_of(arrays[i]);
    if (shape.size() == first.shape().size()) shape[axis] = first.shape()[axis];
    if (!std::ranges::equal(shape, first.shape()))
      throw ShapeError("array " + std::to_string(i) + " of shape " + shape_text(arrays[i].shape()) +
                           " is not joined along axis " + std::to_string(axis) +
                           " with one of shape " + shape_text(first.shape()),
                       "all other lengths must be equal");
  }
}

/// Copies x into `target`, moved by `shifts` along the axes from `axis` on. Each shift is a place
/// on its axis.
void copy_rolled(const Array& target, const Array& x, std::span<const std::int64_t> shifts,
                 std::size_t axis) {
  if (axis == shifts.size()) return target.assign(x);
  const std::int64_t extent = x.shape()[axis];
  const std::int64_t shift = shifts[axis];
  if (shift == 0) return copy_rolled(target, x, shifts, axis + 1);
  copy_rolled(part(target, axis, shift, extent), part(x, axis, 0, extent - shift), shifts,
              axis + 1);
  copy_rolled(part(target, axis, 0, shift), part(x, axis, extent - shift, extent), shifts,
              axis + 1);
}

/// Whether roll() gathers by one kernel, which further operations may join. It does so for dense
/// arrays of one axis on devices whose copies are kernels. There two copies take a quarter longer,
/// because most shifts make their places unaligned.
bool is_rolled_by_places(const Array& x) {
  return x.rank() == 1 && x.layout().is_contiguous(x.dtype().size_bytes()) &&
         Access::node(x).context->device().info().traits.schedule == Schedule::wide;
}
/// The first `shift` results come from the end of x.
Array rolled_by_places(const Array& x, std::int64_t shift) {
  const NodeRef source = computed(x);
  const Array place = Access::array(
      make_positions(Layout::contiguous(x.shape(), sizeof(std::int64_t)), x.stream()));
  const Array offset =
      in_dtype(where(place < shift, Operand(x.size() - shift), Operand(-shift)), Scalar::int64);
  return finished(record_gather(*source, Access::node(offset)));
}

}  // namespace

Array concatenate(List<Array> arrays, int axis) {
  if (arrays.empty()) throw InvalidArgument("concatenate of no arrays", "pass at least one");
  const Array& first = arrays.front();
  const std::size_t along = counted_axis(first, axis);
  require_joinable(arrays, along);
  Shape shape = shape_of(first);
  for (const Array& x : arrays.subspan(1)) shape[along] += x.shape()[along];
  const Array result = empty_beside(first, shape, common_dtype(arrays));
  std::int64_t begin = 0;
  for (const Array& x : arrays) {
    const std::int64_t end = begin + x.shape()[along];
    part(result, along, begin, end).assign(x);
    begin = end;
  }
  return result;
}

Array stack(List<Array> arrays, int axis) {
  if (arrays.empty()) throw InvalidArgument("stack of no arrays", "pass at least one");
  const Array& first = arrays.front();
  for (const Array& x : arrays) {
    require_one_context("stack", *Access::node(first).context, *Access::node(x).context);
    if (!x.layout().same_shape(first.layout()))
      throw ShapeError("stack of arrays of shapes " + shape_text(first.shape()) + " and " +
                           shape_text(x.shape()),
                       "all shapes must be equal");
  }
  const Layout one = first.layout().expanded(axis);
  Shape shape(one.shape().begin(), one.shape().end());
  const std::size_t along = static_cast<std::size_t>(axis < 0 ? axis + one.rank() : axis);
  shape[along] = static_cast<std::int64_t>(arrays.size());
  const Array result = empty_beside(first, shape, common_dtype(arrays));
  const std::vector<Array> parts = unstack(result, axis);
  for (std::size_t i = 0; i < arrays.size(); ++i) parts[i].assign(arrays[i]);
  return result;
}

Array roll(const Array& x, List<std::int64_t> shifts, List<int> axes) {
  if (shifts.size() != axes.size())
    throw InvalidArgument("roll by " + std::to_string(shifts.size()) + " shifts along " +
                              std::to_string(axes.size()) + " axes",
                          "give one for each");
  std::vector<std::int64_t> all(x.shape().size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = counted_axis(x, axes[i]);
    const std::int64_t extent = std::max<std::int64_t>(x.shape()[axis], 1);
    all[axis] = (all[axis] + shifts[i] % extent + extent) % extent;
  }
  if (is_rolled_by_places(x) && all[0] != 0) return rolled_by_places(x, all[0]);
  const Array result = empty_beside(x, shape_of(x), x.dtype());
  copy_rolled(result, x, all, 0);
  return result;
}
Array roll(const Array& x, std::int64_t shift, int axis) {
  return roll(x, std::span(&shift, 1), std::span(&axis, 1));
}
Array roll(const Array& x, std::int64_t shift) {
  return reshape(roll(ravel(x), shift, 0), shape_of(x));
}

Array repeat(const Array& x, std::int64_t count, int axis) {
  require_not_negative("repeat", count);
  if (x.rank() == 0) return repeat(atleast_1d(x), count, axis);
  const std::size_t along = counted_axis(x, axis);
  Shape repeated = shape_of(x), shape = repeated;
  repeated.insert(repeated.begin() + static_cast<std::ptrdiff_t>(along) + 1, count);
  shape[along] *= count;
  return reshape(dense_copy(broadcast_to(expand_dims(x, static_cast<int>(along) + 1), repeated)),
                 shape);
}

Array repeat(const Array& x, std::int64_t count) { return repeat(ravel(x), count, 0); }

Array tile(const Array& x, List<std::int64_t> counts) {
  for (const std::int64_t count : counts) require_not_negative("tile", count);
  Array from = x;
  while (from.shape().size() < counts.size()) from = expand_dims(from, 0);
  const Shape extents = shape_of(from);
  const std::size_t missing = extents.size() - counts.size();
  // Each axis becomes two axes: one of copies, and one of elements within a copy.
  Shape repeated, shape;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t count = axis < missing ? 1 : counts[axis - missing];
    from = expand_dims(from, static_cast<int>(2 * axis));
    repeated.insert(repeated.end(), {count, extents[axis]});
    shape.push_back(count * extents[axis]);
  }
  return reshape(dense_copy(broadcast_to(from, repeated)), shape);
}

std::vector<Array> broadcast_arrays(List<Array> arrays) {
  std::vector<const Layout*> layouts;
  for (const Array& x : arrays) layouts.push_back(&x.layout());
  std::vector<Array> views;
  if (arrays.empty()) return views;
  const Layout common = broadcast(layouts, 1);
  if (std::ranges::all_of(layouts, [&](const Layout* own) { return own->same_shape(common); }))
    return {arrays.begin(), arrays.end()};
  for (const Array& x : arrays)
    views.push_back(broadcast_to(x, {common.shape().begin(), common.shape().end()}));
  return views;
}

std::vector<Array> meshgrid(List<Array> coordinates, const GridOptions& options) {
  std::vector<Array> lines(coordinates.begin(), coordinates.end());
  const bool is_swapped = options.is_cartesian && lines.size() > 1;
  if (is_swapped) std::swap(lines[0], lines[1]);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rank() > 1)
      throw ShapeError("coordinates of a grid are arrays of one axis, not of shape " +
                           shape_text(lines[i].shape()),
                       "ravel() it");
    Shape shape(lines.size(), 1);
    shape[i] = -1;
    lines[i] = reshape(lines[i], shape);
  }
  std::vector<Array> grid = options.is_sparse ? std::move(lines) : broadcast_arrays(lines);
  if (is_swapped) std::swap(grid[0], grid[1]);
  return grid;
}

std::vector<Array> split(const Array& x, List<std::int64_t> positions, int axis) {
  std::vector<Array> parts;
  for (const Layout& layout : x.layout().split(axis, positions))
    parts.push_back(x.viewed(layout, x.dtype()));
  return parts;
}

std::vector<Array> array_split(const Array& x, std::int64_t parts, int axis) {
  if (parts < 1)
    throw InvalidArgument("a split into " + std::to_string(parts) + " parts", "give 1 or more");
  const std::int64_t extent = x.shape()[counted_axis(x, axis)];
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 1; i < parts; ++i)
    positions.push_back(i * (extent / parts) + std::min(i, extent % parts));
  return split(x, positions, axis);
}

std::vector<Array> unstack(const Array& x, int axis) {
  const std::size_t along = counted_axis(x, axis);
  std::vector<Array> parts;
  for (std::int64_t i = 0; i < x.shape()[along]; ++i)
    parts.push_back(squeeze(part(x, along, i, i + 1), static_cast<int>(along)));
  return parts;
}

namespace {

std::vector<Array> equal_parts(const char* function, const Array& x, std::int64_t parts, int axis) {
  const std::int64_t length = axis < x.rank() ? x.shape()[static_cast<std::size_t>(axis)] : 0;
  if (axis >= x.rank() || parts < 1 || length % parts != 0)
    throw ShapeError(std::string(function) + ": " + std::to_string(parts) + " equal parts of " +
                         std::to_string(length) + " along axis " + std::to_string(axis) +
                         " of an array of " + std::to_string(x.rank()) + " axes",
                     "array_split() makes parts that are not equal");
  return array_split(x, parts, axis);
}

template <class Change>
std::vector<Array> changed(std::span<const Array> arrays, Change change) {
  std::vector<Array> parts;
  for (const Array& x : arrays) parts.push_back(change(x));
  return parts;
}

}  // namespace

Array hstack(List<Array> arrays) {
  const std::vector<Array> parts = changed(arrays, atleast_1d);
  return concatenate(parts, !parts.empty() && parts[0].rank() > 1 ? 1 : 0);
}
Array vstack(List<Array> arrays) { return concatenate(changed(arrays, atleast_2d), 0); }
Array dstack(List<Array> arrays) { return concatenate(changed(arrays, atleast_3d), 2); }
Array column_stack(List<Array> arrays) {
  const auto as_column = [](const Array& x) { return x.rank() < 2 ? reshape(x, {-1, 1}) : x; };
  return concatenate(changed(arrays, as_column), 1);
}

Array append(const Array& x, const Array& values, std::optional<int> axis) {
  const Array both[] = {axis ? x : ravel(x), axis ? values : ravel(values)};
  return concatenate(both, axis.value_or(0));
}

std::vector<Array> equal_parts(const Array& x, std::int64_t parts, int axis) {
  return equal_parts("split", x, parts, checked_axis(axis, x.rank(), "split"));
}
std::vector<Array> hsplit(const Array& x, std::int64_t parts) {
  return equal_parts("hsplit", x, parts, x.rank() > 1 ? 1 : 0);
}
std::vector<Array> vsplit(const Array& x, std::int64_t parts) {
  return equal_parts("vsplit", x, parts, 0);
}
std::vector<Array> dsplit(const Array& x, std::int64_t parts) {
  return equal_parts("dsplit", x, parts, 2);
}

}  // namespace treadle::array
