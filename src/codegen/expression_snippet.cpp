// SPDX-License-Identifier: MIT
#include "treadle/codegen/expression_snippet.hpp"

#include <algorithm>

#include "expression_text.hpp"
#include "program.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {

ExpressionSnippet snippet_of(const Expression& expression, const Dialect& dialect,
                             const std::string& name) {
  const auto is_in_place = [](const LeafSpec& leaf) { return leaf.in_place >= 0; };
  if (expression.outputs.size() != 1 || expression.scatter ||
      std::ranges::any_of(expression.leaves, is_in_place))
    throw InvalidArgument("an expression with " + std::to_string(expression.outputs.size()) +
                              " outputs, or with places of its own, is no value of an element",
                          "make one of one output, whose leaves are read only");
  const auto name_of = [](const Instruction& step) {
    if (step.op == Op::iota) return std::string("i");
    // append(), because GCC 12 warns of overlapping copies (-Wrestrict) for operator+ of a literal
    // and a string.
    std::string name = step.op == Op::scalar ? "s" : "x";
    return name.append(number(step.op == Op::scalar ? step.operands[0] : step.leaf()));
  };
  const ExpressionText steps(expression, dialect, name_of);
  tree::Parts declared{tree::value(stored_type(Scalar::int64, dialect), "i")};
  std::string passed = "i", arguments;
  const auto add = [&](const std::string& type, const std::string& what, bool is_pointer) {
    declared.push_back(is_pointer ? pointer_parameter(type, what, {.is_read_only = true})
                                  : tree::value(type, what));
    passed += ", " + what;
    arguments += joined({arguments.empty() ? "" : ", ", is_pointer ? "const " : "", type,
                         is_pointer ? " *" : " ", what});
  };
  for (std::size_t k = 0; k < expression.leaves.size(); ++k)
    add(stored_type(expression.leaves[k].dtype.scalar(), dialect), joined({"x", number(k)}), true);
  for (std::size_t k = 0; k < expression.scalars.size(); ++k)
    add(stored_type(expression.scalars[k], dialect), joined({"s", number(k)}), false);
  tree::BlockBuilder code;
  const Value output = expression.outputs[0];
  code.open_function(inlined_function(value_type(expression.dtype_of(output).scalar(), dialect),
                                      name, std::move(declared)));
  for (std::size_t value = 0; value < expression.instructions.size(); ++value)
    steps.write_value(code, static_cast<Value>(value), [&](const Instruction& step) {
      return step.op == Op::iota ? std::string("i") : name_of(step) + "[i]";
    });
  code.return_value(steps.value_name(output));
  code.close();
  tree::BlockBuilder program;
  write_exact(program, code.take(), dialect);
  return {arguments, printed(program.take(), dialect), joined({name, "(", passed, ")"})};
}

}  // namespace treadle::codegen
