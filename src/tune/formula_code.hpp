// SPDX-License-Identifier: MIT
// The instructions that a formula is read into, for a machine with a stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treadle/tune/formula.hpp"

namespace treadle::tune {

enum class Arithmetic : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
};
enum class Comparison : std::uint8_t { equal, unequal, less, at_most, greater, at_least };
enum class Sign : std::uint8_t { negate, plus, invert, not_true };
enum class Function : std::uint8_t {
  absolute,
  to_bool,
  ceil,
  ceil_div,
  to_real,
  floor,
  gcd,
  to_integer,
  log2,
  greatest,
  least,
  power,
  round,
  sqrt,
};

enum class Step : std::uint8_t {
  constant,       // pushes constants[operand]
  load,           // pushes the value of names[operand]
  sign,           // of the topmost; detail: Sign
  arithmetic,     // of the two topmost; detail: Arithmetic
  compare,        // of the two topmost; detail: Comparison
  chain,          // the same; if false pushes False and goes to operand, else leaves the second
  contains,       // whether one of the `operand` topmost is equal to what lies below them
  contains_text,  // whether the text below is part of the topmost
  false_or_pop,   // goes to operand if the topmost is false, else drops it
  true_or_pop,    // the same if it is true
  pop_false,      // drops the topmost, and goes to operand if it was false
  jump,           // to operand
  call,           // of the `operand` topmost; detail: Function
};

struct Instruction {
  Step step;
  std::uint8_t detail = 0;
  std::int32_t operand = 0;
};

struct Formula::Code {
  std::string text;
  std::vector<std::string> names;
  std::vector<Value> constants;
  std::vector<Instruction> instructions;
  std::size_t depth = 0;  ///< the most values on the stack
};

/// Reads `code.text` into the rest of `code`. Throws InvalidArgument.
void read_formula(Formula::Code& code);

}  // namespace treadle::tune
