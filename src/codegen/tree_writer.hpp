// SPDX-License-Identifier: MIT
// Writes a tree: expressions and declarators as pieces of text, statements as lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::codegen::tree {

/// A declarator taken apart: `type name`. The type of a structure has several lines.
struct Declared {
  std::string type, name;
};
/// Both, as they are written.
std::string in_one(const Declared& declared);

class TreeWriter {
 public:
  explicit TreeWriter(const PrintOptions& options);

  /// A part where a statement may stand.
  void statement(const Part& part);
  /// An expression; with brackets if it binds less than `level`.
  std::string expression(const Part& part, int level = 0);
  /// A declarator without a semicolon.
  std::string declarator(const Part& part);
  /// What was written.
  PrintedTree take();

 private:
  // One node deeper while this lives; refuses what is too deep and what the language does not have.
  class Inside {
   public:
    Inside(TreeWriter& writer, const Node& node);
    ~Inside();
    Inside(const Inside&) = delete;

   private:
    TreeWriter& writer_;
    Position outer_place_;
    const Node* outer_;
  };

  void write(const Node& node);
  void write_control(const Node& node);
  void conditional(const Node& node, std::string_view before);
  void loop(const Node& node);
  void switch_of(const Node& node);
  void function_body(const Node& node);
  void comment(const Node& node);
  void directive_branches(const Node& node);
  std::string of_node(const Node& node, int& level);
  std::string operation(const Node& node, int& level);
  std::string lambda(const Node& node);
  Declared declared(const Part& part);
  Declared declared_node(const Node& node);
  std::string structure_text(const Node& node);
  std::string parameters(const std::vector<Part>& list);
  std::string qualifier(const std::string& text) const;
  std::string scalar_name(const Node& node);
  std::string values(const std::vector<Part>& list);
  std::string simple(const Part& part);
  std::string simple_node(const Node& node);
  // Of the node that is being written.
  const std::string& checked(const std::string& text) const;
  const std::string& identifier(const std::string& text, const Node& node) const;
  [[noreturn]] void refuse(const Node& node, std::string reason, std::string hint) const;

  void line(std::string_view text);
  void lines(std::string_view text);
  // The body of what `head` begins, in braces or a line further in; true: it closed a brace, whose
  // line is still open.
  bool body(std::string_view head, const Part& part, bool needs_braces = false);
  void open(std::string_view head);
  void close(std::string_view behind = "");
  void place(const Node& node);
  bool is_cgen() const noexcept { return options_.layout == PrintOptions::Layout::cgen; }

  PrintOptions options_;
  std::optional<TypeNames> types_;
  PrintedTree printed_;
  std::size_t indent_ = 0, depth_ = 0;
  Position current_;
  const Node* node_ = nullptr;
};

}  // namespace treadle::codegen::tree
