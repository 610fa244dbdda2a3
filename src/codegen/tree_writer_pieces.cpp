// SPDX-License-Identifier: MIT
// The expressions and declarators of a tree: text that stands inside of lines.
#include <algorithm>

#include "treadle/base/error.hpp"
#include "tree_text.hpp"
#include "tree_writer.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

// C++'s names, where a tree is written in no language of kernels.
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

std::string in_brackets(std::string text) { return joined({"(", text, ")"}); }

// Whether two operators of one precedence are read from the right: a = b = c.
bool is_read_from_right(int level) { return level == assignment_level; }

}  // namespace

std::string in_one(const Declared& declared) {
  return joined({declared.type, declared.name.empty() ? "" : " ", declared.name});
}

const std::string& TreeWriter::checked(const std::string& text) const {
  if (options_.dialect == nullptr || node_ == nullptr) return text;
  if (const std::string reason = unmatched_in(text); !reason.empty())
    refuse(*node_, joined({"in the text \"", text, "\" ", reason}),
           "close it, or use a line or literal lines, which are not looked at");
  return text;
}

const std::string& TreeWriter::identifier(const std::string& text, const Node& node) const {
  if (options_.dialect != nullptr && !is_identifier(text))
    refuse(node, joined({"\"", text, "\" is no identifier"}),
           "use letters, digits and _, or a part of text where an expression is meant");
  return text;
}

std::string TreeWriter::expression(const Part& part, int level) {
  if (part.node() == nullptr) {
    const std::string& text = checked(part.text());
    if (level == 0 || precedence_of_text(text) >= level) return text;
    return in_brackets(text);
  }
  const Node& node = *part.node();
  if (family_of(node.kind()) != Family::expression || node.own_lines()) return simple(part);
  const Inside inside(*this, node);
  int its_level = postfix_level;
  std::string text = of_node(node, its_level);
  return its_level >= level ? text : in_brackets(std::move(text));
}

std::string TreeWriter::of_node(const Node& node, int& level) {
  switch (node.kind()) {
    case Kind::name:
      return identifier(node.part(0).text(), node);
    case Kind::literal:
      level = precedence_of_text(node.part(0).text());
      return node.part(0).text();
    case Kind::call:
      return joined({expression(node.part(0), postfix_level), "(", values(node.list()), ")"});
    case Kind::index:
      return joined({expression(node.part(0), postfix_level), "[", expression(node.part(1)), "]"});
    case Kind::member:
      return joined({expression(node.part(0), postfix_level), node.part(1).text(),
                     identifier(node.part(2).text(), node)});
    case Kind::braces:
      return joined({simple(node.part(0)), "{", values(node.list()), "}"});
    case Kind::lambda:
      return lambda(node);
    default:
      return operation(node, level);
  }
}

std::string TreeWriter::operation(const Node& node, int& level) {
  switch (node.kind()) {
    case Kind::prefix: {
      level = prefix_level;
      const std::string& word = node.part(0).text();
      std::string operand = expression(node.part(1), prefix_level);
      // Two signs would be read as one: -(-x).
      if (!operand.empty() && !word.empty() && operand[0] == word.back())
        operand = in_brackets(std::move(operand));
      return joined({word, identifier_length(word) > 0 ? " " : "", operand});
    }
    case Kind::suffix:
      return joined({expression(node.part(0), postfix_level), node.part(1).text()});
    case Kind::cast:
      level = prefix_level;
      return joined({"(", simple(node.part(0)), ")", expression(node.part(1), prefix_level)});
    case Kind::ternary:
      level = ternary_level;
      return joined({expression(node.part(0), or_level), " ? ", expression(node.part(1)), " : ",
                     expression(node.part(2), ternary_level)});
    default:
      break;
  }
  const std::string& word = node.part(0).text();
  level = precedence_of(word);
  if (level == 0 || level > product_level)
    refuse(node, joined({"\"", word, "\" is no operator between two values"}),
           "use one of C's, or a call");
  const bool from_right = is_read_from_right(level);
  return joined({expression(node.part(1), level + (from_right ? 1 : 0)), word == "," ? "" : " ",
                 word, " ", expression(node.part(2), level + (from_right ? 0 : 1))});
}

std::string TreeWriter::lambda(const Node& node) {
  // Its body's lines are indented by whoever writes the line that the lambda begins on.
  TreeWriter body(options_);
  body.depth_ = depth_;
  body.current_ = current_;
  body.indent_ = 1;
  if (node.part(2).node() != nullptr && node.part(2).node()->kind() == Kind::block)
    for (const Part& part : node.part(2).node()->list()) body.statement(part);
  else
    body.statement(node.part(2));
  const std::string& words = node.part(1).text();
  return joined({"[", node.part(0).text(), "]", words.empty() ? "" : " ", words,
                 words.empty() ? "" : " ", "(", parameters(node.list()), ") {\n",
                 body.printed_.text, "}"});
}

std::string TreeWriter::values(const std::vector<Part>& list) {
  std::string text;
  for (const Part& part : list)
    text += (text.empty() ? "" : ", ") + expression(part, assignment_level);
  return text;
}

std::string TreeWriter::parameters(const std::vector<Part>& list) {
  std::string text;
  for (const Part& part : list) text += (text.empty() ? "" : ", ") + declarator(part);
  return text;
}

std::string TreeWriter::declarator(const Part& part) { return in_one(declared(part)); }

Declared TreeWriter::declared(const Part& part) {
  if (part.node() == nullptr) {
    const std::string& text = part.text();
    return {text, ""};
  }
  const Node& node = *part.node();
  if (family_of(node.kind()) != Family::declarator) return {simple(part), ""};
  const Inside inside(*this, node);
  return declared_node(node);
}

// What a word of the dialect stands for may be nothing, and the blank behind it goes with it.
std::string TreeWriter::qualifier(const std::string& text) const {
  if (options_.dialect == nullptr || text.empty()) return text;
  std::string expanded = expand_words(text, *options_.dialect);
  return expanded.find_first_not_of(' ') == std::string::npos ? std::string() : expanded;
}

Declared TreeWriter::declared_node(const Node& node) {
  switch (node.kind()) {
    case Kind::value:
      return {checked(node.part(0).text()), checked(node.part(1).text())};
    case Kind::scalar:
      return {scalar_name(node),
              node.part(0).text().empty() ? std::string() : identifier(node.part(0).text(), node)};
    case Kind::around: {
      Declared inner = declared(node.part(4));
      inner.type = joined({qualifier(node.part(0).text()), inner.type, node.part(1).text()});
      inner.name = joined({node.part(2).text(), inner.name, node.part(3).text()});
      return inner;
    }
    case Kind::array: {
      Declared inner = declared(node.part(0));
      inner.name += joined({"[", expression(node.part(1)), "]"});
      return inner;
    }
    case Kind::function: {
      Declared inner = declared(node.part(0));
      inner.name += joined({"(", parameters(node.list()), ")"});
      return inner;
    }
    case Kind::template_of: {
      Declared inner = declared(node.part(1));
      inner.type = joined({"template <", node.part(0).text(), ">\n", inner.type});
      return inner;
    }
    case Kind::structure:
      return {structure_text(node), node.part(4).text()};
    default:
      return {};
  }
}

std::string TreeWriter::structure_text(const Node& node) {
  TreeWriter members(options_);
  members.depth_ = depth_;
  members.current_ = current_;
  members.indent_ = 1;
  for (const Part& part : node.list()) {
    const bool declares =
        part.node() != nullptr && family_of(part.node()->kind()) == Family::declarator;
    declares ? members.lines(joined({declarator(part), ";"})) : members.statement(part);
  }
  const std::string& name = node.part(1).text();
  const std::string& bases = node.part(2).text();
  const std::string& attributes = node.part(3).text();
  return joined({node.part(0).text(), name.empty() ? "" : " ", name, bases.empty() ? "" : " : ",
                 bases, is_cgen() ? "\n{\n" : " {\n", members.printed_.text, "}",
                 is_cgen() || !attributes.empty() ? " " : "", attributes});
}

std::string TreeWriter::scalar_name(const Node& node) {
  const std::string& count = node.part(1).text();
  std::string name;
  if (!types_) {
    name = host_names[static_cast<std::size_t>(node.scalar)];
  } else if (count.empty()) {
    name = types_->name_of(DType(node.scalar));
  } else {
    for (const TypeName& one : options_.dialect->vector_names)
      if (one.scalar == node.scalar) {
        name = one.name;
        break;
      }
    if (name.empty()) refuse(node, "the language has no vectors of this scalar", "use an array");
  }
  return name + count;
}

}  // namespace treadle::codegen::tree
