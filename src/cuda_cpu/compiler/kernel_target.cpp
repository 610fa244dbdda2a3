// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/kernel_target.hpp"

#include <clang/Basic/Builtins.h>
#include <clang/Basic/TargetInfo.h>
#include <llvm/ADT/StringExtras.h>

#include <string>
#include <utility>

namespace treadle::cuda_cpu {
namespace {

/// What the target is, is copied, after clang has adjusted it to the language; what it does, it is
/// asked for. Its class is in no header, so nothing can derive from it.
class KernelTarget final : public clang::TargetInfo {
 public:
  explicit KernelTarget(llvm::IntrusiveRefCntPtr<clang::TargetInfo> spirv)
      : clang::TargetInfo(*spirv), spirv_(std::move(spirv)) {}

  bool validateAsmConstraint(const char*& name, ConstraintInfo& info) const override {
    if (!llvm::StringRef("hlqfd").contains(*name)) return false;
    info.setAllowsRegister();
    return true;
  }
  /// clang takes a letter behind % as a modifier of an operand, which PTX does not have.
  std::optional<std::string> handleAsmEscapedChar(char c) const override {
    if (!llvm::isAlpha(c)) return std::nullopt;
    return std::string{'%', c};
  }

  void getTargetDefines(const clang::LangOptions& language,
                        clang::MacroBuilder& builder) const override {
    spirv_->getTargetDefines(language, builder);
  }
  llvm::ArrayRef<clang::Builtin::Info> getTargetBuiltins() const override {
    return spirv_->getTargetBuiltins();
  }
  BuiltinVaListKind getBuiltinVaListKind() const override { return spirv_->getBuiltinVaListKind(); }
  std::string_view getClobbers() const override { return spirv_->getClobbers(); }
  bool hasFeature(llvm::StringRef feature) const override { return spirv_->hasFeature(feature); }
  bool hasInt128Type() const override { return spirv_->hasInt128Type(); }
  bool hasBitIntType() const override { return spirv_->hasBitIntType(); }
  std::optional<unsigned> getDWARFAddressSpace(unsigned space) const override {
    return spirv_->getDWARFAddressSpace(space);
  }
  clang::CallingConv getDefaultCallingConv() const override {
    return spirv_->getDefaultCallingConv();
  }
  CallingConvCheckResult checkCallingConvention(clang::CallingConv convention) const override {
    return spirv_->checkCallingConvention(convention);
  }

 protected:
  llvm::ArrayRef<const char*> getGCCRegNames() const override { return {}; }
  llvm::ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return {}; }

 private:
  const llvm::IntrusiveRefCntPtr<clang::TargetInfo> spirv_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<clang::TargetInfo> with_ptx_assembly(
    llvm::IntrusiveRefCntPtr<clang::TargetInfo> spirv) {
  return llvm::makeIntrusiveRefCnt<KernelTarget>(std::move(spirv));
}

}  // namespace treadle::cuda_cpu
