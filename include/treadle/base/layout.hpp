// SPDX-License-Identifier: MIT
// Where the elements of an array lie: shape, strides and offset, and the views that only change
// these. Nothing here touches memory, and up to four axes nothing allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace treadle {

/// Extents of axes, outermost first; or strides in bytes of either sign, or zero.
using Extents = std::span<const std::int64_t>;

/// How many elements there are: the product of the extents, 1 of no axes.
constexpr std::int64_t element_count(Extents extents) noexcept {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

/// The order of elements in memory: C has the last axis innermost, Fortran the first.
enum class MemoryOrder : std::uint8_t { c, fortran };

/// One entry between the brackets of an index expression.
struct Index {
  /// What it is; what it says of an axis stands below.
  enum class Kind : std::uint8_t { integer, slice, ellipsis, new_axis };
  Kind kind = Kind::slice;  ///< all of an axis, unless said otherwise
  /// Of an integer its value; of a slice where it begins. Negative counts from the end.
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};  ///< of a slice: the first element left out
  std::int64_t step = 1;                  ///< of a slice: not 0

  /// One element of an axis, which is gone then.
  static Index at(std::int64_t position) { return {Kind::integer, position}; }
  /// A whole axis.
  static Index all() { return {}; }
  /// As many whole axes as there are left; at most once.
  static Index ellipsis() { return {Kind::ellipsis}; }
  /// An axis of length 1 that was not there.
  static Index new_axis() { return {Kind::new_axis}; }
};

/// The bytes from `begin` up to, not including, `end`.
struct ByteRange {
  std::int64_t begin, end;
  bool operator==(const ByteRange&) const = default;
};

/// Shape, byte strides, and the byte offset of the first element in its memory. A value; equal if
/// all three are. Axes are counted from 0, or from -1 backwards; one that does not exist is an
/// IndexError.
class Layout {
 public:
  static constexpr int max_rank = 64;    ///< NumPy's
  static constexpr int inline_rank = 4;  ///< up to here there is no allocation

  /// One element, no axes.
  Layout() noexcept {}
  /// Throws ShapeError for more than max_rank axes, a negative extent, more strides or fewer than
  /// extents, or more elements than 63 bits count.
  Layout(Extents shape, Extents strides, std::int64_t offset_bytes = 0);
  /// Without gaps. Throws ShapeError as above, of bytes.
  static Layout contiguous(Extents shape, std::size_t item_bytes,
                           MemoryOrder order = MemoryOrder::c);

  // Inline, for arrays are recorded and evaluated by them.
  Layout(const Layout& other) : offset_bytes_(other.offset_bytes_), rank_(other.rank_) {
    if (rank_ > inline_rank) [[unlikely]]
      copy_spilled(other);
    else
      std::memcpy(inline_, other.inline_, sizeof inline_);
  }
  Layout(Layout&& other) noexcept : Layout() { *this = std::move(other); }
  Layout& operator=(const Layout& other) {
    Layout copy(other);
    return *this = std::move(copy);
  }
  Layout& operator=(Layout&& other) noexcept {
    std::swap(offset_bytes_, other.offset_bytes_);
    std::swap(rank_, other.rank_);
    std::swap(inline_, other.inline_);  // the pointer lies in the same bytes
    return *this;
  }
  ~Layout() {
    if (rank_ > inline_rank) [[unlikely]]
      delete[] spilled_;
  }

  /// Axes.
  int rank() const noexcept { return static_cast<int>(rank_); }
  /// Of each axis its length; valid as long as the layout.
  Extents shape() const noexcept { return {values(), static_cast<std::size_t>(rank_)}; }
  /// Of each axis the bytes from one element to the next; valid as long as the layout.
  Extents strides() const noexcept {
    return {values() + stride_begin(), static_cast<std::size_t>(rank_)};
  }
  /// Where the first element begins.
  std::int64_t offset_bytes() const noexcept { return offset_bytes_; }
  /// Elements: the product of the extents; 1 without axes.
  std::int64_t size() const noexcept;
  bool operator==(const Layout& other) const noexcept;
  /// Whether the extents are equal.
  bool same_shape(const Layout& other) const noexcept;

  /// Whether the elements lie without gaps in this order; so do empty arrays.
  bool is_contiguous(std::size_t item_bytes, MemoryOrder order = MemoryOrder::c) const noexcept;
  /// The bytes of all elements and the gaps between them; empty for no elements.
  ByteRange byte_range(std::size_t item_bytes) const noexcept;
  /// False if all elements lie at places of their own. A zero stride over more than one element
  /// repeats them, windows do; of strides that interleave irregularly it may be true without need.
  bool may_repeat_elements(std::size_t item_bytes) const;

  /// What a[indices] is. Throws IndexError naming index, axis and extent, and InvalidArgument for a
  /// step of 0.
  Layout indexed(std::span<const Index> indices) const;
  /// The axes in another order, each once, else InvalidArgument.
  Layout permuted(std::span<const int> axes) const;
  Layout transposed() const;  ///< all axes reversed
  Layout swapped(int axis, int other) const;
  Layout moved(int axis, int destination) const;  ///< the others stay in order
  Layout flipped(int axis) const;                 ///< its elements from last to first
  Layout squeezed() const;                        ///< without axes of extent 1
  /// Without this axis; ShapeError if its extent is not 1.
  Layout squeezed(int axis) const;
  Layout expanded(int axis) const;  ///< with an axis of extent 1 that becomes this one
  /// Repeats axes of extent 1 by zero strides. Throws ShapeError with both shapes and the axis.
  Layout broadcast_to(Extents shape) const;
  /// The same elements in C order under other extents, one of which may be -1: what is left. None
  /// if strides cannot say it, and a copy is needed. Throws ShapeError if the sizes differ.
  std::optional<Layout> reshaped(Extents shape, std::size_t item_bytes) const;
  /// Elements (i, i + offset) of two axes, as a new last one.
  Layout diagonal(std::int64_t offset, int axis, int other) const;
  /// All windows of `length` neighbours along an axis, whose elements are a new last axis. Throws
  /// ShapeError for windows longer than the axis, InvalidArgument for a length below 1.
  Layout windows(int axis, std::int64_t length) const;
  /// Elements from `begin` up to `end` of an axis; a[begin:end] there.
  Layout sliced(int axis, std::int64_t begin, std::int64_t end) const;
  /// Cut at these positions along an axis, as numpy.split() does.
  std::vector<Layout> split(int axis, std::span<const std::int64_t> positions) const;

 private:
  static Layout of_rank(std::size_t rank, std::int64_t offset_bytes);
  void copy_spilled(const Layout& other);
  std::size_t stride_begin() const noexcept {
    return rank_ > inline_rank ? static_cast<std::size_t>(rank_) : inline_rank;
  }
  const std::int64_t* values() const noexcept { return rank_ > inline_rank ? spilled_ : inline_; }
  std::int64_t* extent_values() noexcept { return rank_ > inline_rank ? spilled_ : inline_; }
  std::int64_t* stride_values() noexcept { return extent_values() + stride_begin(); }
  void require_countable(std::int64_t unit) const;

  std::int64_t offset_bytes_ = 0;
  std::int64_t rank_ = 0;
  // Extents, then strides; unused ones are 0, so that bytes can be compared.
  union {
    std::int64_t inline_[2 * inline_rank] = {};
    std::int64_t* spilled_;
  };

  friend Layout broadcast(std::span<const Layout* const> operands, std::size_t item_bytes);
};

/// "(3, 4)", "(5,)", "()".
std::string shape_text(Extents shape);

/// The layout of a new array that holds one element for each of the broadcast operands: without
/// gaps, its axes in the order that the operands' strides suggest, C order where they do not
/// (NumPy's order 'K'). Throws ShapeError with the shapes and the axis that do not fit.
Layout broadcast(std::span<const Layout* const> operands, std::size_t item_bytes);

/// How the elements of two arrays in one memory lie to each other.
enum class Overlap : std::uint8_t {
  none,     ///< no byte in common
  same,     ///< elements of the same index are the same
  partial,  ///< some bytes in common, in another way; or too intricate to tell
};
/// Takes byte ranges, steps, and boxes of a larger array into account: a[::2] and a[1::2] have
/// nothing in common. The effort is bounded.
Overlap overlap(const Layout& a, std::size_t a_item_bytes, const Layout& b,
                std::size_t b_item_bytes);

}  // namespace treadle
