// SPDX-License-Identifier: MIT
// Writes a tree into one buffer, in order from start to end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::codegen::tree {

class TreeWriter {
 public:
  /// `with_lines`: whether the origin of each line is stored.
  explicit TreeWriter(const PrintOptions& options, bool with_lines = false);

  /// Writes a part as a statement.
  void statement(const Part& part);
  /// Writes a node as its kind, even if its class overrides own_lines().
  void plain_statement(const Node& node);
  /// Writes an expression, in brackets if it binds less tightly than `level`.
  void expression(const Part& part, int level = 0);
  /// Writes a declarator without a semicolon.
  void declarator(const Part& part);
  /// Write the two halves of a declarator, the type and the text after it, as its kind, even if its
  /// class overrides own_declaration().
  void plain_type(const Node& node);
  void plain_name(const Node& node);
  /// Returns the written text.
  PrintedTree take();

 private:
  // Counts the depth of a node while it lives; refuses a node that is too deep or that the language
  // does not have.
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

  void write_control(const Node& node);
  void conditional(const Node& node);
  void condition_of(const Node& node);
  void loop(const Node& node);
  void custom_loop(const Node& node);
  void switch_of(const Node& node);
  void function_body(const Node& node);
  void comment(const Node& node);
  void directive_branches(const Node& node);
  void of_node(const Node& node);
  void operation(const Node& node);
  int level_of(const Node& node) const;
  void lambda(const Node& node);
  void declared(const Node& node);
  void initializer(const Node& node);
  void template_head(const Node& node);
  void type_of(const Part& part);
  void name_of(const Part& part);
  void members(const Node& node);
  void parameters(std::span<const Part> list);
  void qualifier(std::string_view text);
  void scalar_name(const Node& node);
  void values(std::span<const Part> list, int level);
  // Writes a part that fits between brackets or before a semicolon.
  void simple(const Part& part);
  void simple_node(const Node& node);
  void lines_inside(const Node& node);
  // Writes a text of the node that is being written.
  void text(std::string_view text);
  void identifier(std::string_view text, const Node& node);
  void own(const std::vector<std::string>& own_lines, bool inside_of_a_line);
  [[noreturn]] void refuse(const Node& node, std::string reason, std::string hint) const;

  void put(std::string_view text) { printed_.text.append(text); }
  void put(char letter) { printed_.text.push_back(letter); }
  // Text between these two calls forms a line; line ends in the text make further lines.
  void begin_line();
  void end_line();
  void line(std::string_view text);
  // Writes a line of somebody else's text.
  void text_line(std::string_view text);
  void put_text(std::string_view text);
  // Writes the body of the statement whose head is the current line: in braces, or on the next line
  // with more indentation. Returns true if a closing brace must follow.
  bool body(const Part& part, bool needs_braces = false);
  void open();
  void close(std::string_view behind = "");
  void place(const Node& node);
  void wrap_parameters();
  // cgen leaves it to the author to put brackets around texts.
  int at_least(int level) const noexcept { return is_cgen() ? 0 : level; }
  bool is_cgen() const noexcept { return options_.layout == PrintOptions::Layout::cgen; }

  PrintOptions options_;
  bool with_lines_;
  std::optional<TypeNames> types_;
  std::vector<std::pair<std::string, std::string>> qualifiers_;  // met so far, and their words
  PrintedTree printed_;
  std::size_t indent_ = 0, depth_ = 0;
  std::size_t line_start_ = 0;     // position after the indentation of the current line
  std::size_t parameters_at_ = 0;  // position of the current function's parameters
  Position current_;
  const Node* node_ = nullptr;
};

}  // namespace treadle::codegen::tree
