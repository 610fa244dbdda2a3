// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/texture_references.hpp"

#include <clang/AST/APValue.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Module.h>

namespace treadle::cuda_cpu {
namespace {

bool is_reference(const clang::VarDecl& variable) {
  const clang::QualType type = variable.getType();
  return type->isCUDADeviceBuiltinTextureType() || type->isCUDADeviceBuiltinSurfaceType();
}

/// Of a structure of integers, and of structures of them.
llvm::Constant* reference_value(const clang::APValue& value, llvm::Type* type) {
  if (value.isInt())
    return llvm::ConstantInt::get(type, value.getInt().extOrTrunc(64).getExtValue());
  auto* const structure = llvm::dyn_cast<llvm::StructType>(type);
  if (structure == nullptr || !value.isStruct() ||
      value.getStructNumFields() != structure->getNumElements())
    return llvm::UndefValue::get(type);
  llvm::SmallVector<llvm::Constant*, 12> fields;
  for (unsigned i = 0; i < structure->getNumElements(); ++i)
    fields.push_back(reference_value(value.getStructField(i), structure->getElementType(i)));
  return llvm::ConstantStruct::get(structure, fields);
}

}  // namespace

void initialize_references(llvm::Module& module, clang::CodeGenerator& generator) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    const auto* declaration =
        llvm::dyn_cast_or_null<clang::VarDecl>(generator.GetDeclForMangledName(variable.getName()));
    if (declaration == nullptr || variable.isDeclaration() || !is_reference(*declaration)) continue;
    // The name may have been declared before it was defined.
    declaration = declaration->getInitializingDeclaration();
    if (declaration == nullptr) continue;
    if (const clang::APValue* value = declaration->evaluateValue())
      variable.setInitializer(reference_value(*value, variable.getValueType()));
  }
}

}  // namespace treadle::cuda_cpu
