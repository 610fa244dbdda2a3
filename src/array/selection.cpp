// SPDX-License-Identifier: MIT
#include "treadle/array/selection.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/selection.hpp"

namespace treadle::array {
namespace {

Array truth_of(const Array& x) { return dense(in_dtype(x, Scalar::boolean)); }

/// Counts the true elements. Only this call waits for the device.
std::int64_t count_of(const Array& mask) {
  return mask.size() == 0 ? 0 : count_nonzero(mask).as<std::int64_t>().front();
}

std::int64_t required_capacity(Capacity room) {
  if (room.capacity < 0)
    throw InvalidArgument("capacity of " + std::to_string(room.capacity) + " elements",
                          "pass how many elements there is to be room for, 0 or more");
  return room.capacity;
}

/// Moves the elements of a dense mask's true places into `into`; without elements, moves the
/// places.
Array move_masked(const Array& mask, const Array* elements, const Array& into) {
  const Array total = empty({}, Scalar::int64, {.stream = into.stream()});
  const StreamRef stream = Access::node(into).context->stream({});
  const kernel::MaskedElements what{
      .size = static_cast<std::uint64_t>(mask.size()),
      .capacity = static_cast<std::uint64_t>(into.size()),
      .item_bytes = elements == nullptr ? 0 : elements->dtype().size_bytes()};
  const Array& given = elements == nullptr ? mask : *elements;
  const WithoutHostLock released;
  kernel::launch_masked(*stream, what, {mask, given, into, total});
  return total;
}

void require_together(const Array& x, const Array& mask) {
  require_one_context("a mask", *Access::node(x).context, *Access::node(mask).context);
}

/// Checks that the mask's shape fits the first axes of x.
void require_mask(const Array& x, const Array& mask) {
  if (mask.dtype() != Scalar::boolean)
    throw DTypeError("a mask of " + mask.dtype().name(), "a mask is bool: pass x != 0");
  require_together(x, mask);
  // NumPy allows a length of 0 for any axis: the mask then selects nothing.
  const auto fits = [](std::int64_t own, std::int64_t length) { return own == length || own == 0; };
  if (mask.rank() > x.rank() ||
      !std::equal(mask.shape().begin(), mask.shape().end(), x.shape().begin(), fits))
    throw IndexError("a mask of shape " + shape_text(mask.shape()) + " of an array of shape " +
                         shape_text(x.shape()),
                     "its lengths are those of the first axes");
}

/// Turns places among all elements into places along each axis.
std::vector<Array> along_axes(const Array& places, Extents shape) {
  std::vector<Array> all;
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) {
    Array place = places;
    if (step > 1) place = floor_divide(place, step);
    // Avoid a division by 0: there are no places if a length is 0.
    if (axis > 0) place = remainder(place, std::max<std::int64_t>(shape[axis], 1));
    all.push_back(std::move(place));
  }
  std::ranges::reverse(all);
  return all;
}

void require_axes(const Array& x) {
  if (x.rank() == 0) throw ShapeError("nonzero() of an array without axes", "pass atleast_1d(x)");
}

std::vector<AnyIndex> as_indices(std::vector<Array> places) {
  std::vector<AnyIndex> indices;
  for (Array& place : places) indices.emplace_back(IndexArray(std::move(place)));
  return indices;
}

/// A mask as long as the axis. A condition that is shorter counts as false behind its end.
Array padded_mask(const Array& condition, std::int64_t length) {
  if (condition.rank() != 1)
    throw ShapeError("a condition of shape " + shape_text(condition.shape()),
                     "compress() takes one axis; x[mask] takes masks of several");
  const Array mask = truth_of(condition);
  if (mask.size() == length) return mask;
  const std::int64_t common = std::min(mask.size(), length);
  const Array whole = zeros({length}, Scalar::boolean, {.stream = mask.stream()});
  whole.at({Index{.stop = common}}).assign(mask.at({Index{.stop = common}}));
  if (mask.size() > length && any(mask.at({Index{.start = length}})).as<bool>().front())
    throw IndexError("a condition of " + std::to_string(mask.size()) + " elements, true beyond " +
                         std::to_string(length),
                     "let it be as long as the axis, or shorter");
  return whole;
}

/// Throws unless the values fit where a mask selects no part of an array.
void require_parts(const Array& values, const Array& x, const Array& mask) {
  Shape shape{0};
  shape.insert(shape.end(), x.shape().begin() + mask.rank(), x.shape().end());
  if (values.size() != 1) broadcast_to(values, shape);
}

}  // namespace

Array flatnonzero(const Array& x) {
  const Array mask = truth_of(x);
  const Array places = empty({count_of(mask)}, Scalar::int64, {.stream = mask.stream()});
  if (places.size() > 0) move_masked(mask, nullptr, places);
  return places;
}

Counted flatnonzero(const Array& x, Capacity room) {
  const Array places = zeros({required_capacity(room)}, Scalar::int64, {.stream = x.stream()});
  compute(Access::node(places));
  const Array count = move_masked(truth_of(x), nullptr, places);
  return {places, count};
}

std::vector<Array> nonzero(const Array& x) {
  require_axes(x);
  return along_axes(flatnonzero(x), x.shape());
}

CountedPlaces nonzero(const Array& x, Capacity room) {
  require_axes(x);
  const Counted flat = flatnonzero(x, room);
  return {along_axes(flat.values, x.shape()), flat.count};
}

Array argwhere(const Array& x) {
  const Array places = flatnonzero(x);
  const Array rows = empty({places.size(), x.rank()}, Scalar::int64, {.stream = places.stream()});
  const std::vector<Array> columns = along_axes(places, x.shape());
  for (std::size_t axis = 0; axis < columns.size(); ++axis)
    rows.at({Index::all(), Index::at(static_cast<std::int64_t>(axis))}).assign(columns[axis]);
  return rows;
}

Array selected(const Array& x, const Array& mask) {
  require_mask(x, mask);
  const Array truth = truth_of(mask);
  if (mask.rank() < x.rank() || truth.size() == 0) {
    Array places = flatnonzero(truth);
    Shape shape{places.size()};
    shape.insert(shape.end(), x.shape().begin() + mask.rank(), x.shape().end());
    if (mask.rank() == 0) {  // the result's first axis has one element or none
      const Array whole = expand_dims(x, 0);
      return take(whole, IndexArray(places), 0);
    }
    if (places.size() == 0) return empty(shape, x.dtype(), {.stream = x.stream()});
    return at(x, as_indices(along_axes(places, mask.shape())));
  }
  const Array elements = dense(x);
  const Array values = empty({count_of(truth)}, x.dtype(), {.stream = elements.stream()});
  if (values.size() > 0) move_masked(truth, &elements, values);
  return values;
}

Counted selected(const Array& x, const Array& mask, Capacity room) {
  require_mask(x, mask);
  if (!std::ranges::equal(x.shape(), mask.shape()))
    throw ShapeError("a mask of shape " + shape_text(mask.shape()) + " of an array of shape " +
                         shape_text(x.shape()) + ", with a capacity",
                     "broadcast the mask to all axes");
  const Array elements = dense(x);
  const Array values = empty({required_capacity(room)}, x.dtype(), {.stream = elements.stream()});
  if (x.dtype().scalar() != Scalar::structure) values.assign(0);
  const Array count = move_masked(truth_of(mask), &elements, values);
  return {values, count};
}

void assign_selected(const Array& x, const Array& mask, const Operand& value) {
  require_mask(x, mask);
  const int behind = x.rank() - mask.rank();
  const Array* values = value.array();
  // A value that broadcasts to every selected part needs no places: one kernel writes under the
  // mask.
  if (values == nullptr || values->rank() <= behind || values->size() == 1) {
    if (mask.size() == 0) {  // the number is checked against the dtype, although nothing is written
      const Array none = full({}, false, Scalar::boolean, {.stream = x.stream()});
      return values == nullptr ? x.assign_where(none, value) : require_parts(*values, x, mask);
    }
    Shape shape = shape_of(mask);
    shape.insert(shape.end(), static_cast<std::size_t>(behind), 1);
    return x.assign_where(behind == 0 ? mask : reshape(mask, shape), value);
  }
  if (mask.rank() == 0) return assign_selected(expand_dims(x, 0), expand_dims(mask, 0), value);
  const std::vector<Array> places = nonzero(mask);
  if (places.front().size() > 0) return assign_at(x, as_indices(places), value);
  require_parts(*values, x, mask);
}

Array extract(const Array& condition, const Array& x) {
  return compress(ravel(condition), ravel(x), 0);
}

Counted extract(const Array& condition, const Array& x, Capacity room) {
  const Array elements = ravel(x);
  return selected(elements, padded_mask(ravel(condition), elements.size()), room);
}

Array compress(const Array& condition, const Array& x, std::optional<int> axis) {
  if (!axis) return compress(condition, ravel(x), 0);
  if (x.rank() == 0) return compress(condition, atleast_1d(x), axis);
  require_together(x, condition);
  const std::size_t along = counted_axis(x, *axis);
  const Array mask = padded_mask(condition, x.shape()[along]);
  if (x.rank() == 1) return selected(x, mask);
  return take(x, IndexArray(flatnonzero(mask)), *axis);
}

Array without(const Array& x, const Array& indices, std::optional<int> axis) {
  if (!axis) return without(ravel(x), indices, 0);
  require_together(x, indices);
  const std::int64_t length = x.shape()[counted_axis(x, *axis)];
  if (indices.dtype() == Scalar::boolean) {
    if (indices.rank() != 1 || indices.size() != length)
      throw IndexError("a mask of shape " + shape_text(indices.shape()) + " along an axis of " +
                           std::to_string(length) + " elements",
                       "let it have one axis of that length");
    return compress(~indices, x, axis);
  }
  const Array kept = ones({length}, Scalar::boolean, {.stream = x.stream()});
  put(kept, IndexArray(indices), false);
  return compress(kept, x, axis);
}

}  // namespace treadle::array
