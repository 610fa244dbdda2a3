// SPDX-License-Identifier: MIT
// The values of one inline assembly while it is translated: its arguments, the registers it
// declares, the special registers, and the carry flag.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>

#include <stdexcept>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_text.hpp"

namespace llvm {
class AllocaInst;
}

namespace treadle::cuda_cpu::ptx {

/// Why a statement cannot be translated. Caught in inline_ptx.cpp.
struct Untranslatable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A type suffix: u32, s16, b64, f32, f16, pred.
struct Type {
  char kind = 0;  ///< u, s, b, f or p; h: f16, which is converted, not computed with
  unsigned bits = 0;
  bool is_signed() const { return kind == 's'; }
  bool is_real() const { return kind == 'f' || kind == 'h'; }
};
inline constexpr Type u32{'u', 32};
/// Nothing if `word` is no type suffix that is known here (bf16, b128 are not).
std::optional<Type> type_of(std::string_view word);

class Registers {
 public:
  /// Instructions are made before `call`, whose arguments these are.
  explicit Registers(llvm::CallBase& call);

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::Type* ir_type(Type type);

  void declare(const Statement& directive);
  /// The operand as a value of `type`: cut, extended or reinterpreted as PTX does.
  llvm::Value* read(const Operand& operand, Type type);
  /// The address as a pointer.
  llvm::Value* pointer(const Operand& address);
  void write(const Operand& operand, llvm::Value* value, Type type);

  /// From here on writes happen only where `predicate` holds (null: always).
  void guard(llvm::Value* predicate) { guard_ = predicate; }
  llvm::Value* guard() const { return guard_; }

  /// The carry flag, of this assembly or of one before it.
  llvm::Value* carry();
  void set_carry(llvm::Value* carry);

  /// Calls a function of kernels/cuda_cpu that later passes lower.
  llvm::Value* call_marker(const char* name, llvm::Type* result,
                           llvm::ArrayRef<llvm::Value*> arguments);

  /// The thread's number in its block.
  llvm::Value* linear_thread();

  /// Gives the assembly's results to those who use them, and removes it.
  void replace_call();

 private:
  struct Slot {
    llvm::Value* value = nullptr;  ///< null: not written yet
    llvm::Type* type = nullptr;    ///< of an argument; null: any
    bool is_output = false;
  };

  void collect_arguments();
  Slot& slot_of(const Operand& operand);
  llvm::Value* constant(const Operand& operand, Type type);
  llvm::Value* special(llvm::StringRef name);
  llvm::Value* index(const char* marker, char dimension);
  llvm::Value* convert(llvm::Value* value, llvm::Type* wanted, bool sign_extends);

  llvm::CallBase& call_;
  llvm::IRBuilder<> builder_;
  llvm::SmallVector<Slot, 8> arguments_;
  unsigned output_count_ = 0;
  llvm::StringMap<Slot> named_;
  llvm::Value* guard_ = nullptr;
  llvm::Value* carry_ = nullptr;  ///< null: neither read nor written yet
  bool carry_written_ = false;
};

}  // namespace treadle::cuda_cpu::ptx
