// SPDX-License-Identifier: MIT
// Indices become offsets: for each element of the result, the distance in elements from the place
// where the element would lie if every index were 0. So x is an ordinary operand with strides of 0
// along the indices' axes, and one expression computes the offsets and the result's elements:
//
//   x[i, :] of shape (5, 4), i of shape (3,)     x: shape (3, 4), strides (0, 1)
//   z[a, b] = x[offset(a) + b]                   offset(a) = 4 * (i[a] < 0 ? i[a] + 5 : i[a])
#include "treadle/array/indexing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// An offset so negative that no sum makes it positive: nothing is stored at negative offsets.
constexpr std::int64_t nowhere = -(std::int64_t{1} << 56);

enum class Use : std::uint8_t { read, write };

/// The places of the elements that the indices choose.
struct Places {
  Layout view;   ///< of x, in the result's shape
  Array offset;  ///< in elements; its shape broadcasts to the view's
};

/// Indices of one axis.
struct AxisIndices {
  std::size_t axis;  ///< of the layout
  const IndexArray* indices;
};

/// Makes Places of one array.
class PlaceFinder {
 public:
  PlaceFinder(const Array& x, Bounds bounds, Use use)
      : node_(Access::node(x)),
        item_bytes_(static_cast<std::int64_t>(x.dtype().size_bytes())),
        bounds_(bounds),
        use_(use) {}

  /// Replaces axes of `layout`, a view of x, by the axes of the indices. The indices' axes become
  /// axes of the result, from axis `where` on.
  Places replace(const Layout& layout, const std::vector<AxisIndices>& all, std::size_t where) {
    Shape shape, strides, rest;
    for (std::size_t axis = 0; axis < layout.shape().size(); ++axis) {
      if (std::ranges::find(all, axis, &AxisIndices::axis) != all.end()) continue;
      shape.push_back(layout.shape()[axis]);
      strides.push_back(layout.strides()[axis]);
    }
    const auto at = static_cast<std::ptrdiff_t>(where);
    const std::size_t behind = shape.size() - where;
    const Shape common = common_shape(all);
    shape.insert(shape.begin() + at, common.begin(), common.end());
    strides.insert(strides.begin() + at, common.size(), 0);
    return finished(layout, all, Layout(shape, strides, layout.offset_bytes()), behind);
  }

  /// Replaces one axis by indices. Along the other axes an element keeps the place of its index.
  Places along(const Layout& layout, const IndexArray& indices, std::size_t axis) {
    if (indices.shape().size() != layout.shape().size())
      throw ShapeError("indices of shape " + shape_text(indices.shape()) +
                           " along an axis of an array of shape " + shape_text(layout.shape()),
                       "both have as many axes");
    Shape shape(indices.shape().begin(), indices.shape().end());
    for (std::size_t other = 0; other < shape.size(); ++other)
      if (other != axis && shape[other] == 1) shape[other] = layout.shape()[other];
    Shape one(layout.shape().begin(), layout.shape().end());
    one[axis] = 1;
    const Layout source = Layout(one, layout.strides(), layout.offset_bytes()).broadcast_to(shape);
    return finished(layout, {{axis, &indices}}, source, 0);
  }

 private:
  static Shape common_shape(const std::vector<AxisIndices>& all) {
    std::vector<Layout> layouts;
    for (const AxisIndices& one : all)
      layouts.push_back(Layout::contiguous(one.indices->shape(), 1));
    std::vector<const Layout*> views;
    for (const Layout& layout : layouts) views.push_back(&layout);
    const Layout common = broadcast(views, 1);
    return {common.shape().begin(), common.shape().end()};
  }

  Places finished(const Layout& layout, const std::vector<AxisIndices>& all, const Layout& view,
                  std::size_t behind) {
    Array sum;
    std::int64_t moved = 0;
    for (const AxisIndices& one : all) {
      const std::int64_t extent = layout.shape()[one.axis];
      std::int64_t step = layout.strides()[one.axis];
      if (step % item_bytes_ != 0)
        throw InvalidArgument("elements of " + std::to_string(item_bytes_) + " bytes, " +
                                  std::to_string(step) + " bytes apart, are not indexed",
                              "copy() the array first");
      if (extent == 0 && one.indices->size() > 0)
        throw IndexError("an index along axis " + std::to_string(one.axis) +
                         ", which has no elements (shape " + shape_text(layout.shape()) + ")");
      // A kernel stores nothing at negative offsets, so offsets of a backward axis count from its
      // lowest place.
      is_backwards_ = use_ == Use::write && step < 0;
      if (is_backwards_) {
        moved += step * std::max<std::int64_t>(extent - 1, 0);
        step = -step;
      }
      const Array term = offsets(one, extent, step / item_bytes_, behind);
      sum = sum.has_value() ? sum + term : term;
    }
    return {Layout(view.shape(), view.strides(), view.offset_bytes() + moved), sum};
  }

  Array offsets(const AxisIndices& one, std::int64_t extent, std::int64_t step,
                std::size_t behind) const {
    const IndexArray& indices = *one.indices;
    if (const Array* array = indices.array())
      require_one_context("indices", *node_.context, *Access::node(*array).context);
    Shape shape(indices.shape().begin(), indices.shape().end());
    shape.insert(shape.end(), behind, 1);
    if (const Array* array = indices.array())
      return device_offsets(behind == 0 ? *array : reshape(*array, shape), extent, step);
    std::vector<std::int64_t> values = indices.values();
    for (std::int64_t& value : values) value = host_index(value, one.axis, extent) * step;
    return Array::from(values.data(), shape, Scalar::int64,
                       {.stream = node_.context->stream(node_.stream)});
  }

  std::int64_t host_index(std::int64_t index, std::size_t axis, std::int64_t extent) const {
    std::int64_t place = index;
    if (bounds_ == Bounds::wrap)
      place = (index % extent + extent) % extent;
    else if (bounds_ == Bounds::clip)
      place = std::clamp<std::int64_t>(index, 0, extent - 1);
    else if (index < 0)
      place += extent;
    if (place < 0 || place >= extent)
      throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " +
                       std::to_string(axis) + " of length " + std::to_string(extent));
    return is_backwards_ ? extent - 1 - place : place;
  }

  Array device_offsets(const Array& given, std::int64_t extent, std::int64_t step) const {
    const Array index = in_dtype(given, Scalar::int64);
    Array place = bounds_ == Bounds::wrap ? remainder(index, extent) : index;
    if (bounds_ == Bounds::checked) place = where(index < 0, index + extent, index);
    const bool drops = bounds_ == Bounds::checked && use_ == Use::write;
    const Array kept = place;
    if (bounds_ != Bounds::wrap && !drops) place = minimum(maximum(place, 0), extent - 1);
    if (is_backwards_) place = (extent - 1) - place;
    if (step != 1) place = place * step;
    if (!drops) return place;
    return where((kept >= 0) & (kept < extent), place, nowhere);
  }

  const Node& node_;
  std::int64_t item_bytes_;
  Bounds bounds_;
  Use use_;
  bool is_backwards_ = false;
};

/// Returns the array, computed. Returns a copy of the handle, because another thread may give `x`
/// another node meanwhile.
Array with_memory(const Array& x) {
  Array own = x;
  compute(Access::node(own), Cut::indexed);
  return own;
}

Array gathered(const Array& x, const Places& places) {
  const Node& own = Access::node(x);
  const NodeRef source = make_view(own, places.view, own.dtype);
  return finished(record_gather(*source, Access::node(places.offset)));
}

void scatter(const Array& x, const Places& places, const Operand& value) {
  const Node& own = Access::node(x);
  require_writable(own);
  const NodeRef target = make_view(own, places.view, own.dtype);
  const NodeRef source = value_node(value, own.dtype);
  const bool is_by_element =
      std::ranges::all_of(places.view.strides(), [](std::int64_t stride) { return stride == 0; });
  const ByteRange range = x.layout().byte_range(x.dtype().size_bytes());
  const auto item_bytes = static_cast<std::int64_t>(x.dtype().size_bytes());
  write({"assignment by indices", *target, *source, nullptr, &Access::node(places.offset),
         is_by_element ? (range.end - range.begin) / item_bytes : 0});
}

/// An index expression after its integers and slices have been applied.
struct Expanded {
  Layout layout;
  std::vector<AxisIndices> arrays = {};
  std::size_t where = 0;  ///< the first axis of the result that comes from the index arrays
};

Expanded expand(const Array& x, std::span<const AnyIndex> indices) {
  std::vector<Index> plain;
  std::size_t named = 0;  // axes of x that the indices use up
  for (const AnyIndex& index : indices) {
    const Index* one = std::get_if<Index>(&index);
    plain.push_back(one != nullptr ? *one : Index::all());
    if (plain.back().kind == Index::Kind::integer || plain.back().kind == Index::Kind::slice)
      ++named;
  }
  Expanded made{x.layout().indexed(plain)};
  std::size_t axis = 0, runs = 0;  // runs: groups of adjacent arrays and integers
  bool is_beside = false;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool is_array = std::holds_alternative<IndexArray>(indices[i]);
    const bool is_integer = plain[i].kind == Index::Kind::integer;
    if ((is_array || is_integer) && !is_beside && runs++ == 0) made.where = axis;
    is_beside = is_array || is_integer;
    if (is_array) made.arrays.push_back({axis, &std::get<IndexArray>(indices[i])});
    if (plain[i].kind == Index::Kind::ellipsis)
      axis += x.shape().size() - named;
    else if (!is_integer)
      ++axis;
  }
  if (runs > 1) made.where = 0;
  return made;
}

Places places_of(const Array& x, std::span<const AnyIndex> indices, Use use) {
  const Expanded expanded = expand(x, indices);
  if (expanded.arrays.empty())
    throw InvalidArgument("an index without arrays", "Array::at() takes integers and slices");
  return PlaceFinder(x, Bounds::checked, use)
      .replace(expanded.layout, expanded.arrays, expanded.where);
}

/// Repeats the values until there is a value for each index, in the shape of the indices.
Array put_values(const Array& values, const IndexArray& indices) {
  const Array flat = ravel(values);
  const Shape shape(indices.shape().begin(), indices.shape().end());
  if (flat.size() == 0) throw InvalidArgument("put of no values", "give at least one");
  if (flat.size() >= indices.size())
    return reshape(flat.at({Index{.stop = indices.size()}}), shape);
  std::vector<std::int64_t> again(static_cast<std::size_t>(indices.size()));
  for (std::size_t i = 0; i < again.size(); ++i)
    again[i] = static_cast<std::int64_t>(i) % flat.size();
  return take(flat, IndexArray(std::move(again), shape), 0);
}

}  // namespace

IndexArray::IndexArray(const Array& array)
    : array_(array), shape_(array.shape().begin(), array.shape().end()) {
  if (!array.dtype().is_integer())
    throw DTypeError("indices are integers, not " + array.dtype().name(),
                     "a mask is bool: x.assign_where(mask, value)");
}

IndexArray::IndexArray(std::vector<std::int64_t> values, Shape shape)
    : shape_(std::move(shape)), values_(std::move(values)) {
  if (size() != static_cast<std::int64_t>(values_.size()))
    throw ShapeError(std::to_string(values_.size()) + " indices in the shape " +
                     shape_text(shape_));
}

std::int64_t IndexArray::size() const noexcept {
  return std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies());
}

Array at(const Array& x, List<AnyIndex> indices) {
  const Array source = with_memory(x);
  return gathered(source, places_of(source, indices, Use::read));
}

void assign_at(const Array& x, List<AnyIndex> indices, const Operand& value) {
  const Array target = with_memory(x);
  scatter(target, places_of(target, indices, Use::write), value);
}

Array take(const Array& x, const IndexArray& indices, int axis, Bounds bounds) {
  if (x.rank() == 0) return take(atleast_1d(x), indices, axis, bounds);
  const std::size_t along = counted_axis(x, axis);
  const Array source = with_memory(x);
  return gathered(
      source,
      PlaceFinder(source, bounds, Use::read).replace(source.layout(), {{along, &indices}}, along));
}

Array take(const Array& x, const IndexArray& indices, Bounds bounds) {
  return take(ravel(x), indices, 0, bounds);
}

void put(const Array& array, const IndexArray& indices, const Operand& values, Bounds bounds) {
  if (indices.size() == 0) return;
  const Array x = with_memory(array);
  const Layout& layout = x.layout();
  const auto flat_layout = layout.reshaped(Shape{-1}, x.dtype().size_bytes());
  if (!flat_layout) {
    // The place of the i-th element is no multiple of one stride.
    const Array dense = ravel(dense_copy(x));
    put(dense, indices, values, bounds);
    return x.assign(reshape(dense, shape_of(x)));
  }
  const Array flat = x.viewed(*flat_layout, x.dtype());
  const Places places =
      PlaceFinder(flat, bounds, Use::write).replace(*flat_layout, {{0, &indices}}, 0);
  if (values.array() == nullptr) return scatter(flat, places, values);
  scatter(flat, places, put_values(*values.array(), indices));
}

Array take_along_axis(const Array& x, const IndexArray& indices, int axis) {
  const std::size_t along = counted_axis(x, axis);
  const Array source = with_memory(x);
  return gathered(
      source,
      PlaceFinder(source, Bounds::checked, Use::read).along(source.layout(), indices, along));
}

void put_along_axis(const Array& x, const IndexArray& indices, const Operand& values, int axis) {
  const std::size_t along = counted_axis(x, axis);
  const Array target = with_memory(x);
  scatter(target,
          PlaceFinder(target, Bounds::checked, Use::write).along(target.layout(), indices, along),
          values);
}

Array repeat(const Array& x, List<std::int64_t> counts, int axis) {
  if (x.rank() == 0) return repeat(atleast_1d(x), counts, axis);
  const std::size_t along = counted_axis(x, axis);
  if (static_cast<std::int64_t>(counts.size()) != x.shape()[along])
    throw InvalidArgument("repeat by " + std::to_string(counts.size()) +
                              " counts along an axis of " + std::to_string(x.shape()[along]),
                          "give one for each element, or a number for all");
  std::vector<std::int64_t> indices;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0)
      throw InvalidArgument("repeat by a count of " + std::to_string(counts[i]), "give 0 or more");
    indices.insert(indices.end(), static_cast<std::size_t>(counts[i]),
                   static_cast<std::int64_t>(i));
  }
  return take(x, std::move(indices), axis);
}

}  // namespace treadle::array
