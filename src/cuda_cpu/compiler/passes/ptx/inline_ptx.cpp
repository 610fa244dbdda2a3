// SPDX-License-Identifier: MIT
// Inline PTX: an assembly is read (inline_ptx_text), its registers become values
// (inline_ptx_registers), and each statement the instructions that do the same
// (inline_ptx_operations). It runs on what clang made, while clang can still say a place.
//
//   %r = call i32 asm "mul.hi.u32 $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)
//     =>
//   %1 = zext i32 %a to i64
//   %2 = zext i32 %b to i64
//   %3 = mul i64 %1, %2
//   %4 = lshr i64 %3, 32
//   %r = trunc i64 %4 to i32
#include "cuda_cpu/compiler/passes/ptx/inline_ptx.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_operations.hpp"
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_registers.hpp"
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_text.hpp"

namespace treadle::cuda_cpu {
namespace {

bool in_list(llvm::StringRef list, llvm::StringRef word) {
  llvm::SmallVector<llvm::StringRef, 32> words;
  list.split(words, ' ');
  return llvm::is_contained(words, word);
}

/// Reads the suffixes: types are kept, others must be in the operation's row.
void read_suffixes(ptx::Step& step, const ptx::Operation& operation) {
  bool found = false;
  for (std::size_t i = 1; i < step.statement.words.size(); ++i) {
    const std::string& word = step.statement.words[i];
    if (in_list(operation.words, word)) continue;
    const std::optional<ptx::Type> type = ptx::type_of(word);
    if (!type || operation.kinds.find(type->kind) == std::string_view::npos)
      throw ptx::Untranslatable("." + word + " is not known here");
    if (!found) step.target = *type;
    step.type = *type;
    step.types.push_back(*type);
    found = true;
  }
  if (!found && !operation.kinds.empty()) throw ptx::Untranslatable("its type is missing");
}

void translate(const ptx::Statement& statement, ptx::Registers& registers) {
  if (statement.words[0].starts_with('.')) return registers.declare(statement);
  const ptx::Operation* operation = ptx::find_operation(statement.words[0]);
  if (!operation) throw ptx::Untranslatable("the instruction is not known on the CPU device");
  registers.guard(nullptr);
  ptx::Step step(statement, registers);
  read_suffixes(step, *operation);
  const std::size_t count = statement.operands.size();
  if (count < operation->operands || count > operation->operands + operation->optional_operands)
    throw ptx::Untranslatable("it has " + std::to_string(operation->operands) + " operands");
  if (!statement.guard.empty()) {
    llvm::Value* guard = registers.read(
        {.kind = ptx::Operand::Kind::name, .name = statement.guard, .selector = {}, .parts = {}},
        {'p', 1});
    if (statement.guard_negated) guard = registers.builder().CreateNot(guard);
    registers.guard(guard);
  }
  operation->translate(step);
}

}  // namespace

std::optional<PtxRefusal> translate_inline_ptx(llvm::CallBase& call) {
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  const ptx::Text text = ptx::read(std::string_view(assembly->getAsmString()));
  if (!text.error.empty()) return PtxRefusal{text.where, text.error};
  std::string statement = text.statements.empty() ? "" : text.statements.front().text;
  try {
    ptx::Registers registers(call);
    for (const ptx::Statement& each : text.statements) {
      statement = each.text;
      translate(each, registers);
    }
    registers.replace_call();
  } catch (const ptx::Untranslatable& reason) {
    return PtxRefusal{statement, reason.what()};
  }
  return {};
}

}  // namespace treadle::cuda_cpu
