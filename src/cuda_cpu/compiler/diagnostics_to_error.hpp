// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace treadle::cuda_cpu {

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

}  // namespace treadle::cuda_cpu
