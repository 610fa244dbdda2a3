// SPDX-License-Identifier: MIT
#include "treadle/base/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

// "axis 1 of (3, 4)".
std::string axis_text(int axis, Extents shape) {
  return "axis " + std::to_string(axis) + " of " + shape_text(shape);
}

}  // namespace

std::string shape_text(Extents shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Layout Layout::of_rank(std::size_t rank, std::int64_t offset_bytes) {
  if (rank > max_rank)
    throw ShapeError("an array of " + std::to_string(rank) + " axes; there may be " +
                     std::to_string(max_rank));
  Layout made;
  if (rank > inline_rank) made.spilled_ = new std::int64_t[2 * rank]();
  made.rank_ = static_cast<std::int64_t>(rank);
  made.offset_bytes_ = offset_bytes;
  return made;
}

Layout::Layout(Extents shape, Extents strides, std::int64_t offset_bytes) {
  if (shape.size() != strides.size())
    throw ShapeError("shape " + shape_text(shape) + " with strides " + shape_text(strides));
  Layout made = of_rank(shape.size(), offset_bytes);
  std::ranges::copy(shape, made.extent_values());
  std::ranges::copy(strides, made.stride_values());
  made.require_countable(1);
  *this = std::move(made);
}

Layout Layout::contiguous(Extents shape, std::size_t item_bytes, MemoryOrder order) {
  Layout made = of_rank(shape.size(), 0);
  std::ranges::copy(shape, made.extent_values());
  made.require_countable(static_cast<std::int64_t>(item_bytes));
  auto stride = static_cast<std::int64_t>(item_bytes);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == MemoryOrder::c ? shape.size() - 1 - i : i;
    made.stride_values()[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return made;
}

void Layout::require_countable(std::int64_t unit) const {
  // Zeros are counted as ones: strides of an empty array are those of the others.
  std::int64_t product = unit;
  for (const std::int64_t extent : shape()) {
    if (extent < 0) throw ShapeError("shape " + shape_text(shape()) + " has a negative extent");
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product))
      throw ShapeError("shape " + shape_text(shape()) + " is too large");
  }
}

void Layout::copy_spilled(const Layout& other) {
  spilled_ = new std::int64_t[2 * static_cast<std::size_t>(rank_)];
  std::copy_n(other.spilled_, 2 * rank_, spilled_);
}

std::int64_t Layout::size() const noexcept { return element_count(shape()); }

// Of the values in place all are compared: sizes that are constants need no call.
bool Layout::operator==(const Layout& other) const noexcept {
  if (rank_ != other.rank_ || offset_bytes_ != other.offset_bytes_) return false;
  if (rank_ <= inline_rank) return std::memcmp(inline_, other.inline_, sizeof inline_) == 0;
  return std::memcmp(spilled_, other.spilled_,
                     2 * static_cast<std::size_t>(rank_) * sizeof(std::int64_t)) == 0;
}

bool Layout::same_shape(const Layout& other) const noexcept {
  if (rank_ != other.rank_) return false;
  if (rank_ <= inline_rank) return std::memcmp(inline_, other.inline_, sizeof inline_ / 2) == 0;
  return std::memcmp(spilled_, other.spilled_,
                     static_cast<std::size_t>(rank_) * sizeof(std::int64_t)) == 0;
}

bool Layout::is_contiguous(std::size_t item_bytes, MemoryOrder order) const noexcept {
  auto expected = static_cast<std::int64_t>(item_bytes);
  bool without_gaps = true;
  for (int i = 0; i < rank(); ++i) {
    const auto axis = static_cast<std::size_t>(order == MemoryOrder::c ? rank() - 1 - i : i);
    const std::int64_t extent = shape()[axis];
    if (extent == 0) return true;
    if (extent != 1 && strides()[axis] != expected) without_gaps = false;
    expected *= extent;
  }
  return without_gaps;
}

ByteRange Layout::byte_range(std::size_t item_bytes) const noexcept {
  ByteRange range{offset_bytes_, offset_bytes_};
  if (size() == 0) return range;
  for (std::size_t axis = 0; axis < shape().size(); ++axis) {
    const std::int64_t reach = (shape()[axis] - 1) * strides()[axis];
    (reach < 0 ? range.begin : range.end) += reach;
  }
  range.end += static_cast<std::int64_t>(item_bytes);
  return range;
}

bool Layout::may_repeat_elements(std::size_t item_bytes) const {
  if (size() <= 1) return false;
  std::array<std::pair<std::int64_t, std::int64_t>, max_rank> all;  // stride, extent
  std::size_t count = 0;
  for (std::size_t axis = 0; axis < shape().size(); ++axis)
    if (shape()[axis] > 1) all[count++] = {std::abs(strides()[axis]), shape()[axis]};
  const std::span axes = std::span(all).first(count);
  std::ranges::sort(axes);
  auto filled = static_cast<std::int64_t>(item_bytes);  // bytes that the inner axes reach over
  for (const auto& [stride, extent] : axes) {
    if (stride < filled) return true;
    filled += stride * (extent - 1);
  }
  return false;
}

Layout Layout::permuted(std::span<const int> axes) const {
  std::array<bool, max_rank> taken{};
  if (axes.size() != shape().size())
    throw InvalidArgument(std::to_string(axes.size()) + " axes to permute shape " +
                          shape_text(shape()));
  Layout made = of_rank(axes.size(), offset_bytes_);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto from = static_cast<std::size_t>(checked_axis(axes[i], rank()));
    if (std::exchange(taken[from], true))
      throw InvalidArgument("axis " + std::to_string(axes[i]) + " is there twice");
    made.extent_values()[i] = shape()[from];
    made.stride_values()[i] = strides()[from];
  }
  return made;
}

Layout Layout::transposed() const {
  Layout made = of_rank(shape().size(), offset_bytes_);
  std::ranges::reverse_copy(shape(), made.extent_values());
  std::ranges::reverse_copy(strides(), made.stride_values());
  return made;
}

Layout Layout::swapped(int axis, int other) const {
  const int first = checked_axis(axis, rank(), "axis1");
  const int second = checked_axis(other, rank(), "axis2");
  Layout made = *this;
  std::swap(made.extent_values()[first], made.extent_values()[second]);
  std::swap(made.stride_values()[first], made.stride_values()[second]);
  return made;
}

Layout Layout::moved(int axis, int destination) const {
  const int from = checked_axis(axis, rank()), to = checked_axis(destination, rank());
  Layout made = *this;
  const auto move = [&](std::int64_t* values) {
    if (from < to)
      std::rotate(values + from, values + from + 1, values + to + 1);
    else
      std::rotate(values + to, values + from, values + from + 1);
  };
  move(made.extent_values());
  move(made.stride_values());
  return made;
}

Layout Layout::flipped(int axis) const {
  const int which = checked_axis(axis, rank());
  Layout made = *this;
  std::int64_t& stride = made.stride_values()[which];
  // Of an empty array no element is the last one.
  made.offset_bytes_ += std::max<std::int64_t>(made.extent_values()[which] - 1, 0) * stride;
  stride = -stride;
  return made;
}

Layout Layout::squeezed() const {
  const auto left = shape().size() - static_cast<std::size_t>(std::ranges::count(shape(), 1));
  Layout made = of_rank(left, offset_bytes_);
  std::size_t to = 0;
  for (std::size_t axis = 0; axis < shape().size(); ++axis) {
    if (shape()[axis] == 1) continue;
    made.extent_values()[to] = shape()[axis];
    made.stride_values()[to++] = strides()[axis];
  }
  return made;
}

Layout Layout::squeezed(int axis) const {
  const auto gone = static_cast<std::size_t>(checked_axis(axis, rank()));
  if (shape()[gone] != 1)
    throw ShapeError(axis_text(axis, shape()) + " cannot be removed: its extent is not 1");
  Layout made = of_rank(shape().size() - 1, offset_bytes_);
  for (std::size_t from = 0, to = 0; from < shape().size(); ++from) {
    if (from == gone) continue;
    made.extent_values()[to] = shape()[from];
    made.stride_values()[to++] = strides()[from];
  }
  return made;
}

Layout Layout::expanded(int axis) const {
  const auto added = static_cast<std::size_t>(checked_axis(axis, rank() + 1));
  Layout made = of_rank(shape().size() + 1, offset_bytes_);
  for (std::size_t from = 0, to = 0; to < made.shape().size(); ++to) {
    made.extent_values()[to] = to == added ? 1 : shape()[from];
    made.stride_values()[to] = to == added ? 0 : strides()[from];
    if (to != added) ++from;
  }
  return made;
}

Layout Layout::diagonal(std::int64_t offset, int axis, int other) const {
  const auto row = static_cast<std::size_t>(checked_axis(axis, rank(), "axis1"));
  const auto column = static_cast<std::size_t>(checked_axis(other, rank(), "axis2"));
  if (row == column)
    throw InvalidArgument("the diagonal of axis " + std::to_string(axis) + " with itself");
  Layout made = of_rank(shape().size() - 1, offset_bytes_);
  for (std::size_t from = 0, to = 0; from < shape().size(); ++from) {
    if (from == row || from == column) continue;
    made.extent_values()[to] = shape()[from];
    made.stride_values()[to++] = strides()[from];
  }
  const std::int64_t row_start = offset < 0 ? -offset : 0, column_start = offset > 0 ? offset : 0;
  const std::int64_t length =
      std::max<std::int64_t>(std::min(shape()[row] - row_start, shape()[column] - column_start), 0);
  const std::size_t last = shape().size() - 2;
  made.extent_values()[last] = length;
  made.stride_values()[last] = strides()[row] + strides()[column];
  if (length > 0)
    made.offset_bytes_ += row_start * strides()[row] + column_start * strides()[column];
  return made;
}

Layout Layout::windows(int axis, std::int64_t length) const {
  const auto slides = static_cast<std::size_t>(checked_axis(axis, rank()));
  if (length < 1) throw InvalidArgument("windows of length " + std::to_string(length));
  if (length > shape()[slides])
    throw ShapeError("windows of length " + std::to_string(length) + " along " +
                     axis_text(axis, shape()));
  Layout made = of_rank(shape().size() + 1, offset_bytes_);
  std::ranges::copy(shape(), made.extent_values());
  std::ranges::copy(strides(), made.stride_values());
  made.extent_values()[slides] -= length - 1;
  made.extent_values()[shape().size()] = length;
  made.stride_values()[shape().size()] = strides()[slides];
  made.require_countable(1);
  return made;
}

}  // namespace treadle
