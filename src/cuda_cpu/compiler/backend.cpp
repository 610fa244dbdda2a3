// SPDX-License-Identifier: MIT
// From clang's module to the image that is cached and loaded: the passes in the order of their
// table (passes/pass_table.cpp), object code, linker, header.
#include "cuda_cpu/compiler/backend.hpp"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Target/TargetMachine.h>

#include <cstring>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/host_libraries.hpp"
#include "cuda_cpu/compiler/link_module.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/pass_table.hpp"
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
                                     const BackendOptions& options, std::string* log) {
  std::string failure;
  module->getContext().setDiagnosticHandler(std::make_unique<DiagnosticsToError>(failure));
  const auto machine = create_host_machine(options.optimization);
  PassRunner runner(*machine, !host_libraries().vector_math.empty());
  PassContext context{.module = *module, .machine = *machine, .runner = runner, .options = options};
  run_passes(context, pass_table());
  if (log) *log += context.log;
  const auto object = emit_object(*module, *machine);
  if (!failure.empty()) throw BackendError(failure);
  return assemble_image(link_shared_object({object.data(), object.size()}));
}

}  // namespace treadle::cuda_cpu
