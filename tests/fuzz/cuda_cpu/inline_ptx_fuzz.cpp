// SPDX-License-Identifier: MIT
// The text of an inline assembly: whatever is read stands in the text, and a refusal says where.
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_text.hpp"

#include "fuzz/target.hpp"

using namespace treadle;
namespace ptx = treadle::cuda_cpu::ptx;

TREADLE_FUZZ_TARGET(inline_ptx) {
  const ptx::Text text = ptx::read(input);
  fuzz::require(text.error.empty() == text.where.empty(), "a refusal says where");
  for (const ptx::Statement& statement : text.statements) {
    fuzz::require(!statement.words.empty(), "a statement has a word");
    fuzz::require(!statement.text.empty(), "a statement has a text");
    for (const ptx::Operand& operand : statement.operands) {
      const bool whole = operand.kind == ptx::Operand::Kind::address;
      fuzz::require(!whole || operand.parts.size() == 1, "an address has one base");
      const bool vector = operand.kind == ptx::Operand::Kind::vector;
      fuzz::require(!vector || !operand.parts.empty(), "a vector has parts");
    }
  }
}
