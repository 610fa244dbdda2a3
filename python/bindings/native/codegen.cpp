// SPDX-License-Identifier: MIT
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "rooms.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"

namespace treadle::bindings {
namespace {

using codegen::dialect_of;

Op op_named(const std::string& name) {
  if (const auto op = find_op(name)) return *op;
  throw InvalidArgument("no operation is called '" + name + "'");
}
Scalar scalar_named(const std::string& name) { return DType::parse(name).scalar(); }

std::string op_text(const std::string& op,
                    const std::vector<std::pair<std::string, std::string>>& operands,
                    Language language) {
  std::vector<codegen::OperandText> texts;
  for (const auto& [text, dtype] : operands) texts.push_back({text, scalar_named(dtype)});
  return codegen::op_text(op_named(op), texts, dialect_of(language));
}

// For the tests of the texts, which NumPy checks: generators of kernels are C++.
void bind_element_texts(nb::module_ m) {
  m.def("operations", [] {
    std::vector<std::pair<std::string, int>> all;
    for (int op = 0; op < static_cast<int>(Op::cast); ++op) {
      const OpInfo& info = op_info(static_cast<Op>(op));
      all.emplace_back(info.name, info.arity);
    }
    return all;
  });
  m.def("has_op_text", [](const std::string& op, const std::string& dtype) {
    return codegen::has_op_text(op_named(op), scalar_named(dtype));
  });
  m.def("op_text", &op_text);
  m.def("cast_text", [](const std::string& text, const std::string& from, const std::string& to,
                        Language language) {
    return codegen::cast_text({text, scalar_named(from)}, scalar_named(to), dialect_of(language));
  });
  m.def("value_type", [](const std::string& dtype, Language language) {
    return codegen::value_type(scalar_named(dtype), dialect_of(language));
  });
  m.def("stored_type", [](const std::string& dtype, Language language) {
    return codegen::stored_type(scalar_named(dtype), dialect_of(language));
  });
  m.def("literal_text", [](const std::string& dtype, const nb::bytes& bytes, Language language) {
    return codegen::literal_text(scalar_named(dtype),
                                 std::as_bytes(std::span(bytes.c_str(), bytes.size())),
                                 dialect_of(language));
  });
  m.def("load_text", [](const std::string& dtype, const std::string& place, Language language) {
    return codegen::load_text(scalar_named(dtype), place, dialect_of(language));
  });
  m.def("store_text", [](const std::string& dtype, const std::string& place,
                         const std::string& value, Language language) {
    return codegen::store_text(scalar_named(dtype), place, value, dialect_of(language));
  });
  m.def("vector_type", [](const std::string& dtype, unsigned width, Language language) {
    return codegen::vector_type(scalar_named(dtype), width, dialect_of(language));
  });
  m.def("vector_load_text", [](const std::string& dtype, const std::string& vector, unsigned index,
                               Language language) {
    return codegen::vector_load_text(scalar_named(dtype), vector, index, dialect_of(language));
  });
  m.def("vector_store_text", [](const std::string& dtype, const std::string& vector, unsigned index,
                                const std::string& value, Language language) {
    return codegen::vector_store_text(scalar_named(dtype), vector, index, value,
                                      dialect_of(language));
  });
  m.def("device_functions", [](const std::string& text, Language language) {
    return codegen::device_functions(text, dialect_of(language));
  });
  m.def("exact_preamble", [](Language language) { return dialect_of(language).exact_preamble; });
  m.def("exact_flags", [](Language language) { return dialect_of(language).exact_flags; });
  m.def("exact_division_flag",
        [](Language language) { return dialect_of(language).exact_division_flag; });
}

}  // namespace

void bind_codegen(nb::module_& m) {
  nb::enum_<AddressSpace>(m, "AddressSpace", "Where a pointer parameter is declared to point.")
      .value("unspecified", AddressSpace::unspecified)
      .value("global_", AddressSpace::global)
      .value("local", AddressSpace::local)
      .value("constant", AddressSpace::constant);
  nb::class_<Declaration>(m, "Declaration", "A C declaration of a parameter, taken apart.")
      .def_ro("type", &Declaration::type)
      .def_ro("name", &Declaration::name)
      .def_ro("is_pointer", &Declaration::is_pointer)
      .def_ro("address_space", &Declaration::address_space);
  m.def("parse_declaration", &parse_declaration, nb::arg("text"),
        "Reads one declaration such as \"const float *x\".");
  m.def("parse_declarations", &parse_declarations, nb::arg("text"),
        "Reads declarations separated by commas.");
  bind_element_texts(m.def_submodule("_texts", "The texts of operations, for tests."));
}

}  // namespace treadle::bindings
