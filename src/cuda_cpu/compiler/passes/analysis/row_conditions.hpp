// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace llvm {
class Function;
class ICmpInst;
class Instruction;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;

/// How integers of a function for one thread differ between the threads of a row, along x.
class RowValues {
 public:
  /// The parameters are the same for all threads of a row, but for those in `set`. `body` may also
  /// be a region as a function with the same parameters in front.
  explicit RowValues(const KernelBody& body);

  /// The same for all threads; one more from thread to thread, modulo 2^bits; anything.
  enum class Kind { uniform, consecutive, other };
  void set(unsigned parameter, Kind kind);
  bool uniform(const llvm::Value* value) { return kind(value) == Kind::uniform; }
  bool consecutive(const llvm::Value* value) { return kind(value) == Kind::consecutive; }

 private:
  Kind kind(const llvm::Value* value);
  Kind compute(const llvm::Instruction& value);

  const KernelBody& body_;
  llvm::DenseMap<const llvm::Value*, Kind> kinds_;
};

/// Computes again, for the thread with these `arguments`, values that are uniform or consecutive
/// along a row.
class Rematerializer {
 public:
  Rematerializer(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> arguments)
      : builder_(builder), arguments_(arguments) {}
  llvm::Value* compute(llvm::Value* value);

 private:
  llvm::IRBuilder<>& builder_;
  llvm::ArrayRef<llvm::Value*> arguments_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> done_;
};

/// Comparisons of values that are consecutive along a row with uniform ones: the answers for the
/// row's first and last thread are the answers for all threads between them.
class RowConditions {
 public:
  /// The comparisons that must all have the same answer for `condition` to have `answer`; those of
  /// which the ends do not tell are left out.
  void add(const llvm::Value* condition, bool answer, RowValues& row);
  /// A copy of the function in which the answers are known, or null if none differs between
  /// threads: then there is nothing to gain. The caller takes care of it.
  llvm::Function* copy_with_answers(llvm::Function& function) const;
  /// i1: they have these answers for all threads of a row. `first`, `last`: what its ends give the
  /// function's parameters, in order; null for those set to `other`. `last_x`: the i32 number of
  /// the last thread.
  llvm::Value* hold(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> first,
                    llvm::ArrayRef<llvm::Value*> last, llvm::Value* last_x) const;
  /// i32: for which threads, counted from the row's first; `begin` is at most `end`.
  struct Range {
    llvm::Value *begin, *end;
    llvm::Value* is_told;  ///< i1: the row's ends tell it; else `begin` and `end` are 0
  };
  Range range(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> first,
              llvm::ArrayRef<llvm::Value*> last, llvm::Value* last_x) const;
  /// i1: a value of two threads that are `last_x` apart differs by as much, modulo 2^bits: no
  /// integer on the way to it became wider in between after it had wrapped.
  static llvm::Value* apart(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* to,
                            llvm::Value* last_x);

 private:
  enum class Side { left, right, neither };
  struct Condition {
    const llvm::ICmpInst* compare;
    Side consecutive;  ///< the other operand is uniform
    bool answer;
    bool differs() const { return consecutive != Side::neither; }
    llvm::Value* value() const;
    llvm::Value* limit() const;
    llvm::CmpInst::Predicate predicate() const;  ///< of `value` and `limit`, to be true
  };
  static llvm::Value* in_order(llvm::IRBuilder<>& builder, const Condition& condition,
                               llvm::Value* from, llvm::Value* to);

  llvm::SmallVector<Condition, 4> conditions_;
};

}  // namespace treadle::cuda_cpu
