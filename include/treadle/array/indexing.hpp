// SPDX-License-Identifier: MIT
// Elements chosen by arrays of indices. Reading returns a new array, which stays pending and joins
// the kernel that uses it: take(x, i) * 2 is one kernel. Writing is done at once. If indices name a
// place twice, the place gets one of its values, and it is undefined which.
//
// Indices of the host are checked before a launch. Indices on the device are not checked, because
// the check would wait for them. Negative indices count from the end. An index beyond its axis
// reads some element of the axis, and writes none. No memory outside of the array is touched.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// The meaning of an index beyond its axis.
enum class Bounds : std::uint8_t {
  checked,  ///< an error; see above
  wrap,     ///< continue from the other end of the axis
  clip,     ///< the first or the last element; negative indices mean the first
};

/// Indices along an axis, in any shape, on the device or on the host.
class IndexArray {
 public:
  // Implicit: take(x, indices) and take(x, {2, 0, 1}).
  /// Throws DTypeError unless the array has an integer dtype.
  IndexArray(const Array& array);
  IndexArray(std::initializer_list<std::int64_t> values)
      : IndexArray(std::vector<std::int64_t>(values)) {}
  IndexArray(std::vector<std::int64_t> values)
      : shape_{static_cast<std::int64_t>(values.size())}, values_(std::move(values)) {}
  /// Indices in C's order. Throws ShapeError unless the number of values fits the shape.
  IndexArray(std::vector<std::int64_t> values, Shape shape);

  /// The length of each axis.
  Extents shape() const noexcept { return shape_; }
  /// The number of indices.
  std::int64_t size() const noexcept;
  /// Null: the indices are on the host.
  const Array* array() const noexcept { return array_.has_value() ? &array_ : nullptr; }
  /// The indices on the host.
  const std::vector<std::int64_t>& values() const noexcept { return values_; }

 private:
  Array array_;
  Shape shape_;
  std::vector<std::int64_t> values_;
};

/// One entry between the brackets of an index expression.
using AnyIndex = std::variant<Index, IndexArray>;

/// Returns x[indices] as NumPy does if some of the indices are arrays. The arrays broadcast
/// together. Their axes replace the arrays if these are adjacent; otherwise their axes come first
/// (an integer counts as an array). Throws IndexError, ShapeError if arrays do not broadcast, and
/// InvalidArgument for arrays of another device or context.
Array at(const Array& x, List<AnyIndex> indices);
/// Sets the elements that at() reads to `value`, broadcast and cast as by assign().
void assign_at(const Array& x, List<AnyIndex> indices, const Operand& value);

/// Takes parts of x at indices along an axis. The axes of the indices replace that axis.
Array take(const Array& x, const IndexArray& indices, int axis, Bounds bounds = Bounds::checked);
/// Takes elements at indices that count in C's order.
Array take(const Array& x, const IndexArray& indices, Bounds bounds = Bounds::checked);
/// Sets the elements at indices, which count in C's order, to `values` in their order. If there are
/// fewer values, they are repeated. Throws InvalidArgument for no values.
void put(const Array& x, const IndexArray& indices, const Operand& values,
         Bounds bounds = Bounds::checked);

/// Takes the element at each index along an axis; in the other axes the place is that of the index.
/// Applies the result of argsort(). The other lengths broadcast. Throws ShapeError for another
/// number of axes.
Array take_along_axis(const Array& x, const IndexArray& indices, int axis);
/// Sets the elements that take_along_axis() reads to `values`.
void put_along_axis(const Array& x, const IndexArray& indices, const Operand& values, int axis);

/// Turns places in an array of this shape, counted in this order, into an index along each axis,
/// int64. Reads the places, and waits. Throws InvalidArgument for a place beyond the shape,
/// DTypeError for places that are not integers.
std::vector<Array> unravel_index(const Array& places, const Shape& shape,
                                 MemoryOrder order = MemoryOrder::c);
/// Turns indices into places. There is one array of indices for each axis, and the arrays
/// broadcast. Throws ShapeError for another number of arrays. Bounds::checked reads the indices,
/// and waits; it throws InvalidArgument for an index beyond its axis, and for a negative index.
Array ravel_multi_index(List<Array> indices, const Shape& shape, Bounds bounds = Bounds::checked,
                        MemoryOrder order = MemoryOrder::c);

/// The order of the bits of an integer.
enum class BitOrder : std::uint8_t {
  big,    ///< the first bit is the highest of its byte
  little  ///< the first bit is the lowest of its byte
};
/// Packs along an axis whether elements are not 0, eight elements in a uint8. Zeros fill the last
/// byte. Throws DTypeError for dtypes other than integers and bool.
Array packbits(const Array& x, int axis = -1, BitOrder order = BitOrder::big);
/// Unpacks the bits of uint8 elements along an axis, as uint8. Throws DTypeError for other dtypes.
Array unpackbits(const Array& x, int axis = -1, BitOrder order = BitOrder::big);

/// Repeats each part along an axis by the part's count. Throws InvalidArgument for another number
/// of counts, or a count below 0.
Array repeat(const Array& x, List<std::int64_t> counts, int axis);

}  // namespace treadle::array
