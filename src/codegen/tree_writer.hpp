// SPDX-License-Identifier: MIT
// Writes a tree into one buffer, from its first letter to its last.
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
  /// `with_lines`: whether the place of each line is remembered.
  explicit TreeWriter(const PrintOptions& options, bool with_lines = false);

  /// A part where a statement may stand.
  void statement(const Part& part);
  /// The node as its kind is written, whatever a derived class writes in its place.
  void plain_statement(const Node& node);
  /// An expression; with brackets if it binds less than `level`.
  void expression(const Part& part, int level = 0);
  /// A declarator without a semicolon.
  void declarator(const Part& part);
  /// Its two halves: the type, and what stands behind that. The node is written as its kind is,
  /// whatever a derived class writes.
  void plain_type(const Node& node);
  void plain_name(const Node& node);
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
  // What fits between brackets and before a semicolon.
  void simple(const Part& part);
  void simple_node(const Node& node);
  void lines_inside(const Node& node);
  // Text as somebody wrote it, of the node that is being written.
  void text(std::string_view text);
  void identifier(std::string_view text, const Node& node);
  void own(const std::vector<std::string>& own_lines, bool inside_of_a_line);
  [[noreturn]] void refuse(const Node& node, std::string reason, std::string hint) const;

  void put(std::string_view text) { printed_.text.append(text); }
  void put(char letter) { printed_.text.push_back(letter); }
  // A line is written between these two; line ends in what is put become lines of their own.
  void begin_line();
  void end_line();
  void line(std::string_view text);
  // The same of somebody's text.
  void text_line(std::string_view text);
  void put_text(std::string_view text);
  // The body of what the line that is begun is the head of, in braces or a line further in; true:
  // it ends where a closing brace has to follow.
  bool body(const Part& part, bool needs_braces = false);
  void open();
  void close(std::string_view behind = "");
  void place(const Node& node);
  void wrap_parameters();
  // cgen leaves brackets around whole texts to who wrote them.
  int at_least(int level) const noexcept { return is_cgen() ? 0 : level; }
  bool is_cgen() const noexcept { return options_.layout == PrintOptions::Layout::cgen; }

  PrintOptions options_;
  bool with_lines_;
  std::optional<TypeNames> types_;
  std::vector<std::pair<std::string, std::string>> qualifiers_;  // that were met, and their words
  PrintedTree printed_;
  std::size_t indent_ = 0, depth_ = 0;
  std::size_t line_start_ = 0;     // behind the indentation of the line that is begun
  std::size_t parameters_at_ = 0;  // of the function that is begun
  Position current_;
  const Node* node_ = nullptr;
};

}  // namespace treadle::codegen::tree
