// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/codegen.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/passes/lowering/local_stack.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "treadle/base/cpu_features.hpp"

namespace treadle::cuda_cpu {
namespace {

llvm::CodeGenOptLevel codegen_level(unsigned optimization) {
  return optimization == 0   ? llvm::CodeGenOptLevel::None
         : optimization == 1 ? llvm::CodeGenOptLevel::Less
         : optimization == 2 ? llvm::CodeGenOptLevel::Default
                             : llvm::CodeGenOptLevel::Aggressive;
}

struct Host {
  std::string triple, processor, features;
  const llvm::Target* target = nullptr;
};

/// LLVM keeps some choices in process-wide options only. This copy of LLVM is ours alone; the
/// option is set before the first compile and never again.
void set_options_once() {
  // Strength reduction takes half of code generation on unrolled vector loops, and on x86 gains
  // nothing for them that could be measured. Nor does the scheduler behind register allocation, a
  // twentieth: these processors reorder instructions by themselves.
  // The last one is where the local stack is found.
  for (const char* name : {"disable-lsr", "disable-post-ra", local_stack_option}) {
    auto* option = llvm::cl::getRegisteredOptions().lookup(name);
    if (option) static_cast<llvm::cl::opt<bool>*>(option)->setInitialValue(true);
  }
}

const Host& host() {
  static const Host found = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    set_options_once();
    Host result;
    result.triple = llvm::sys::getProcessTriple();
    result.processor = llvm::sys::getHostCPUName().str();
    result.features = llvm_feature_string(host_cpu_features());
    std::string error;
    result.target = llvm::TargetRegistry::lookupTarget(result.triple, error);
    if (!result.target) throw BackendError("error: no code generator for this processor: " + error);
    return result;
  }();
  return found;
}

}  // namespace

// The features are spelled out, not implied by a processor's name: they are exactly what the
// module's header says the code needs. The name only tunes (set_host_attributes).
std::unique_ptr<llvm::TargetMachine> create_host_machine(unsigned optimization) {
  llvm::TargetOptions options;
  // What may be fused carries the `contract` flag; __fmul_rn and its like do not.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(host().target->createTargetMachine(
      host().triple, "x86-64", host().features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      codegen_level(optimization)));
}

const std::string& host_processor() { return host().processor; }

namespace {

// What LLVM's own pipeline does to loops over threads, a third shorter. The code inside them is
// simplified already, nothing is exported, and blocks of memory are copied elsewhere: what is left
// out (constants and ranges between functions, jump threading, idioms, dead arguments) gained
// nothing on any row of the benchmarks.
constexpr const char* pipeline = R"(
  cgscc(inline), globaldce,
  function<eager-inv>(
    simplifycfg, sroa<modify-cfg>, early-cse<memssa>, {combine}, simplifycfg,
    loop-mssa(licm<no-allowspeculation>, loop-rotate, licm<allowspeculation>,
              simple-loop-unswitch<nontrivial;trivial>),
    simplifycfg, {combine}, loop(own-loop-indices, loop-deletion, loop-unroll-full),
    sroa<modify-cfg>, gvn<>, {combine}, dse, loop-mssa(licm<allowspeculation>), adce,
    simplifycfg<hoist-common-insts;sink-common-insts>),
  function<eager-inv>(
    loop(loop-rotate, loop-deletion), blend-limit, wrapped-indices, predicated-divisions,
    inject-tli-mappings, loop-vectorize<>, lane-calls,
    infer-alignment, {combine},
    simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;
                hoist-common-insts;sink-common-insts>,
    loop-unroll<O3>, sroa<preserve-cfg>, {combine}, loop-mssa(licm<allowspeculation>),
    instsimplify, div-rem-pairs, simplifycfg<switch-range-to-icmp>),
  globaldce, constmerge)";

/// The pipeline as LLVM reads it: no spaces, and one word for what stands in it often.
std::string pipeline_text() {
  std::string text;
  for (const char* at = pipeline; *at != '\0'; ++at)
    if (!llvm::isSpace(*at)) text += *at;
  constexpr llvm::StringRef word = "{combine}";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
    text.replace(at, word.size(), "instcombine<max-iterations=1;no-verify-fixpoint>");
  return text;
}

}  // namespace

void optimize(llvm::Module& module, PassRunner& runner, unsigned optimization) {
  llvm::ModulePassManager passes;
  if (optimization == 0)
    passes = runner.builder().buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  else if (auto error = runner.builder().parsePassPipeline(passes, pipeline_text()))
    throw BackendError("error: " + llvm::toString(std::move(error)));
  runner.run(passes, module);
}

llvm::SmallVector<char, 0> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw BackendError("error: this processor's code generator cannot write object files");
  passes.run(module);
  return object;
}

}  // namespace treadle::cuda_cpu
