// SPDX-License-Identifier: MIT
// From clang's module to the image that is cached and loaded: the passes in the order of their
// table (passes/pass_table.cpp), object code, linker, header.
#include "cuda_cpu/compiler/backend.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Target/TargetMachine.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <thread>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/crash_guard.hpp"
#include "cuda_cpu/compiler/diagnostics_to_error.hpp"
#include "cuda_cpu/compiler/host_libraries.hpp"
#include "cuda_cpu/compiler/link_module.hpp"
#include "cuda_cpu/compiler/module_parts.hpp"
#include "cuda_cpu/compiler/options.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernels_on_demand.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/pass_table.hpp"
#include "cuda_cpu/module_abi.h"
#include "treadle/base/cpu_features.hpp"

namespace treadle::cuda_cpu {
namespace {

std::vector<char> assemble_image(const std::vector<char>& payload, std::uint32_t flags) {
  ModuleHeader header{};
  std::memcpy(header.magic, module_magic, sizeof header.magic);
  header.abi_version = module_abi_version;
  header.header_size = sizeof header;
  header.payload_size = payload.size();
  header.flags = flags;
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

/// The passes that look at nothing but one function and what it calls.
std::span<const Pass> code_passes() {
  return {find_pass("optimize"), std::to_address(pass_table().end())};
}

ObjectCode make_code(PassContext& context, llvm::TargetMachine& machine) {
  run_passes(context, code_passes());
  return emit_object(context.module, machine);
}

ObjectCode make_code_of(const ModuleParts& parts, unsigned number, const BackendOptions& options) {
  llvm::LLVMContext context;
  std::string failure;
  context.setDiagnosticHandler(std::make_unique<DiagnosticsToError>(failure));
  const ModulePart part = load_part(parts, number, context);
  const auto machine = create_host_machine(options.optimization);
  PassRunner runner(*machine, !host_libraries().vector_math.empty());
  PassContext passes{.module = *part.module,
                     .machine = *machine,
                     .runner = runner,
                     .options = options,
                     .plan = part.plan};
  ObjectCode object = make_code(passes, *machine);
  if (!failure.empty()) throw BackendError(failure);
  return object;
}

/// How many threads make code: one for each core that no other compile of this process has, but
/// one at least.
class CodeThreads {
 public:
  explicit CodeThreads(unsigned most) {
    const unsigned all = cores(), others = running_;
    count_ = std::min(most, all > others ? all - others : 1);
    running_ += count_;
  }
  ~CodeThreads() { running_ -= count_; }
  CodeThreads(const CodeThreads&) = delete;
  CodeThreads& operator=(const CodeThreads&) = delete;

  unsigned count() const { return count_; }

 private:
  static unsigned cores() {
    if (settings().cpu_threads != 0) return settings().cpu_threads;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
  }

  static inline std::atomic<unsigned> running_ = 0;
  unsigned count_;
};

/// Makes the parts' code on other threads, which a crash of one of them leaves undisturbed.
std::vector<ObjectCode> make_code(const ModuleParts& parts, const BackendOptions& options) {
  std::vector<ObjectCode> objects(parts.count);
  std::vector<std::exception_ptr> failures(parts.count);
  std::atomic<unsigned> next = 0;
  const CodeThreads threads(parts.count);
  const auto work = [&] {
    for (unsigned number = next++; number < parts.count; number = next++) {
      try {
        objects[number] = make_code_of(parts, number, options);
      } catch (...) {
        failures[number] = std::current_exception();
      }
    }
  };
  const std::string abandoned = run_guarded(work, threads.count());
  if (!abandoned.empty()) throw BackendError("error: the compiler could not finish: " + abandoned);
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return objects;
}

}  // namespace

BackendOptions backend_options(const CompileOptions& given) {
  BackendOptions options;
  options.fast_math = given.language.dialect.fast_math;
  options.fp_contract = given.language.dialect.fp_contract;
  options.optimization = given.debug ? 0 : 3;
  options.checks = given.checks;
  options.fibers = given.fibers;
  options.passes = given.passes;
  return options;
}

std::vector<char> build_module_image(std::unique_ptr<llvm::Module> module,
                                     const BackendOptions& options, std::string* log) {
  std::string failure;
  module->getContext().setDiagnosticHandler(std::make_unique<DiagnosticsToError>(failure));
  const auto machine = create_host_machine(options.optimization);
  PassRunner runner(*machine, !host_libraries().vector_math.empty());
  PassContext context{.module = *module, .machine = *machine, .runner = runner, .options = options};
  const bool may_defer = options.only.empty() && !options.checks.any() && !options.fibers &&
                         !module->getNamedMetadata("treadle.coverage") &&
                         options.passes.printed.empty() && context.runs("kernels-on-demand");
  if (!options.only.empty() && !keep_one_kernel(*module, options.only, runner))
    throw BackendError("error: there is no kernel " + options.only);
  if (may_defer) context.bitcode = bitcode_of_many_kernels(*module);
  run_passes(context, {pass_table().begin(), code_passes().begin()});
  // Who prints modules wants to see whole ones; and without optimisation there is little to gain.
  const bool whole = options.optimization == 0 || !options.passes.printed.empty();
  const ModuleParts parts = whole ? ModuleParts{} : cut_module(*module, context.plan);
  const std::vector<ObjectCode> objects =
      parts.count == 1 ? std::vector{make_code(context, *machine)} : make_code(parts, options);
  if (log) *log += context.log;
  if (!failure.empty()) throw BackendError(failure);
  return assemble_image(link_shared_object(objects),
                        context.plan.deferred.empty() ? 0u : module_has_deferred_kernels);
}

}  // namespace treadle::cuda_cpu
