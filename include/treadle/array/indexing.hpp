// SPDX-License-Identifier: MIT
// Elements chosen by arrays of indices. Reading gives a new array, which waits until somebody looks
// and is part of the kernel of what it is used in: take(x, i) * 2 is one kernel. Writing is done at
// once; where a place is named twice, one of its values is there afterwards, and nobody knows
// which.
//
// Indices of the host are checked before anything is launched. Those on the device are not, since
// that would wait for them: negative ones count from the end, and one beyond its axis reads an
// element of the axis all the same, and writes none. No memory outside of the array is touched.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// What an index beyond its axis means.
enum class Bounds : std::uint8_t {
  checked,  ///< a mistake; see above
  wrap,     ///< counted on from the other end of the axis
  clip,     ///< the first or the last element; negative ones are the first
};

/// Indices along an axis, in any shape: on the device, or of the host.
class IndexArray {
 public:
  // Implicit: take(x, indices) and take(x, {2, 0, 1}).
  /// Throws DTypeError unless they are integers.
  IndexArray(const Array& array);
  IndexArray(std::initializer_list<std::int64_t> values)
      : IndexArray(std::vector<std::int64_t>(values)) {}
  IndexArray(std::vector<std::int64_t> values)
      : shape_{static_cast<std::int64_t>(values.size())}, values_(std::move(values)) {}
  /// In C's order. Throws ShapeError unless there are as many as the shape says.
  IndexArray(std::vector<std::int64_t> values, Shape shape);

  /// The length of each axis.
  Extents shape() const noexcept { return shape_; }
  /// How many they are.
  std::int64_t size() const noexcept;
  /// Null: the indices are the host's.
  const Array* array() const noexcept { return array_ ? &array_ : nullptr; }
  /// The indices of the host.
  const std::vector<std::int64_t>& values() const noexcept { return values_; }

 private:
  Array array_;
  Shape shape_;
  std::vector<std::int64_t> values_;
};

/// One entry between the brackets of an index expression.
using AnyIndex = std::variant<Index, IndexArray>;

/// What x[indices] is in NumPy if some of the indices are arrays. The arrays are broadcast
/// together. Their axes stand where the arrays stood; if the arrays are not side by side, their
/// axes come first (an integer counts as an array). Throws IndexError, ShapeError if arrays do not
/// broadcast, and InvalidArgument for arrays of another device or context.
Array at(const Array& x, std::span<const AnyIndex> indices);
/// Sets the elements of at() to those of `value`, broadcast and cast as by assign().
void assign_at(const Array& x, std::span<const AnyIndex> indices, const Operand& value);

/// Parts of x at indices along an axis. The axes of the indices stand in the place of that axis.
Array take(const Array& x, const IndexArray& indices, int axis, Bounds bounds = Bounds::checked);
/// Elements at indices in C's order.
Array take(const Array& x, const IndexArray& indices, Bounds bounds = Bounds::checked);
/// Sets the elements at indices in C's order to `values`, in their order; fewer values are
/// repeated. Throws InvalidArgument for no values.
void put(const Array& x, const IndexArray& indices, const Operand& values,
         Bounds bounds = Bounds::checked);

/// The element at each index along an axis, in the row, column ... of that index: the use of
/// argsort()'s result. The other lengths broadcast. Throws ShapeError for another number of axes.
Array take_along_axis(const Array& x, const IndexArray& indices, int axis);
/// Sets these elements to `values`.
void put_along_axis(const Array& x, const IndexArray& indices, const Operand& values, int axis);

/// Of each place in this order of an array of this shape its index along each axis, int64.
/// Looks at the places, and waits. Throws InvalidArgument for one that is not there, DTypeError for
/// places that are no integers.
std::vector<Array> unravel_index(const Array& places, const Shape& shape,
                                 MemoryOrder order = MemoryOrder::c);
/// The place of each index, of which there is one array for each axis; they broadcast. Throws
/// ShapeError for another number of arrays. Bounds::checked looks at them, and waits: throws
/// InvalidArgument for one that its axis does not have; none counts from the end.
Array ravel_multi_index(std::span<const Array> indices, const Shape& shape,
                        Bounds bounds = Bounds::checked, MemoryOrder order = MemoryOrder::c);

/// Bits of integers in order.
enum class BitOrder : std::uint8_t {
  big,    ///< the first is the highest of its byte
  little  ///< the first is the lowest
};
/// Whether elements are not 0, eight in a uint8 along an axis; the last is filled with zeros.
/// Throws DTypeError for other elements than integers and bool.
Array packbits(const Array& x, int axis = -1, BitOrder order = BitOrder::big);
/// The bits of uint8 elements along an axis, as uint8. Throws DTypeError for other elements.
Array unpackbits(const Array& x, int axis = -1, BitOrder order = BitOrder::big);

/// Each part along an axis as often as its count says. Throws InvalidArgument for another number of
/// counts, or one below 0.
Array repeat(const Array& x, std::span<const std::int64_t> counts, int axis);

}  // namespace treadle::array
