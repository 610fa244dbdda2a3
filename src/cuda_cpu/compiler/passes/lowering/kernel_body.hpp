// SPDX-License-Identifier: MIT
// One thread of a kernel as a function of everything it depends on.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class LoadInst;
}  // namespace llvm

namespace treadle::cuda_cpu {

class SharedMemory;

/// `void body(user parameters..., thread x y z, block x y z, block size x y z, grid size x y z,
/// shared memory, context)`. Structures passed by value are pointers to the launch's argument
/// storage, which all threads share and none writes.
struct KernelBody {
  llvm::Function* function = nullptr;
  unsigned user_parameters = 0;
  llvm::SmallVector<llvm::Type*, 8>
      value_types;                   ///< type to load per user parameter; null: by address
  bool stores_thread_index = false;  ///< functions that were not inlined read it from the context

  static constexpr unsigned hidden_parameters = 14;
  llvm::Argument* thread_index(unsigned dimension) const { return hidden(dimension); }
  llvm::Argument* block_index(unsigned dimension) const { return hidden(3 + dimension); }
  llvm::Argument* block_size(unsigned dimension) const { return hidden(6 + dimension); }
  llvm::Argument* grid_size(unsigned dimension) const { return hidden(9 + dimension); }
  llvm::Argument* shared() const { return hidden(12); }
  llvm::Argument* context() const { return hidden(13); }
  bool is_thread_index(const llvm::Value* value) const;
  /// Reads a by-value structure parameter, which no thread writes.
  bool reads_launch_arguments(const llvm::LoadInst& load) const;
  /// The same, from a parameter itself: the member is there, whoever asks.
  bool reads_member(const llvm::LoadInst& load) const;
  /// Reads a field of the block's context that nobody changes.
  bool reads_block_field(const llvm::LoadInst& load) const;

 private:
  llvm::Argument* hidden(unsigned index) const { return function->getArg(user_parameters + index); }
};

/// The services of `function`, a body or one of its regions: in front of each call the thread says
/// who it is.
void lower_services_for_threads(const KernelBody& body, llvm::Function& function,
                                llvm::function_ref<bool(Marker)> wanted);

/// Moves the code of `kernel` into a body: index markers become parameters, shared variables
/// offsets, services but for checks calls. Marks `blockIdx * blockDim + threadIdx` as not wrapping
/// (kernel.small_index).
KernelBody make_kernel_body(KernelPlan& kernel, SharedMemory& shared);

}  // namespace treadle::cuda_cpu
