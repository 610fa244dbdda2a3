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

#include <algorithm>
#include <string_view>
#include <utility>

#include "cuda_cpu/compiler/alignment_specifiers.hpp"
#include "cuda_cpu/compiler/clang_session.hpp"
#include "cuda_cpu/compiler/coverage.hpp"
#include "cuda_cpu/compiler/device_headers.hpp"
#include "cuda_cpu/compiler/kernel_launches.hpp"
#include "cuda_cpu/compiler/module_facts.hpp"
#include "cuda_cpu/compiler/name_expressions.hpp"
#include "cuda_cpu/compiler/passes/lowering/gpu_arithmetic.hpp"
#include "cuda_cpu/compiler/precompiled_prelude.hpp"
#include "cuda_cpu/compiler/source_copies.hpp"
#include "cuda_cpu/compiler/texture_references.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Where the program's own headers are mounted; diagnostics call them without it.
const std::string program_header_root = "/treadle/program/";
const std::string precompiled_path = "/treadle/prelude.pch";

/// Parses the source and keeps the module clang's code generator makes of it, as it is, without any
/// pass run.
class GenerateModule : public clang::ASTFrontendAction {
 public:
  GenerateModule(llvm::LLVMContext& context, const std::vector<std::string>& expressions,
                 bool has_launches, FrontendResult& result)
      : context_(context),
        expressions_(expressions),
        has_launches_(has_launches),
        entities_(expressions.size(), nullptr),
        result_(result) {}
  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang,
                                                        llvm::StringRef source_name) override {
    generator_ =
        clang::CreateLLVMCodeGen(clang.getDiagnostics(), source_name, &clang.getVirtualFileSystem(),
                                 clang.getHeaderSearchOpts(), clang.getPreprocessorOpts(),
                                 clang.getCodeGenOpts(), context_, coverage_source_info(clang));
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    std::unique_ptr<clang::ASTConsumer> maker(generator_);
    if (has_launches_) maker = make_kernels_at_the_end(std::move(maker));
    consumers.push_back(std::move(maker));
    if (!expressions_.empty()) consumers.push_back(collect_named_entities(entities_));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  /// All of it happens here: once the action ends, clang no longer tells places in diagnostics.
  void ExecuteAction() override {
    accept_alignas_behind_attributes(getCompilerInstance().getPreprocessor());
    parse_deeply(getCompilerInstance(), *this);
    clang::DiagnosticsEngine& diagnostics = getCompilerInstance().getDiagnostics();
    if (diagnostics.hasErrorOccurred() || generator_->GetModule() == nullptr) return;
    for (std::size_t i = 0; i < entities_.size(); ++i) {
      if (entities_[i] != nullptr)
        result_.lowered_names[expressions_[i]] = symbol_of(*entities_[i]);
    }
    note_kernel_facts(*generator_->GetModule(), *generator_);
    refuse_clusters(*generator_->GetModule(), *generator_, diagnostics);
    refuse_kernels(*generator_->GetModule(), *generator_, diagnostics);
    initialize_references(*generator_->GetModule(), *generator_);
    for (llvm::Function& function : *generator_->GetModule()) saturate_conversions(function);
    translate_inline_assembly(*generator_->GetModule(), diagnostics);
    if (getCompilerInstance().getCodeGenOpts().CoverageMapping)
      take_coverage(*generator_->GetModule(), getCompilerInstance().getSourceManager(),
                    program_header_root);
    module_.reset(generator_->ReleaseModule());
  }

 private:
  llvm::LLVMContext& context_;
  const std::vector<std::string>& expressions_;
  const bool has_launches_;
  std::vector<const clang::NamedDecl*> entities_;  ///< by number of the expression
  FrontendResult& result_;
  clang::CodeGenerator* generator_ = nullptr;  ///< owned by the compiler instance
  std::unique_ptr<llvm::Module> module_;
};

/// The disk, then our headers, then what belongs to this program: later layers win.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> layer_files(const FrontendRequest& request,
                                                            const std::string& source,
                                                            std::string_view prelude,
                                                            bool launches) {
  auto layers =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  layers->pushOverlay(device_headers());
  auto program = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  layers->pushOverlay(
      program);  // gives it the working directory that the names below are relative to
  program->addFile(request.name, 0, llvm::MemoryBuffer::getMemBuffer(source, request.name));
  for (const HeaderText& header : request.headers) {
    program->addFile(program_header_root + header.name, 0,
                     launches ? llvm::MemoryBuffer::getMemBufferCopy(rewrite_launches(header.text))
                              : llvm::MemoryBuffer::getMemBuffer(header.text));
  }
  if (!prelude.empty()) {
    program->addFile(
        precompiled_path, 0,
        llvm::MemoryBuffer::getMemBuffer({prelude.data(), prelude.size()}, precompiled_path,
                                         /*RequiresNullTerminator=*/false));
  }
  return layers;
}

/// clang finds the column of a place by walking back to the line's start, for every instruction:
/// fatal to a generated expression of 100 000 terms on one line. Such sources do without places for
/// the messages of later passes.
bool has_endless_line(const std::string& source) {
  constexpr std::size_t endless = 8192;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    if (end - begin > endless) return true;
    begin = end + 1;
  }
  return false;
}

/// Headers of the program are called as the program calls them.
void hide_mount_points(std::string& log) {
  for (std::size_t at = log.find(program_header_root); at != std::string::npos;
       at = log.find(program_header_root, at)) {
    log.erase(at, program_header_root.size());
  }
}

/// As nvcc has it.
void explain_launches_in_kernels(std::string& log) {
  if (log.find("error: reference to __global__ function") != std::string::npos)
    log +=
        "note: kernel launches from __device__ or __global__ functions require separate "
        "compilation mode: compile with -rdc=true, and link with cudadevrt\n";
}

/// When the body of a template is parsed: clang's way finds undeclared names in templates that
/// nobody instantiates; nvcc parses a body where it is instantiated, and not at all elsewhere.
enum class TemplateBodies { where_defined, where_instantiated };

struct Way {
  PreludeHeaders included = PreludeHeaders::none;
  TemplateBodies bodies = TemplateBodies::where_defined;
};

std::unique_ptr<llvm::Module> parse_once(const FrontendRequest& request,
                                         const LanguageOptions& options, const Way& way,
                                         llvm::LLVMContext& context, FrontendResult& result) {
  const std::string_view prelude = precompiled_prelude(options.dialect, way.included);
  const std::string named = append_name_expressions(request.source, request.name_expressions);
  const std::string source = options.has_launches ? rewrite_launches(named) : named;
  auto clang = make_clang(options, layer_files(request, source, prelude, options.has_launches),
                          prelude.empty() ? "" : precompiled_path, result.log);
  if (!clang) return nullptr;
  clang->getLangOpts().DelayedTemplateParsing = way.bodies == TemplateBodies::where_instantiated;
  const bool is_endless = has_endless_line(source);
  if (options.coverage && !is_endless) count_places(*clang);
  if (!options.line_info && is_endless) {
    clang->getCodeGenOpts().setDebugInfo(llvm::codegenoptions::NoDebugInfo);
  }
  GenerateModule action(context, request.name_expressions, options.has_launches, result);
  const bool good = run_action(*clang, action, request.name, SourceKind::user);
  if (good && clang->getCodeGenOpts().getDebugInfo() != llvm::codegenoptions::NoDebugInfo)
    keep_source(request.source, request.name);
  hide_mount_points(result.log);
  return good ? action.take_module() : nullptr;
}

}  // namespace

std::unique_ptr<llvm::Module> parse(const FrontendRequest& request, llvm::LLVMContext& context,
                                    FrontendResult& result) {
  LanguageOptions options = request.language;
  if (!request.headers.empty()) {
    options.include_dirs.insert(options.include_dirs.begin(), program_header_root);
  }
  options.source_folder = source_folder(request.source);
  options.has_launches &= has_launches(request.source) ||
                          std::ranges::any_of(request.headers, [](const HeaderText& header) {
                            return has_launches(header.text);
                          });
  const PreludeHeaders included = headers_for(request.source, options);
  std::unique_ptr<llvm::Module> module;
  if (included != PreludeHeaders::none && !precompiled_prelude(options.dialect, included).empty())
    module = parse_once(request, options, {.included = included}, context, result);
  if (!module) {
    result = {};
    module = parse_once(request, options, {}, context, result);
  }
  if (!module && request.source.find("template") != std::string::npos) {
    // Only a text that is refused: where a body is parsed can decide what its names mean.
    FrontendResult second;
    module = parse_once(request, options, {.bodies = TemplateBodies::where_instantiated}, context,
                        second);
    if (module) result = std::move(second);
  }
  if (!module) explain_launches_in_kernels(result.log);
  return module;
}

}  // namespace treadle::cuda_cpu
