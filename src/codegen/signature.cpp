// SPDX-License-Identifier: MIT
#include "treadle/codegen/signature.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"
#include "treadle/codegen/tree_printer.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw InvalidArgument("argument declaration \"" + std::string(text) + "\": " + why,
                        "write \"type name\" or \"type *name\"");
}

}  // namespace

TypeNames::TypeNames(const Dialect& dialect) {
  for (const TypeName& known : dialect.type_names)
    names_.emplace_back(std::string(known.name), known.scalar);
}

void TypeNames::add(std::string_view name, const DType& type) {
  refuse_second_meaning(name, type);
  names_.emplace_back(std::string(name), type);
}

void TypeNames::prefer(std::string_view name, const DType& type) {
  refuse_second_meaning(name, type);
  names_.emplace(names_.begin(), std::string(name), type);
}

void TypeNames::refuse_second_meaning(std::string_view name, const DType& type) const {
  for (const auto& [known, known_type] : names_)
    if (known == name && !(known_type == type))
      throw InvalidArgument("the C type name '" + std::string(name) + "' already stands for " +
                                known_type.name() + ", not " + type.name(),
                            "choose another name");
}

DType TypeNames::find(std::string_view name) const {
  for (const auto& [known, type] : names_)
    if (squeeze(known) == squeeze(name)) return type;
  if (const auto integer = c_integer(name)) return *integer;
  std::vector<std::string> all;
  for (const auto& entry : names_) all.push_back(entry.first);
  std::string near;
  for (const std::string& candidate : near_matches(name, all))
    near += (near.empty() ? "did you mean " : ", ") + candidate;
  throw InvalidArgument("unknown type '" + std::string(name) + "'",
                        near.empty() ? "TypeNames::add gives a type a name" : near);
}

const std::string& TypeNames::name_of(const DType& type) const {
  for (const auto& [name, known] : names_)
    if (known == type) return name;
  throw DTypeError("unable to map dtype '" + type.name() + "' to a C type",
                   "TypeNames::add gives it a name");
}

std::vector<ParameterSpec> parse_parameters(std::string_view text, const TypeNames& types,
                                            Offsets offsets) {
  std::vector<ParameterSpec> parameters;
  std::set<std::string> names;
  for (const Declaration& declaration : parse_declarations(text)) {
    if (declaration.address_space == AddressSpace::local ||
        declaration.address_space == AddressSpace::constant)
      refuse(text, "'" + declaration.name + "' is no pointer to global memory");
    if (!names.insert(declaration.name).second)
      refuse(text, "two parameters are called '" + declaration.name + "'");
    const auto vector = offsets == Offsets::passed ? ParameterSpec::Kind::vector_with_offset
                                                   : ParameterSpec::Kind::vector;
    parameters.push_back({declaration.is_pointer ? vector : ParameterSpec::Kind::scalar,
                          types.find(declaration.type), declaration.name});
  }
  return parameters;
}

std::string declare(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                    const TypeNames& types) {
  tree::Parts nodes;
  for (const ParameterSpec& parameter : parameters) append_parameter(nodes, parameter, types);
  std::string text;
  for (const tree::Part& node : nodes)
    text += (text.empty() ? "" : ", ") +
            tree::print_inline(node, {.dialect = &dialect, .reads_texts = false});
  return text;
}
std::string declare(const ParameterSpec& parameter, const Dialect& dialect,
                    const TypeNames& types) {
  return declare(std::vector{parameter}, dialect, types);
}

void append_parameter(tree::Parts& list, const ParameterSpec& parameter, const TypeNames& types,
                      PointerForm form) {
  const std::string& type = types.name_of(parameter.dtype);
  switch (parameter.kind) {
    case ParameterSpec::Kind::scalar:
      return list.push_back(tree::value(type, parameter.name));
    case ParameterSpec::Kind::vector:
      return list.push_back(pointer_parameter(type, parameter.name, form));
    case ParameterSpec::Kind::vector_with_offset:
      list.push_back(pointer_parameter(type, {parameter.name, "__base"}, form));
      list.push_back(tree::value(types.name_of(Scalar::int64), {parameter.name, "__offset"}));
  }
}

tree::NodePtr pointer_parameter(tree::Part type, tree::Part name, PointerForm form) {
  tree::NodePtr variable = tree::value(std::move(type), std::move(name));
  tree::NodePtr node = form.is_apart
                           ? tree::specifier("TREADLE_GLOBAL", tree::restrict_pointer(variable))
                           : tree::global_pointer(variable);
  return form.is_read_only ? tree::specifier("const", node) : node;
}

void define_pointers(tree::BlockBuilder& code, const std::vector<ParameterSpec>& parameters,
                     const TypeNames& types) {
  const auto to = [](std::string_view type, std::string_view name) {
    return tree::global_pointer(tree::value(type, name));
  };
  for (const ParameterSpec& parameter : parameters) {
    if (parameter.kind != ParameterSpec::Kind::vector_with_offset) continue;
    const std::string& type = types.name_of(parameter.dtype);
    // The offset is in bytes, because it need not be a multiple of the element size.
    const tree::Expr bytes = tree::cast(to("char", ""), {parameter.name, "__base"});
    code.add(tree::initialize(
        to(type, parameter.name),
        tree::cast(to(type, ""), bytes + tree::var(joined({parameter.name, "__offset"})))));
  }
}

std::string define_pointers(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                            const TypeNames& types) {
  tree::BlockBuilder code;
  define_pointers(code, parameters, types);
  return tree::print(code.take(), {.dialect = &dialect, .reads_texts = false});
}

}  // namespace treadle::codegen
