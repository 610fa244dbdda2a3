// SPDX-License-Identifier: MIT
// The statements of a tree.
#include "tree_writer.hpp"

#include <algorithm>
#include <cstring>

#include "treadle/base/error.hpp"
#include "tree_text.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

constexpr std::size_t line_width = 100;
constexpr char line_end_of_text = '\1';  // a line end that take() does not indent

bool is_block(const Part& part) {
  return part.node() != nullptr && part.node()->kind() == Kind::block && !part.node()->has_own_text;
}
bool is_conditional(const Part& part) {
  return part.node() != nullptr && part.node()->kind() == Kind::conditional &&
         !part.node()->has_own_text;
}

// Whether a node that fits into one line ends in a semicolon.
bool ends_in_semicolon(const Node& node) {
  return node.kind() != Kind::template_of && node.kind() != Kind::inline_initializer &&
         node.kind() != Kind::line && family_of(node.kind()) != Family::expression;
}

// Whether a following `else` would bind to a condition inside the statement.
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

}  // namespace

TreeWriter::TreeWriter(const PrintOptions& options, bool with_lines)
    : options_(options), with_lines_(with_lines) {}

TreeWriter::Inside::Inside(TreeWriter& writer, const Node& node)
    : writer_(writer), outer_place_(writer.current_), outer_(writer.node_) {
  require_depth(node, writer.depth_);
  const Dialect* const dialect = writer.options_.dialect;
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

void TreeWriter::begin_line() {
  printed_.text.append(2 * indent_, ' ');
  line_start_ = printed_.text.size();
}

void TreeWriter::end_line() {
  std::string& text = printed_.text;
  const bool is_one =
      std::memchr(text.data() + line_start_, '\n', text.size() - line_start_) == nullptr;
  if (is_one) {
    if (line_start_ == text.size()) text.resize(line_start_ - 2 * indent_);  // an empty line
    text.push_back('\n');
    if (with_lines_) printed_.lines.push_back(current_);
    return;
  }
  if (indent_ == 0 && !with_lines_) {  // such lines need no indentation and no origins
    if (!text.ends_with('\n')) text.push_back('\n');
    return;
  }
  const std::string whole = text.substr(line_start_);
  text.resize(line_start_ - 2 * indent_);
  for (std::string_view rest = whole;;) {
    const std::string_view first = rest.substr(0, rest.find('\n'));
    line(first);
    if (first.size() == rest.size()) return;
    rest.remove_prefix(first.size() + 1);
    if (rest.empty()) return;
  }
}

void TreeWriter::text_line(std::string_view text) {
  begin_line();
  put_text(text);
  end_line();
}

void TreeWriter::line(std::string_view text) {
  begin_line();
  put(text);
  end_line();
}

// Puts each parameter on its own line if they do not fit behind the function's name.
void TreeWriter::wrap_parameters() {
  if (printed_.text.size() - line_start_ + 2 <= line_width) return;
  const std::string head = printed_.text.substr(line_start_);
  if (parameters_at_ <= line_start_ || head.find('\n') != std::string::npos) return;
  const std::size_t bracket = parameters_at_ - line_start_ - 1;
  printed_.text.resize(line_start_ + bracket + 1);
  std::string row = "\n    ";
  std::string_view rest = std::string_view(head).substr(bracket + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    const std::string_view one =
        rest.substr(0, comma == std::string_view::npos ? comma : comma + 1);
    if (row.size() + one.size() > line_width && row.size() > 5) {
      put(std::string_view(row).substr(0, row.size() - 1));
      row = "\n    ";
    }
    row.append(one).append(" ");
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  put(std::string_view(row).substr(0, row.size() - 1));
}

void TreeWriter::open() {
  if (line_start_ == printed_.text.size()) {
    put('{');
  } else if (is_cgen()) {
    end_line();
    begin_line();
    put('{');
  } else {
    put(" {");
  }
  end_line();
  ++indent_;
}

void TreeWriter::close(std::string_view behind) {
  --indent_;
  begin_line();
  put('}');
  put(behind);
  end_line();
}

void TreeWriter::place(const Node& node) {
  if (!options_.line_directives || node.made.file == nullptr || options_.dialect == nullptr) return;
  put(joined({"#line ", std::to_string(node.made.line), " \"", node.made.file, "\"\n"}));
  if (with_lines_) printed_.lines.push_back(node.made);
}

void TreeWriter::own(const std::vector<std::string>& own_lines, bool inside_of_a_line) {
  std::string whole;
  for (const std::string& one : own_lines) {
    if (!inside_of_a_line) text_line(one);
    whole.append(whole.empty() ? "" : "\n").append(one);
  }
  if (!inside_of_a_line) return;
  if (!is_cgen() && whole.ends_with(';')) whole.pop_back();
  put(whole);
}

void TreeWriter::statement(const Part& part) {
  if (part.node() == nullptr) {
    if (!part.is_empty()) text_line(part.text());
    return;
  }
  const Node& node = *part.node();
  if (node.has_own_text)
    if (const auto own_lines = node.own_lines()) {
      const Inside inside(*this, node);
      return own(*own_lines, false);
    }
  plain_statement(node);
}

void TreeWriter::plain_statement(const Node& node) {
  const Inside inside(*this, node);
  switch (node.kind()) {
    case Kind::collection:
      for (const Part& part : node.list()) statement(part);
      return;
    case Kind::comment:
      return comment(node);
    case Kind::line:
      return text_line(node.part(0).text());
    case Kind::literal_lines: {
      const bool braced = !node.part(1).is_empty();
      begin_line();
      if (braced) {
        open();
        begin_line();
      }
      put(node.part(0).text());
      end_line();
      if (braced) close();
      return;
    }
    case Kind::directive:
      begin_line();
      put('#');
      put(node.part(0).text());
      for (const std::size_t part : {1u, 2u}) {
        if (node.part(part).is_empty()) continue;
        put(' ');
        put_text(node.part(part).text());
      }
      return end_line();
    case Kind::directive_branches:
      return directive_branches(node);
    case Kind::block:
    case Kind::scope:
      begin_line();
      if (node.kind() == Kind::scope) simple(node.part(0));
      open();
      for (const Part& part : node.list()) statement(part);
      close();
      if (node.kind() == Kind::scope && !node.part(1).is_empty()) line(node.part(1).text());
      return;
    default:
      break;
  }
  place(node);
  write_control(node);
}

void TreeWriter::write_control(const Node& node) {
  switch (node.kind()) {
    case Kind::function_body:
      return function_body(node);
    case Kind::conditional:
      begin_line();
      return conditional(node);
    case Kind::for_loop:
    case Kind::range_loop:
    case Kind::while_loop:
    case Kind::do_loop:
      return loop(node);
    case Kind::custom_loop:
      return custom_loop(node);
    case Kind::switch_of:
      return switch_of(node);
    default:
      break;
  }
  begin_line();
  const bool is_array = node.kind() == Kind::array_initializer && node.part(0).node() != nullptr;
  template_head(is_array ? *node.part(0).node() : node);
  simple_node(node);
  if (ends_in_semicolon(node) || family_of(node.kind()) == Family::expression) put(';');
  end_line();
}

void TreeWriter::simple(const Part& part) {
  if (part.node() == nullptr) return text(part.text());
  const Node& node = *part.node();
  const Inside inside(*this, node);
  if (node.has_own_text)
    if (const auto own_lines = node.own_lines()) return own(*own_lines, true);
  // cgen writes a node inside a line as it writes a separate node.
  if (is_cgen() && family_of(node.kind()) != Family::expression) return lines_inside(node);
  simple_node(node);
}

void TreeWriter::initializer(const Node& node) {
  declarator(node.part(0));
  put(" = ");
  const std::size_t begin = printed_.text.size();
  expression(node.part(1), at_least(assignment_level));
  if (!is_cgen() || printed_.text.find(line_end_of_text, begin) == std::string::npos) return;
  // cgen puts each line of such a value on its own line.
  const std::string value = printed_.text.substr(begin);
  printed_.text.resize(begin - 1);
  put("\n  ");
  for (const char c : value) c == line_end_of_text ? put("\n  ") : put(c);
}

// cgen writes template heads before whole declarations, never inside them.
void TreeWriter::template_head(const Node& node) {
  if (!is_cgen() || node.kind() != Kind::template_of) return;
  put(joined({"template <", node.part(0).text(), ">\n"}));
  if (node.part(1).node() != nullptr) template_head(*node.part(1).node());
}

void TreeWriter::simple_node(const Node& node) {
  switch (node.kind()) {
    case Kind::expression:
      return expression(node.part(0));
    case Kind::assignment:
      expression(node.part(0), at_least(prefix_level));
      put(' ');
      put(node.part(1).text());
      put(' ');
      return expression(node.part(2), at_least(assignment_level));
    case Kind::declaration:
      return declarator(node.part(0));
    case Kind::initializer:
    case Kind::inline_initializer:
      return initializer(node);
    case Kind::array_initializer:
      declarator(node.part(0));
      put(is_cgen() ? "\n  = { " : " = {");
      values(node.list(), at_least(assignment_level));
      return put(is_cgen() ? " }" : "}");
    case Kind::line:
      return put_text(node.part(0).text());
    case Kind::jump:
      put(node.part(0).text());
      if (!node.part(1).is_empty()) put(' ');
      return expression(node.part(1));
    default:
      break;
  }
  if (family_of(node.kind()) == Family::declarator) return declared(node);
  if (family_of(node.kind()) == Family::expression) return of_node(node);
  refuse(node, "cannot stand inside of a line", "make a statement of an expression of it");
}

// Writes a node with several lines where a piece of a line is expected.
void TreeWriter::lines_inside(const Node& node) {
  TreeWriter inner(options_);
  inner.depth_ = depth_;
  inner.plain_statement(node);
  std::string text = inner.take().text;
  if (text.ends_with('\n')) text.pop_back();
  put_text(text);
}

bool TreeWriter::body(const Part& part, bool needs_braces) {
  if (is_block(part) || needs_braces) {
    open();
    if (is_block(part)) {
      const Inside inside(*this, *part.node());
      for (const Part& one : part.node()->list()) statement(one);
    } else {
      statement(part);
    }
    --indent_;
    return true;
  }
  end_line();
  // cgen treats a collection here as a block.
  const bool is_flat =
      is_cgen() && part.node() != nullptr && part.node()->kind() == Kind::collection;
  if (!is_flat) ++indent_;
  part.is_empty() ? line(";") : statement(part);
  if (!is_flat) --indent_;
  return false;
}

void TreeWriter::condition_of(const Node& node) {
  put("if (");
  const std::size_t begin = printed_.text.size();
  expression(node.part(0));
  if (is_cgen() && printed_.text.find_first_of("\n\1", begin) != std::string::npos) {
    const std::string condition = printed_.text.substr(begin);
    printed_.text.resize(begin);
    put("\n    ");
    for (const char c : condition) c == '\n' || c == line_end_of_text ? put("\n    ") : put(c);
    put("\n  ");
  }
  put(')');
}

// The caller has begun the first line.
void TreeWriter::conditional(const Node& node) {
  condition_of(node);
  const Part& other = node.part(2);
  const bool has_else = !other.is_empty();
  const bool braced = body(node.part(1), !is_cgen() && has_else && !is_block(node.part(1)) &&
                                             takes_an_else(node.part(1)));
  if (!has_else) {
    if (braced) line("}");
    return;
  }
  if (is_cgen() && braced) line("}");
  begin_line();
  put(braced && !is_cgen() ? "} else" : "else");
  if (!is_cgen() && is_conditional(other)) {
    const Inside inside(*this, *other.node());
    put(' ');
    return conditional(*other.node());
  }
  if (body(other)) line("}");
}

void TreeWriter::loop(const Node& node) {
  begin_line();
  std::size_t body_at = 1;
  switch (node.kind()) {
    case Kind::for_loop:
      body_at = 3;
      put("for (");
      simple(node.part(0));
      put("; ");
      simple(node.part(1));
      put("; ");
      simple(node.part(2));
      put(')');
      break;
    case Kind::range_loop:
      body_at = 2;
      put("for (");
      declarator(node.part(0));
      put(" : ");
      expression(node.part(1));
      put(')');
      break;
    case Kind::while_loop:
      put("while (");
      expression(node.part(0));
      put(')');
      break;
    default: {
      put("do");
      const bool braced = body(node.part(1));
      if (braced && is_cgen()) line("}");
      begin_line();
      if (braced && !is_cgen()) put("} ");
      put("while (");
      expression(node.part(0));
      put(");");
      return end_line();
    }
  }
  if (body(node.part(body_at))) line("}");
}

void TreeWriter::custom_loop(const Node& node) {
  const std::string_view before = node.part(0).text();
  const std::string_view behind = node.part(1).text();
  if (!before.empty() || is_block(node.part(2))) {
    begin_line();
    put(before);
    if (body(node.part(2))) line("}");
  } else {
    ++indent_;
    statement(node.part(2));
    --indent_;
  }
  if (!behind.empty()) line(behind);
}

void TreeWriter::switch_of(const Node& node) {
  begin_line();
  put("switch (");
  expression(node.part(0));
  put(')');
  open();
  for (const Part& one : node.list()) {
    if (one.node() == nullptr || one.node()->kind() != Kind::case_of || one.node()->has_own_text) {
      statement(one);
      continue;
    }
    const Node& choice = *one.node();
    const Inside inside(*this, choice);
    begin_line();
    put(choice.part(0).is_empty() ? "default" : "case ");
    expression(choice.part(0));
    put(':');
    end_line();
    ++indent_;
    for (const Part& inner : choice.list()) statement(inner);
    if (choice.list().empty() && &one == &node.list().back()) {  // C needs a statement there
      begin_line();
      put(';');
      end_line();
    }
    --indent_;
  }
  close();
}

void TreeWriter::function_body(const Node& node) {
  const Part& whole = node.part(1);
  if (!is_block(whole) && !is_cgen())
    refuse(node, "the body is no block", "make a block of the function's statements");
  begin_line();
  parameters_at_ = 0;
  if (node.part(0).node() != nullptr) template_head(*node.part(0).node());
  declarator(node.part(0));
  if (is_block(whole)) {
    if (!is_cgen()) wrap_parameters();
    body(whole);
    return line("}");
  }
  end_line();
  statement(whole);
}

void TreeWriter::comment(const Node& node) {
  if (!options_.comments) return;
  const std::string_view words = node.part(0).text();
  const std::string_view start = node.part(2).text();
  const std::string_view closing = node.part(3).text();
  if (options_.dialect != nullptr && !closing.empty() && words.find("*/") != std::string_view::npos)
    refuse(node, "the text ends the comment", "take */ out of the text");
  begin_line();
  put(node.part(1).text());
  put(start);
  for (const char c : words) {
    if (c != '\n')
      put(c);
    else
      start.empty() ? put_text("\n") : put(joined({"\n", start}));
  }
  put(closing);
  end_line();
}

void TreeWriter::directive_branches(const Node& node) {
  line(joined({"#", node.part(0).text(), " ", node.part(1).text()}));
  statement(node.part(2));
  const Part& other = node.part(3);
  const bool is_empty =
      other.is_empty() || (other.node() != nullptr && other.node()->list().empty() &&
                           other.node()->kind() == Kind::collection);
  if (!is_empty) {
    line("#else");
    statement(other);
  }
  line("#endif");
}

PrintedTree TreeWriter::take() {
  if (options_.dialect != nullptr && options_.reads_texts)
    printed_.text = expand_words(printed_.text, *options_.dialect);
  if (is_cgen()) std::ranges::replace(printed_.text, line_end_of_text, '\n');
  return std::move(printed_);
}

// cgen indents the first line of a text and leaves the other lines unchanged.
void TreeWriter::put_text(std::string_view text) {
  const std::size_t begin = printed_.text.size();
  put(text);
  if (is_cgen() && text.find('\n') != std::string_view::npos)
    std::replace(printed_.text.begin() + static_cast<std::ptrdiff_t>(begin), printed_.text.end(),
                 '\n', line_end_of_text);
}

}  // namespace treadle::codegen::tree
