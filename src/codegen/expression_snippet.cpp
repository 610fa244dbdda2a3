// SPDX-License-Identifier: MIT
#include "treadle/codegen/expression_snippet.hpp"

#include <algorithm>

#include "expression_text.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
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
    return step.op == Op::iota     ? std::string("i")
           : step.op == Op::scalar ? "s" + number(step.operands[0])
                                   : "x" + number(step.leaf());
  };
  const ExpressionText steps(expression, dialect, name_of);
  std::string declared = stored_type(Scalar::int64, dialect) + " i", passed = "i", arguments;
  const auto add = [&](const std::string& space, const std::string& type, const std::string& what) {
    declared += joined({", ", space, type, what});
    passed += ", " + what.substr(what.find_first_of("xs"));
    arguments += joined({arguments.empty() ? "" : ", ", space.empty() ? "" : "const ", type, what});
  };
  for (std::size_t k = 0; k < expression.leaves.size(); ++k)
    add(joined({"const ", dialect.global}),
        stored_type(expression.leaves[k].dtype.scalar(), dialect), " *x" + number(k));
  for (std::size_t k = 0; k < expression.scalars.size(); ++k)
    add("", stored_type(expression.scalars[k], dialect), " s" + number(k));
  TextWriter text;
  const Value output = expression.outputs[0];
  text.open({dialect.function, " ", dialect.always_inline, " ",
             value_type(expression.dtype_of(output).scalar(), dialect), " ", name, "(", declared,
             ")"});
  for (std::size_t value = 0; value < expression.instructions.size(); ++value)
    steps.write_value(text, static_cast<Value>(value), [&](const Instruction& step) {
      return step.op == Op::iota ? std::string("i") : name_of(step) + "[i]";
    });
  text.line({"return ", steps.value_name(output), ";"});
  text.close();
  return {arguments,
          joined({dialect.exact_preamble, device_functions(text.text(), dialect), text.text()}),
          joined({name, "(", passed, ")"})};
}

}  // namespace treadle::codegen
