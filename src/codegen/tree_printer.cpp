// SPDX-License-Identifier: MIT
#include "treadle/codegen/tree_printer.hpp"

#include "tree_writer.hpp"

namespace treadle::codegen::tree {

PrintedTree print_with_lines(const Part& tree, const PrintOptions& options) {
  TreeWriter writer(options, true);
  writer.statement(tree);
  return writer.take();
}

std::string print(const Part& tree, const PrintOptions& options) {
  TreeWriter writer(options);
  writer.statement(tree);
  return writer.take().text;
}

std::string print(const Part& tree, Language language) {
  PrintOptions options;
  options.dialect = &dialect_of(language);
  return print(tree, options);
}

std::string print_as_kind(const Node& node, const PrintOptions& options) {
  TreeWriter writer(options);
  writer.plain_statement(node);
  return writer.take().text;
}

std::pair<std::string, std::string> print_halves(const Node& declarator,
                                                 const PrintOptions& options) {
  TreeWriter type(options), name(options);
  type.plain_type(declarator);
  name.plain_name(declarator);
  return {type.take().text, name.take().text};
}

std::string print_inline(const Part& tree, const PrintOptions& options) {
  TreeWriter writer(options);
  const bool declares =
      tree.node() != nullptr && family_of(tree.node()->kind()) == Family::declarator;
  declares ? writer.declarator(tree) : writer.expression(tree);
  return writer.take().text;
}

}  // namespace treadle::codegen::tree
