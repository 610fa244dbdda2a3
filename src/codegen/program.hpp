// SPDX-License-Identifier: MIT
// Shared by the programs of all generators, in addition to the nodes of trees.
#pragma once

#include <string>
#include <string_view>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The text of a program. Only nodes still need the dialect's words; texts have them already.
std::string printed(const tree::NodePtr& program, const Dialect& dialect);
/// Statements in the form in which a user passes them: without the final semicolon, which the
/// writer adds.
std::string as_users_statements(const tree::NodePtr& statements, const Dialect& dialect);
/// Adds a kernel whose arithmetic is exactly that of its text, after the functions that it calls.
void write_exact(tree::BlockBuilder& code, tree::NodePtr kernel, const Dialect& dialect);
/// Defines a structure with these members; `attribute` follows `struct`.
void write_structure(tree::BlockBuilder& code, std::string_view name, tree::Parts members,
                     std::string_view attribute = "");
/// The declarator of a kernel with groups of this size; a compute unit must have enough registers
/// for `groups` groups.
tree::NodePtr bounded_kernel(std::string_view name, tree::Parts parameters, unsigned group_size,
                             unsigned groups);
/// The declarator of a function that kernels call.
tree::NodePtr called_function(tree::Part result, tree::Part name, tree::Parts parameters);
/// The declarator of a function that must be inlined.
tree::NodePtr inlined_function(tree::Part result, tree::Part name, tree::Parts parameters);

}  // namespace treadle::codegen
