// SPDX-License-Identifier: MIT
// Writes expressions and declarators of a tree: text inside lines.
#include <algorithm>

#include "treadle/base/error.hpp"
#include "tree_text.hpp"
#include "tree_writer.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

// C++'s names, for a tree that is printed without a language.
constexpr std::string_view host_names[] = {
    "bool",
    "signed char",
    "short",
    "int",
    "long",
    "unsigned char",
    "unsigned short",
    "unsigned int",
    "unsigned long",
    "half",
    "float",
    "double",
    "std::complex<float>",
    "std::complex<double>",
};

// The names that cgen writes.
constexpr std::string_view cgen_names[] = {
    "bool",
    "signed char",
    "short int",
    "int",
    "long",
    "unsigned char",
    "short unsigned int",
    "unsigned int",
    "unsigned long",
    "half",
    "float",
    "double",
    "std::complex<float>",
    "std::complex<double>",
};

// Whether operators of this precedence are right-associative: a = b = c.
bool is_read_from_right(int level) { return level == assignment_level; }

// Vectors have OpenCL's names: long2, uchar4.
std::string_view opencl_name(Scalar scalar) {
  const auto names = dialect_of(Language::opencl_c).vector_names;
  const auto found = std::ranges::find(names, scalar, &TypeName::scalar);
  return found == names.end() ? host_names[static_cast<std::size_t>(scalar)] : found->name;
}

bool declares(const Part& part) {
  return part.node() != nullptr && family_of(part.node()->kind()) == Family::declarator;
}

}  // namespace

void TreeWriter::text(std::string_view text) {
  if (options_.dialect != nullptr && options_.reads_texts && node_ != nullptr)
    if (const std::string reason = unmatched_in(text); !reason.empty())
      refuse(*node_, joined({"in the text \"", text, "\" ", reason}),
             "close it, or use a line or literal lines, which are not looked at");
  put_text(text);
}

void TreeWriter::identifier(std::string_view text, const Node& node) {
  if (options_.dialect != nullptr && !is_identifier(text))
    refuse(node, joined({"\"", text, "\" is no identifier"}),
           "use letters, digits and _, or a part of text where an expression is meant");
  put(text);
}

void TreeWriter::expression(const Part& part, int level) {
  bool in_brackets = false;
  if (part.node() == nullptr) {
    in_brackets = level > 0 && options_.reads_texts && !binds_at_least(part.text(), level);
    if (in_brackets) put('(');
    text(part.text());
  } else {
    const Node& node = *part.node();
    if (family_of(node.kind()) != Family::expression || node.has_own_text) return simple(part);
    const Inside inside(*this, node);
    in_brackets = level_of(node) < level;
    if (in_brackets) put('(');
    of_node(node);
  }
  if (in_brackets) put(')');
}

int TreeWriter::level_of(const Node& node) const {
  switch (node.kind()) {
    case Kind::literal:
      return precedence_of_text(node.part(0).text());
    case Kind::prefix:
    case Kind::cast:
      return prefix_level;
    case Kind::ternary:
      return ternary_level;
    case Kind::binary:
      break;
    default:
      return postfix_level;
  }
  const int level = precedence_of(node.part(0).text());
  if (level == 0 || level > product_level)
    refuse(node, joined({"\"", node.part(0).text(), "\" is no operator between two values"}),
           "use one of C's, or a call");
  return level;
}

void TreeWriter::of_node(const Node& node) {
  switch (node.kind()) {
    case Kind::name:
      return identifier(node.part(0).text(), node);
    case Kind::literal:
      return put(node.part(0).text());
    case Kind::call:
      expression(node.part(0), postfix_level);
      put('(');
      values(node.list(), assignment_level);
      return put(')');
    case Kind::index:
      expression(node.part(0), postfix_level);
      put('[');
      expression(node.part(1));
      return put(']');
    case Kind::member:
      expression(node.part(0), postfix_level);
      put(node.part(1).text());
      return identifier(node.part(2).text(), node);
    case Kind::braces:
      declarator(node.part(0));
      put('{');
      values(node.list(), assignment_level);
      return put('}');
    case Kind::lambda:
      return lambda(node);
    default:
      return operation(node);
  }
}

void TreeWriter::operation(const Node& node) {
  switch (node.kind()) {
    case Kind::prefix: {
      const std::string_view word = node.part(0).text();
      put(word);
      if (identifier_length(word) > 0) put(' ');
      const std::size_t begin = printed_.text.size();
      expression(node.part(1), prefix_level);
      // A blank is needed between two signs that C would read as one operator: -(-x).
      if (begin == printed_.text.size() || word.empty() || printed_.text[begin] != word.back())
        return;
      printed_.text.insert(begin, 1, '(');
      return put(')');
    }
    case Kind::suffix:
      expression(node.part(0), postfix_level);
      return put(node.part(1).text());
    case Kind::cast:
      put('(');
      declarator(node.part(0));
      put(')');
      return expression(node.part(1), prefix_level);
    case Kind::ternary:
      expression(node.part(0), or_level);
      put(" ? ");
      expression(node.part(1));
      put(" : ");
      return expression(node.part(2), ternary_level);
    default:
      break;
  }
  const std::string_view word = node.part(0).text();
  const int level = level_of(node);
  const bool from_right = is_read_from_right(level);
  expression(node.part(1), level + (from_right ? 1 : 0));
  if (word != ",") put(' ');
  put(word);
  put(' ');
  expression(node.part(2), level + (from_right ? 0 : 1));
}

void TreeWriter::lambda(const Node& node) {
  // The writer of the line on which the lambda begins indents the lines of its body.
  TreeWriter body(options_);
  body.depth_ = depth_;
  body.current_ = current_;
  body.indent_ = 1;
  const Node* const block = node.part(2).node();
  if (block != nullptr && block->kind() == Kind::block)
    for (const Part& part : block->list()) body.statement(part);
  else
    body.statement(node.part(2));
  const std::string_view words = node.part(1).text();
  put(joined({"[", node.part(0).text(), "]", words.empty() ? "" : " ", words,
              words.empty() ? "" : " ", "("}));
  parameters(node.list());
  put(") {\n");
  put(body.printed_.text);
  put('}');
}

void TreeWriter::values(std::span<const Part> list, int level) {
  const char* between = "";
  for (const Part& part : list) {
    put(between);
    expression(part, level);
    between = ", ";
  }
}

void TreeWriter::parameters(std::span<const Part> list) {
  const char* between = "";
  for (const Part& part : list) {
    put(between);
    const std::size_t begin = printed_.text.size();
    declarator(part);
    // The lines of a structure are joined into one line here.
    if (is_cgen())
      std::replace(printed_.text.begin() + static_cast<std::ptrdiff_t>(begin), printed_.text.end(),
                   '\n', ' ');
    between = ", ";
  }
}

// A declarator grows from the inside to both sides, so its tree is walked twice: for the type and
// for the name.
void TreeWriter::declarator(const Part& part) {
  if (!declares(part)) return type_of(part);
  const Inside inside(*this, *part.node());
  declared(*part.node());
}

void TreeWriter::declared(const Node& node) {
  if (node.has_own_text)
    if (const auto own = node.own_declaration())
      return put(joined({own->first, own->second.empty() ? "" : " ", own->second}));
  plain_type(node);
  const std::size_t begin = printed_.text.size();
  put(' ');
  plain_name(node);
  if (printed_.text.size() == begin + 1) printed_.text.resize(begin);
}

void TreeWriter::type_of(const Part& part) {
  if (part.node() == nullptr) return put(part.text());
  const Node& node = *part.node();
  if (!declares(part)) return simple(part);
  const Inside inside(*this, node);
  if (node.has_own_text)
    if (const auto own = node.own_declaration()) return put(own->first);
  plain_type(node);
}

void TreeWriter::name_of(const Part& part) {
  if (!declares(part)) return;
  const Node& node = *part.node();
  const Inside inside(*this, node);
  if (node.has_own_text)
    if (const auto own = node.own_declaration()) return put(own->second);
  plain_name(node);
}

// If the definition of a dialect word is empty, the blank after the word is dropped as well.
void TreeWriter::qualifier(std::string_view text) {
  if (options_.dialect == nullptr || text.find("TREADLE_") == std::string_view::npos)
    return put(text);
  auto known = std::ranges::find(qualifiers_, text, &std::pair<std::string, std::string>::first);
  if (known == qualifiers_.end()) {
    std::string expanded = expand_words(text, *options_.dialect);
    if (expanded.find_first_not_of(' ') == std::string::npos) expanded.clear();
    known = qualifiers_.insert(known, {std::string(text), std::move(expanded)});
  }
  put(known->second);
}

void TreeWriter::plain_type(const Node& node) {
  switch (node.kind()) {
    case Kind::value:
      return text(node.part(0).text());
    case Kind::scalar:
      return scalar_name(node);
    case Kind::around:
      qualifier(node.part(0).text());
      type_of(node.part(4));
      return put(node.part(1).text());
    case Kind::array:
    case Kind::function:
      return type_of(node.part(0));
    case Kind::template_of:
      if (!is_cgen()) put(joined({"template <", node.part(0).text(), ">\n"}));
      return type_of(node.part(1));
    case Kind::structure:
      return members(node);
    default:
      return;
  }
}

void TreeWriter::plain_name(const Node& node) {
  switch (node.kind()) {
    case Kind::value:
      return text(node.part(1).text());
    case Kind::scalar:
      if (!node.part(0).is_empty()) identifier(node.part(0).text(), node);
      return;
    case Kind::around:
      qualifier(node.part(2).text());
      name_of(node.part(4));
      return put(node.part(3).text());
    case Kind::array:
      name_of(node.part(0));
      put('[');
      expression(node.part(1));
      return put(']');
    case Kind::function:
      name_of(node.part(0));
      put('(');
      if (parameters_at_ == 0) parameters_at_ = printed_.text.size();
      parameters(node.list());
      return put(')');
    case Kind::template_of:
      return name_of(node.part(1));
    case Kind::structure:
      return put(node.part(4).text());
    default:
      return;
  }
}

void TreeWriter::members(const Node& node) {
  TreeWriter members(options_);
  members.depth_ = depth_;
  members.current_ = current_;
  members.indent_ = 1;
  for (const Part& part : node.list()) {
    const bool is_cgens_template =
        is_cgen() && declares(part) && part.node()->kind() == Kind::template_of;
    if (!declares(part) || part.node()->has_own_text || is_cgens_template) {
      members.statement(part);
      continue;
    }
    members.begin_line();
    members.declarator(part);
    members.put(';');
    members.end_line();
  }
  const std::string_view name = node.part(1).text();
  const std::string_view bases = node.part(2).text();
  const std::string_view attributes = node.part(3).text();
  put(joined({node.part(0).text(), name.empty() ? "" : " ", name, bases.empty() ? "" : " : ", bases,
              is_cgen() ? "\n{\n" : " {\n", members.printed_.text, "}",
              is_cgen() || !attributes.empty() ? " " : "", attributes}));
}

void TreeWriter::scalar_name(const Node& node) {
  const std::string_view count = node.part(1).text();
  if (options_.dialect != nullptr && !types_) types_.emplace(*options_.dialect);
  if (!types_ && is_cgen() && !count.empty()) {
    put(opencl_name(node.scalar));
  } else if (!types_) {
    put((is_cgen() ? cgen_names : host_names)[static_cast<std::size_t>(node.scalar)]);
  } else if (count.empty()) {
    put(types_->name_of(DType(node.scalar)));
  } else {
    const auto names = options_.dialect->vector_names;
    const auto found = std::ranges::find(names, node.scalar, &TypeName::scalar);
    if (found == names.end())
      refuse(node, "the language has no vectors of this scalar", "use an array");
    put(found->name);
  }
  put(count);
}

}  // namespace treadle::codegen::tree
