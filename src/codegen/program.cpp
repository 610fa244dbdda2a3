// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <utility>

#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/tree_printer.hpp"
#include "words.hpp"

namespace treadle::codegen {

std::string printed(const tree::NodePtr& program, const Dialect& dialect) {
  return tree::print(program, {.dialect = &dialect, .reads_texts = false});
}

std::string as_users_statements(const tree::NodePtr& statements, const Dialect& dialect) {
  std::string text = printed(statements, dialect);
  while (text.ends_with('\n') || text.ends_with(';')) text.pop_back();
  return text;
}

void write_exact(tree::BlockBuilder& code, tree::NodePtr kernel, const Dialect& dialect) {
  code.lines(dialect.exact_preamble);
  code.lines(device_functions(kernel, dialect));
  code.add(std::move(kernel));
}

void write_structure(tree::BlockBuilder& code, std::string_view name, tree::Parts members,
                     std::string_view attribute) {
  tree::Part parts[] = {{"struct", attribute.empty() ? "" : " ", attribute}, {}, {}, {}, name};
  code.add(tree::declare(tree::specifier(
      "typedef", tree::make_node<tree::Node>(tree::Kind::structure, std::span<tree::Part>(parts),
                                             std::move(members), tree::Position()))));
}

tree::NodePtr bounded_kernel(std::string_view name, tree::Parts parameters, unsigned group_size,
                             unsigned groups) {
  return tree::specifier(
      joined({"TREADLE_KERNEL TREADLE_GROUPS_OF(", number(group_size), ", ", number(groups), ")"}),
      tree::function(tree::value("", name), std::move(parameters)));
}
tree::NodePtr called_function(tree::Part result, tree::Part name, tree::Parts parameters) {
  return tree::specifier(
      "TREADLE_FUNCTION",
      tree::function(tree::value(std::move(result), std::move(name)), std::move(parameters)));
}
tree::NodePtr inlined_function(tree::Part result, tree::Part name, tree::Parts parameters) {
  return tree::specifier(
      "TREADLE_FUNCTION TREADLE_ALWAYS_INLINE",
      tree::function(tree::value(std::move(result), std::move(name)), std::move(parameters)));
}

}  // namespace treadle::codegen
