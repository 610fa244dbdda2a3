// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>

namespace llvm {
class CallBase;
class Function;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;

/// What the calls of a kernel may do to the shared memory of its block.
class CalledFunctions {
 public:
  explicit CalledFunctions(const KernelBody& body);

  struct Effect {
    bool reads = false, writes = false;
  };
  /// Nothing, for the run-time's services, the libraries and whatever is no function with a body.
  Effect effect_of(const llvm::CallBase& call);

 private:
  const llvm::Function& kernel_;
  bool addresses_escape_;  ///< a function may know an address in shared memory
  /// By function; null: any whose address is taken.
  llvm::SmallDenseMap<const llvm::Function*, Effect, 4> known_;
};

}  // namespace treadle::cuda_cpu
