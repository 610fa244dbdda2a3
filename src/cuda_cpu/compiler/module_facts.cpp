// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/module_facts.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx.hpp"

namespace treadle::cuda_cpu {
namespace {

bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

const clang::FunctionDecl* declaration_of(const llvm::Function& function,
                                          clang::CodeGenerator& generator) {
  return llvm::dyn_cast_or_null<clang::FunctionDecl>(
      generator.GetDeclForMangledName(function.getName()));
}

/// Of a cluster, as qualifiers.h notes its sizes; 0 if they are no constants.
std::int64_t blocks_of(const clang::AnnotateAttr& note, const clang::FunctionDecl& kernel) {
  std::int64_t blocks = 1;
  for (const clang::Expr* size : note.args()) {
    const auto number = size->getIntegerConstantExpr(kernel.getASTContext());
    blocks *= number ? number->getExtValue() : 0;
  }
  return blocks;
}

void note_launch_bounds(llvm::Function& kernel, const clang::FunctionDecl& declaration) {
  const auto* bounds = declaration.getAttr<clang::CUDALaunchBoundsAttr>();
  if (bounds == nullptr || bounds->getMaxThreads() == nullptr) return;
  const auto threads = bounds->getMaxThreads()->getIntegerConstantExpr(declaration.getASTContext());
  if (threads) kernel.addFnAttr("treadle-max-threads", std::to_string(threads->getExtValue()));
}

void note_parameters(llvm::Function& kernel, const clang::FunctionDecl& declaration) {
  llvm::LLVMContext& context = kernel.getContext();
  clang::PrintingPolicy policy = declaration.getASTContext().getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  std::vector<llvm::Metadata*> facts;
  for (const clang::ParmVarDecl* parameter : declaration.parameters()) {
    facts.push_back(llvm::MDString::get(context, parameter->getName()));
    facts.push_back(llvm::MDString::get(context, parameter->getType().getAsString(policy)));
  }
  kernel.setMetadata("treadle.parameters", llvm::MDNode::get(context, facts));
}

/// Everything kernels and initialised variables lead to.
class Reachable {
 public:
  explicit Reachable(const llvm::Module& module) {
    for (const llvm::Function& function : module) {
      if (is_kernel(function)) visit(&function);
    }
    for (const llvm::GlobalVariable& variable : module.globals()) {
      if (variable.hasInitializer()) visit(variable.getInitializer());
    }
    while (!pending_.empty()) {
      const llvm::Function* function = pending_.back();
      pending_.pop_back();
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        for (const llvm::Value* operand : instruction.operand_values()) visit(operand);
      }
    }
  }
  bool contains(const llvm::Function& function) const { return seen_.contains(&function); }

 private:
  void visit(const llvm::Value* value) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant == nullptr || !seen_.insert(constant).second) return;
    if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
      pending_.push_back(function);
    } else if (!llvm::isa<llvm::GlobalValue>(constant)) {
      for (const llvm::Value* operand : constant->operand_values()) visit(operand);
    }
  }

  llvm::DenseSet<const llvm::Constant*> seen_;
  std::vector<const llvm::Function*> pending_;
};

/// Where clang says the assembly's text begins; an invalid place if it does not say.
clang::SourceLocation place_of(const llvm::CallBase& call) {
  const llvm::MDNode* node = call.getMetadata("srcloc");
  if (node == nullptr || node->getNumOperands() == 0) return {};
  const auto* encoded = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(0));
  if (encoded == nullptr) return {};
  return clang::SourceLocation::getFromRawEncoding(
      static_cast<clang::SourceLocation::UIntTy>(encoded->getZExtValue()));
}

}  // namespace

void note_kernel_facts(llvm::Module& module, clang::CodeGenerator& generator) {
  for (llvm::Function& function : module) {
    if (!is_kernel(function) || function.isDeclaration()) continue;
    const auto* declaration = declaration_of(function, generator);
    if (declaration == nullptr) continue;
    note_launch_bounds(function, *declaration);
    note_parameters(function, *declaration);
  }
  // In the IR all variables are alike; the number of `__constant__` bytes is an attribute of
  // kernels.
  for (llvm::GlobalVariable& variable : module.globals()) {
    const clang::Decl* declaration = generator.GetDeclForMangledName(variable.getName());
    if (declaration != nullptr && declaration->hasAttr<clang::CUDAConstantAttr>())
      variable.addAttribute("treadle-constant");
  }
}

void refuse_clusters(const llvm::Module& module, clang::CodeGenerator& generator,
                     clang::DiagnosticsEngine& diagnostics) {
  const unsigned id = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "clusters of blocks cannot run on the CPU device, which has capability 7.0: kernel '%0' "
      "names their size; leave that out below capability 9.0 (__CUDA_ARCH__ < 900)");
  for (const llvm::Function& function : module) {
    const auto* kernel = is_kernel(function) ? declaration_of(function, generator) : nullptr;
    if (kernel == nullptr) continue;
    for (const auto* note : kernel->specific_attrs<clang::AnnotateAttr>()) {
      if (note->getAnnotation() != "treadle-cluster" || blocks_of(*note, *kernel) == 1) continue;
      const auto place = diagnostics.getSourceManager().getExpansionLoc(note->getLocation());
      diagnostics.Report(place, id) << kernel->getNameAsString();
    }
  }
}

void refuse_kernels(const llvm::Module& module, clang::CodeGenerator& generator,
                    clang::DiagnosticsEngine& diagnostics) {
  const unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                  "kernel '%0' %1, which nvcc refuses; %2");
  for (const llvm::Function& function : module) {
    const auto* kernel = is_kernel(function) ? declaration_of(function, generator) : nullptr;
    if (kernel == nullptr) continue;
    const auto report = [&](clang::SourceLocation at, const char* what, const char* instead) {
      diagnostics.Report(diagnostics.getSourceManager().getExpansionLoc(at), id)
          << kernel->getNameAsString() << what << instead;
    };
    for (const clang::ParmVarDecl* parameter : kernel->parameters())
      if (parameter->getType()->isRValueReferenceType())
        report(parameter->getLocation(), "takes an rvalue reference",
               "pass a pointer or the value");
    if (kernel->isVariadic())
      report(kernel->getLocation(), "takes any number of arguments", "name them all");
    if (llvm::isa<clang::CXXMethodDecl>(kernel))
      report(kernel->getLocation(), "is a member of a class", "move it into a namespace");
  }
}

void translate_inline_assembly(llvm::Module& module, clang::DiagnosticsEngine& diagnostics) {
  std::vector<llvm::CallBase*> found;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto* assembly =
          call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      // An empty text is a fence for the compiler; it means the same everywhere.
      if (assembly != nullptr && !assembly->getAsmString().empty()) found.push_back(call);
    }
  }
  if (found.empty()) return;
  const Reachable reachable(module);
  const unsigned id = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error, "inline PTX cannot run on the CPU device: \"%0\": %1");
  for (llvm::CallBase* call : found) {
    if (!reachable.contains(*call->getFunction())) continue;
    const clang::SourceLocation place = place_of(*call);
    if (const auto refusal = translate_inline_ptx(*call))
      diagnostics.Report(place, id) << refusal->statement << refusal->reason;
  }
}

}  // namespace treadle::cuda_cpu
