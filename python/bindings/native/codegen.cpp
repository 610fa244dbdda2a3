// SPDX-License-Identifier: MIT
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "native/promotion.hpp"
#include "native/snippet_arguments.hpp"
#include "rooms.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/cuda_words.hpp"
#include "treadle/codegen/device_functions.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/op_text.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/kernel/declared_arguments.hpp"

namespace treadle::bindings {
namespace {

using codegen::dialect_of;
using codegen::ParameterSpec;

Scalar scalar_named(const std::string& name) { return DType::parse(name).scalar(); }

std::string op_text(const std::string& op,
                    const std::vector<std::pair<std::string, std::string>>& operands,
                    Language language) {
  std::vector<codegen::OperandText> texts;
  for (const auto& [text, dtype] : operands) texts.push_back({text, scalar_named(dtype)});
  return codegen::op_text(op_named(op), texts, dialect_of(language));
}

// For tests, which compare these texts with NumPy: the generators of kernels are in C++.
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
  m.def(
      "device_functions",
      [](const std::string& text, Language language, bool own_math) {
        codegen::Dialect dialect = dialect_of(language);
        dialect.brings_math = dialect.brings_math && own_math;
        return codegen::device_functions(text, dialect);
      },
      nb::arg("text"), nb::arg("language"), nb::arg("own_math") = true);
  m.def("exact_preamble", [](Language language) { return dialect_of(language).exact_preamble; });
  m.def("exact_flags", [](Language language) { return dialect_of(language).exact_flags; });
  m.def("exact_division_flag",
        [](Language language) { return dialect_of(language).exact_division_flag; });
}

/// Kind, name, C type, name of the NumPy dtype or "", size in bytes.
using PythonParameter =
    std::tuple<ParameterSpec::Kind, std::string, std::string, std::string, std::size_t>;

/// The text of a kernel that the faces launch, and its declarations.
struct ElementwiseText {
  codegen::SnippetText made;
  kernel::DeclaredArguments declared;
};

/// `arguments` has one value for each declaration. `indices` is the Python range to run over.
void check_arguments(const ElementwiseText& self, const nb::tuple& arguments, nb::handle indices) {
  const auto first = nb::cast<std::int64_t>(nb::object(indices[nb::int_(0)]));
  const auto last = nb::cast<std::int64_t>(nb::object(indices[nb::int_(-1)]));
  std::list<DType> dtypes;
  std::vector<kernel::UserArgument> all;
  all.reserve(nb::len(arguments));
  for (std::size_t i = 0; i < nb::len(arguments); ++i)
    if (i < self.declared.parameters().size() &&
        self.declared.parameters()[i].kind == ParameterSpec::Kind::scalar)
      all.emplace_back(device::Argument(first));
    else
      all.emplace_back(device::Argument(device::Location{}), elements_of(arguments[i], dtypes));
  self.declared.check(all, {std::min(first, last), std::max(first, last)});
}

// over 6 parameters because they are the keywords of the Python call
ElementwiseText generate_elementwise(const std::vector<PythonParameter>& parameters,
                                     std::string operation, Language language, std::string name,
                                     std::string preamble, std::string loop_prep,
                                     std::string after_loop, bool has_range,
                                     const std::string& index_type, std::optional<bool> is_wide,
                                     bool is_apart) {
  const codegen::Dialect& dialect = dialect_of(language);
  codegen::TypeNames types(dialect);
  codegen::Snippet snippet;
  snippet.operation = std::move(operation);
  for (const auto& [kind, parameter, type, numpy_type, size_bytes] : parameters) {
    const DType dtype = dtype_of({type, numpy_type, size_bytes});
    types.prefer(type, dtype);
    snippet.parameters.push_back({kind, dtype, parameter});
  }
  snippet.name = std::move(name);
  snippet.preamble = std::move(preamble);
  snippet.loop_prep = std::move(loop_prep);
  snippet.after_loop = std::move(after_loop);
  snippet.has_range = has_range;
  snippet.any_launch = !is_wide;
  snippet.is_apart = is_apart;
  snippet.index_dtype = types.find(index_type).scalar();
  types.prefer(index_type, snippet.index_dtype);
  const codegen::Tiling& tiling =
      codegen::tiling_of(is_wide.value_or(true) ? Schedule::wide : Schedule::narrow);
  return {codegen::generate_elementwise(snippet, tiling, dialect, types),
          kernel::DeclaredArguments(snippet.parameters, "elementwise kernel " + snippet.name,
                                    kernel::element_uses(snippet))};
}

void bind_snippets(nb::module_& m) {
  nb::enum_<ParameterSpec::Kind>(m, "ParameterKind", "How a kernel's parameter is passed.")
      .value("scalar", ParameterSpec::Kind::scalar)
      .value("vector", ParameterSpec::Kind::vector)
      .value("vector_with_offset", ParameterSpec::Kind::vector_with_offset);
  nb::class_<ElementwiseText>(m, "ElementwiseText", "A kernel around a user's C text.")
      .def_prop_ro(
          "text", [](const ElementwiseText& self) { return self.made.text; }, "A whole program.")
      .def_prop_ro(
          "group_size", [](const ElementwiseText& self) { return self.made.group_size; },
          "Work-items of a group.")
      .def_prop_ro(
          "group_length", [](const ElementwiseText& self) { return self.made.group_length; },
          "Elements of a group.")
      .def("check", &check_arguments, nb::arg("arguments"), nb::arg("indices"),
           nb::sig("def check(self, arguments: tuple[typing.Any, ...], indices: range) -> None"),
           "Refuses arrays that the kernel would read wrongly or beyond their ends: `arguments` "
           "has one for each declaration, `indices` are those that it runs for, at least one.");
  m.def("generate_elementwise", &generate_elementwise, nb::arg("parameters"), nb::arg("operation"),
        nb::arg("language"), nb::kw_only(), nb::arg("name"), nb::arg("preamble") = "",
        nb::arg("loop_prep") = "", nb::arg("after_loop") = "", nb::arg("has_range") = false,
        nb::arg("index_type") = "long", nb::arg("is_wide") = nb::none(),
        nb::arg("is_apart") = false,
        "The kernel that runs `operation` for every index i, which is of 64 bits and called "
        "`index_type`. A parameter is (kind, name, C type, "
        "NumPy's name of the type or \"\" for a structure, its size in bytes). is_wide=None: for "
        "launches of any number of groups of any size. is_apart: no element of one pointer lies "
        "where an element of another one does.");
}

}  // namespace

void bind_codegen(nb::module_& m) {
  m.def(
      "cuda_words",
      [](const std::string& text) {
        std::vector<std::tuple<unsigned, std::string, std::string>> words;
        for (codegen::CudaWord& word : codegen::cuda_words(text))
          words.emplace_back(word.line, std::move(word.word), std::move(word.replacement));
        return words;
      },
      nb::arg("text"),
      "(line, word, what treadle/dialect.h or both languages have, \"\" for nothing) of each word "
      "of CUDA C that OpenCL C lacks.");
  nb::enum_<AddressSpace>(m, "AddressSpace", "Where a pointer parameter is declared to point.")
      .value("unspecified", AddressSpace::unspecified)
      .value("global_", AddressSpace::global)
      .value("local", AddressSpace::local)
      .value("constant", AddressSpace::constant);
  nb::class_<Declaration>(m, "Declaration", "A C declaration of a parameter, taken apart.")
      .def_ro("type", &Declaration::type)
      .def_ro("name", &Declaration::name)
      .def_ro("is_pointer", &Declaration::is_pointer)
      .def_ro("points_to_const", &Declaration::points_to_const)
      .def_ro("address_space", &Declaration::address_space);
  m.def("parse_declaration", &parse_declaration, nb::arg("text"),
        "Reads one declaration such as \"const float *x\".");
  m.def("parse_declarations", &parse_declarations, nb::arg("text"),
        "Reads declarations separated by commas.");
  m.def("split_declarations", &split_declarations, nb::arg("text"),
        "The declarations of a text, without comments.");
  m.def("declares_variables", &codegen::declares_variables, nb::arg("text"),
        "Whether a CUDA C text has variables of its module, textures among them; in doubt it has.");
  bind_snippets(m);
  bind_element_texts(m.def_submodule("_texts", "The texts of operations, for tests."));
}

}  // namespace treadle::bindings
