// SPDX-License-Identifier: MIT
// A user's text as the element of a reduction. The text stands in functions before the kernel, so
// that its names cannot collide with the kernel's.
#include "treadle/codegen/reduction_snippet.hpp"

#include <algorithm>
#include <bit>

#include "interval_text.hpp"
#include "reduction_element.hpp"
#include "reduction_writer.hpp"
#include "snippet_reading.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/snippet.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// An expression without blanks, comments and outer parentheses.
std::string bare(std::string_view expression) {
  std::string text = without_comments(expression);
  std::erase_if(text, is_blank);
  const auto is_wrapped = [](const std::string& in) {
    return in.size() > 2 && in.front() == '(' && in.find(')') == in.size() - 1;
  };
  while (is_wrapped(text)) text = text.substr(1, text.size() - 2);
  return text;
}

/// Whether a user's fold is a sum of floats that starts with 0; rounding errors are then kept as
/// for sums of expressions.
bool adds_floats(const ReductionSnippet& snippet, const ReductionOutput& output) {
  const Scalar dtype = output.dtype.scalar();
  if (dtype != Scalar::float32 && dtype != Scalar::float64) return false;
  const std::string reduce = bare(output.reduce), neutral = bare(output.neutral);
  if (reduce != "a+b" && reduce != "b+a") return false;
  if (neutral.find('0') == std::string::npos ||
      neutral.find_first_not_of("0.fF") != std::string::npos)
    return false;
  const auto macros = defined_macros(snippet.preamble);
  return std::ranges::find(macros, "a") == macros.end() &&
         std::ranges::find(macros, "b") == macros.end();
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
  SnippetElement(const ReadReduction& read, const Dialect& dialect)
      : read_(read), snippet_(read.snippet()), dialect_(dialect), types_(read.types()) {
    name = snippet_.name;
    partial_bytes = read.bytes_of_partial();
    accumulator_bytes = read.bytes_of_accumulator();
    for (std::size_t k = 0; k < snippet_.outputs.size(); ++k) {
      const ReductionOutput& output = snippet_.outputs[k];
      if (read.is_sum(k))
        folds.emplace_back(Fold::sum, k, output.dtype.scalar(), dialect);
      else
        folds.emplace_back(
            BlockField{"folded" + suffix(k), result_type(k), shuffle_of(output.dtype)},
            "treadle_reduce" + suffix(k), joined({"treadle_neutral", suffix(k), "()"}),
            rounds(output.dtype), dialect);
      largest_bytes = std::max(largest_bytes, size_of(output));
      has_lanes = has_lanes && output.dtype.scalar() != Scalar::structure;
    }
    passes_count = read.uses_count();
    for (const KernelOperand& operand : read.operands()) operands.push_back(named(operand));
  }

  void find_constants(const std::function<bool(const Operand&)>& is_constant) override {
    for (const Operand& operand : operands)
      if (operand.kind == Kind::leaf) constants_.push_back(is_constant(operand));
  }
  void write_comment(tree::BlockBuilder& code) const override {
    code.comment({name, ", made by treadle's reduction generator around a user's text:"});
    for (std::size_t k = 0; k < folds.size(); ++k)
      code.comment({"  ", folds[k].result().name, " of ",
                    in_one_line(without_comments(snippet_.outputs[k].map))});
  }
  tree::Parts parameters() const override {
    tree::Parts list;
    for (const ParameterSpec& parameter : kernel_parameters())
      append_parameter(list, parameter, types_);
    return list;
  }
  void write_start(tree::BlockBuilder& code) const override {
    define_pointers(code, kernel_parameters(), types_);
  }
  void write_values(tree::BlockBuilder& code, bool constant, const Place& place) override {
    std::string arguments = "0";
    std::size_t leaf = 0;
    for (const Operand& operand : operands) {
      if (operand.kind == Kind::position && !constant) arguments = place(operand);
      if (operand.kind != Kind::leaf || constants_[leaf++] != constant) continue;
      code.declare({"const ", operand.type}, {operand.name, "_i"}, place(operand));
    }
    if (constant) return;
    for (std::size_t k = 0; k < snippet_.parameters.size(); ++k)
      arguments += joined({", ", read_.is_leaf(k) ? operand(Kind::leaf, k).name + "_i"
                                                  : "user_" + snippet_.parameters[k].name});
    if (passes_count) arguments += ", elements";
    for (std::size_t k = 0; k < folds.size(); ++k)
      code.declare({"const ", result_type(k)}, value(k),
                   {"treadle_map", suffix(k), "(", arguments, ")"});
  }
  std::string value(std::size_t fold) const override { return "value" + suffix(fold); }
  void write_results(tree::BlockBuilder& code, const Place& place) override {
    for (std::size_t k = 0; k < folds.size(); ++k)
      code.assign(place(operand(Kind::output, k)), folds[k].result().name);
  }
  void write_program(tree::BlockBuilder& code, tree::NodePtr kernel) const override {
    code.lines(snippet_.preamble);
    for (std::size_t k = 0; k < snippet_.outputs.size(); ++k) write_functions(code, k);
    // A user's macro must not replace a name of the kernel.
    const auto macros = defined_macros(snippet_.preamble);
    const std::string text = macros.empty() ? std::string() : printed(kernel, dialect_);
    for (const std::string& macro : macros)
      if (mentions(text, macro) && !is_of_type(macro)) code.directive("undef", macro);
    if (std::ranges::none_of(folds, &FoldText::is_exact)) return code.add(std::move(kernel));
    // The kernel follows the user's functions, in which compilers may contract products and sums.
    write_exact(code, std::move(kernel), dialect_);
  }

 private:
  std::string suffix(std::size_t k) const {
    return snippet_.outputs.size() > 1 ? joined({"_", number(k)}) : std::string();
  }
  std::string result_type(std::size_t k) const { return "treadle_result" + suffix(k); }
  Operand named(const KernelOperand& operand) const {
    if (operand.kind == Kind::position) return {operand, "position", {}};
    if (operand.kind == Kind::output)
      return {operand, "z" + suffix(operand.index), result_type(operand.index)};
    const std::string& own = snippet_.parameters[operand.index].name;
    return {operand, joined({"x", number(operand.index)}),
            stored_type(operand.dtype.scalar(), dialect_), "user_" + own};
  }
  /// The user's parameters with names that the kernel does not use.
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
  void write_functions(tree::BlockBuilder& code, std::size_t k) const {
    const ReductionOutput& output = snippet_.outputs[k];
    const std::string type = result_type(k), integer = types_.name_of(Scalar::int64);
    const auto write = [&](const char* what, tree::Parts parameters,
                           const std::string& expression) {
      code.open_function(inlined_function(type, what + suffix(k), std::move(parameters)));
      code.return_value(in_brackets(expression));
      code.close();
    };
    code.define_type(types_.name_of(output.dtype), type);
    write("treadle_neutral", {"void"}, output.neutral);
    write("treadle_reduce", {tree::value(type, "a"), tree::value(type, "b")}, output.reduce);
    tree::Parts parameters{tree::value(integer, "i")};
    for (std::size_t p = 0; p < snippet_.parameters.size(); ++p) {
      ParameterSpec parameter = snippet_.parameters[p];
      if (read_.is_leaf(p)) {
        parameter.kind = ParameterSpec::Kind::scalar;
        parameter.name.insert(0, "treadle_");
      } else if (parameter.kind == ParameterSpec::Kind::vector_with_offset) {
        parameter.kind = ParameterSpec::Kind::vector;
      }
      append_parameter(parameters, parameter, types_);
    }
    if (passes_count) parameters.push_back(tree::value(integer, "n"));
    write("treadle_map", std::move(parameters), read_.map(k));
  }

  const ReadReduction& read_;
  const ReductionSnippet& snippet_;
  const Dialect& dialect_;
  const TypeNames& types_;
  std::vector<bool> constants_;  ///< for each leaf
};

}  // namespace

ReadReduction::ReadReduction(ReductionSnippet snippet, const Dialect& dialect, TypeNames types)
    : snippet_(std::move(snippet)), dialect_(dialect), types_(std::move(types)) {
  // An estimate, because the cost of a function is unknown.
  constexpr unsigned cost_of_call = 8;
  const auto has_name = [&](std::string_view name) {
    return std::ranges::find(snippet_.parameters, name, &ParameterSpec::name) !=
           snippet_.parameters.end();
  };
  if (has_name("i"))
    throw InvalidArgument("an argument of reduction kernel " + snippet_.name +
                              " is called as the index of its element, i",
                          "give it another name");
  // If the program defines its own n, n is not the number of elements.
  const bool has_count = !has_name("n") && !mentions(snippet_.preamble, "n");
  std::vector<std::string> plain;
  for (const ReductionOutput& output : snippet_.outputs) {
    (void)types_.name_of(output.dtype);
    plain.push_back(without_comments(output.map));
    uses_count_ = uses_count_ || (has_count && mentions(output.map, "n"));
    rounds_ = rounds_ || rounds(output.dtype);
    sums_.push_back(adds_floats(snippet_, output));
    if (calls_functions(output.map)) map_cost_ += cost_of_call;
  }
  find_leaves(plain);
  find_operands();
}

/// Finds the arrays whose elements may be read before the texts run: no text writes, and every text
/// that mentions the array reads only its element `i`.
void ReadReduction::find_leaves(const std::vector<std::string>& plain) {
  leaves_.resize(snippet_.parameters.size());
  const bool writes = std::ranges::any_of(plain, [](const auto& map) { return may_write(map); });
  for (std::size_t k = 0; k < leaves_.size() && !writes; ++k) {
    const ParameterSpec& parameter = snippet_.parameters[k];
    if (parameter.kind == ParameterSpec::Kind::scalar ||
        !has_plain_elements(parameter.dtype, dialect_, types_))
      continue;
    const bool is_anywhere = mentions(snippet_.preamble, parameter.name);
    const auto cares = [&](const std::string& map) {
      return is_anywhere || mentions(map, parameter.name);
    };
    leaves_[k] =
        std::ranges::any_of(plain, cares) &&
        std::ranges::all_of(plain, [&](const std::string& map) {
          return !cares(map) || reads_every_element(map, snippet_.preamble, parameter.name);
        });
  }
  const bool has_leaves = std::ranges::find(leaves_, true) != leaves_.end();
  for (std::size_t k = 0; k < plain.size(); ++k) {
    std::string map = has_leaves ? plain[k] : snippet_.outputs[k].map;
    for (std::size_t p = 0; p < leaves_.size(); ++p) {
      const std::string& name = snippet_.parameters[p].name;
      if (leaves_[p]) map = with_elements(map, name, "treadle_" + name);
    }
    maps_.push_back(std::move(map));
  }
}

void ReadReduction::find_operands() {
  using Kind = KernelOperand::Kind;
  const auto add = [&](Kind kind, std::size_t index, const DType& dtype) {
    operands_.push_back({kind, static_cast<std::uint8_t>(index), dtype});
  };
  for (std::size_t k = 0; k < leaves_.size(); ++k)
    if (leaves_[k]) add(Kind::leaf, k, snippet_.parameters[k].dtype);
  if (operands_.empty() || mentions(snippet_.preamble, "i") ||
      std::ranges::any_of(maps_, [](const std::string& map) { return mentions(map, "i"); }))
    add(Kind::position, 0, Scalar::int64);
  for (std::size_t k = 0; k < snippet_.outputs.size(); ++k)
    add(Kind::output, k, snippet_.outputs[k].dtype);
}

std::size_t ReadReduction::bytes_of_fields(bool is_partial) const {
  const auto bytes_of = [&](std::size_t k) {
    return size_of(snippet_.outputs[k]) * (is_partial && sums_[k] ? 2 : 1);
  };
  const std::size_t count = snippet_.outputs.size();
  if (count == 1) return bytes_of(0);
  // The program may define the type; its alignment is unknown, but divides its size.
  std::size_t alignment = 1, bytes = 0;
  for (const ReductionOutput& output : snippet_.outputs)
    alignment = std::max(alignment, std::size_t{1} << std::countr_zero(size_of(output)));
  for (std::size_t k = 0; k < count; ++k)
    bytes += (bytes_of(k) + alignment - 1) / alignment * alignment;
  return bytes;
}

std::size_t ReadReduction::bytes_of_partial() const { return bytes_of_fields(true); }
std::size_t ReadReduction::bytes_of_accumulator() const { return bytes_of_fields(false); }

ReductionTarget ReadReduction::target(const Tiling& tiling, unsigned compute_units) const {
  return {.tiling = tiling,
          .compute_units = compute_units,
          .partial_bytes = bytes_of_partial(),
          .accumulator_bytes = bytes_of_accumulator(),
          .map_cost = map_cost_,
          .has_runs = rounds_,
          .has_few_texts = true};
}

ReductionText ReadReduction::generate(const ReductionClass& loop, const Tiling& tiling) const {
  SnippetElement element(*this, dialect_);
  return ReductionWriter(element, loop, tiling, dialect_).write();
}

}  // namespace treadle::codegen
