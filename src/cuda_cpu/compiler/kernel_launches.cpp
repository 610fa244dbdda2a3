// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/kernel_launches.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <llvm/ADT/SmallPtrSet.h>

#include <functional>
#include <utility>
#include <vector>

namespace treadle::cuda_cpu {
namespace {

bool is_kernel_to_be(const clang::FunctionDecl& function) {
  return llvm::any_of(function.specific_attrs<clang::AnnotateAttr>(),
                      [](const auto* note) { return note->getAnnotation() == "treadle-kernel"; });
}

/// Makes kernels of the functions that it meets, and looks at how they are called.
class KernelMaker : public clang::RecursiveASTVisitor<KernelMaker> {
 public:
  explicit KernelMaker(clang::ASTContext& context) : context_(context) {
    auto& diagnostics = context.getDiagnostics();
    plain_call_ = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                              "a __global__ function call must be configured: "
                                              "'%0' is called without <<<...>>>");
    no_kernel_ = diagnostics.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "a launch <<<...>>> names no __global__ function, and no pointer to one");
    returns_ = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                           "a __global__ function must have a void return type");
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    make_kernel(*function);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
      make_kernel(*function);
    return true;
  }
  /// `k(a), __treadle_launch(grid, block)`.
  bool VisitBinaryOperator(clang::BinaryOperator* both) {
    if (both->getOpcode() != clang::BO_Comma) return true;
    const auto* launch = llvm::dyn_cast<clang::CallExpr>(both->getRHS()->IgnoreParenImpCasts());
    const auto* name = launch != nullptr ? launch->getDirectCallee() : nullptr;
    if (name == nullptr || name->getIdentifier() == nullptr ||
        name->getName() != "__treadle_launch")
      return true;
    const clang::Expr* left = both->getLHS()->IgnoreParenImpCasts();
    const auto* call = llvm::dyn_cast<clang::CallExpr>(left);
    const auto* callee = call != nullptr ? call->getDirectCallee() : nullptr;
    if (call == nullptr || (callee != nullptr && !is_kernel_to_be(*callee)))
      context_.getDiagnostics().Report(left->getBeginLoc(), no_kernel_);
    launched_.insert(call);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee != nullptr && is_kernel_to_be(*callee) && !launched_.contains(call))
      context_.getDiagnostics().Report(call->getBeginLoc(), plain_call_)
          << callee->getNameAsString();
    return true;
  }

 private:
  void make_kernel(clang::FunctionDecl& function) {
    if (function.hasAttr<clang::CUDAGlobalAttr>() || !is_kernel_to_be(function)) return;
    function.dropAttr<clang::CUDADeviceAttr>();
    function.addAttr(clang::CUDAGlobalAttr::CreateImplicit(context_));
    // What the parser does for a kernel of a SPIR-V target.
    const auto* type = function.getType()->castAs<clang::FunctionType>();
    const auto convention = type->getExtInfo().withCallingConv(clang::CC_OpenCLKernel);
    function.setType(clang::QualType(context_.adjustFunctionType(type, convention), 0));
    if (!function.getReturnType()->isDependentType() && !function.getReturnType()->isVoidType())
      context_.getDiagnostics().Report(function.getBeginLoc(), returns_);
  }

  clang::ASTContext& context_;
  unsigned plain_call_ = 0, no_kernel_ = 0, returns_ = 0;
  llvm::SmallPtrSet<const clang::CallExpr*, 8> launched_;
};

class KeptUntilTheEnd : public clang::ASTConsumer {
 public:
  explicit KeptUntilTheEnd(std::unique_ptr<clang::ASTConsumer> maker) : maker_(std::move(maker)) {}

  void Initialize(clang::ASTContext& context) override { maker_->Initialize(context); }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) declarations_.push_back(declaration);
    keep([group](clang::ASTConsumer& maker) { maker.HandleTopLevelDecl(group); });
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl* function) override {
    declarations_.push_back(function);
    keep([function](clang::ASTConsumer& maker) { maker.HandleInlineFunctionDefinition(function); });
  }
  void HandleInterestingDecl(clang::DeclGroupRef group) override {
    keep([group](clang::ASTConsumer& maker) { maker.HandleInterestingDecl(group); });
  }
  void HandleTagDeclDefinition(clang::TagDecl* tag) override {
    keep([tag](clang::ASTConsumer& maker) { maker.HandleTagDeclDefinition(tag); });
  }
  void HandleTagDeclRequiredDefinition(const clang::TagDecl* tag) override {
    keep([tag](clang::ASTConsumer& maker) { maker.HandleTagDeclRequiredDefinition(tag); });
  }
  void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl* function) override {
    declarations_.push_back(function);
    keep([function](clang::ASTConsumer& maker) {
      maker.HandleCXXImplicitFunctionInstantiation(function);
    });
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* variable) override {
    keep([variable](clang::ASTConsumer& maker) {
      maker.HandleCXXStaticMemberVarInstantiation(variable);
    });
  }
  void CompleteTentativeDefinition(clang::VarDecl* variable) override {
    keep([variable](clang::ASTConsumer& maker) { maker.CompleteTentativeDefinition(variable); });
  }
  void CompleteExternalDeclaration(clang::DeclaratorDecl* declarator) override {
    keep(
        [declarator](clang::ASTConsumer& maker) { maker.CompleteExternalDeclaration(declarator); });
  }
  void HandleVTable(clang::CXXRecordDecl* record) override {
    keep([record](clang::ASTConsumer& maker) { maker.HandleVTable(record); });
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    KernelMaker kernels(context);
    for (clang::Decl* declaration : declarations_) kernels.TraverseDecl(declaration);
    // The maker reads more from the precompiled prelude, which comes by way of this consumer.
    has_ended_ = true;
    for (const Kept& kept : kept_) kept(*maker_);
    maker_->HandleTranslationUnit(context);
  }

 private:
  using Kept = std::function<void(clang::ASTConsumer&)>;
  void keep(Kept kept) { has_ended_ ? kept(*maker_) : kept_.push_back(std::move(kept)); }

  std::unique_ptr<clang::ASTConsumer> maker_;
  std::vector<clang::Decl*> declarations_;
  std::vector<Kept> kept_;
  bool has_ended_ = false;
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> make_kernels_at_the_end(
    std::unique_ptr<clang::ASTConsumer> maker) {
  return std::make_unique<KeptUntilTheEnd>(std::move(maker));
}

}  // namespace treadle::cuda_cpu
