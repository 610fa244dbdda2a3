// SPDX-License-Identifier: MIT
#include "treadle/tune/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "treadle/base/error.hpp"
#include "tune/formula_code.hpp"
#include "tune/operand.hpp"

namespace treadle::tune {
namespace {

/// Why a formula has no value; the formula and its values are added where both are known.
struct NoValue {
  const char* why;
};

void require_numbers(const Operand& a, const Operand& b) {
  if (a.is_text() || b.is_text()) throw NoValue{"computes with a text"};
}
std::int64_t whole(const Operand& a) {
  if (a.is_real() || a.is_text()) throw NoValue{"needs integers for operations on bits"};
  return a.integer;
}
// By reference: the order in which arguments are computed is not given.
Operand checked(bool overflows, const std::int64_t& value) {
  if (overflows) throw NoValue{"leaves the integers of 64 bits"};
  return Operand(value);
}
Operand to_integer(double value) {
  if (!(std::abs(value) < 9.2e18)) throw NoValue{"leaves the integers of 64 bits"};
  return Operand(static_cast<std::int64_t>(value));
}

Operand floor_divided(std::int64_t a, std::int64_t b) {
  if (b == 0) throw NoValue{"divides by zero"};
  if (b == -1) {
    std::int64_t negated = 0;
    return checked(__builtin_sub_overflow(std::int64_t{0}, a, &negated), negated);
  }
  return Operand(a / b - static_cast<std::int64_t>(a % b != 0 && (a < 0) != (b < 0)));
}
Operand modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) throw NoValue{"divides by zero"};
  if (b == -1) return Operand(std::int64_t{0});
  const std::int64_t rest = a % b;
  return Operand(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}
Operand power(const Operand& a, const Operand& b) {
  if (a.is_real() || b.is_real() || b.integer < 0) {
    if (a.number() == 0 && b.number() < 0) throw NoValue{"divides by zero"};
    const double value = std::pow(a.number(), b.number());
    if (std::isnan(value)) throw NoValue{"takes a root of a negative number"};
    return Operand(value);
  }
  std::int64_t result = 1, square = a.integer;
  bool overflows = false, is_lost = false;
  for (std::int64_t left = b.integer; left > 0; left /= 2) {
    if (left % 2 != 0)
      overflows = overflows || is_lost || __builtin_mul_overflow(result, square, &result);
    is_lost = is_lost || __builtin_mul_overflow(square, square, &square);
  }
  return checked(overflows, result);
}

Operand of_reals(Arithmetic how, double a, double b) {
  switch (how) {
    case Arithmetic::add:
      return Operand(a + b);
    case Arithmetic::subtract:
      return Operand(a - b);
    case Arithmetic::multiply:
      return Operand(a * b);
    default:
      break;
  }
  if (b == 0) throw NoValue{"divides by zero"};
  if (how == Arithmetic::divide) return Operand(a / b);
  if (how == Arithmetic::floor_divide) return Operand(std::floor(a / b));
  const double rest = std::fmod(a, b);
  return Operand(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

Operand shifted(std::int64_t a, std::int64_t b, bool is_left) {
  if (b < 0) throw NoValue{"shifts by a negative number"};
  if (!is_left) return Operand(a >> std::min<std::int64_t>(b, 63));
  std::int64_t value = 0;
  if (a == 0) return Operand(std::int64_t{0});
  return checked(b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &value), value);
}

Operand of_integers(Arithmetic how, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  switch (how) {
    case Arithmetic::add:
      return checked(__builtin_add_overflow(a, b, &value), value);
    case Arithmetic::subtract:
      return checked(__builtin_sub_overflow(a, b, &value), value);
    case Arithmetic::multiply:
      return checked(__builtin_mul_overflow(a, b, &value), value);
    case Arithmetic::floor_divide:
      return floor_divided(a, b);
    case Arithmetic::modulo:
      return modulo(a, b);
    default:
      break;
  }
  return of_reals(how, static_cast<double>(a), static_cast<double>(b));
}

Operand computed(Arithmetic how, const Operand& a, const Operand& b) {
  require_numbers(a, b);
  const bool is_truth = a.kind == Operand::Kind::truth && b.kind == Operand::Kind::truth;
  const auto of_bits = [&](std::int64_t value) {
    return is_truth ? Operand(value != 0) : Operand(value);
  };
  switch (how) {
    case Arithmetic::bit_and:
      return of_bits(whole(a) & whole(b));
    case Arithmetic::bit_or:
      return of_bits(whole(a) | whole(b));
    case Arithmetic::bit_xor:
      return of_bits(whole(a) ^ whole(b));
    case Arithmetic::shift_left:
    case Arithmetic::shift_right:
      return shifted(whole(a), whole(b), how == Arithmetic::shift_left);
    case Arithmetic::power:
      return power(a, b);
    default:
      break;
  }
  if (a.is_real() || b.is_real()) return of_reals(how, a.number(), b.number());
  return of_integers(how, a.integer, b.integer);
}

template <class T>
bool holds(Comparison how, const T& a, const T& b) {
  switch (how) {
    case Comparison::less:
      return a < b;
    case Comparison::at_most:
      return a <= b;
    case Comparison::greater:
      return a > b;
    default:
      return a >= b;
  }
}
bool compared(Comparison how, const Operand& a, const Operand& b) {
  if (how == Comparison::equal) return are_equal(a, b);
  if (how == Comparison::unequal) return !are_equal(a, b);
  if (a.is_text() != b.is_text()) throw NoValue{"compares a text with a number"};
  if (a.is_text()) return holds(how, *a.text, *b.text);
  if (a.is_real() || b.is_real()) return holds(how, a.number(), b.number());
  return holds(how, a.integer, b.integer);
}

Operand signed_value(Sign how, const Operand& a) {
  if (how == Sign::not_true) return Operand(!a.truth());
  require_numbers(a, a);
  if (how == Sign::invert) return Operand(~whole(a));
  if (how == Sign::plus) return a.is_real() ? a : Operand(a.integer);
  return a.is_real() ? Operand(-a.real) : of_integers(Arithmetic::subtract, 0, a.integer);
}

/// The value as an integer, of a function that rounds.
Operand rounded(const Operand& a, double (*how)(double)) {
  return a.is_real() ? to_integer(how(a.real)) : Operand(a.integer);
}
Operand real_function(const Operand& a, Function which) {
  const double x = a.number();
  if (which == Function::sqrt && x < 0) throw NoValue{"takes a root of a negative number"};
  if (which == Function::log2 && x <= 0) throw NoValue{"takes a logarithm of no positive number"};
  return Operand(which == Function::sqrt ? std::sqrt(x) : std::log2(x));
}

Operand called(Function which, std::span<const Operand> arguments) {
  const Operand& a = arguments.front();
  if (which == Function::to_bool) return Operand(a.truth());
  for (const Operand& each : arguments) require_numbers(each, each);
  switch (which) {
    case Function::absolute:
      return a.truth() && a.number() < 0 ? signed_value(Sign::negate, a)
                                         : signed_value(Sign::plus, a);
    case Function::to_real:
      return Operand(a.number());
    case Function::to_integer:
      return rounded(a, std::trunc);
    case Function::ceil:
      return rounded(a, std::ceil);
    case Function::floor:
      return rounded(a, std::floor);
    case Function::round:
      return rounded(a, std::nearbyint);
    case Function::ceil_div:
      return signed_value(Sign::negate, computed(Arithmetic::floor_divide,
                                                 signed_value(Sign::negate, a), arguments[1]));
    case Function::gcd:
      return Operand(std::gcd(whole(a), whole(arguments[1])));
    case Function::power:
      return power(a, arguments[1]);
    case Function::greatest:
      return *std::ranges::max_element(arguments, {}, &Operand::number);
    case Function::least:
      return *std::ranges::min_element(arguments, {}, &Operand::number);
    default:
      return real_function(a, which);
  }
}

/// Runs the instructions; `stack` has room for code.depth values.
Operand run(const Formula::Code& code, std::span<const Value> values, Operand* stack) {
  Operand* top = stack - 1;  // the topmost value
  const auto two = [&] { return --top; };
  for (std::size_t k = 0; k < code.instructions.size(); ++k) {
    const Instruction& at = code.instructions[k];
    const auto operand = static_cast<std::size_t>(at.operand);
    switch (at.step) {
      case Step::constant:
        *++top = Operand(code.constants[operand]);
        break;
      case Step::load:
        *++top = Operand(values[operand]);
        break;
      case Step::sign:
        *top = signed_value(static_cast<Sign>(at.detail), *top);
        break;
      case Step::arithmetic:
        two();
        *top = computed(static_cast<Arithmetic>(at.detail), top[0], top[1]);
        break;
      case Step::compare:
        two();
        *top = Operand(compared(static_cast<Comparison>(at.detail), top[0], top[1]));
        break;
      case Step::chain:
        two();
        if (compared(static_cast<Comparison>(at.detail), top[0], top[1]))
          top[0] = top[1];
        else
          *top = Operand(false), k = operand - 1;
        break;
      case Step::contains: {
        top -= operand;
        bool is_there = false;
        for (std::size_t n = 1; n <= operand; ++n) is_there = is_there || are_equal(*top, top[n]);
        *top = Operand(is_there);
        break;
      }
      case Step::contains_text:
        two();
        if (!top[0].is_text() || !top[1].is_text())
          throw NoValue{"looks into what has no elements"};
        *top = Operand(top[1].text->find(*top[0].text) != std::string::npos);
        break;
      case Step::false_or_pop:
        if (top->truth())
          --top;
        else
          k = operand - 1;
        break;
      case Step::true_or_pop:
        if (top->truth())
          k = operand - 1;
        else
          --top;
        break;
      case Step::pop_false:
        if (!(top--)->truth()) k = operand - 1;
        break;
      case Step::jump:
        k = operand - 1;
        break;
      case Step::call:
        top -= operand - 1;
        *top = called(static_cast<Function>(at.detail), {top, operand});
        break;
    }
  }
  return *top;
}

}  // namespace

Formula::Formula(std::string_view text) {
  auto code = std::make_shared<Code>();
  code->text = text;
  read_formula(*code);
  code_ = std::move(code);
}

const std::string& Formula::text() const noexcept { return code_->text; }
const std::vector<std::string>& Formula::names() const noexcept { return code_->names; }

Value Formula::operator()(std::span<const Value> values) const {
  if (values.size() < code_->names.size())
    throw InvalidArgument("the formula '" + text() + "' got " + std::to_string(values.size()) +
                              " values, expected " + std::to_string(code_->names.size()),
                          "pass a value for each of names()");
  try {
    std::array<Operand, 32> stack;
    if (code_->depth <= stack.size()) return run(*code_, values, stack.data()).value();
    std::vector<Operand> longer(code_->depth);
    return run(*code_, values, longer.data()).value();
  } catch (const NoValue& failure) {
    std::string at;
    for (std::size_t k = 0; k < code_->names.size(); ++k)
      at += (k == 0 ? " for " : ", ") + code_->names[k] + " = " + value_text(values[k]);
    throw InvalidArgument("the formula '" + text() + "' " + failure.why + at,
                          "guard it with 'and' or 'a if b else c'");
  }
}

}  // namespace treadle::tune
