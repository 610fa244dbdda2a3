// SPDX-License-Identifier: MIT
// Name expressions: C++ names such as "scale<float, 4>" or "&ns::table" whose symbols the caller
// wants to know.
//
// Each becomes one more declaration behind the source, which instantiates what it names:
//     typedef __treadle_name<decltype(&scale<float, 4>), &scale<float, 4>> __treadle_name_0;
// The entity is then read from the template argument clang resolved, and mangled.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTConsumer;
class NamedDecl;
}  // namespace clang

namespace treadle::cuda_cpu {

/// `source` with the declarations behind it; its own lines stay where they are.
std::string append_name_expressions(const std::string& source,
                                    const std::vector<std::string>& expressions);

/// Collects what the declarations resolved to, by number of the expression; null where clang
/// reported an error.
std::unique_ptr<clang::ASTConsumer> collect_named_entities(
    std::vector<const clang::NamedDecl*>& entities);

/// The symbol of an entity in the module.
std::string symbol_of(const clang::NamedDecl& entity);

}  // namespace treadle::cuda_cpu
