// SPDX-License-Identifier: MIT
#include "treadle/codegen/op_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// A text of op_text.def.
struct Text {
  constexpr Text() = default;
  constexpr Text(const char* written) : text(written) {}
  std::string_view text;
  bool is_own = false;  ///< the text calls a function of Treadle
  bool wraps = false;   ///< an integer result wraps around
  bool rounds = false;  ///< a float16 result must be rounded
  constexpr bool is_none() const { return text.empty() && !is_own; }
};
constexpr Text none;
constexpr Text own = [] {
  Text text;
  text.is_own = true;
  return text;
}();
constexpr Text wrapped(Text text) {
  text.wraps = true;
  return text;
}
constexpr Text rounded(Text text) {
  text.rounds = true;
  return text;
}

struct Row {
  Op op;
  std::array<Text, 4> texts;  ///< for bool, integers, floats, complex numbers
};
constexpr Row rows[] = {
#define TREADLE_OP_TEXT(name, boolean, integer, floating, complex) \
  {Op::name, {Text(boolean), Text(integer), Text(floating), Text(complex)}},
#include "op_text.def"
#undef TREADLE_OP_TEXT
};
// The table must have a row for each operation, in the order of op.def.
constexpr bool rows_are_complete() {
  if (std::size(rows) != static_cast<std::size_t>(Op::cast)) return false;
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].op != static_cast<Op>(i)) return false;
  return true;
}
static_assert(rows_are_complete());

const Text& text_of(Op op, Scalar dtype) noexcept {
  if (op >= Op::cast) return none;
  const auto& texts = rows[static_cast<std::size_t>(op)].texts;
  switch (DType(dtype).kind()) {
    case ScalarKind::boolean:
      return texts[0];
    case ScalarKind::signed_integer:
    case ScalarKind::unsigned_integer:
      return texts[1];
    case ScalarKind::floating:
      return texts[2];
    case ScalarKind::complex:
      return texts[3];
    case ScalarKind::structure:
      break;
  }
  return op == Op::where ? texts[2] : none;
}

bool is_complex(Scalar dtype) { return DType(dtype).kind() == ScalarKind::complex; }
bool is_floating(Scalar dtype) { return DType(dtype).kind() == ScalarKind::floating; }

/// Whether a text needs no brackets beside an operator: a name, a number, a call, a member.
bool is_whole(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (depth == 0 && !is_word(text[i]) && text[i] != '.') return false;
    if (text[i] == ')' || text[i] == ']') --depth;
    // A text that starts with a bracket is not a call; text after the closing bracket is another
    // part.
    if (depth == 0 && (text[i] == ')' || text[i] == ']'))
      return i + 1 == text.size() && text[0] != '(';
  }
  return true;
}
std::string bracketed(const std::string& text) {
  return is_whole(text) ? text : joined({"(", text, ")"});
}

/// Fills in the operands, with brackets beside operators.
std::string filled(std::string_view text, std::span<const std::string> operands) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{') {
      result += text[at];
      continue;
    }
    const std::string& operand = operands[static_cast<std::size_t>(text[at + 1] - '0')];
    const std::string_view before = text.substr(0, at), behind = text.substr(at + 3);
    const bool is_argument = (before.ends_with('(') || before.ends_with(", ")) &&
                             (behind.starts_with(',') || behind.starts_with(')'));
    const bool is_all = before.empty() && behind.empty();
    result += is_argument || is_all ? operand : bracketed(operand);
    at += 2;
  }
  return result;
}

/// Unsigned integers of 32 and 64 bits wrap around; other integers are computed in an unsigned
/// type.
std::string wrapping(std::string_view text, Scalar dtype, const Dialect& dialect) {
  if (dtype == Scalar::uint32 || dtype == Scalar::uint64) return std::string(text);
  const Scalar wide = DType(dtype).size_bytes() == 8 ? Scalar::uint64 : Scalar::uint32;
  std::string result(text);
  result.insert(result.find("{0}"), joined({"(", value_type(wide, dialect), ")"}));
  return joined({"(", value_type(dtype, dialect), ")(", result, ")"});
}

std::string own_call(Op op, Scalar dtype, std::size_t arity) {
  const bool has_mirror = op == Op::greater || op == Op::greater_equal;
  if (has_mirror) op = op == Op::greater ? Op::less : Op::less_equal;
  // float16 is computed as float, except for nextafter, whose result depends on the width.
  if (dtype == Scalar::float16) dtype = Scalar::float32;
  const std::string name = joined({"treadle_", op_info(op).name, "_", DType(dtype).name()});
  if (has_mirror) return name + "({1}, {0})";
  return name + (arity == 1 ? "({0})" : "({0}, {1})");
}

/// Compares two 64-bit integers of which one has a sign, by value: a negative number is less.
std::string mixed_comparison(Op op, std::span<const std::string> operands, bool signed_first,
                             const Dialect& dialect) {
  const bool mirrored = op == Op::greater || op == Op::greater_equal;
  if (op == Op::not_equal)
    return joined({"!(", mixed_comparison(Op::equal, operands, signed_first, dialect), ")"});
  std::array<std::string, 2> sides = {operands[mirrored ? 1 : 0], operands[mirrored ? 0 : 1]};
  const std::string sign = signed_first ? "{0}" : "{1}";
  const bool negative_holds = op != Op::equal && signed_first != mirrored;
  const std::string_view comparison = op == Op::equal                       ? " == "
                                      : op == Op::less || op == Op::greater ? " < "
                                                                            : " <= ";
  const std::size_t number = signed_first != mirrored ? 0 : 1;
  const std::string guard = filled(sign, operands) + (negative_holds ? " < 0 || " : " >= 0 && ");
  sides[number] = joined({"(", value_type(Scalar::uint64, dialect), ")", bracketed(sides[number])});
  sides[1 - number] = bracketed(sides[1 - number]);
  return guard + sides[0] + std::string(comparison) + sides[1];
}

std::vector<std::string> texts_of(std::span<const OperandText> operands) {
  std::vector<std::string> texts;
  for (const OperandText& operand : operands) texts.push_back(operand.text);
  return texts;
}

[[noreturn]] void refuse(Op op, Scalar dtype) {
  throw DTypeError(std::string(op_info(op).name) + " is not computed in " + DType(dtype).name(),
                   "cast the operands first");
}

void require_operands(Op op, std::span<const OperandText> operands) {
  if (op >= Op::leaf)
    throw InvalidArgument(std::string(op_info(op).name) + " is no operation on values");
  if (operands.size() != op_info(op).arity)
    throw InvalidArgument(std::string(op_info(op).name) + " takes " +
                          std::to_string(op_info(op).arity) + " operands, not " +
                          std::to_string(operands.size()));
}

std::string half_rounded(const std::string& text) {
  return joined({"treadle_round_half(", text, ")"});
}

/// The cast to `dtype`, in brackets.
std::string cast_operator(Scalar dtype, const Dialect& dialect) {
  return joined({"(", value_type(dtype, dialect), ")"});
}

std::string complex_text(Scalar dtype, const std::string& real, const std::string& imaginary,
                         const Dialect& dialect) {
  const std::string make = joined({"treadle_make_vector(", value_type(dtype, dialect), ")"});
  return joined({expand_words(make, dialect), "(", real, ", ", imaginary, ")"});
}

std::string cast_complex(const OperandText& operand, Scalar dtype, const Dialect& dialect) {
  const std::string value = bracketed(operand.text);
  const OperandText real{value + ".x", DType(operand.dtype).real_type().scalar()};
  const OperandText imaginary{value + ".y", real.dtype};
  if (dtype == Scalar::boolean) return joined({real.text, " != 0 || ", imaginary.text, " != 0"});
  if (!is_complex(dtype)) return cast_text(real, dtype, dialect);
  const Scalar part = DType(dtype).real_type().scalar();
  return complex_text(dtype, cast_text(real, part, dialect), cast_text(imaginary, part, dialect),
                      dialect);
}

std::string cast_to_half(const OperandText& operand, const Dialect& dialect) {
  if (operand.dtype == Scalar::float64)
    return joined({"treadle_double_to_float16(", operand.text, ")"});
  if (operand.dtype == Scalar::float32) return half_rounded(operand.text);
  const std::string single = cast_operator(Scalar::float32, dialect) + bracketed(operand.text);
  // An integer with at most 11 bits is exact in float16.
  return DType(operand.dtype).size_bytes() == 1 ? single : half_rounded(single);
}

/// C does not define conversions out of range, so functions of Treadle convert.
std::string cut_to_integer(const OperandText& operand, Scalar dtype, const Dialect& dialect) {
  const bool is_narrow = DType(dtype).size_bytes() < 4;
  const Scalar from = operand.dtype == Scalar::float16 ? Scalar::float32 : operand.dtype;
  const Scalar to = is_narrow ? Scalar::int32 : dtype;
  return joined({is_narrow ? cast_operator(dtype, dialect) : "", "treadle_", DType(from).name(),
                 "_to_", DType(to).name(), "(", operand.text, ")"});
}

}  // namespace

bool has_op_text(Op op, Scalar dtype) noexcept { return !text_of(op, dtype).is_none(); }

std::string op_text(Op op, std::span<const OperandText> operands, const Dialect& dialect) {
  require_operands(op, operands);
  if (op == Op::cast)
    throw InvalidArgument("cast: its dtype is not the operand's", "call cast_text()");
  const Scalar dtype = operands[op == Op::where ? 1 : 0].dtype;
  const Text& text = text_of(op, dtype);
  if (text.is_none()) refuse(op, dtype);
  std::vector<std::string> values = texts_of(operands);
  if (op_info(op).rule == OpRule::compare && operands[1].dtype != dtype)
    return mixed_comparison(op, values, dtype == Scalar::int64, dialect);
  if (op == Op::nextafter && dtype == Scalar::float16)
    return filled("treadle_nextafter_float16({0}, {1})", values);
  // Beyond these limits every result is 0 or infinite.
  if (op == Op::ldexp && operands[1].dtype == Scalar::int64)
    values[1] =
        expand_words(joined({"(int)max(min(", values[1],
                             ", treadle_int64_literal(9999)), treadle_int64_literal(-9999))"}),
                     dialect);
  std::string written = text.is_own ? own_call(op, dtype, operands.size()) : std::string(text.text);
  if (const std::size_t at = written.find("{T}"); at != std::string::npos)
    written.replace(at, 3, value_type(dtype, dialect));
  if (text.wraps) written = wrapping(written, dtype, dialect);
  const std::string result = filled(expand_words(written, dialect), values);
  return text.rounds && dtype == Scalar::float16 ? half_rounded(result) : result;
}

std::string cast_text(const OperandText& operand, Scalar dtype, const Dialect& dialect) {
  const Scalar from = operand.dtype;
  if (from == dtype) return operand.text;
  if (from == Scalar::structure || dtype == Scalar::structure) refuse(Op::cast, Scalar::structure);
  if (is_complex(from)) return cast_complex(operand, dtype, dialect);
  if (is_complex(dtype)) {
    const Scalar part = DType(dtype).real_type().scalar();
    return complex_text(dtype, cast_text(operand, part, dialect), "0", dialect);
  }
  if (dtype == Scalar::boolean) return bracketed(operand.text) + " != 0";
  if (dtype == Scalar::float16) return cast_to_half(operand, dialect);
  // A variable for a float16 is a float.
  if (from == Scalar::float16 && dtype == Scalar::float32) return operand.text;
  if (is_floating(from) && !is_floating(dtype)) return cut_to_integer(operand, dtype, dialect);
  return cast_operator(dtype, dialect) + bracketed(operand.text);
}

}  // namespace treadle::codegen
