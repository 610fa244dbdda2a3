// SPDX-License-Identifier: MIT
// The instructions of PTX that are translated, one row each.
#pragma once

#include <string_view>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_registers.hpp"

namespace treadle::cuda_cpu::ptx {

/// One statement on its way to IR.
class Step {
 public:
  Step(const Statement& read_statement, Registers& values)
      : statement(read_statement), registers(values), builder(values.builder()) {}

  bool has(std::string_view word) const;
  const Operand& operand(std::size_t i) const { return statement.operands[i]; }
  llvm::Value* read(std::size_t i) { return registers.read(operand(i), type); }
  llvm::Value* read(std::size_t i, Type as) { return registers.read(operand(i), as); }
  void write(llvm::Value* value) { registers.write(operand(0), value, type); }
  void write(llvm::Value* value, Type as) { registers.write(operand(0), value, as); }
  llvm::IntegerType* wide() { return builder.getIntNTy(2 * type.bits); }

  const Statement& statement;
  Registers& registers;
  llvm::IRBuilder<>& builder;
  Type type;    ///< the last type suffix: that of the operands
  Type target;  ///< the first: what cvt converts to, as `type` where there is one only
  llvm::SmallVector<Type, 3> types;  ///< all of them
};

struct Operation {
  std::string_view name;
  std::string_view words;  ///< suffixes that are understood, beside types
  std::string_view kinds;  ///< of types: u, s, b, f, h, p; empty: it has no type
  std::size_t operands;
  void (*translate)(Step& step);
  std::size_t optional_operands = 0;  ///< how many more there may be
};

/// The row of an instruction; null: there is none.
const Operation* find_operation(std::string_view name);

// Rows that stand in files of their own: integers bit by bit, parts of words, and memory.
void extract_bits(Step& step);
void insert_bits(Step& step);
void permute_bytes(Step& step);
void funnel_shift(Step& step);
void look_up(Step& step);
void count_bits(Step& step);
void find_bit(Step& step);
void find_nth_bit(Step& step);
void extend_bits(Step& step);
void mask_bits(Step& step);
void combine_parts(Step& step);
void combine_parts_of_words(Step& step);
void dot_product(Step& step);
void load(Step& step);
void store(Step& step);
void exchange(Step& step);

}  // namespace treadle::cuda_cpu::ptx
