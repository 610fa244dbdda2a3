// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/name_expressions.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>

#include <charconv>

namespace treadle::cuda_cpu {
namespace {

constexpr llvm::StringRef alias_prefix = "__treadle_name_";

/// A string literal of `text`, for a #line directive.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' ? ' ' : c;
  }
  return literal + '"';
}

class EntityCollector : public clang::ASTConsumer {
 public:
  explicit EntityCollector(std::vector<const clang::NamedDecl*>& entities) : entities_(entities) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl* declaration : group) {
      if (const auto* alias = llvm::dyn_cast<clang::TypedefDecl>(declaration)) collect(*alias);
    }
    return true;
  }

 private:
  void collect(const clang::TypedefDecl& alias) {
    llvm::StringRef name = alias.getName();
    std::size_t number = 0;
    if (!name.consume_front(alias_prefix) || name.getAsInteger(10, number)) return;
    const auto* record = alias.getUnderlyingType()->getAsCXXRecordDecl();
    const auto* carrier = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
    if (carrier == nullptr || number >= entities_.size()) return;
    const clang::TemplateArgument& value = carrier->getTemplateArgs()[1];
    if (value.getKind() == clang::TemplateArgument::Declaration)
      entities_[number] = value.getAsDecl();
  }

  std::vector<const clang::NamedDecl*>& entities_;
};

}  // namespace

std::string append_name_expressions(const std::string& source,
                                    const std::vector<std::string>& expressions) {
  std::string text = source;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string& expression = expressions[i];
    const bool has_address = !expression.empty() && expression[0] == '&';
    const std::string address = has_address ? expression : "&" + expression;
    text += "\n#line 1 " + quoted("name expression " + expression) + "\n";
    text += "typedef __treadle_name<decltype(" + address + "), " + address + "> " +
            std::string(alias_prefix) + std::to_string(i) + ";\n";
  }
  return text;
}

std::unique_ptr<clang::ASTConsumer> collect_named_entities(
    std::vector<const clang::NamedDecl*>& entities) {
  return std::make_unique<EntityCollector>(entities);
}

std::string symbol_of(const clang::NamedDecl& entity) {
  clang::ASTNameGenerator generator(entity.getASTContext());
  return generator.getName(&entity);
}

}  // namespace treadle::cuda_cpu
