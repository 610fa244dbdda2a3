// SPDX-License-Identifier: MIT
#include "treadle/kernel/associative.hpp"

#include <algorithm>
#include <limits>

#include "treadle/base/error.hpp"
#include "treadle/base/number.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/dialect_header.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::kernel {
namespace {

constexpr Op associative_ops[] = {
    Op::add,         Op::multiply,    Op::minimum,     Op::maximum,
    Op::fmin,        Op::fmax,        Op::bitwise_and, Op::bitwise_or,
    Op::bitwise_xor, Op::logical_and, Op::logical_or,  Op::logical_xor,
    Op::gcd,         Op::lcm,         Op::logaddexp,   Op::logaddexp2};

/// The largest or smallest number of a dtype.
Number end_of(const DType& dtype, bool is_upper) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::size_t bits = dtype.size_bytes() * 8;
  switch (dtype.kind()) {
    case ScalarKind::boolean:
      return is_upper;
    case ScalarKind::signed_integer:
      return is_upper ? std::numeric_limits<std::int64_t>::max() >> (64 - bits)
                      : std::numeric_limits<std::int64_t>::min() >> (64 - bits);
    case ScalarKind::unsigned_integer:
      return is_upper ? std::numeric_limits<std::uint64_t>::max() >> (64 - bits) : std::uint64_t{0};
    default:
      return is_upper ? infinity : -infinity;
  }
}

/// The neutral element of an operation of Treadle.
Number neutral_of(Op op, const DType& dtype) {
  const bool is_floating = dtype.kind() == ScalarKind::floating;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  switch (op) {
    case Op::multiply:
    case Op::lcm:
    case Op::logical_and:
      return 1;
    case Op::minimum:
      return end_of(dtype, true);
    case Op::maximum:
      return end_of(dtype, false);
    case Op::fmin:
      return is_floating ? Number(nan) : end_of(dtype, true);
    case Op::fmax:
      return is_floating ? Number(nan) : end_of(dtype, false);
    case Op::bitwise_and:
      return dtype == Scalar::boolean ? Number(true) : Number(-1);
    case Op::logaddexp:
    case Op::logaddexp2:
      return end_of(dtype, false);
    default:
      return 0;
  }
}

std::string type_of(const DType& dtype, const AssociativeText& text,
                    const codegen::Dialect& dialect) {
  for (const auto& [name, named] : text.types)
    if (named == dtype) return name;
  if (dtype.kind() == ScalarKind::structure)
    throw DTypeError("an operation on records of " + dtype.name() + " without a C name for them",
                     "name the dtype in the operation's types");
  return codegen::TypeNames(dialect).name_of(dtype == Scalar::boolean ? Scalar::uint8
                                                                      : dtype.scalar());
}

void add_own_text(AssociativeText& text, Op op, const DType& dtype,
                  const codegen::Dialect& dialect) {
  const std::string who = std::string(op_info(op).name) + " of " + dtype.name();
  if (!is_associative(op))
    throw InvalidArgument(
        "a scan or fold by " + std::string(op_info(op).name) + ", which is not associative",
        "pass add, multiply, minimum, maximum, an operation on bits, or a C text");
  if (dtype == Scalar::float16 || dtype.kind() == ScalarKind::structure ||
      !codegen::has_op_text(op, dtype.scalar()))
    throw DTypeError("a scan or fold by " + who, dtype == Scalar::float16
                                                     ? "cast the elements to float32"
                                                     : "choose a dtype that has it");
  const Scalar scalar = dtype.scalar();
  const codegen::OperandText operands[] = {{"a", scalar}, {"b", scalar}};
  text.combine = codegen::op_text(op, operands, dialect);
  const ElementBytes bytes = neutral_of(op, dtype).as(scalar);
  text.neutral = codegen::expand_words(
      codegen::literal_text(scalar, std::span(bytes).first(dtype.size_bytes()), dialect), dialect);
  text.preamble = std::string(codegen::include_of_dialect) + dialect.exact_preamble +
                  codegen::device_functions(text.combine + text.neutral, dialect);
  text.flags = dialect.exact_flags;
  text.name = std::string(op_info(op).name) + "_" + dtype.name();
}

}  // namespace

bool is_associative(Op op) noexcept {
  return std::ranges::find(associative_ops, op) != std::end(associative_ops);
}

AssociativeText associative_text(const Associative& operation, const DType& dtype,
                                 const codegen::Dialect& dialect) {
  AssociativeText text;
  text.dtype = dtype == Scalar::boolean ? DType(Scalar::uint8) : dtype;
  text.types = operation.types;
  if (dtype == Scalar::complex64) text.types.emplace_back("float2", dtype);
  if (dtype == Scalar::complex128) text.types.emplace_back("double2", dtype);
  if (operation.combine.empty()) {
    add_own_text(text, operation.op, dtype, dialect);
    text.item = type_of(dtype, text, dialect);
    text.key = text.name;
    return text;
  }
  text.item = type_of(dtype, text, dialect);
  text.combine = operation.combine;
  text.neutral = operation.neutral;
  text.preamble = operation.preamble;
  text.name = "by_text";
  text.key = dtype.name() + "\n" + operation.combine + "\n" + operation.neutral + "\n" +
             operation.preamble + "\n" + text.item;
  return text;
}

}  // namespace treadle::kernel
