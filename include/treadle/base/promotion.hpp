// SPDX-License-Identifier: MIT
// Which dtypes operations on elements compute in and give: NumPy 2's rules, looked up in tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/base/op.hpp"

namespace treadle {

/// A number of the host language, which takes on the dtype of the arrays it meets: Python's int,
/// float and complex. Python's bool is no such number, it is Scalar::boolean.
enum class Weak : std::uint8_t { integer, floating, complex };

/// What promotion knows of an operand: its dtype, or that it is a number of the host language.
class OperandType {
 public:
  // Implicit: an operand is usually an array.
  OperandType(Scalar scalar) noexcept : code_(static_cast<std::uint8_t>(scalar)) {}
  /// A number of the host language.
  OperandType(Weak weak) noexcept : code_(static_cast<std::uint8_t>(first_weak + int(weak))) {}

  /// Whether it is a number of the host language.
  bool is_weak() const noexcept { return code_ >= first_weak; }
  /// Of a number of the host language the dtype it has on its own: int64, float64, complex128.
  Scalar scalar() const noexcept;
  /// "float32", "Python int".
  std::string name() const;
  /// Below `codes`: Scalar's number, or a weak kind.
  std::uint8_t code() const noexcept { return code_; }
  bool operator==(const OperandType&) const = default;

  static constexpr std::uint8_t first_weak = static_cast<std::uint8_t>(Scalar::structure) + 1;
  static constexpr std::uint8_t codes = first_weak + 3;

 private:
  std::uint8_t code_;
};

/// The dtype that holds what both operands hold: int8 and uint8 give int16, int64 and float32 give
/// float64. Throws DTypeError for records.
Scalar promote(OperandType a, OperandType b);
/// The same of any number of operands; the order does not matter. Throws InvalidArgument for none.
Scalar promote(std::span<const OperandType> operands);

/// How far a cast may go, as in numpy.can_cast(); each allows what those before it do.
enum class Casting : std::uint8_t {
  no,          ///< none
  equivalent,  ///< none but byte order, which device memory does not have
  safe,        ///< every value stays what it is, or is rounded from int64 to float64
  same_kind,   ///< float64 to float32, int64 to int8; float to int is not
  unsafe,      ///< any
};
/// Whether values may be cast so. Records may not be cast to anything else.
bool can_cast(Scalar from, Scalar to, Casting casting) noexcept;

/// The dtypes of one operation.
struct OpDtypes {
  /// What each operand is cast to before. They are equal except: where (bool first), ldexp (an
  /// integer second), and comparisons of int64 with uint64, which compare the numbers themselves.
  std::array<Scalar, 3> operands;
  Scalar result;
  bool operator==(const OpDtypes&) const = default;
};
/// What an operation computes in for these operands, as many as op_info() says. Throws DTypeError
/// naming operation and dtypes if it does not take them, and InvalidArgument for another number of
/// operands and for Op::cast, leaf, scalar and iota, whose dtype is given.
OpDtypes resolve(Op op, OperandType a);
OpDtypes resolve(Op op, OperandType a, OperandType b);
OpDtypes resolve(Op op, OperandType a, OperandType b, OperandType c);
OpDtypes resolve(Op op, std::span<const OperandType> operands);

/// Many elements to one, or to as many running results.
enum class Reduction : std::uint8_t {
  sum,
  product,
  cumulative_sum,
  cumulative_product,
  mean,
  variance,  ///< and its square root
  minimum,
  maximum,
  any,
  all,
  argmin,
  argmax,
  count_nonzero,
};
/// The dtypes of a reduction.
struct ReductionDtypes {
  Scalar accumulator;  ///< partial results: float32 for float16
  Scalar result;
  bool operator==(const ReductionDtypes&) const = default;
};
/// Of a reduction for which no dtype was asked: int8 sums to int64. Throws DTypeError for records.
ReductionDtypes reduction_dtypes(Reduction reduction, Scalar element);

/// Where an integer of the host language lies beside the values of a dtype.
enum class IntegerFit : std::int8_t { below = -1, within = 0, above = 1 };
/// Every integer is within a floating or complex dtype, where it is rounded.
IntegerFit fit(Scalar dtype, std::int64_t value) noexcept;
IntegerFit fit(Scalar dtype, std::uint64_t value) noexcept;
/// What a comparison of any element, on the left, gives with an integer beyond its dtype.
bool compare_beyond(Op comparison, IntegerFit right) noexcept;
/// Throws OverflowError: "Python int 300 is above uint8 (0 to 255)"; `value` is the integer's text.
[[noreturn]] void throw_overflow(Scalar dtype, IntegerFit fit, const std::string& value);

/// Where a face differs from NumPy in dtypes; it casts the results that it differs in.
struct DTypePolicy {
  /// What a comparison gives.
  enum class Comparison : std::uint8_t {
    boolean,
    common,  ///< the operands' common dtype; with a number of the host language the array's own
    int8,
  };
  Comparison comparison = Comparison::boolean;
  Scalar truth = Scalar::boolean;  ///< of any(), all() and the logical functions
  bool sum_keeps_dtype = false;    ///< sums and products have their elements' dtype
};
/// NumPy's.
inline constexpr DTypePolicy native_dtypes{};
/// Of PyCUDA's arrays.
inline constexpr DTypePolicy pycuda_dtypes{DTypePolicy::Comparison::common, Scalar::boolean, true};
/// Of PyOpenCL's arrays.
inline constexpr DTypePolicy pyopencl_dtypes{DTypePolicy::Comparison::int8, Scalar::int8, true};
/// The dtype that a face gives the result of a binary operation.
Scalar result_dtype(const DTypePolicy& policy, Op op, OperandType a, OperandType b);
/// The dtypes of a reduction under a face's policy.
ReductionDtypes reduction_dtypes(const DTypePolicy& policy, Reduction reduction, Scalar element);

}  // namespace treadle
