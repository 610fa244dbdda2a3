// SPDX-License-Identifier: MIT
// Trees as text: indented, with the brackets that C needs and no others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/text_with_lines.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen::tree {

/// How a tree is written.
struct PrintOptions {
  /// The language; null: as it stands, with C++'s names of scalars and without checks.
  const Dialect* dialect = nullptr;
  /// Where braces and initializers stand: as our own kernels are laid out, the brace behind what it
  /// belongs to, or as the Python package cgen does it, the brace on a line of its own.
  enum class Layout { kernel, cgen } layout = Layout::kernel;
  bool comments = true;  ///< whether comments are written
  /// Whether `#line` stands before statements whose place is known, so that compilers report errors
  /// at the line that made the node.
  bool line_directives = false;
  /// Whether texts are read: their brackets are matched and further ones put around them where C
  /// needs those, and the words of treadle/dialect.h in them become the dialect's own. The texts of
  /// our generators need none of that.
  bool reads_texts = true;
};

/// The text of a tree; each line is that of the innermost statement it is of.
using PrintedTree = TextWithLines;

/// Writes a tree. For a dialect the words of treadle/dialect.h become its own, and what cannot be
/// written in it is refused: throws InvalidArgument naming the node, its place and the reason for a
/// tree that contains itself, an identifier that is none, text whose brackets or quotes do not
/// match, and a qualifier of another language.
PrintedTree print_with_lines(const Part& tree, const PrintOptions& options = {});
/// The same without the places.
std::string print(const Part& tree, const PrintOptions& options = {});
/// The same in a language.
std::string print(const Part& tree, Language language);
/// A node as its kind is written, where a derived class writes something else in its place: for
/// derived classes that add to that.
std::string print_as_kind(const Node& node, const PrintOptions& options = {});
/// Both halves of a declarator, `type name`, likewise.
std::pair<std::string, std::string> print_halves(const Node& declarator,
                                                 const PrintOptions& options = {});
/// A declarator in one line without a semicolon, as a parameter is declared; an expression.
std::string print_inline(const Part& tree, const PrintOptions& options = {});

}  // namespace treadle::codegen::tree
