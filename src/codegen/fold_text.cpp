// SPDX-License-Identifier: MIT
#include "fold_text.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

using Bytes = std::array<std::byte, 16>;

template <class T>
Bytes bytes_of(T value) {
  Bytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

constexpr std::uint16_t half_one = 0x3c00, half_infinity = 0x7c00, half_nan = 0x7e00;

/// The initial value of a fold.
enum class Start { zero, one, lowest, highest, nan };

Start start_of(Fold fold, Scalar dtype) {
  const ScalarKind kind = DType(dtype).kind();
  const bool has_nan = kind == ScalarKind::floating || kind == ScalarKind::complex;
  switch (fold) {
    case Fold::sum:
    case Fold::any:
      return Start::zero;
    case Fold::product:
    case Fold::all:
      return Start::one;
    case Fold::minimum:
    case Fold::argmin:
      return Start::highest;
    case Fold::maximum:
    case Fold::argmax:
      return Start::lowest;
    case Fold::fmin:
      return has_nan ? Start::nan : Start::highest;
    case Fold::fmax:
      return has_nan ? Start::nan : Start::lowest;
  }
  return Start::zero;
}

template <class T>
T number_at(Start start) {
  using Limits = std::numeric_limits<T>;
  switch (start) {
    case Start::one:
      return T(1);
    case Start::lowest:
      return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
    case Start::highest:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Start::nan:
      return Limits::quiet_NaN();
    case Start::zero:
      break;
  }
  return T(0);
}

template <class T>
Bytes complex_at(Start start) {
  const T part = number_at<T>(start);
  const bool has_both = start != Start::one;
  return bytes_of(std::array<T, 2>{part, has_both ? part : T(0)});
}

Bytes half_at(Start start) {
  switch (start) {
    case Start::one:
      return bytes_of(half_one);
    case Start::lowest:
      return bytes_of(static_cast<std::uint16_t>(half_infinity | 0x8000));
    case Start::highest:
      return bytes_of(half_infinity);
    case Start::nan:
      return bytes_of(half_nan);
    case Start::zero:
      break;
  }
  return {};
}

Bytes start_bytes(Start start, Scalar dtype) {
  switch (dtype) {
    case Scalar::boolean:
      return bytes_of<std::uint8_t>(start == Start::one || start == Start::highest ? 1 : 0);
    case Scalar::int8:
      return bytes_of(number_at<std::int8_t>(start));
    case Scalar::int16:
      return bytes_of(number_at<std::int16_t>(start));
    case Scalar::int32:
      return bytes_of(number_at<std::int32_t>(start));
    case Scalar::int64:
      return bytes_of(number_at<std::int64_t>(start));
    case Scalar::uint8:
      return bytes_of(number_at<std::uint8_t>(start));
    case Scalar::uint16:
      return bytes_of(number_at<std::uint16_t>(start));
    case Scalar::uint32:
      return bytes_of(number_at<std::uint32_t>(start));
    case Scalar::uint64:
      return bytes_of(number_at<std::uint64_t>(start));
    case Scalar::float16:
      return half_at(start);
    case Scalar::float32:
      return bytes_of(number_at<float>(start));
    case Scalar::float64:
      return bytes_of(number_at<double>(start));
    case Scalar::complex64:
      return complex_at<float>(start);
    case Scalar::complex128:
      return complex_at<double>(start);
    case Scalar::structure:
      break;
  }
  return {};
}

Op op_of(Fold fold) {
  switch (fold) {
    case Fold::product:
      return Op::multiply;
    case Fold::minimum:
    case Fold::argmin:
      return Op::minimum;
    case Fold::maximum:
    case Fold::argmax:
      return Op::maximum;
    case Fold::fmin:
      return Op::fmin;
    case Fold::fmax:
      return Op::fmax;
    case Fold::any:
      return Op::logical_or;
    case Fold::all:
      return Op::logical_and;
    default:
      return Op::add;
  }
}

}  // namespace

bool is_arg(Fold fold) noexcept { return fold == Fold::argmin || fold == Fold::argmax; }

bool is_summed_exactly(Fold fold, Scalar dtype) noexcept {
  const ScalarKind kind = DType(dtype).kind();
  return fold == Fold::sum && dtype != Scalar::float16 &&
         (kind == ScalarKind::floating || kind == ScalarKind::complex);
}

FoldText::FoldText(Fold fold, std::size_t index, Scalar dtype, const Dialect& dialect)
    : fold_(fold), dtype_(dtype), dialect_(dialect) {
  const std::string name = joined({fold_name(fold), "_", number(index)});
  fields_.push_back(value_field(name, dtype, dialect));
  if (is_arg(fold)) fields_.push_back(value_field(name + "_at", Scalar::int64, dialect));
  if (is_summed_exactly(fold, dtype))
    fields_.push_back(value_field(name + "_left_out", dtype, dialect));
}

FoldText::FoldText(BlockField field, std::string function, std::string neutral, bool rounds,
                   const Dialect& dialect)
    : function_(std::move(function)),
      neutral_(std::move(neutral)),
      rounds_(rounds),
      dialect_(dialect),
      fields_{std::move(field)} {}

std::string FoldText::neutral(std::size_t field) const {
  if (!function_.empty()) return neutral_;
  // The initial place is after every place, so that the first element wins even if it equals the
  // initial value.
  const bool is_place = field == 1 && has_place();
  const Start start = is_place ? Start::highest : start_of(fold_, dtype_);
  const Scalar dtype = is_place ? Scalar::int64 : dtype_;
  return literal_text(dtype, start_bytes(start, dtype), dialect_);
}

bool FoldText::is_of_narrow_integers() const {
  const DType dtype(dtype_);
  const ScalarKind kind = dtype_ == Scalar::structure ? ScalarKind::structure : dtype.kind();
  return (kind == ScalarKind::signed_integer || kind == ScalarKind::unsigned_integer) &&
         dtype.size_bytes() <= 2;
}

std::string FoldText::beats(const std::string& value, const std::string& than) const {
  const OperandText both[] = {{value, dtype_}, {than, dtype_}};
  const ScalarKind kind = DType(dtype_).kind();
  const auto compared = [&](Op op) { return joined({"(", op_text(op, both, dialect_), ")"}); };
  const auto is_nan = [&](const OperandText& operand) {
    return joined({"((", op_text(Op::isnan, {&operand, 1}, dialect_), ") != 0)"});
  };
  const bool is_least = fold_ == Fold::argmin;
  // No branches, because work-items may differ. A comparison with NaN is false.
  if (kind == ScalarKind::floating)
    return joined(
        {"!", compared(is_least ? Op::greater_equal : Op::less_equal), " & !", is_nan(both[1])});
  const std::string before = compared(is_least ? Op::less : Op::greater);
  if (kind != ScalarKind::complex) return before;
  return joined({"!", is_nan(both[1]), " & (", before, " | ", is_nan(both[0]), ")"});
}

void FoldText::combine(tree::BlockBuilder& code, const Name& into, const Name& from) const {
  const std::string value = into(fields_[0].name), other = from(fields_[0].name);
  if (is_exact()) return add(code, into, other, from(fields_[1].name));
  if (!has_place()) return combine_in_run(code, value, other);
  const std::string at = into(fields_[1].name), other_at = from(fields_[1].name);
  code.open();
  code.declare("const int", "is_before", beats(other, value));
  code.declare("const int", "is_behind", beats(value, other));
  code.declare("const int", "wins", {"is_before | (!is_behind & (", other_at, " < ", at, "))"});
  code.assign(value, {"wins ? ", other, " : ", value});
  code.assign(at, {"wins ? ", other_at, " : ", at});
  code.close();
}

void FoldText::combine_value(tree::BlockBuilder& code, const Name& into,
                             const std::string& value) const {
  is_exact() ? add(code, into, value, "") : combine_in_run(code, into(fields_[0].name), value);
}

void FoldText::combine_in_run(tree::BlockBuilder& code, const std::string& into,
                              const std::string& value) const {
  code.assign(into, folded(into, value));
}

std::string FoldText::folded(const std::string& a, const std::string& b) const {
  if (!function_.empty()) return joined({function_, "(", a, ", ", b, ")"});
  const OperandText both[] = {{a, dtype_}, {b, dtype_}};
  return op_text(op_of(fold_), both, dialect_);
}

void FoldText::add(tree::BlockBuilder& code, const Name& into, const std::string& value,
                   const std::string& left_out) const {
  const std::string type = value_type(dtype_, dialect_), sum = into(fields_[0].name),
                    rest = into(fields_[1].name);
  code.open();
  code.declare({"const ", type}, "addend", value);
  code.declare({"const ", type}, "total", folded(sum, "addend"));
  std::string more =
      joined({"treadle_left_out_", DType(dtype_).name(), "(", sum, ", addend, total)"});
  // The chain of additions to `rest` takes the time, so the two errors are added to each other
  // first.
  if (!left_out.empty()) more = joined({"(", folded(more, left_out), ")"});
  code.assign(rest, folded(rest, more));
  code.assign(sum, "total");
  code.close();
}

std::string FoldText::settled(const Name& of) const {
  const std::string value = of(result().name);
  if (!is_exact()) return value;
  return joined(
      {"treadle_settled_", DType(dtype_).name(), "(", value, ", ", of(fields_[1].name), ")"});
}

void FoldText::combine_later(tree::BlockBuilder& code, const Pair& into, const Pair& from) const {
  code.open();
  code.declare("const int", "wins", beats(from.value, into.value));
  code.assign(into.value, {"wins ? ", from.value, " : ", into.value});
  code.assign(into.mark, {"wins ? ", from.mark, " : ", into.mark});
  code.close();
}

}  // namespace treadle::codegen
