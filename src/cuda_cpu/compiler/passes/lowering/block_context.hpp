// SPDX-License-Identifier: MIT
// Generated code's view of BlockContext and Services (module_abi.h): loads at fixed offsets.
#pragma once

#include <array>
#include <cstddef>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"

namespace llvm {
class CallBase;
class GlobalVariable;
class IRBuilderBase;
class Module;
class Value;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// `context + offset`, for offsetof(BlockContext, member).
llvm::Value* context_field(llvm::IRBuilderBase& builder, llvm::Value* context, std::size_t offset);
llvm::Value* load_context_pointer(llvm::IRBuilderBase& builder, llvm::Value* context,
                                  std::size_t offset);
llvm::Value* load_context_u32(llvm::IRBuilderBase& builder, llvm::Value* context,
                              std::size_t offset);
/// Where BlockContext keeps what the index marker asks for.
std::size_t index_offset(Marker marker, unsigned dimension);

/// Tells the run-time, and functions that were not inlined, which thread runs.
void store_thread_index(llvm::IRBuilderBase& builder, llvm::Value* context,
                        const std::array<llvm::Value*, 3>& index);

/// The module's exported variable `treadle_services`.
llvm::GlobalVariable& services_variable(llvm::Module& module);
/// The function pointer at `offset` of the run-time's table.
llvm::Value* load_service(llvm::IRBuilderBase& builder, llvm::Module& module, std::size_t offset);
/// Whether what is called was loaded there.
bool is_service_call(const llvm::CallBase& call);
/// Calls services->current(): the context of the worker this code runs on.
llvm::Value* current_context(llvm::IRBuilderBase& builder, llvm::Module& module);

}  // namespace treadle::cuda_cpu
