// SPDX-License-Identifier: MIT
// What the programs of all generators are made of, beside the nodes of trees.
#pragma once

#include <string>
#include <string_view>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The text of a program whose words are the dialect's already, but for those of nodes.
std::string printed(const tree::NodePtr& program, const Dialect& dialect);
/// Statements as a user passes them: without the end, which the writer puts behind them.
std::string as_users_statements(const tree::NodePtr& statements, const Dialect& dialect);
/// Adds a kernel whose arithmetic is that of its text, and before it the functions that it calls.
void write_exact(tree::BlockBuilder& code, tree::NodePtr kernel, const Dialect& dialect);
/// Defines a type by its members; `attribute` stands behind `struct`.
void write_structure(tree::BlockBuilder& code, std::string_view name, tree::Parts members,
                     std::string_view attribute = "");
/// What declares a kernel for groups of so many work-items, `groups` of which a compute unit has
/// registers for.
tree::NodePtr bounded_kernel(std::string_view name, tree::Parts parameters, unsigned group_size,
                             unsigned groups);
/// What declares a function that kernels call.
tree::NodePtr called_function(tree::Part result, tree::Part name, tree::Parts parameters);
/// The same of one that is to be inlined.
tree::NodePtr inlined_function(tree::Part result, tree::Part name, tree::Parts parameters);

}  // namespace treadle::codegen
