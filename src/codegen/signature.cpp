// SPDX-License-Identifier: MIT
#include "treadle/codegen/signature.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"

namespace treadle::codegen {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw InvalidArgument("argument declaration \"" + std::string(text) + "\": " + why,
                        "write \"type name\" or \"type *name\"");
}

std::string element(const ParameterSpec& parameter, const Dialect& dialect,
                    const TypeNames& types) {
  return std::string(dialect.global) + types.name_of(parameter.dtype);
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

std::string declare(const ParameterSpec& parameter, const Dialect& dialect, const TypeNames& types,
                    std::string_view qualifier) {
  const std::string star = qualifier.empty() ? " *" : " *" + std::string(qualifier) + " ";
  switch (parameter.kind) {
    case ParameterSpec::Kind::scalar:
      return types.name_of(parameter.dtype) + " " + parameter.name;
    case ParameterSpec::Kind::vector:
      return element(parameter, dialect, types) + star + parameter.name;
    case ParameterSpec::Kind::vector_with_offset:
      return element(parameter, dialect, types) + star + parameter.name + "__base, " +
             types.name_of(Scalar::int64) + " " + parameter.name + "__offset";
  }
  return {};
}

std::string declare(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                    const TypeNames& types) {
  std::string text;
  for (const ParameterSpec& parameter : parameters)
    text += (text.empty() ? "" : ", ") + declare(parameter, dialect, types);
  return text;
}

std::string define_pointers(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                            const TypeNames& types) {
  std::string text;
  for (const ParameterSpec& parameter : parameters) {
    if (parameter.kind != ParameterSpec::Kind::vector_with_offset) continue;
    // By bytes: an offset need not be a multiple of the element's size.
    const std::string pointer = element(parameter, dialect, types) + " *";
    text += pointer + parameter.name + " = (" + pointer + ")((" + std::string(dialect.global) +
            "char *)" + parameter.name + "__base + " + parameter.name + "__offset);\n";
  }
  return text;
}

}  // namespace treadle::codegen
