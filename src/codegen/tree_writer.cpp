// SPDX-License-Identifier: MIT
// The statements of a tree.
#include "tree_writer.hpp"

#include <algorithm>

#include "treadle/base/error.hpp"
#include "tree_text.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

constexpr std::size_t line_width = 100;

bool is_block(const Part& part) { return part.node() && part.node()->kind() == Kind::block; }
bool is_conditional(const Part& part) {
  return part.node() && part.node()->kind() == Kind::conditional && !part.node()->own_lines();
}

// Whether an `else` behind the statement would belong to a condition in it.
bool takes_an_else(const Part& part) {
  if (part.node() == nullptr) return false;
  const Node& node = *part.node();
  switch (node.kind()) {
    case Kind::conditional:
      return node.part(2).is_empty() || takes_an_else(node.part(2));
    case Kind::for_loop:
      return takes_an_else(node.part(3));
    case Kind::range_loop:
      return takes_an_else(node.part(2));
    case Kind::while_loop:
      return takes_an_else(node.part(1));
    default:
      return false;
  }
}

// The rows of a parameter list that does not fit behind its function.
std::string wrapped(std::string_view head) {
  const std::size_t bracket = head.find('(');
  if (head.size() <= line_width || bracket == std::string_view::npos ||
      head.find('\n') != std::string_view::npos)
    return std::string(head);
  std::string text(head.substr(0, bracket + 1));
  std::string row = "\n    ";
  head.remove_prefix(bracket + 1);
  while (!head.empty()) {
    const std::size_t comma = head.find(", ");
    const std::string_view one =
        head.substr(0, comma == std::string_view::npos ? comma : comma + 1);
    if (row.size() + one.size() > line_width && row.size() > 5) {
      text += row.substr(0, row.size() - 1);
      row = "\n    ";
    }
    row.append(one).append(" ");
    head.remove_prefix(std::min(head.size(), one.size() + 1));
  }
  return text + row.substr(0, row.size() - 1);
}

}  // namespace

TreeWriter::TreeWriter(const PrintOptions& options) : options_(options) {
  if (options_.dialect != nullptr) types_.emplace(*options_.dialect);
}

TreeWriter::Inside::Inside(TreeWriter& writer, const Node& node)
    : writer_(writer), outer_place_(writer.current_), outer_(writer.node_) {
  require_depth(node, writer.depth_);
  const Dialect* dialect = writer.options_.dialect;
  if (dialect != nullptr && node.only_in && dialect != &dialect_of(*node.only_in))
    writer.refuse(node, joined({"is written in ", language_name(*node.only_in), " only"}),
                  "print the tree in that language, or leave the node out");
  ++writer.depth_;
  writer.node_ = &node;
  if (node.made.file != nullptr) writer.current_ = node.made;
}

TreeWriter::Inside::~Inside() {
  --writer_.depth_;
  writer_.current_ = outer_place_;
  writer_.node_ = outer_;
}

void TreeWriter::refuse(const Node& node, std::string reason, std::string hint) const {
  throw InvalidArgument(joined({describe(node), ": ", reason}), std::move(hint));
}

void TreeWriter::line(std::string_view text) {
  if (!text.empty()) printed_.text.append(2 * indent_, ' ');
  printed_.text.append(text);
  printed_.text += '\n';
  printed_.lines.push_back(current_);
}

void TreeWriter::lines(std::string_view text) {
  do {
    const std::string_view first = text.substr(0, text.find('\n'));
    line(first);
    text.remove_prefix(std::min(text.size(), first.size() + 1));
  } while (!text.empty());
}

void TreeWriter::open(std::string_view head) {
  if (is_cgen()) {
    if (!head.empty()) lines(head);
    line("{");
  } else {
    lines(head.empty() ? "{" : joined({wrapped(head), " {"}));
  }
  ++indent_;
}

void TreeWriter::close(std::string_view behind) {
  --indent_;
  line(joined({"}", behind}));
}

void TreeWriter::place(const Node& node) {
  if (!options_.line_directives || node.made.file == nullptr || options_.dialect == nullptr) return;
  printed_.text +=
      joined({"#line ", std::to_string(node.made.line), " \"", node.made.file, "\"\n"});
  printed_.lines.push_back(node.made);
}

void TreeWriter::statement(const Part& part) {
  if (part.is_empty()) return;
  if (part.node() == nullptr) return lines(part.text());
  const Node& node = *part.node();
  const Inside inside(*this, node);
  if (const auto own = node.own_lines()) {
    for (const std::string& one : *own) line(one);
    return;
  }
  write(node);
}

void TreeWriter::write(const Node& node) {
  switch (node.kind()) {
    case Kind::collection:
      for (const Part& part : node.list()) statement(part);
      return;
    case Kind::comment:
      return comment(node);
    case Kind::line:
      return lines(node.part(0).text());
    case Kind::literal_lines:
      return lines(node.part(0).text());
    case Kind::directive:
      return lines(joined(
          {"#", node.part(0).text(), node.part(1).is_empty() ? "" : " ", node.part(1).text()}));
    case Kind::directive_branches:
      return directive_branches(node);
    case Kind::block:
      open("");
      for (const Part& part : node.list()) statement(part);
      return close();
    case Kind::scope:
      open(simple(node.part(0)));
      for (const Part& part : node.list()) statement(part);
      close();
      if (!node.part(1).is_empty()) lines(node.part(1).text());
      return;
    default:
      break;
  }
  if (!(node.kind() == Kind::function_body)) place(node);
  write_control(node);
}

void TreeWriter::write_control(const Node& node) {
  switch (node.kind()) {
    case Kind::function_body:
      return function_body(node);
    case Kind::conditional:
      return conditional(node, "");
    case Kind::for_loop:
    case Kind::range_loop:
    case Kind::while_loop:
    case Kind::do_loop:
    case Kind::custom_loop:
      return loop(node);
    case Kind::switch_of:
      return switch_of(node);
    case Kind::template_of:
      return lines(in_one(declared_node(node)));
    case Kind::array_initializer:
      if (is_cgen())
        return lines(joined({declarator(node.part(0)), "\n  = { ", values(node.list()), " };"}));
      break;
    case Kind::jump:
      return lines(joined({node.part(0).text(), node.part(1).is_empty() ? "" : " ",
                           expression(node.part(1)), ";"}));
    default:
      break;
  }
  lines(joined({simple_node(node), ";"}));
}

// What fits between brackets and before a semicolon.
std::string TreeWriter::simple(const Part& part) {
  if (part.node() == nullptr) return checked(part.text());
  const Node& node = *part.node();
  const Inside inside(*this, node);
  if (const auto own = node.own_lines()) {
    std::string text;
    for (const std::string& one : *own) text += (text.empty() ? "" : "\n") + one;
    if (text.ends_with(';')) text.pop_back();
    return text;
  }
  return simple_node(node);
}

std::string TreeWriter::simple_node(const Node& node) {
  switch (node.kind()) {
    case Kind::expression:
      return expression(node.part(0));
    case Kind::assignment:
      return joined({expression(node.part(0), prefix_level), " ", node.part(1).text(), " ",
                     expression(node.part(2), assignment_level)});
    case Kind::declaration:
      return declarator(node.part(0));
    case Kind::initializer:
      return joined({declarator(node.part(0)), " = ", expression(node.part(1), assignment_level)});
    case Kind::array_initializer:
      return joined({declarator(node.part(0)), " = {", values(node.list()), "}"});
    default:
      break;
  }
  if (family_of(node.kind()) == Family::declarator) return in_one(declared_node(node));
  if (family_of(node.kind()) == Family::expression) {
    int level = 0;
    return of_node(node, level);
  }
  refuse(node, "cannot stand inside of a line", "make a statement of an expression of it");
}

bool TreeWriter::body(std::string_view head, const Part& part, bool needs_braces) {
  if (is_block(part) && !part.node()->own_lines()) {
    const Inside inside(*this, *part.node());
    open(head);
    for (const Part& one : part.node()->list()) statement(one);
    --indent_;
    return true;
  }
  if (needs_braces) {
    open(head);
    statement(part);
    --indent_;
    return true;
  }
  lines(head);
  ++indent_;
  part.is_empty() ? line(";") : statement(part);
  --indent_;
  return false;
}

void TreeWriter::conditional(const Node& node, std::string_view before) {
  std::string condition = expression(node.part(0));
  if (is_cgen() && condition.find('\n') != std::string::npos) {
    std::string rows = "\n    ";
    for (const char c : condition) rows.append(c == '\n' ? "\n    " : std::string(1, c));
    condition = rows + "\n  ";
  }
  const Part& other = node.part(2);
  const bool has_else = !other.is_empty();
  const bool braced = body(joined({before, "if (", condition, ")"}), node.part(1),
                           has_else && !is_block(node.part(1)) && takes_an_else(node.part(1)));
  if (!has_else) {
    if (braced) line("}");
    return;
  }
  if (is_cgen()) {
    if (braced) line("}");
    if (body("else", other)) line("}");
    return;
  }
  const std::string_view so_far = braced ? "} else" : "else";
  if (is_conditional(other)) {
    const Inside inside(*this, *other.node());
    return conditional(*other.node(), joined({so_far, " "}));
  }
  if (body(so_far, other)) line("}");
}

void TreeWriter::loop(const Node& node) {
  const auto ends_in_brace = [&](std::string_view head, const Part& part) {
    if (body(head, part)) line("}");
  };
  switch (node.kind()) {
    case Kind::for_loop:
      return ends_in_brace(joined({"for (", simple(node.part(0)), "; ", simple(node.part(1)), "; ",
                                   simple(node.part(2)), ")"}),
                           node.part(3));
    case Kind::range_loop:
      return ends_in_brace(
          joined({"for (", declarator(node.part(0)), " : ", expression(node.part(1)), ")"}),
          node.part(2));
    case Kind::while_loop:
      return ends_in_brace(joined({"while (", expression(node.part(0)), ")"}), node.part(1));
    case Kind::do_loop: {
      const std::string end = joined({"while (", expression(node.part(0)), ");"});
      const bool braced = body("do", node.part(1));
      if (braced && is_cgen()) line("}");
      return line(joined({braced && !is_cgen() ? "} " : "", end}));
    }
    default:
      break;
  }
  const std::string& before = node.part(0).text();
  const std::string& behind = node.part(1).text();
  bool braced = false;
  if (!before.empty() || is_block(node.part(2))) {
    braced = body(before, node.part(2));
  } else {
    ++indent_;
    statement(node.part(2));
    --indent_;
  }
  if (braced) line("}");
  if (!behind.empty()) lines(behind);
}

void TreeWriter::switch_of(const Node& node) {
  open(joined({"switch (", expression(node.part(0)), ")"}));
  for (const Part& one : node.list()) {
    if (one.node() == nullptr || one.node()->kind() != Kind::case_of) {
      statement(one);
      continue;
    }
    const Node& choice = *one.node();
    const Inside inside(*this, choice);
    line(choice.part(0).is_empty() ? "default:"
                                   : joined({"case ", expression(choice.part(0)), ":"}));
    ++indent_;
    for (const Part& inner : choice.list()) statement(inner);
    --indent_;
  }
  close();
}

void TreeWriter::function_body(const Node& node) {
  place(node);
  if (!is_block(node.part(1)))
    refuse(node, "the body is no block", "make a block of the function's statements");
  body(declarator(node.part(0)), node.part(1));
  line("}");
}

void TreeWriter::comment(const Node& node) {
  if (!options_.comments) return;
  const std::string& text = node.part(0).text();
  const std::string& start = node.part(2).text();
  const std::string& closing = node.part(3).text();
  if (options_.dialect != nullptr && !closing.empty() && text.find("*/") != std::string::npos)
    refuse(node, "the text ends the comment", "take */ out of the text");
  std::string whole = node.part(1).text() + start;
  for (const char c : text) whole.append(c == '\n' ? "\n" + start : std::string(1, c));
  lines(whole + closing);
}

void TreeWriter::directive_branches(const Node& node) {
  line(joined({"#", node.part(0).text(), " ", node.part(1).text()}));
  statement(node.part(2));
  const Part& other = node.part(3);
  const bool is_empty = other.is_empty() || (other.node() && other.node()->list().empty() &&
                                             other.node()->kind() == Kind::collection);
  if (!is_empty) {
    line("#else");
    statement(other);
  }
  line("#endif");
}

PrintedTree TreeWriter::take() {
  if (options_.dialect != nullptr) printed_.text = expand_words(printed_.text, *options_.dialect);
  return std::move(printed_);
}

}  // namespace treadle::codegen::tree
