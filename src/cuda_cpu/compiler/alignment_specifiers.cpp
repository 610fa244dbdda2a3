// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/alignment_specifiers.hpp"

#include <clang/Lex/Preprocessor.h>

namespace treadle::cuda_cpu {
namespace {

/// Sees every token before the parser does.
class AlignmentSpecifiers {
 public:
  void operator()(clang::Token& token) {
    if (token.is(clang::tok::kw_alignas) && behind_attribute_ && !in_class_head_)
      token.setKind(clang::tok::kw__Alignas);
    if (token.is(clang::tok::kw___attribute)) {
      // `struct __attribute__((x)) alignas(16) S` is C++ as clang has it.
      if (!behind_attribute_)
        in_class_head_ = last_.isOneOf(clang::tok::kw_struct, clang::tok::kw_class,
                                       clang::tok::kw_union, clang::tok::kw_enum);
      in_attribute_ = true;
      depth_ = 0;
    }
    if (in_attribute_) {
      if (token.is(clang::tok::l_paren)) ++depth_;
      if (token.is(clang::tok::r_paren) && --depth_ == 0) {
        in_attribute_ = false;
        behind_attribute_ = true;
        return;
      }
    }
    if (!in_attribute_) behind_attribute_ = false;
    last_ = token;
  }

 private:
  clang::Token last_{};
  bool in_attribute_ = false, behind_attribute_ = false, in_class_head_ = false;
  int depth_ = 0;
};

}  // namespace

void accept_alignas_behind_attributes(clang::Preprocessor& preprocessor) {
  // The preprocessor shows its own token, which nobody has seen yet.
  preprocessor.setTokenWatcher(
      [specifiers = AlignmentSpecifiers()](const clang::Token& token) mutable {
        specifiers(const_cast<clang::Token&>(token));
      });
}

}  // namespace treadle::cuda_cpu
