// SPDX-License-Identifier: MIT
// From clang's module to the image that is cached and loaded: passes/ in their order, LLVM's own
// optimiser, object code, linker, header. Each pass opens with its IR before and after.
//
//   retarget > inline > refuse > [checks] > math > arithmetic > shared memory > kernel bodies
//     > [no barrier: block function | barriers: regions > thread loops > join]
//     > descriptor > LLVM -O3 > line tables > ELF object > lld > ModuleHeader + ELF
//
// Order matters: functions are inlined before anything looks for barriers or shared variables in
// kernels, and LLVM's loop passes come last, when the loops over threads exist.
#include "cuda_cpu/compiler/backend.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstring>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/descriptor.hpp"
#include "cuda_cpu/compiler/host_libraries.hpp"
#include "cuda_cpu/compiler/link_module.hpp"
#include "cuda_cpu/compiler/passes/analysis/running_time.hpp"
#include "cuda_cpu/compiler/passes/check/check_supported.hpp"
#include "cuda_cpu/compiler/passes/check/kernel_checks.hpp"
#include "cuda_cpu/compiler/passes/lowering/block_function.hpp"
#include "cuda_cpu/compiler/passes/lowering/device_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/gpu_arithmetic.hpp"
#include "cuda_cpu/compiler/passes/lowering/inline_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/line_tables.hpp"
#include "cuda_cpu/compiler/passes/lowering/math_calls.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_function.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/regions/barrier_regions.hpp"
#include "cuda_cpu/compiler/passes/speed/block_rows.hpp"
#include "cuda_cpu/compiler/passes/speed/shared_atomics.hpp"
#include "cuda_cpu/compiler/passes/speed/simplify_body.hpp"
#include "cuda_cpu/compiler/passes/speed/step_loops.hpp"
#include "cuda_cpu/compiler/passes/speed/tile_walks.hpp"
#include "cuda_cpu/module_abi.h"
#include "treadle/base/cpu_features.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Remarks such as "loop not vectorized" are no concern of the user's; errors are.
class DiagnosticsToError : public llvm::DiagnosticHandler {
 public:
  explicit DiagnosticsToError(std::string& text) : text_(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(text_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    stream << "error: ";
    info.print(printer);
    return true;
  }

 private:
  std::string& text_;
};

/// A copy of `body`; none where it has no loop.
KernelBody clone_with_loops(const KernelBody& body) {
  KernelBody copy = body;
  copy.function = nullptr;
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
  llvm::FindFunctionBackedges(*body.function, back_edges);
  if (back_edges.empty()) return copy;
  llvm::ValueToValueMapTy values;
  copy.function = llvm::CloneFunction(body.function, values);
  return copy;
}

void lower_kernel(KernelPlan& kernel, SharedMemory& shared, PassRunner& runner,
                  const llvm::TargetMachine& machine, bool fibers) {
  const KernelBody body = make_kernel_body(kernel, shared);
  if (fibers) make_thread_function(kernel, body, machine);
  kernel.running_time = running_time(*body.function, runner);
  mark_shared_atomics(body);
  if (needs_regions(body)) {
    kernel.walks_tiles = walks_tiles(body, runner);
    make_region_functions(kernel, body, runner, machine);
    return;
  }
  // A body is used up by what is made of it. Where loops can be run in step, the launch chooses.
  if (const KernelBody steps = clone_with_loops(body); steps.function != nullptr) {
    simplify_body(steps, runner);
    if (mark_step_loops(steps, runner))
      make_region_functions(kernel, steps, runner, machine);
    else
      steps.function->eraseFromParent();
  }
  kernel.runs_block_rows = suits_block_rows(body, runner);
  make_block_function(kernel, body, machine);
}

ModulePlan lower(llvm::Module& module, PassRunner& runner, const llvm::TargetMachine& machine,
                 const BackendOptions& options) {
  ModulePlan plan = retarget(module, machine);
  // Before constants meet what they make undefined, and again for what came from elsewhere.
  for (llvm::Function& function : module) give_gpu_arithmetic(function);
  inline_functions(module, plan, runner);
  check_supported(module, plan);
  insert_kernel_checks(module, plan, options.checks);
  prepare_math_calls(module);
  for (llvm::Function& function : module) give_gpu_arithmetic(function);
  SharedMemory shared(module, plan);
  lower_device_functions(module, plan, shared);
  for (KernelPlan& kernel : plan.kernels)
    lower_kernel(kernel, shared, runner, machine, options.fibers);
  for (KernelPlan& kernel : plan.kernels) kernel.function->eraseFromParent();
  shared.erase();
  emit_descriptor(module, plan);
  return plan;
}

void verify(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream))
    throw BackendError("error: the CPU compiler made invalid code, please report this: " + text);
}

std::vector<char> assemble_image(const std::vector<char>& payload) {
  ModuleHeader header{};
  std::memcpy(header.magic, module_magic, sizeof header.magic);
  header.abi_version = module_abi_version;
  header.header_size = sizeof header;
  header.payload_size = payload.size();
  const auto digest = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()));
  header.digest[0] = digest.low64;
  header.digest[1] = digest.high64;
  const auto features = host_cpu_features();
  static_assert(sizeof features == sizeof header.cpu_features);
  std::memcpy(header.cpu_features, &features, sizeof features);

  std::vector<char> image(sizeof header + payload.size());
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, payload.data(), payload.size());
  return image;
}

}  // namespace

std::vector<char> build_module_image(std::unique_ptr<llvm::Module> module,
                                     const BackendOptions& options) {
  std::string failure;
  module->getContext().setDiagnosticHandler(std::make_unique<DiagnosticsToError>(failure));
  const auto machine = create_host_machine(options.optimization);
  PassRunner runner(*machine, !host_libraries().vector_math.empty());
  const ModulePlan plan = lower(*module, runner, *machine, options);
  verify(*module);
  optimize(*module, runner, options.optimization);
  finish_line_tables(*module, plan);
  const auto object = emit_object(*module, *machine);
  if (!failure.empty()) throw BackendError(failure);
  return assemble_image(link_shared_object({object.data(), object.size()}));
}

}  // namespace treadle::cuda_cpu
