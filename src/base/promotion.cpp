// SPDX-License-Identifier: MIT
// The rules are written as constexpr functions over codes and laid down in tables when this file is
// compiled; a lookup is what recording an operation pays.
#include "treadle/base/promotion.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

using Code = std::uint8_t;
constexpr Code codes = OperandType::codes;
constexpr Code weak_integer = OperandType::first_weak, weak_floating = weak_integer + 1,
               weak_complex = weak_integer + 2;
constexpr Code none = static_cast<Code>(Scalar::structure);  // there is no such dtype
constexpr Code code(Scalar scalar) { return static_cast<Code>(scalar); }
constexpr Scalar scalar_of(Code code) { return static_cast<Scalar>(code); }

constexpr bool is_weak(Code c) { return c >= weak_integer; }
constexpr bool is_signed(Code c) { return c >= code(Scalar::int8) && c <= code(Scalar::int64); }
constexpr bool is_unsigned(Code c) { return c >= code(Scalar::uint8) && c <= code(Scalar::uint64); }
constexpr bool is_integer(Code c) { return is_signed(c) || is_unsigned(c); }
constexpr bool is_bool(Code c) { return c == code(Scalar::boolean); }
constexpr bool is_complex(Code c) {
  return c == code(Scalar::complex64) || c == code(Scalar::complex128);
}

// Of a number that meets nothing.
constexpr Code own_dtype(Code c) {
  if (c == weak_integer) return code(Scalar::int64);
  if (c == weak_floating) return code(Scalar::float64);
  return c == weak_complex ? code(Scalar::complex128) : c;
}

// The floating dtype that mathematical functions of integers compute in.
constexpr Code floating_of(Code c) {
  if (is_bool(c) || c == code(Scalar::int8) || c == code(Scalar::uint8))
    return code(Scalar::float16);
  if (c == code(Scalar::int16) || c == code(Scalar::uint16)) return code(Scalar::float32);
  return is_integer(c) ? code(Scalar::float64) : c;
}
constexpr Code real_of(Code c) {
  if (c == code(Scalar::complex64)) return code(Scalar::float32);
  return c == code(Scalar::complex128) ? code(Scalar::float64) : c;
}
constexpr Code complex_of(Code c) {
  return real_of(c) == code(Scalar::float64) ? code(Scalar::complex128) : code(Scalar::complex64);
}

constexpr Code promote_integers(Code a, Code b) {
  if (is_signed(a) == is_signed(b)) return std::max(a, b);
  if (is_unsigned(a)) std::swap(a, b);
  // The signed dtype that holds the unsigned one, which is the next larger: int16 for uint8.
  const Code holds = static_cast<Code>(b - code(Scalar::uint8) + code(Scalar::int16));
  return holds > code(Scalar::int64) ? code(Scalar::float64) : std::max(a, holds);
}

constexpr Code promote_strong(Code a, Code b) {
  if (a == none || b == none) return none;
  if (a == b || is_bool(b)) return a;
  if (is_bool(a)) return b;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  const Code real = std::max(real_of(floating_of(a)), real_of(floating_of(b)));
  return is_complex(a) || is_complex(b) ? complex_of(real) : real;
}

constexpr Code promote_weak(Code strong, Code weak) {
  if (strong == none) return none;
  if (weak == weak_integer) return is_bool(strong) ? code(Scalar::int64) : strong;
  const Code floating = is_bool(strong) || is_integer(strong) ? code(Scalar::float64) : strong;
  return weak == weak_floating ? floating : complex_of(floating);
}

// A weak kind if both are.
constexpr Code promote_codes(Code a, Code b) {
  if (is_weak(a)) return is_weak(b) ? std::max(a, b) : promote_weak(b, a);
  return is_weak(b) ? promote_weak(a, b) : promote_strong(a, b);
}

constexpr auto promotions = [] {
  std::array<std::array<Code, codes>, codes> table{};
  for (Code a = 0; a < codes; ++a)
    for (Code b = 0; b < codes; ++b) table[a][b] = promote_codes(a, b);
  return table;
}();

// A row of the tables is what is returned: one word, copied. A result of Scalar::structure says
// that the operation does not take these operands.
constexpr OpDtypes dtypes_of(Code a, Code b, Code result) {
  return {{scalar_of(a), scalar_of(b)}, scalar_of(result)};
}
constexpr OpDtypes refused = dtypes_of(none, none, none);
constexpr OpDtypes same(Code c) { return dtypes_of(c, c, c); }
constexpr OpDtypes giving(Code computes, Scalar result) {
  return dtypes_of(computes, computes, code(result));
}

// Of rules with one operand, or with two of one dtype: `c` is that, or what the two promote to.
constexpr OpDtypes one_dtype_row(OpRule rule, Code c) {
  const bool boolean = is_bool(c), integer = is_integer(c), complex = is_complex(c);
  const Code numeric = boolean ? code(Scalar::int8) : c, floating = floating_of(c);
  switch (rule) {
    case OpRule::add:
    case OpRule::multiply:
    case OpRule::extremum:
      return same(c);
    case OpRule::subtract:
    case OpRule::negative:
    case OpRule::sign:
      return boolean ? refused : same(c);
    case OpRule::divide:
      return same(boolean || integer ? code(Scalar::float64) : c);
    case OpRule::real_arithmetic:
      return complex ? refused : same(numeric);
    case OpRule::power:
    case OpRule::number:
      return same(numeric);
    case OpRule::absolute:
    case OpRule::part:
      return dtypes_of(c, c, real_of(c));
    case OpRule::angle: {
      const Code computes = boolean ? code(Scalar::float64) : floating;
      return dtypes_of(computes, computes, real_of(computes));
    }
    case OpRule::bits:
      return boolean || integer ? same(c) : refused;
    case OpRule::shift:
      return boolean || integer ? same(numeric) : refused;
    case OpRule::bit_count:
      return boolean || integer ? giving(numeric, Scalar::uint8) : refused;
    case OpRule::gcd:
      return integer ? same(c) : refused;
    case OpRule::compare:
    case OpRule::predicate:
      return giving(c, Scalar::boolean);
    case OpRule::logical:
      return same(code(Scalar::boolean));
    case OpRule::real_predicate:
      return complex ? refused : giving(floating, Scalar::boolean);
    case OpRule::round:
      return complex ? refused : same(c);
    case OpRule::rint:
    case OpRule::math:
      return same(floating);
    case OpRule::real_math:
      return complex ? refused : same(floating);
    case OpRule::exponent:
      return complex ? refused : giving(floating, Scalar::int32);
    default:
      return refused;
  }
}

constexpr OpDtypes ldexp_row(Code a, Code b, bool weak_exponent) {
  const OpDtypes first = one_dtype_row(OpRule::real_math, a);
  if (weak_exponent || is_bool(b)) b = code(Scalar::int32);
  if (first.result == scalar_of(none) || !is_integer(b) || b == code(Scalar::uint64))
    return refused;
  const bool wide = b == code(Scalar::int64) || b == code(Scalar::uint32);
  return {{first.result, wide ? Scalar::int64 : Scalar::int32}, first.result};
}

constexpr OpDtypes two_dtype_row(OpRule rule, Code a, Code b) {
  const Code common = own_dtype(promote_codes(a, b));
  if (common == none) return refused;
  if (rule == OpRule::logical) return one_dtype_row(rule, common);
  const bool weak_exponent = b == weak_integer;
  if (is_weak(a)) a = common;
  if (is_weak(b)) b = common;
  const bool mixed =
      (is_signed(a) && b == code(Scalar::uint64)) || (a == code(Scalar::uint64) && is_signed(b));
  if (rule == OpRule::compare && mixed)
    return {{is_signed(a) ? Scalar::int64 : Scalar::uint64,
             is_signed(b) ? Scalar::int64 : Scalar::uint64},
            Scalar::boolean};
  if (rule == OpRule::ldexp) return ldexp_row(a, b, weak_exponent);
  if (rule != OpRule::real_math && rule != OpRule::make_complex) return one_dtype_row(rule, common);
  if (is_complex(common)) return refused;
  // Each becomes floating before they are promoted: arctan2(int8, uint16) is one of float32.
  const Code floating = promote_strong(floating_of(a), floating_of(b));
  if (rule == OpRule::real_math) return same(floating);
  const Code part = std::max(floating, code(Scalar::float32));
  return dtypes_of(part, part, complex_of(part));
}

constexpr std::size_t rules = static_cast<std::size_t>(OpRule::none) + 1;
constexpr auto unary_rows = [] {
  std::array<std::array<OpDtypes, codes>, rules> table{};
  for (std::size_t rule = 0; rule < rules; ++rule)
    for (Code a = 0; a < codes; ++a)
      table[rule][a] = a == none ? refused : one_dtype_row(static_cast<OpRule>(rule), own_dtype(a));
  return table;
}();
using BinaryRows = std::array<std::array<OpDtypes, codes>, codes>;
// A table for each rule: compilers limit the steps of one constant.
template <std::size_t rule>
constexpr BinaryRows rows_of_rule = [] {
  BinaryRows table{};
  for (Code a = 0; a < codes; ++a)
    for (Code b = 0; b < codes; ++b) table[a][b] = two_dtype_row(static_cast<OpRule>(rule), a, b);
  return table;
}();
constexpr auto binary_rows = []<std::size_t... rule>(std::index_sequence<rule...>) {
  return std::array{&rows_of_rule<rule>...};
}(std::make_index_sequence<rules>());

[[noreturn]] void refuse(Op op, std::span<const OperandType> operands) {
  const OpInfo& info = op_info(op);
  const std::string name = "operation " + std::string(info.name);
  if (info.rule == OpRule::none)
    throw InvalidArgument(name + " has the dtype that it is given, no rule");
  if (operands.size() != info.arity)
    throw InvalidArgument(name + " takes " + std::to_string(info.arity) + " operands, not " +
                          std::to_string(operands.size()));
  std::string text = name + " does not take ";
  for (std::size_t i = 0; i < operands.size(); ++i)
    text += (i == 0 ? "" : " and ") + operands[i].name();
  throw DTypeError(std::move(text));
}

Scalar require_dtype(Code result, OperandType a, OperandType b) {
  if (result == none)
    throw DTypeError("there is no common dtype of " + a.name() + " and " + b.name());
  return scalar_of(own_dtype(result));
}

// Kinds in the order that a cast of the same kind may go up.
int kind_order(Scalar scalar) {
  const Code c = code(scalar);
  if (is_bool(c)) return 0;
  if (is_unsigned(c)) return 1;
  if (is_signed(c)) return 2;
  return is_complex(c) ? 4 : 3;
}

// The bounds of an integer dtype; bool is 0 and 1.
struct Bounds {
  std::int64_t lowest;
  std::uint64_t highest;
};
std::optional<Bounds> bounds_of(Scalar dtype) {
  const Code c = code(dtype);
  if (is_bool(c)) return Bounds{0, 1};
  if (!is_integer(c)) return std::nullopt;
  const unsigned bits = 8u * static_cast<unsigned>(DType(dtype).size_bytes());
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  if (is_unsigned(c)) return Bounds{0, all};
  return Bounds{-static_cast<std::int64_t>(all / 2) - 1, all / 2};
}

}  // namespace

Scalar OperandType::scalar() const noexcept { return scalar_of(own_dtype(code_)); }

std::string OperandType::name() const {
  if (code_ == weak_integer) return "Python int";
  if (code_ == weak_floating) return "Python float";
  if (code_ == weak_complex) return "Python complex";
  return code_ == none ? "a record" : DType(scalar()).name();
}

Scalar promote(OperandType a, OperandType b) {
  const Code result = promotions[a.code()][b.code()];
  if (result < none) [[likely]]
    return scalar_of(result);
  return require_dtype(result, a, b);
}

Scalar promote(std::span<const OperandType> operands) {
  if (operands.empty()) throw InvalidArgument("there is no common dtype of no operands");
  // Floating dtypes first: int8 and uint16 alone give int32, which with float16 would give float64.
  // Numbers of the host language last: they adapt to all of the others.
  OperandType common = operands.front();
  const auto fold = [&](auto belongs) {
    for (const OperandType operand : operands)
      if (belongs(operand)) {
        const Code result = promotions[common.code()][operand.code()];
        if (result == none) require_dtype(none, common, operand);
        common = is_weak(result) ? OperandType(static_cast<Weak>(result - weak_integer))
                                 : OperandType(scalar_of(result));
      }
  };
  const auto rank = [](OperandType operand) {
    if (operand.is_weak()) return 0;
    return operand.code() < code(Scalar::float16) ? 1 : 2;
  };
  common = *std::ranges::max_element(operands, {}, rank);
  for (const int wanted : {2, 1, 0})
    fold([&](OperandType operand) { return rank(operand) == wanted; });
  return require_dtype(common.code(), common, common);
}

bool can_cast(Scalar from, Scalar to, Casting casting) noexcept {
  if (from == to || casting == Casting::unsafe) return true;
  if (casting < Casting::safe || from == Scalar::structure || to == Scalar::structure) return false;
  if (promotions[code(from)][code(to)] == code(to)) return true;
  return casting == Casting::same_kind && kind_order(from) <= kind_order(to);
}

OpDtypes resolve(Op op, OperandType a) {
  const OpInfo& info = op_info(op);
  const OpDtypes& dtypes = unary_rows[static_cast<std::size_t>(info.rule)][a.code()];
  if (info.arity != 1 || dtypes.result == Scalar::structure) [[unlikely]]
    refuse(op, {{a}});
  return dtypes;
}

OpDtypes resolve(Op op, OperandType a, OperandType b) {
  const OpInfo& info = op_info(op);
  const OpDtypes& dtypes = (*binary_rows[static_cast<std::size_t>(info.rule)])[a.code()][b.code()];
  if (info.arity != 2 || dtypes.result == Scalar::structure) [[unlikely]]
    refuse(op, {{a, b}});
  return dtypes;
}

OpDtypes resolve(Op op, OperandType a, OperandType b, OperandType c) {
  const Code common = promotions[b.code()][c.code()];
  if (op != Op::where || a.code() == none || common == none) [[unlikely]]
    refuse(op, {{a, b, c}});
  const Scalar result = scalar_of(own_dtype(common));
  return {{Scalar::boolean, result, result}, result};
}

OpDtypes resolve(Op op, std::span<const OperandType> operands) {
  if (operands.size() != op_info(op).arity) refuse(op, operands);
  if (operands.size() == 1) return resolve(op, operands[0]);
  if (operands.size() == 2) return resolve(op, operands[0], operands[1]);
  if (operands.size() == 3) return resolve(op, operands[0], operands[1], operands[2]);
  refuse(op, operands);
}

ReductionDtypes reduction_dtypes(Reduction reduction, Scalar element) {
  const Code c = code(element);
  if (c >= none) throw DTypeError("a record is not reduced");
  const auto accumulated = [](Scalar result) {
    return ReductionDtypes{result == Scalar::float16 ? Scalar::float32 : result, result};
  };
  switch (reduction) {
    case Reduction::sum:
    case Reduction::product:
    case Reduction::cumulative_sum:
    case Reduction::cumulative_product:
      if (is_unsigned(c)) return {Scalar::uint64, Scalar::uint64};
      if (is_bool(c) || is_signed(c)) return {Scalar::int64, Scalar::int64};
      return accumulated(element);
    case Reduction::mean:
      return accumulated(is_bool(c) || is_integer(c) ? Scalar::float64 : element);
    case Reduction::variance: {
      const ReductionDtypes mean = reduction_dtypes(Reduction::mean, element);
      return {mean.accumulator, scalar_of(real_of(code(mean.result)))};
    }
    case Reduction::minimum:
    case Reduction::maximum:
      return {element, element};
    case Reduction::any:
    case Reduction::all:
      return {Scalar::boolean, Scalar::boolean};
    case Reduction::argmin:
    case Reduction::argmax:
      return {element, Scalar::int64};
    case Reduction::count_nonzero:
      return {Scalar::int64, Scalar::int64};
  }
  return {element, element};
}

IntegerFit fit(Scalar dtype, std::int64_t value) noexcept {
  const auto bounds = bounds_of(dtype);
  if (!bounds) return IntegerFit::within;
  if (value < bounds->lowest) return IntegerFit::below;
  return value > 0 && static_cast<std::uint64_t>(value) > bounds->highest ? IntegerFit::above
                                                                          : IntegerFit::within;
}

IntegerFit fit(Scalar dtype, std::uint64_t value) noexcept {
  const auto bounds = bounds_of(dtype);
  return bounds && value > bounds->highest ? IntegerFit::above : IntegerFit::within;
}

bool compare_beyond(Op comparison, IntegerFit right) noexcept {
  const bool above = right == IntegerFit::above;
  switch (comparison) {
    case Op::less:
    case Op::less_equal:
      return above;
    case Op::greater:
    case Op::greater_equal:
      return !above;
    default:
      return comparison == Op::not_equal;
  }
}

void throw_overflow(Scalar dtype, IntegerFit fit, const std::string& value) {
  std::string text = "Python int " + value + " is " +
                     (fit == IntegerFit::below ? "below " : "above ") + DType(dtype).name();
  if (const auto bounds = bounds_of(dtype))
    text += " (" + std::to_string(bounds->lowest) + " to " + std::to_string(bounds->highest) + ")";
  throw OverflowError(std::move(text), "convert the array to a wider dtype");
}

Scalar result_dtype(const DTypePolicy& policy, Op op, OperandType a, OperandType b) {
  const OpDtypes dtypes = resolve(op, a, b);
  const OpRule rule = op_info(op).rule;
  if (rule == OpRule::logical) return policy.truth;
  if (rule != OpRule::compare || policy.comparison == DTypePolicy::Comparison::boolean)
    return dtypes.result;
  if (policy.comparison == DTypePolicy::Comparison::int8) return Scalar::int8;
  if (a.is_weak() != b.is_weak()) return (a.is_weak() ? b : a).scalar();
  return promote(a, b);
}

ReductionDtypes reduction_dtypes(const DTypePolicy& policy, Reduction reduction, Scalar element) {
  const ReductionDtypes dtypes = reduction_dtypes(reduction, element);
  switch (reduction) {
    case Reduction::any:
    case Reduction::all:
      return {dtypes.accumulator, policy.truth};
    case Reduction::sum:
    case Reduction::product:
    case Reduction::cumulative_sum:
    case Reduction::cumulative_product:
      return {dtypes.accumulator, policy.sum_keeps_dtype ? element : dtypes.result};
    default:
      return dtypes;
  }
}

}  // namespace treadle
