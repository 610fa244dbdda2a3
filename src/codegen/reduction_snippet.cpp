// SPDX-License-Identifier: MIT
// The element of a user's text. The text stands in functions before the kernel, so that its names
// and the kernel's never meet.
#include "treadle/codegen/reduction_snippet.hpp"

#include <algorithm>
#include <bit>

#include "reduction_element.hpp"
#include "reduction_writer.hpp"
#include "snippet_reading.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Whether an array's elements may be read before the text is: they are numbers of the language's
/// own types.
bool is_plain(const DType& dtype, const Dialect& dialect, const TypeNames& types) {
  const ScalarKind kind = dtype.kind();
  if (kind == ScalarKind::structure || kind == ScalarKind::complex || kind == ScalarKind::boolean ||
      dtype == Scalar::float16)
    return false;
  return types.name_of(dtype) == stored_type(dtype.scalar(), dialect);
}

bool is_leaf(const ReductionSnippet& snippet, const ParameterSpec& parameter,
             const Dialect& dialect, const TypeNames& types) {
  if (parameter.kind == ParameterSpec::Kind::scalar || !is_plain(parameter.dtype, dialect, types))
    return false;
  // Of several maps those that do not mention it do not care.
  bool is_read = false;
  for (const ReductionOutput& output : snippet.outputs) {
    const std::string map = without_comments(output.map);
    if (!mentions(map, parameter.name) && !mentions(snippet.preamble, parameter.name)) continue;
    if (!reads_every_element(map, snippet.preamble, parameter.name)) return false;
    is_read = true;
  }
  return is_read;
}

/// For each parameter whether it is a leaf: of a text that writes none may be read before it.
std::vector<bool> leaves_of(const ReductionSnippet& snippet, const Dialect& dialect,
                            const TypeNames& types) {
  std::vector<bool> leaves(snippet.parameters.size());
  for (const ReductionOutput& output : snippet.outputs)
    if (may_write(without_comments(output.map))) return leaves;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    leaves[k] = is_leaf(snippet, snippet.parameters[k], dialect, types);
  return leaves;
}

/// A map without the elements of leaves, which are called as arguments of its function are.
std::string map_of(const ReductionSnippet& snippet, const ReductionOutput& output,
                   const std::vector<bool>& leaves) {
  if (std::ranges::find(leaves, true) == leaves.end()) return output.map;
  std::string map = without_comments(output.map);
  for (std::size_t k = 0; k < leaves.size(); ++k)
    if (leaves[k])
      map = with_elements(map, snippet.parameters[k].name, "treadle_" + snippet.parameters[k].name);
  return map;
}

bool uses_index(const ReductionSnippet& snippet, const std::vector<bool>& leaves) {
  return std::ranges::find(leaves, true) == leaves.end() || mentions(snippet.preamble, "i") ||
         std::ranges::any_of(snippet.outputs, [&](const ReductionOutput& output) {
           return mentions(map_of(snippet, output, leaves), "i");
         });
}

std::size_t size_of(const ReductionOutput& output) {
  return std::max<std::size_t>(1, output.dtype.size_bytes());
}

bool rounds(const DType& dtype) {
  const ScalarKind kind = dtype.kind();
  return kind == ScalarKind::floating || kind == ScalarKind::complex ||
         kind == ScalarKind::structure;
}

class SnippetElement : public ReductionElement {
 public:
  SnippetElement(const ReductionSnippet& snippet, const Dialect& dialect, const TypeNames& types)
      : snippet_(snippet),
        dialect_(dialect),
        types_(types),
        leaves_(leaves_of(snippet, dialect, types)) {
    require_valid(snippet, types);
    name = snippet.name;
    partial_bytes = accumulator_bytes = bytes_of_partial(snippet);
    for (std::size_t k = 0; k < snippet.outputs.size(); ++k) {
      const ReductionOutput& output = snippet.outputs[k];
      folds.emplace_back(BlockField{"folded" + suffix(k), result_type(k), shuffle_of(output.dtype)},
                         "treadle_reduce" + suffix(k), joined({"treadle_neutral", suffix(k), "()"}),
                         rounds(output.dtype), dialect);
      largest_bytes = std::max(largest_bytes, size_of(output));
      has_lanes = has_lanes && output.dtype.scalar() != Scalar::structure;
    }
    passes_count = uses_count();
    for (const ReductionOperand& operand : operands_of(snippet, dialect, types))
      operands.push_back(named(operand));
  }

  void find_constants(const std::function<bool(const Operand&)>& is_constant) override {
    for (const Operand& operand : operands)
      if (operand.kind == Kind::leaf) constants_.push_back(is_constant(operand));
  }
  void write_comment(TextWriter& text) const override {
    text.line({"// ", name, ", made by treadle's reduction generator around a user's text:"});
    for (std::size_t k = 0; k < folds.size(); ++k)
      text.line({"//   ", folds[k].result().name, " of ",
                 in_one_line(without_comments(snippet_.outputs[k].map))});
  }
  std::vector<std::string> parameters() const override {
    std::vector<std::string> list;
    for (const ParameterSpec& parameter : kernel_parameters())
      list.push_back(declare(parameter, dialect_, types_));
    return list;
  }
  std::string start() const override {
    return define_pointers(kernel_parameters(), dialect_, types_);
  }
  void write_values(TextWriter& text, bool constant, const Place& place) override {
    std::string arguments = "0";
    std::size_t leaf = 0;
    for (const Operand& operand : operands) {
      if (operand.kind == Kind::position && !constant) arguments = place(operand);
      if (operand.kind != Kind::leaf || constants_[leaf++] != constant) continue;
      text.line({"const ", operand.type, " ", operand.name, "_i = ", place(operand), ";"});
    }
    if (constant) return;
    for (std::size_t k = 0; k < leaves_.size(); ++k)
      arguments += joined({", ", leaves_[k] ? operand(Kind::leaf, k).name + "_i"
                                            : "user_" + snippet_.parameters[k].name});
    if (passes_count) arguments += ", elements";
    for (std::size_t k = 0; k < folds.size(); ++k)
      text.line({"const ", result_type(k), " ", value(k), " = treadle_map", suffix(k), "(",
                 arguments, ");"});
  }
  std::string value(std::size_t fold) const override { return "value" + suffix(fold); }
  void write_results(TextWriter& text, const Place& place) override {
    for (std::size_t k = 0; k < folds.size(); ++k)
      text.line({place(operand(Kind::output, k)), " = ", folds[k].result().name, ";"});
  }
  std::string program(const std::string& comment, const std::string& kernel) const override {
    TextWriter text;
    text.directive(comment.substr(0, comment.size() - 1));
    if (!snippet_.preamble.empty()) text.directive(snippet_.preamble);
    for (std::size_t k = 0; k < snippet_.outputs.size(); ++k) write_functions(text, k);
    // The kernel's own names are not the user's macros.
    for (const std::string& macro : defined_macros(snippet_.preamble))
      if (mentions(kernel, macro) && !is_of_type(macro)) text.directive("#undef " + macro);
    return text.text() + kernel;
  }

 private:
  std::string suffix(std::size_t k) const {
    return snippet_.outputs.size() > 1 ? joined({"_", number(k)}) : std::string();
  }
  std::string result_type(std::size_t k) const { return "treadle_result" + suffix(k); }
  Operand named(const ReductionOperand& operand) const {
    if (operand.kind == Kind::position) return {operand, "position", {}};
    if (operand.kind == Kind::output)
      return {operand, "z" + suffix(operand.index), result_type(operand.index)};
    const std::string& own = snippet_.parameters[operand.index].name;
    return {operand, joined({"x", number(operand.index)}),
            stored_type(operand.dtype.scalar(), dialect_), "user_" + own};
  }
  /// Under names that are none of the kernel's own.
  std::vector<ParameterSpec> kernel_parameters() const {
    std::vector<ParameterSpec> parameters = snippet_.parameters;
    for (ParameterSpec& parameter : parameters) parameter.name.insert(0, "user_");
    return parameters;
  }
  bool is_of_type(const std::string& macro) const {
    return std::ranges::any_of(snippet_.parameters, [&](const ParameterSpec& parameter) {
      return mentions(types_.name_of(parameter.dtype), macro);
    });
  }
  /// Whether an expression uses n for the number of elements: not where the program has an n.
  bool uses_count() const {
    const auto is_n = [](const ParameterSpec& parameter) { return parameter.name == "n"; };
    return std::ranges::none_of(snippet_.parameters, is_n) && !mentions(snippet_.preamble, "n") &&
           std::ranges::any_of(snippet_.outputs, [](const ReductionOutput& output) {
             return mentions(output.map, "n");
           });
  }
  void write_functions(TextWriter& text, std::size_t k) const {
    const ReductionOutput& output = snippet_.outputs[k];
    const std::string type = result_type(k), integer = types_.name_of(Scalar::int64);
    const auto write = [&](const char* what, const std::string& parameters,
                           const std::string& expression) {
      text.open({dialect_.function, " ", dialect_.always_inline, " ", type, " ", what, suffix(k),
                 "(", parameters, ")"});
      text.line("return");
      text.lines(expression);
      text.line(";");
      text.close();
    };
    text.line({"typedef ", types_.name_of(output.dtype), " ", type, ";"});
    write("treadle_neutral", "void", output.neutral);
    write("treadle_reduce", joined({type, " a, ", type, " b"}), output.reduce);
    std::string parameters = integer + " i";
    for (std::size_t p = 0; p < leaves_.size(); ++p) {
      ParameterSpec parameter = snippet_.parameters[p];
      if (leaves_[p]) {
        parameter.kind = ParameterSpec::Kind::scalar;
        parameter.name.insert(0, "treadle_");
      } else if (parameter.kind == ParameterSpec::Kind::vector_with_offset) {
        parameter.kind = ParameterSpec::Kind::vector;
      }
      parameters += ", " + declare(parameter, dialect_, types_);
    }
    if (passes_count) parameters += joined({", ", integer, " n"});
    write("treadle_map", parameters, map_of(snippet_, output, leaves_));
  }

  const ReductionSnippet& snippet_;
  const Dialect& dialect_;
  const TypeNames& types_;
  std::vector<bool> leaves_;     ///< of each parameter
  std::vector<bool> constants_;  ///< of each leaf
};

}  // namespace

void require_valid(const ReductionSnippet& snippet, const TypeNames& types) {
  for (const ParameterSpec& parameter : snippet.parameters)
    if (parameter.name == "i")
      throw InvalidArgument("an argument of reduction kernel " + snippet.name +
                                " is called as the index of its element, i",
                            "give it another name");
  for (const ReductionOutput& output : snippet.outputs) types.name_of(output.dtype);
}

std::vector<ReductionOperand> operands_of(const ReductionSnippet& snippet, const Dialect& dialect,
                                          const TypeNames& types) {
  using Kind = ReductionOperand::Kind;
  const std::vector<bool> leaves = leaves_of(snippet, dialect, types);
  std::vector<ReductionOperand> operands;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    if (leaves[k])
      operands.push_back({Kind::leaf, static_cast<std::uint8_t>(k), snippet.parameters[k].dtype});
  if (uses_index(snippet, leaves)) operands.push_back({Kind::position, 0, Scalar::int64});
  for (std::size_t k = 0; k < snippet.outputs.size(); ++k)
    operands.push_back({Kind::output, static_cast<std::uint8_t>(k), snippet.outputs[k].dtype});
  return operands;
}

std::size_t bytes_of_partial(const ReductionSnippet& snippet) {
  if (snippet.outputs.size() == 1) return size_of(snippet.outputs[0]);
  // The alignment of a type, which the program may define, divides its size.
  std::size_t alignment = 1, bytes = 0;
  for (const ReductionOutput& output : snippet.outputs)
    alignment = std::max(alignment, std::size_t{1} << std::countr_zero(size_of(output)));
  for (const ReductionOutput& output : snippet.outputs)
    bytes += (size_of(output) + alignment - 1) / alignment * alignment;
  return bytes;
}

ReductionTarget target_of(const ReductionSnippet& snippet, const Tiling& tiling,
                          unsigned compute_units) {
  // What a function costs nobody knows.
  constexpr unsigned cost_of_call = 8;
  ReductionTarget target{.tiling = tiling,
                         .compute_units = compute_units,
                         .partial_bytes = bytes_of_partial(snippet),
                         .accumulator_bytes = bytes_of_partial(snippet),
                         .has_few_texts = true};
  for (const ReductionOutput& output : snippet.outputs) {
    if (calls_functions(output.map)) target.map_cost += cost_of_call;
    target.has_runs = target.has_runs || rounds(output.dtype);
  }
  return target;
}

std::unique_ptr<ReductionElement> element_of(const ReductionSnippet& snippet,
                                             const Dialect& dialect, const TypeNames& types) {
  return std::make_unique<SnippetElement>(snippet, dialect, types);
}

ReductionText generate_reduction(const ReductionSnippet& snippet, const ReductionClass& loop,
                                 const Tiling& tiling, const Dialect& dialect,
                                 const TypeNames& types) {
  return ReductionWriter(*element_of(snippet, dialect, types), loop, tiling, dialect).write();
}

}  // namespace treadle::codegen
