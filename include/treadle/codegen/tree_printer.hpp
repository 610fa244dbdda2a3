// SPDX-License-Identifier: MIT
// Prints trees as text: indented, and with only the parentheses that C needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/text_with_lines.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen::tree {

/// How a tree is printed.
struct PrintOptions {
  /// The language; null: no language, with C++ names for scalars and without checks.
  const Dialect* dialect = nullptr;
  /// The position of braces and initializers. kernel: the brace follows its head on the same line,
  /// as in our own kernels. cgen: the brace has its own line, as in the Python package cgen.
  enum class Layout { kernel, cgen } layout = Layout::kernel;
  bool comments = true;  ///< whether comments are printed
  /// Whether `#line` is printed before a statement whose place is known, so that compilers report
  /// errors at the line that made the node.
  bool line_directives = false;
  /// Whether the printer analyses texts: it checks that brackets match, adds parentheses where C
  /// needs them, and replaces the words of treadle/dialect.h by the dialect's. The texts of our
  /// generators do not need it.
  bool reads_texts = true;
};

/// The text of a tree; the origin of a line is that of its innermost statement.
using PrintedTree = TextWithLines;

/// Prints a tree. With a dialect, the words of treadle/dialect.h are replaced by the dialect's.
/// Throws InvalidArgument, naming the node, its place and the reason, for a tree that contains
/// itself, an invalid identifier, text with unmatched brackets or quotes, and a qualifier of
/// another language.
PrintedTree print_with_lines(const Part& tree, const PrintOptions& options = {});
/// Prints a tree without the origins of its lines.
std::string print(const Part& tree, const PrintOptions& options = {});
/// Prints a tree in a language.
std::string print(const Part& tree, Language language);
/// Prints a node as its kind, even if its class overrides own_lines(): an override calls this
/// function to add to the usual text.
std::string print_as_kind(const Node& node, const PrintOptions& options = {});
/// Both halves of a declarator, the type and the name, printed as its kind.
std::pair<std::string, std::string> print_halves(const Node& declarator,
                                                 const PrintOptions& options = {});
/// Prints an expression, or a declarator as a parameter: one line, without a semicolon.
std::string print_inline(const Part& tree, const PrintOptions& options = {});

}  // namespace treadle::codegen::tree
