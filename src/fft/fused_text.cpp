// SPDX-License-Identifier: MIT
#include "fft/fused_text.hpp"

#include <string_view>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/codegen/tree_builders.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::fft {

namespace {

namespace tree = codegen::tree;
using codegen::ParameterSpec;

bool is_complex(Scalar dtype) { return DType(dtype).kind() == ScalarKind::complex; }

/// Where the element of `shape` lies that belongs to the element `i` of `whole`: for (3, 1) in
/// (2, 3, 4) "i / 4 % 3".
std::string place_in(const array::Shape& shape, const array::Shape& whole) {
  std::string place;
  std::int64_t inner = 1, step = 1;
  const auto add = [&](std::int64_t divisor, std::int64_t extent, std::int64_t factor) {
    if (!place.empty()) place += " + ";
    place += "i";
    if (divisor != 1) place += " / " + std::to_string(divisor);
    if (extent != 0) place += " % " + std::to_string(extent);
    if (factor != 1) place = place + " * " + std::to_string(factor);
  };
  const std::size_t rank = whole.size();
  for (std::size_t axis = 0; axis < rank;) {
    // A run of axes, from the innermost out, that both have.
    const std::size_t at = rank - 1 - axis;
    const std::int64_t extent = axis < shape.size() ? shape[shape.size() - 1 - axis] : 1;
    ++axis;
    if (extent == 1) {
      inner *= whole[at];
      continue;
    }
    std::int64_t run = extent;
    while (axis < shape.size() && shape[shape.size() - 1 - axis] == whole[rank - 1 - axis])
      run *= whole[rank - 1 - axis++];
    std::int64_t outer = 1;
    for (std::size_t left = axis; left < rank; ++left) outer *= whole[rank - 1 - left];
    add(inner, outer == 1 ? 0 : run, step);
    inner *= run, step *= run;
  }
  return place.empty() ? "0" : place;
}

std::string printed(tree::BlockBuilder& code, const codegen::Dialect& dialect) {
  return codegen::expand_words(
      tree::print(code.take(), {.dialect = &dialect, .reads_texts = false}), dialect);
}

tree::NodePtr called_function(tree::NodePtr result, tree::Parts parameters) {
  return tree::specifier("TREADLE_FUNCTION",
                         tree::function(std::move(result), std::move(parameters)));
}

/// The function of one side.
class SideText {
 public:
  SideText(const FusedRequest& request, const FusedSide& side, const codegen::Dialect& dialect,
           const codegen::TypeNames& types)
      : request_(request),
        side_(side),
        dialect_(dialect),
        types_(types),
        type_(types.name_of(side.dtype)),
        part_(types.name_of(DType(side.dtype).real_type())),
        memory_(types.name_of(side.memory_dtype)),
        integer_(types.name_of(Scalar::int64)) {}

  std::string load() {
    const bool widens = is_complex(side_.dtype) && !is_complex(side_.memory_dtype);
    open(tree::value(type_, "treadle_load"),
         {codegen::pointer_parameter(memory_, "treadle_inputs", {.is_read_only = true}),
          tree::value(integer_, "i")});
    code_.declare(widens ? part_ : type_, "x", "treadle_inputs[i]");
    if (const std::string text = user_text(); !text.empty())
      code_.assign("x", tree::as_written(text));
    if (request_.makes_ends_real) {
      const std::string column = "i % " + std::to_string(request_.length / 2 + 1);
      const std::string last = " || " + column + " == " + std::to_string(request_.length / 2);
      code_.when(column + " == 0" + (request_.length % 2 == 0 ? last : ""),
                 tree::assign("x.y", "0"));
    }
    code_.return_value(widens ? "treadle_make_" + type_ + "(x, 0)" : "x");
    code_.close();
    return printed(code_, dialect_);
  }
  std::string store() {
    open(tree::value("void", "treadle_store"),
         {codegen::pointer_parameter(memory_, "treadle_outputs"), tree::value(integer_, "i"),
          tree::value(type_, "x")});
    if (request_.factor != 1) {
      code_.declare("const " + part_, "treadle_factor",
                    tree::literal(request_.factor, DType(side_.dtype).real_type().scalar()));
      for (const char* part : {"x.x", "x.y"})
        if (is_complex(side_.dtype)) code_.assign(part, "treadle_factor", "*=");
      if (!is_complex(side_.dtype)) code_.assign("x", "treadle_factor", "*=");
    }
    const std::string text = user_text();
    code_.assign("treadle_outputs[i]", text.empty() ? "x" : tree::as_written(text));
    code_.close();
    return printed(code_, dialect_);
  }

 private:
  void open(const tree::NodePtr& result, tree::Parts parameters) {
    for (const ParameterSpec& parameter : request_.parameters)
      codegen::append_parameter(parameters, parameter, types_);
    code_.open_function(called_function(result, std::move(parameters)));
    codegen::define_pointers(code_, request_.parameters, types_);
    code_.declare("const " + integer_, "n", std::to_string(element_count(side_.shape)));
  }
  /// The user's, with places of its arrays declared before it.
  std::string user_text() {
    std::string text = side_.text;
    for (std::size_t k = 0; k < request_.parameters.size(); ++k) {
      const std::string& name = request_.parameters[k].name;
      if (!codegen::mentions_element(text, name)) continue;
      const std::string place = "treadle_at_" + name;
      code_.declare("const " + integer_, place, place_in(request_.shapes[k], side_.shape));
      text = codegen::with_elements(text, name, name + "[" + place + "]");
    }
    return text;
  }

  const FusedRequest& request_;
  const FusedSide& side_;
  const codegen::Dialect& dialect_;
  const codegen::TypeNames& types_;
  std::string type_, part_, memory_, integer_;
  tree::BlockBuilder code_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw NotSupported("a text of VkFFT's " + what, "");
}

/// Replaces a word by another in the list of parameters.
void replace_type(std::string& list, const std::string& type, const std::string& name,
                  const std::string& by) {
  const std::string declared = type + "* " + name;
  const std::size_t at = list.find(declared);
  if (at == std::string::npos) refuse("has no parameter " + declared);
  list.replace(at, type.size(), by);
}

}  // namespace

const std::string& complex_operators() {
  static const std::string text = [] {
    const codegen::Dialect& dialect = codegen::dialect_of(Language::cuda_c);
    tree::BlockBuilder code;
    // OpenCL C has these, and the product of two float2, which is none of complex numbers.
    code.directive("ifdef", "__cplusplus");
    const auto define = [&](const std::string& pair, const char* name, tree::Parts parameters,
                            const std::string& parts) {
      code.open_function(called_function(tree::value(pair, std::string("operator") + name),
                                         std::move(parameters)));
      code.return_value("treadle_make_" + pair + "(" + parts + ")");
      code.close();
    };
    for (const auto& [pair, part] :
         {std::pair("float2", "float"), std::pair("double2", "double")}) {
      define(pair, "*", {tree::value(pair, "a"), tree::value(part, "b")}, "a.x * b, a.y * b");
      define(pair, "*", {tree::value(part, "a"), tree::value(pair, "b")}, "a * b.x, a * b.y");
      define(pair, "/", {tree::value(pair, "a"), tree::value(part, "b")}, "a.x / b, a.y / b");
      define(pair, "+", {tree::value(pair, "a"), tree::value(pair, "b")}, "a.x + b.x, a.y + b.y");
      define(pair, "-", {tree::value(pair, "a"), tree::value(pair, "b")}, "a.x - b.x, a.y - b.y");
      define(pair, "-", {tree::value(pair, "a")}, "-a.x, -a.y");
    }
    code.directive("else", "");
    for (const std::string pair : {"float2", "double2"})
      code.directive("define", "make_" + pair + "(a, b) ((" + pair + ")(a, b))");
    code.directive("endif", "");
    return printed(code, dialect);
  }();
  return text;
}

std::string element_statements(const std::string& type, const std::string& text) {
  tree::BlockBuilder code;
  code.declare(type, "x", "treadle_x[i]");
  code.assign("treadle_z[i]", tree::as_written(text));
  return printed(code, codegen::dialect_of(Language::cuda_c));
}

FusedText fused_text(const FusedRequest& request, const codegen::Dialect& dialect,
                     const codegen::TypeNames& types) {
  FusedText made;
  made.functions = complex_operators() + SideText(request, request.load, dialect, types).load() +
                   SideText(request, request.store, dialect, types).store();
  // Names that VkFFT does not use.
  std::vector<ParameterSpec> own = request.parameters;
  for (ParameterSpec& parameter : own) {
    parameter.name = "treadle_" + parameter.name;
    const bool has_offset = parameter.kind == ParameterSpec::Kind::vector_with_offset;
    made.arguments += has_offset ? ", " + parameter.name + "__base, " + parameter.name + "__offset"
                                 : ", " + parameter.name;
  }
  made.parameters = codegen::declare(own, dialect, types);
  if (!own.empty()) made.parameters = ", " + made.parameters;
  made.input = types.name_of(request.load.dtype);
  made.output = types.name_of(request.store.dtype);
  made.loaded = types.name_of(request.load.memory_dtype);
  made.stored = types.name_of(request.store.memory_dtype);
  return made;
}

std::string with_fused_text(const std::string& text, const FusedText& fused) {
  const std::size_t name = text.find("VkFFT_main");
  const std::size_t open = text.find('(', name), close = text.find(')', open);
  if (name == std::string::npos || close == std::string::npos) refuse("has no kernel");
  std::size_t head = text.rfind('\n', name);
  head = head == std::string::npos ? 0 : head + 1;
  std::string list = text.substr(open, close - open);
  replace_type(list, fused.input, "inputs", fused.loaded);
  replace_type(list, fused.output, "outputs", fused.stored);
  std::string made = text.substr(0, head) + fused.functions + text.substr(head, open - head) +
                     list + fused.parameters;
  for (std::size_t at = close; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t load = line.find("inputs["), store = line.find("outputs[");
    if (store != std::string::npos) {
      // outputs[PLACE] = VALUE;
      const std::size_t bracket = line.find("] = ", store), semicolon = line.find(';', store);
      if (bracket == std::string::npos || semicolon == std::string::npos ||
          store != line.find_first_not_of(" \t"))
        refuse("stores otherwise: " + line);
      const std::size_t place = store + std::string_view("outputs[").size();
      line = "treadle_store(outputs, " + line.substr(place, bracket - place) + ", " +
             line.substr(bracket + 4, semicolon - bracket - 4) + fused.arguments + ")" +
             line.substr(semicolon);
    } else if (load != std::string::npos) {
      // VALUE = inputs[PLACE];
      const std::size_t bracket = line.find(']', load);
      if (load < 2 || line.substr(load - 2, 2) != "= " || line.substr(bracket, 2) != "];")
        refuse("loads otherwise: " + line);
      const std::size_t place = load + std::string_view("inputs[").size();
      line = line.substr(0, load) + "treadle_load(inputs, " + line.substr(place, bracket - place) +
             fused.arguments + ")" + line.substr(bracket + 1);
    }
    made += line + "\n";
  }
  return made;
}

}  // namespace treadle::fft
