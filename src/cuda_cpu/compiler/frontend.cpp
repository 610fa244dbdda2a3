// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/frontend.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <utility>

#include "cuda_cpu/compiler/clang_session.hpp"
#include "cuda_cpu/compiler/device_headers.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Where the program's own headers are mounted; diagnostics call them without it.
constexpr const char* program_header_root = "/treadle/program";

/// Parses the source and keeps the module clang's code generator makes of it, as it is, without any
/// pass run.
class GenerateModule : public clang::ASTFrontendAction {
 public:
  explicit GenerateModule(llvm::LLVMContext& context) : context_(context) {}
  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang,
                                                        llvm::StringRef source_name) override {
    generator_ = clang::CreateLLVMCodeGen(
        clang.getDiagnostics(), source_name, &clang.getVirtualFileSystem(),
        clang.getHeaderSearchOpts(), clang.getPreprocessorOpts(), clang.getCodeGenOpts(), context_);
    return std::unique_ptr<clang::ASTConsumer>(generator_);
  }
  void ExecuteAction() override { parse_deeply(getCompilerInstance(), *this); }
  void EndSourceFileAction() override {
    if (!getCompilerInstance().getDiagnostics().hasErrorOccurred())
      module_.reset(generator_->ReleaseModule());
  }

 private:
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;  ///< owned by the compiler instance
  std::unique_ptr<llvm::Module> module_;
};

/// The disk, then our headers, then what belongs to this program: later layers win.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> layer_files(const FrontendRequest& request) {
  auto layers =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  layers->pushOverlay(device_headers());
  auto program = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  layers->pushOverlay(
      program);  // gives it the working directory that the names below are relative to
  program->addFile(request.name, 0, llvm::MemoryBuffer::getMemBuffer(request.source, request.name));
  for (const HeaderText& header : request.headers) {
    program->addFile(std::string(program_header_root) + "/" + header.name, 0,
                     llvm::MemoryBuffer::getMemBuffer(header.text));
  }
  return layers;
}

}  // namespace

std::unique_ptr<llvm::Module> parse(const FrontendRequest& request, llvm::LLVMContext& context,
                                    FrontendResult& result) {
  LanguageOptions options = request.language;
  if (!request.headers.empty()) {
    options.include_dirs.insert(options.include_dirs.begin(), program_header_root);
  }
  auto clang = make_clang(options, layer_files(request), "", result.log);
  if (!clang) return nullptr;
  GenerateModule action(context);
  if (!run_action(*clang, action, request.name)) return nullptr;
  return action.take_module();
}

}  // namespace treadle::cuda_cpu
