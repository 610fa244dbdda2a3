// SPDX-License-Identifier: MIT
#include "native/generated_text.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "instance.hpp"
#include "native/language_argument.hpp"
#include "native/promotion.hpp"
#include "native/tree.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/keywords.hpp"
#include "treadle/codegen/specialize.hpp"

namespace treadle::bindings {
namespace {

using codegen::KeyValue;
using codegen::TextWithLines;
using namespace nb::literals;

using Line = std::optional<std::pair<std::string, unsigned>>;

codegen::Position position_of(const Line& line) {
  if (!line) return {};
  return {codegen::kept_file_name(line->first), line->second};
}

nb::str as_str(const std::string& text) { return nb::str(text.c_str(), text.size()); }

// Numbers keep their NumPy type, types become dtypes, and other objects become text.
KeyValue value_of(nb::handle value) {
  if (PyUnicode_Check(value.ptr())) return KeyValue(nb::cast<std::string>(value));
  if (PyBool_Check(value.ptr())) return KeyValue(value.is(nb::handle(Py_True)) ? 1 : 0);
  if (PyLong_Check(value.ptr())) return KeyValue(nb::cast<std::string>(nb::str(value)), true);
  if (PyFloat_Check(value.ptr())) return KeyValue(nb::cast<double>(value));
  if (nb::isinstance<tree::Node>(value)) return KeyValue(text_of(instance_of<tree::Node>(value)));
  const nb::object numpy = nb::module_::import_("numpy");
  if (nb::isinstance(value, numpy.attr("dtype")) || PyType_Check(value.ptr()))
    return KeyValue(scalar_from(value));
  if (nb::isinstance(value, numpy.attr("generic"))) {
    const Scalar scalar = scalar_from(value.attr("dtype"));
    if (scalar == Scalar::float32) return KeyValue(nb::cast<float>(nb::float_(value)));
    if (DType(scalar).kind() == ScalarKind::floating)
      return KeyValue(nb::cast<double>(nb::float_(value)));
    return KeyValue(nb::cast<std::string>(nb::str(nb::int_(value))), true);
  }
  return KeyValue(nb::cast<std::string>(nb::str(value)));
}

std::map<std::string, KeyValue, std::less<>> values_of(const nb::dict& values) {
  std::map<std::string, KeyValue, std::less<>> all;
  for (const auto& [name, value] : values)
    all.insert_or_assign(nb::cast<std::string>(name), value_of(value));
  return all;
}

codegen::KeyStyle style_named(const std::string& name) {
  if (name == "%(name)s") return codegen::KeyStyle::percent;
  if (name == "$name") return codegen::KeyStyle::dollar;
  if (name == "{{name}}") return codegen::KeyStyle::braces;
  throw InvalidArgument("style=\"" + name + "\" of keys",
                        "pass \"%(name)s\", \"$name\" or \"{{name}}\"");
}

codegen::Hole hole_named(const std::string& name) {
  if (name == "dtype") return codegen::Hole::dtype;
  if (name == "constant") return codegen::Hole::constant;
  if (name == "unroll") return codegen::Hole::unroll_count;
  if (name == "any") return codegen::Hole::any;
  throw InvalidArgument("a hole of kind \"" + name + "\"",
                        "use \"dtype\", \"constant\", \"unroll\" or \"any\"");
}

TextWithLines substituted(std::string_view text, const nb::dict& values, const std::string& style,
                          const std::optional<LanguageArgument>& language, const Line& begin,
                          const std::map<std::string, std::string>& holes) {
  codegen::KeyOptions options{.style = style_named(style), .begin = position_of(begin)};
  options.language = language_of(language);
  for (const auto& [name, hole] : holes) options.holes.emplace(name, hole_named(hole));
  return codegen::replace_keys(text, values_of(values), options);
}

nb::object specialized(nb::handle source, const nb::dict& values, const LanguageArgument& language,
                       const std::optional<std::string>& kernel) {
  const Language its_language = language_of(language);
  return nb::cast(codegen::specialize(program_text(source, its_language), kernel.value_or(""),
                                      values_of(values), its_language));
}

TextWithLines text_with_lines(std::string text, const std::vector<Line>& lines) {
  TextWithLines result{std::move(text), {}};
  for (const Line& line : lines) result.lines.push_back(position_of(line));
  return result;
}

}  // namespace

TextWithLines program_text(nb::handle source, Language language) {
  if (PyUnicode_Check(source.ptr())) return {nb::cast<std::string>(source), {}};
  if (nb::isinstance<TextWithLines>(source)) return instance_of<TextWithLines>(source);
  if (!nb::isinstance<tree::Node>(source))
    throw InvalidArgument(
        "the text of a program is a " +
            nb::cast<std::string>(
                nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(source.ptr()))).attr("__name__")),
        "pass a str, a tree of treadle.cgen, or what treadle.templates makes");
  tree::PrintOptions options;
  options.dialect = &codegen::dialect_of(language);
  return tree::print_with_lines(Part(NodePtr(&instance_of<tree::Node>(source))), options);
}

void bind_generated_text(nb::module_& m) {
  nb::class_<TextWithLines>(m, "GeneratedText",
                            "A text that knows which lines of a program or template its lines come "
                            "from; compilers report "
                            "errors there. str() is the text.")
      .def(
          "__init__",
          [](TextWithLines* self, std::string text, const std::vector<Line>& lines) {
            new (self) TextWithLines(text_with_lines(std::move(text), lines));
          },
          "text"_a, "lines"_a = std::vector<Line>())
      .def("__str__", [](const TextWithLines& self) { return as_str(self.text); })
      .def_prop_ro(
          "lines",
          [](const TextWithLines& self) {
            nb::list lines;
            for (const codegen::Position& from : self.lines)
              lines.append(from.file == nullptr ? nb::none()
                                                : nb::object(nb::make_tuple(from.file, from.line)));
            return lines;
          },
          nb::sig("def lines(self, /) -> list[tuple[str, int] | None]"),
          "The file and line of each line; None: not known.")
      .def("with_line_directives", &codegen::with_line_directives,
           "The text with #line where lines of another place begin.")
      .def("__getstate__",
           [](const TextWithLines& self) {
             std::vector<Line> lines;
             for (const codegen::Position& from : self.lines)
               lines.push_back(from.file == nullptr
                                   ? Line()
                                   : Line(std::pair(std::string(from.file), from.line)));
             return std::pair(self.text, lines);
           })
      .def("__setstate__",
           [](TextWithLines& self, const std::pair<std::string, std::vector<Line>>& state) {
             new (&self) TextWithLines(text_with_lines(state.first, state.second));
           });
  m.def(
      "program_texts",
      [](nb::handle source, const LanguageArgument& language) {
        const TextWithLines text = program_text(source, language_of(language));
        const nb::object marked = text.lines.empty()
                                      ? nb::none()
                                      : nb::object(as_str(codegen::with_line_directives(text)));
        return nb::make_tuple(as_str(text.text), marked);
      },
      "source"_a, "language"_a,
      nb::sig("def program_texts(source: typing.Any, language: treadle._core.Language | str) -> "
              "tuple[str, str | None]"),
      "The text to compile of a str, a tree or a generated text, and the one to compile if that "
      "fails: its errors are reported at the lines it comes from. None: no lines are known.");
  m.def("substitute", &substituted, "text"_a, "values"_a, "style"_a = "%(name)s",
        "language"_a = nb::none(), "begin"_a = nb::none(),
        "holes"_a = std::map<std::string, std::string>(),
        "The text with values in the place of keys.");
  m.def("specialize", &specialized, "source"_a, "values"_a, "language"_a, "kernel"_a = nb::none(),
        nb::sig("def specialize(source: typing.Any, values: dict[str, typing.Any], language: "
                "treadle._core.Language | str, kernel: str | None = None) -> GeneratedText"),
        "The text with arguments of a kernel baked in as constants.");
}

}  // namespace treadle::bindings
