// SPDX-License-Identifier: MIT
// Arrays on a device with NumPy's semantics. Operations look eager and are lazy: a + b returns an
// array with a shape and a dtype and without memory. Reading the result computes its whole
// expression as one kernel.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "treadle/array/operand.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/base/list.hpp"
#include "treadle/base/op.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::array {

class Node;
class View;
struct Access;

/// An entry of x(i, j): an integer, or an Index.
template <class T>
concept IndexEntry = std::same_as<T, Index> || (std::integral<T> && !std::same_as<T, bool>);

/// The length of each axis of a new array: {3, 4}.
using Shape = std::vector<std::int64_t>;

/// Where and how a new array gets memory; by default on the current device and stream.
struct Placement {
  std::shared_ptr<device::Stream> stream = {};  ///< null: the current one
  MemoryOrder order = MemoryOrder::c;           ///< the order of elements in memory
  bool is_read_only = false;                    ///< for view_of(): refuse changes
  /// For view_of(): whether no other code knows the memory, so that expressions on it may stay
  /// pending.
  bool is_unshared = false;
};

/// A rectangular block of elements of one dtype on one device. Copies of an Array share the same
/// array, as names do in Python. Any thread may use an Array; if two threads change one array at
/// the same time, either change may come first.
///
/// Functions that return arrays return at once. They check shapes and dtypes and throw for wrong
/// ones. Work is queued on the current stream of the device. An expression is computed when its
/// result is needed: by get(), item(), buffer(), a view, an in-place change of an operand,
/// evaluate().
class Array {
 public:
  /// Makes no array: every function throws InvalidState.
  Array() noexcept = default;
  /// Copies values of the host into a new array of their shape. Blocks; the range may change after
  /// return. Array::from(std::vector{1.f, 2.f}).
  template <memory::HostValues Range>
  static Array from(const Range& values, const Placement& placement = {}) {
    return from(std::ranges::data(values),
                Shape{static_cast<std::int64_t>(std::ranges::size(values))},
                dtype_of<std::ranges::range_value_t<Range>>(), placement);
  }
  /// Copies a vector of bool, which stores bits and has no address of elements.
  static Array from(const std::vector<bool>& values, const Placement& placement = {}) {
    const auto elements = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), elements.get());
    return from(std::span(elements.get(), values.size()), placement);
  }
  /// Copies values in C's order (or in the order of `placement`) from an address.
  static Array from(const void* values, const Shape& shape, const DType& dtype,
                    const Placement& placement = {});
  /// Makes an array of existing memory. Offset and strides of the layout count from the buffer's
  /// start. Uses of the array come after the work that is queued on `stream` now. Throws
  /// InvalidArgument if the layout reaches beyond the buffer.
  static Array view_of(memory::Buffer buffer, const Layout& layout, const DType& dtype,
                       const Placement& placement = {});

  /// Copies a row of numbers: Array::from({1.0, 2.0}).
  template <class T>
    requires(!std::same_as<T, bool>)
  static Array from(std::initializer_list<T> values, const Placement& placement = {}) {
    return from(std::span(values.begin(), values.size()), placement);
  }
  /// Copies rows of numbers: Array::from({{1.0, 2.0}, {3.0, 4.0}}). Throws ShapeError for rows of
  /// several lengths.
  template <class T>
    requires(!std::same_as<T, bool>)
  static Array from(std::initializer_list<std::initializer_list<T>> rows,
                    const Placement& placement = {}) {
    std::vector<T> values;
    for (const std::initializer_list<T>& row : rows) {
      require_row(rows.begin()->size(), row.size());
      values.insert(values.end(), row);
    }
    const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
    return from(values.data(),
                {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)},
                dtype_of<T>(), placement);
  }

  /// Whether there is an array. Its elements do not matter: `if (any(x > 5))` asks for these.
  bool has_value() const noexcept { return node_ != nullptr; }
  /// The length of each axis. The result is valid as long as the array.
  Extents shape() const { return layout().shape(); }
  Extents strides() const { return layout().strides(); }  ///< in bytes
  /// The layout, also of a pending array. Its offset counts from the buffer's start.
  const Layout& layout() const;
  const DType& dtype() const;  ///< of an element
  /// The number of axes.
  int rank() const { return layout().rank(); }
  std::int64_t size() const { return layout().size(); }  ///< elements
  std::int64_t size_bytes() const;                       ///< of all elements
  device::Device& device() const;                        ///< where it is
  /// The stream of the last change. For a pending array, the stream on which it was recorded.
  std::shared_ptr<device::Stream> stream() const;
  /// Whether the array has not been computed yet.
  bool is_pending() const;
  /// Whether the array is the result of an operation and has no axes. NumPy returns a number there,
  /// which no other name can change: Python's `s += 1` makes a new array of such a result.
  bool is_scalar() const;
  /// Whether the array can be written to: the array and its base are not read-only, and no two
  /// elements share memory.
  bool is_writable() const;
  /// Whether somebody else may reach the elements: another Array of this node or of its memory, or
  /// a pending expression that reads it.
  bool is_shared() const;
  /// How often arrays and launches have queued work that writes to the memory. Another number: the
  /// elements may have changed. Computes a pending array. Does not count copies and fills of its
  /// Buffer, nor writes that the library cannot notice, see location().
  std::uint64_t writes() const;
  /// The memory; layout() tells where the elements lie in it. Computes a pending array. The library
  /// notices copies, fills and launches that use the Buffer. The caller orders them against work on
  /// other streams than stream().
  memory::Buffer buffer() const;
  /// Returns the memory for work on `stream`, a stream of the same device. Work queued on `stream`
  /// from now on comes after all work that arrays have queued on the memory.
  memory::Buffer buffer(const std::shared_ptr<device::Stream>& stream) const;
  /// The place of the first element, for code outside of the library. From now on, expressions that
  /// read this memory are computed at once.
  device::Location location() const;
  /// The argument of a launch, which takes an Array as it takes a Buffer: stream->launch(kernel,
  /// shape, x, n). Pending expressions that read the memory are computed first, unless the
  /// parameter is known to be const. The launch is ordered with the work of other streams.
  std::pair<device::Location, device::WatchedMemory*> for_launch() const;

  // Copies to the host. These functions block and compute a pending array.
  /// Copies all elements into `values`, dense and in C's order.
  void get(void* values) const;
  template <memory::HostValues Range>
  void get(Range&& values) const {
    require_host(dtype_of<std::ranges::range_value_t<Range>>(), std::ranges::size(values));
    get(static_cast<void*>(std::ranges::data(values)));
  }
  /// Copies all elements into a vector of T. Throws DTypeError unless T is the array's dtype.
  template <class T>
  std::vector<T> as() const {
    if constexpr (std::same_as<T, bool>) {  // a vector of bool stores bits, not elements
      const auto values = std::make_unique<bool[]>(static_cast<std::size_t>(size()));
      get(std::span(values.get(), static_cast<std::size_t>(size())));
      return std::vector<bool>(values.get(), values.get() + size());  // not a list of two
    } else {
      std::vector<T> values(static_cast<std::size_t>(size()));
      get(values);
      return values;
    }
  }
  /// The element of an array of size 1. Throws ShapeError for other sizes.
  Number item() const;
  /// item() as C++ converts it: double(sum(x)), if (any(x > 5)).
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit operator T() const {
    return static_cast<T>(item());
  }

  // Views share the memory of this array.
  /// Returns a[index] as Python has it: integers, slices, an ellipsis, new axes. Throws IndexError.
  Array at(List<Index> index) const;
  /// The same, to be assigned to: x(0, 1), x[0], x(Index::all(), 0) = 5, x(Index{.stop = 3}) += y.
  template <IndexEntry... Entries>
  View operator()(Entries... entries) const;
  template <IndexEntry Entry>
  View operator[](Entry entry) const;
  /// The same memory with another dtype and layout. The layout must lie within the buffer.
  Array viewed(const Layout& layout, const DType& dtype) const;
  /// A read-only view of the array. This array stays writable.
  Array read_only() const;

  // These functions change the array at once, with one kernel. Pending expressions that read the
  // old elements are computed first.
  /// Sets every element to the element of `value`, broadcast, and cast without a check, as NumPy's
  /// assignment does. Throws ShapeError, and InvalidArgument if the array is read-only, if its
  /// elements share memory, or if `value` belongs to another device or context.
  void assign(const Operand& value) const;
  /// Assigns where the mask is true; other elements stay. The mask broadcasts to the array's shape.
  void assign_where(const Array& mask, const Operand& value) const;
  /// Copies elements of the host into the array, dense and in C's order. Blocks.
  void set(const void* values) const;

  /// x + other, stored in x's memory as update() does.
  Array& operator+=(const Operand& other) { return update(Op::add, other); }
  /// x - other, stored in x's memory as update() does.
  Array& operator-=(const Operand& other) { return update(Op::subtract, other); }
  /// x * other, stored in x's memory as update() does.
  Array& operator*=(const Operand& other) { return update(Op::multiply, other); }
  /// x / other, stored in x's memory as update() does.
  Array& operator/=(const Operand& other) { return update(Op::divide, other); }
  /// x % other, the remainder, stored in x's memory as update() does.
  Array& operator%=(const Operand& other) { return update(Op::remainder, other); }
  /// x & other, stored in x's memory as update() does.
  Array& operator&=(const Operand& other) { return update(Op::bitwise_and, other); }
  /// x | other, stored in x's memory as update() does.
  Array& operator|=(const Operand& other) { return update(Op::bitwise_or, other); }
  /// x ^ other, stored in x's memory as update() does.
  Array& operator^=(const Operand& other) { return update(Op::bitwise_xor, other); }
  /// x << other, stored in x's memory as update() does.
  Array& operator<<=(const Operand& other) { return update(Op::left_shift, other); }
  /// x >> other, stored in x's memory as update() does.
  Array& operator>>=(const Operand& other) { return update(Op::right_shift, other); }
  /// x = op(x, other), stored in x's memory. Throws DTypeError if the result has another kind of
  /// dtype: integers cannot be divided in place.
  Array& update(Op op, const Operand& other);

  Array(const Array& other) noexcept;
  Array(Array&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  /// Makes the name another array's. What x(0) = 5 writes to is a View.
  Array& operator=(Array other) & noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Array();

 private:
  friend struct Access;
  explicit Array(Node* node) noexcept;  // takes over a reference
  Node& node() const;
  void require_host(const DType& dtype, std::size_t count) const;
  static void require_row(std::size_t expected, std::size_t found);

  Node* node_ = nullptr;
};

/// A view of an array. Assigning to it changes elements, as Python's x[0] = 5 does, where assigning
/// to an Array makes the name another array's.
class View : public Array {
 public:
  explicit View(Array view) : Array(std::move(view)) {}
  View(const View&) noexcept = default;
  ~View() = default;
  View& operator=(const View& other) { return *this = Operand(other); }
  /// Array::assign().
  View& operator=(const Operand& value) {
    assign(value);
    return *this;
  }
};

template <IndexEntry... Entries>
View Array::operator()(Entries... entries) const {
  const auto index_of = []<class Entry>(Entry entry) {
    if constexpr (std::same_as<Entry, Index>)
      return entry;
    else
      return Index::at(static_cast<std::int64_t>(entry));
  };
  return View(at({index_of(entries)...}));
}
template <IndexEntry Entry>
View Array::operator[](Entry entry) const {
  return (*this)(entry);
}

/// Applies any operation of the list to its operands. If all operands are numbers, the result has
/// no axes and is on the current device. For records, == and != compare all fields, and where()
/// chooses whole records of one dtype. Throws DTypeError, ShapeError, OverflowError, and
/// InvalidArgument for arrays of different devices or contexts.
Array apply(Op op, std::span<const Operand> operands);
inline Array apply(Op op, std::initializer_list<Operand> operands) {
  return apply(op, std::span(operands.begin(), operands.size()));
}
/// Applies an operation and stores the result in an existing array of the same device and context.
/// The operands broadcast to the array's shape, and the result is cast as `same_kind` allows. The
/// mask is bool and broadcasts to that shape; elements stay where the mask is false.
void apply_into(const Array& out, Op op, std::span<const Operand> operands,
                const Array* mask = nullptr);
/// Which shapes an array passed as out= may have.
enum class OutShape : std::uint8_t {
  same,      ///< the result's shape: for reductions and joins
  broadcast  ///< also shapes to which the result broadcasts: for elementwise functions
};
/// Stores a result in an existing array, as out= of other functions does: cast as `same_kind`
/// allows. A pending product or transform is computed there, without memory of its own, and once
/// more if somebody looks at `result` afterwards. Throws as apply_into().
void write_into(const Array& out, const Array& result, OutShape shape = OutShape::same);

#define TREADLE_ARRAY_FUNCTION_1(name) \
  inline Array name(const Operand& x) { return apply(Op::name, {x}); }
#define TREADLE_ARRAY_FUNCTION_2(name) \
  inline Array name(const Operand& x, const Operand& y) { return apply(Op::name, {x, y}); }
#define TREADLE_ARRAY_FUNCTION_3(name)                                      \
  inline Array name(const Operand& x, const Operand& y, const Operand& z) { \
    return apply(Op::name, {x, y, z});                                      \
  }
// One function for each operation: sin(x), arctan2(y, x), where(mask, x, y).
#define TREADLE_OP(name, arity, rule, cost) TREADLE_ARRAY_FUNCTION_##arity(name)
#include "treadle/base/op.def"
#undef TREADLE_OP
#undef TREADLE_ARRAY_FUNCTION_1
#undef TREADLE_ARRAY_FUNCTION_2
#undef TREADLE_ARRAY_FUNCTION_3

/// A number, or a type that converts to a number.
template <class T>
concept HostNumber = std::convertible_to<T, Operand> && !std::convertible_to<T, const Array&>;

#define TREADLE_ARRAY_OPERATOR(sign, op)                                                       \
  inline Array operator sign(const Array& x, const Array& y) { return apply(Op::op, {x, y}); } \
  template <HostNumber T>                                                                      \
  Array operator sign(const Array& x, const T& y) {                                            \
    return apply(Op::op, {x, Operand(y)});                                                     \
  }                                                                                            \
  template <HostNumber T>                                                                      \
  Array operator sign(const T& x, const Array& y) {                                            \
    return apply(Op::op, {Operand(x), y});                                                     \
  }
TREADLE_ARRAY_OPERATOR(+, add)
TREADLE_ARRAY_OPERATOR(-, subtract)
TREADLE_ARRAY_OPERATOR(*, multiply)
TREADLE_ARRAY_OPERATOR(/, divide)
TREADLE_ARRAY_OPERATOR(%, remainder)
TREADLE_ARRAY_OPERATOR(&, bitwise_and)
TREADLE_ARRAY_OPERATOR(|, bitwise_or)
TREADLE_ARRAY_OPERATOR(^, bitwise_xor)
TREADLE_ARRAY_OPERATOR(<<, left_shift)
TREADLE_ARRAY_OPERATOR(>>, right_shift)
TREADLE_ARRAY_OPERATOR(==, equal)
TREADLE_ARRAY_OPERATOR(!=, not_equal)
TREADLE_ARRAY_OPERATOR(<, less)
TREADLE_ARRAY_OPERATOR(<=, less_equal)
TREADLE_ARRAY_OPERATOR(>, greater)
TREADLE_ARRAY_OPERATOR(>=, greater_equal)
#undef TREADLE_ARRAY_OPERATOR
inline Array operator+(const Array& x) { return apply(Op::positive, {x}); }
inline Array operator-(const Array& x) { return apply(Op::negative, {x}); }
/// Inverts each bit of an integer, or a bool.
inline Array operator~(const Array& x) { return apply(Op::invert, {x}); }

/// Casts the elements to any other dtype, as a new array.
Array cast(const Array& x, const DType& dtype);
/// Returns the array itself if it has the dtype, else cast(). For functions that are composed of
/// operations.
Array in_dtype(const Array& x, const DType& dtype);
/// A dense copy. Its axes have the same order in memory as those of x.
Array copy(const Array& x);

/// The element of an array without axes, as it is now: later changes of x do not change the result.
/// Python's x[1, 2]. The result is lazy and is_scalar(). Throws ShapeError.
Array element(const Array& x);
/// A dense copy in C's order.
Array dense_copy(const Array& x);
/// Whether a change of one array may change the other. False is certain; pending arrays give false.
/// True may be wrong for views that interleave in a complicated way.
bool may_share_memory(const Array& x, const Array& y);

/// Computes pending arrays now. Arrays of one shape may share a kernel. Queues the work and does
/// not wait.
void evaluate(List<Array> arrays);

}  // namespace treadle::array

namespace treadle {

using array::Array;

}  // namespace treadle
