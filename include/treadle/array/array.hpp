// SPDX-License-Identifier: MIT
// Arrays on a device with NumPy's semantics. Operations look eager and are lazy: a + b gives an
// array that knows shape and dtype and has no memory yet; looking at a result computes its whole
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
#include "treadle/base/op.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::array {

class Node;
struct Access;

/// Extents of a new array: {3, 4}.
using Shape = std::vector<std::int64_t>;

/// Where and how the memory of a new array is made; by default on the current device and stream.
struct Placement {
  std::shared_ptr<device::Stream> stream = {};  ///< null: the current one
  MemoryOrder order = MemoryOrder::c;           ///< of the elements
  bool is_read_only = false;                    ///< for view_of(): whether changes are refused
  /// For view_of(): whether no other code knows the memory, so that expressions on it wait.
  bool is_unshared = false;
};

/// A rectangular block of elements of one dtype on one device. A value that shares: copies of an
/// Array are the same array, as names are in Python. Any thread; what two threads do to one array
/// at the same time comes in either order.
///
/// Functions that give arrays return at once; the shape and dtype they give are known, and wrong
/// ones are refused. Work is queued on the current stream of the device. It is computed when
/// somebody looks: get(), item(), buffer(), a view, an in-place change of an operand, evaluate().
class Array {
 public:
  /// No array: whatever is asked of it throws InvalidState.
  Array() noexcept = default;
  /// Values of the host as an array of their shape; blocking, the range is free on return.
  /// Array::from(std::vector{1.f, 2.f}).
  template <memory::HostValues Range>
  static Array from(const Range& values, const Placement& placement = {}) {
    return from(std::ranges::data(values),
                Shape{static_cast<std::int64_t>(std::ranges::size(values))},
                dtype_of<std::ranges::range_value_t<Range>>(), placement);
  }
  /// The same for a vector of bool, which has bits and no address of elements.
  static Array from(const std::vector<bool>& values, const Placement& placement = {}) {
    const auto elements = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), elements.get());
    return from(std::span(elements.get(), values.size()), placement);
  }
  /// The same for values in C's order (or as `placement` has it) at an address.
  static Array from(const void* values, const Shape& shape, const DType& dtype,
                    const Placement& placement = {});
  /// An array in memory that exists; offset and strides of the layout count from the buffer's
  /// start. Work queued on `stream` so far comes before what the array is used for. Throws
  /// InvalidArgument where the layout reaches beyond the buffer.
  static Array view_of(memory::Buffer buffer, const Layout& layout, const DType& dtype,
                       const Placement& placement = {});

  /// Whether there is an array.
  explicit operator bool() const noexcept { return node_ != nullptr; }
  /// The length of each axis; valid as long as the array.
  Extents shape() const { return layout().shape(); }
  Extents strides() const { return layout().strides(); }  ///< in bytes
  /// The layout, a pending array's too; its offset counts from the buffer's start.
  const Layout& layout() const;
  const DType& dtype() const;  ///< of an element
  /// How many axes it has.
  int rank() const { return layout().rank(); }
  std::int64_t size() const { return layout().size(); }  ///< elements
  std::int64_t size_bytes() const;                       ///< of all elements
  device::Device& device() const;                        ///< where it is
  /// The stream of its last change; of a pending array, the stream on which it was recorded.
  std::shared_ptr<device::Stream> stream() const;
  /// Whether it has not been computed yet.
  bool is_pending() const;
  /// Whether it is the result of an operation and has no axes. NumPy has a number there, which no
  /// other name can change: Python's `s += 1` makes a new array of such a result.
  bool is_scalar() const;
  /// Whether it can be written to: neither it nor what it is a view of is read-only, and no two
  /// elements share memory.
  bool is_writable() const;
  /// The memory; layout() says where in it the elements are. Computes a pending array. The library
  /// notices copies, fills and launches that use the Buffer, but the caller orders them with work
  /// on other streams than stream().
  memory::Buffer buffer() const;
  /// As buffer(), for work on a stream of its device. The stream comes after all work that arrays
  /// have queued on the memory.
  memory::Buffer buffer(const std::shared_ptr<device::Stream>& stream) const;
  /// The place of the first element, for code outside of the library. Expressions that read this
  /// memory are not deferred from now on.
  device::Location location() const;
  /// For launches, which take an Array like a Buffer: stream->launch(kernel, shape, x, n). Pending
  /// expressions that read it are computed before (unless the parameter is known to be const), and
  /// the work is ordered with that of other streams.
  std::pair<device::Location, device::WatchedMemory*> for_launch() const;

  // To the host. Blocking; computes what is pending.
  /// All elements, dense and in C's order, into `values`.
  void get(void* values) const;
  template <memory::HostValues Range>
  void get(Range&& values) const {
    require_host(dtype_of<std::ranges::range_value_t<Range>>(), std::ranges::size(values));
    get(static_cast<void*>(std::ranges::data(values)));
  }
  /// The same as a vector of T, which must be its dtype. Throws DTypeError.
  template <class T>
  std::vector<T> as() const {
    if constexpr (std::same_as<T, bool>) {  // a vector of which has bits, not elements
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

  // Views: the same memory.
  /// What a[index] is in Python: integers, slices, an ellipsis, new axes. Throws IndexError.
  Array at(std::span<const Index> index) const;
  Array at(std::initializer_list<Index> index) const {
    return at(std::span(index.begin(), index.size()));
  }
  /// The same memory under another layout, which must lie within the buffer, and dtype.
  Array viewed(const Layout& layout, const DType& dtype) const;
  /// The same elements, whose change through the result or its views is refused; this array stays
  /// as it is.
  Array read_only() const;

  // Changes are made at once, as one kernel; pending readers of old elements are computed before.
  /// Every element becomes the element of `value`, broadcast, and cast as NumPy's assignment does
  /// (anything to anything). Throws ShapeError, and InvalidArgument where it is read-only or
  /// elements share memory, and for an array of another device or context.
  void assign(const Operand& value) const;
  /// The same where a mask, which broadcasts to its shape, is true; other elements stay.
  void assign_where(const Array& mask, const Operand& value) const;
  /// Copies dense elements of the host in C's order in; blocking.
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
  /// x = op(x, other), stored in x's memory. Throws DTypeError where the result has another kind of
  /// dtype: integers cannot be divided in place.
  Array& update(Op op, const Operand& other);

  Array(const Array& other) noexcept;
  Array(Array&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Array& operator=(Array other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Array();

 private:
  friend struct Access;
  explicit Array(Node* node) noexcept;  // takes a share over
  Node& node() const;
  void require_host(const DType& dtype, std::size_t count) const;

  Node* node_ = nullptr;
};

/// Any operation of the list, on as many operands as it has. Numbers alone give an array without
/// axes on the current device. Of records
/// == and != compare all fields, and where() picks whole ones of one dtype. Throws
/// DTypeError, ShapeError, OverflowError, and InvalidArgument for arrays of different devices or
/// contexts.
Array apply(Op op, std::span<const Operand> operands);
inline Array apply(Op op, std::initializer_list<Operand> operands) {
  return apply(op, std::span(operands.begin(), operands.size()));
}
/// The same into an existing array of the same device and context. The operands broadcast to its
/// shape, and the result is cast as `same_kind` allows. Where a mask, which is bool and broadcasts
/// to that shape, is false, elements stay.
void apply_into(const Array& out, Op op, std::span<const Operand> operands,
                const Array* mask = nullptr);
/// Which arrays a function takes as out=.
enum class OutShape : std::uint8_t {
  same,      ///< of the result's shape: reductions, joins
  broadcast  ///< and those to whose shape it broadcasts: functions on elements
};
/// Stores a result in an existing array, as out= of every other function does: cast as `same_kind`
/// allows. Throws as apply_into().
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

/// A number, or what converts to one.
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
inline Array operator-(const Array& x) { return apply(Op::negative, {x}); }
/// The inverse: of each bit of an integer, and of a bool.
inline Array operator~(const Array& x) { return apply(Op::invert, {x}); }

/// The elements in another dtype, as a new array; of any kind.
Array cast(const Array& x, const DType& dtype);
/// The array itself where it has the dtype, else cast(). For functions composed of operations.
Array in_dtype(const Array& x, const DType& dtype);
/// A dense copy with axes in the order of memory that x has.
Array copy(const Array& x);

/// The element of an array without axes as it is now, also if x changes later: what x[1, 2] is in
/// Python. Lazy, is_scalar(). Throws ShapeError.
Array element(const Array& x);
/// A dense copy in C's order.
Array dense_copy(const Array& x);
/// Whether a change of one array may change the other. False is certain, and pending arrays give
/// false. True may be wrong for views that interleave too intricately.
bool may_share_memory(const Array& x, const Array& y);

/// Computes pending arrays now, those of one shape together. Queues, does not wait.
void evaluate(std::span<const Array> arrays);
inline void evaluate(std::initializer_list<Array> arrays) {
  evaluate(std::span(arrays.begin(), arrays.size()));
}

}  // namespace treadle::array

namespace treadle {

using array::Array;

}  // namespace treadle
