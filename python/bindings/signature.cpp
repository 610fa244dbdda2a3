// SPDX-License-Identifier: MIT
#include "signature.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>

namespace treadle::bindings {
namespace {

using Kind = Parameter::Kind;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The first place of `mark` outside of brackets and quotes; the text's length if there is none.
std::size_t find_outside(std::string_view text, char mark) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quote != '\0') {
      if (letter == quote) quote = '\0';
      continue;
    }
    if (depth == 0 && letter == mark) return i;
    if (letter == '\'' || letter == '"') quote = letter;
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') --depth;
  }
  return text.size();
}

std::vector<std::string_view> split_outside(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = find_outside(text, mark);
    parts.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end == text.size() ? end : end + 1);
  }
  return parts;
}

// "\1" is the default with number 1.
std::string default_in(std::string_view text, nb::handle defaults) {
  std::size_t number = 0;
  if (!text.starts_with('\\') || !nb::isinstance<nb::tuple>(defaults)) return std::string(text);
  const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  const auto known = nb::borrow<nb::tuple>(defaults);
  if (read.ec != std::errc() || number >= known.size()) return "...";
  return nb::cast<std::string>(nb::repr(nb::object(known[number])));
}

bool starts_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts)
    if (text.starts_with(start)) return true;
  return false;
}

/// The class of this name; null if there is no such class.
nb::object class_named(std::string_view name, nb::handle module) {
  nb::object scope = nb::borrow(module);
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    const nb::object modules = nb::module_::import_("sys").attr("modules");
    scope = modules.attr("get")(std::string(name.substr(0, dot)), nb::none());
    name = name.substr(dot + 1);
  }
  if (scope.is_none()) return {};
  nb::object found = nb::getattr(scope, std::string(name).c_str(), nb::none());
  return PyType_Check(found.ptr()) != 0 ? found : nb::object();
}

// NumPy's arrays have __index__, but only arrays of one integer do not raise.
bool is_integer(nb::handle value) {
  const bool is = nb::steal(PyNumber_Index(value.ptr())).is_valid();
  PyErr_Clear();
  return is;
}

bool is_sequence(nb::handle value) {
  return PySequence_Check(value.ptr()) != 0 && PyUnicode_Check(value.ptr()) == 0 &&
         PyBytes_Check(value.ptr()) == 0;
}

// Entries are checked only if reading them runs no code of the caller.
Fit fit_of_sequence(std::string_view type, nb::handle value, nb::handle module) {
  if (!is_sequence(value)) return Fit::no;
  const std::size_t open = type.find('[');
  const bool is_plain = PyList_CheckExact(value.ptr()) != 0 || PyTuple_CheckExact(value.ptr()) != 0;
  if (open == std::string_view::npos || !is_plain) return Fit::perhaps;
  const std::string_view entry = type.substr(open + 1, type.size() - open - 2);
  Fit worst = Fit::yes;
  for (const nb::handle item : nb::borrow<nb::iterable>(value)) {
    if (entry == "int" && is_huge_integer(item)) return Fit::no;
    worst = std::min(worst, fit_of(entry, item, module));
  }
  return worst;
}

Fit answer(bool is_one) { return is_one ? Fit::yes : Fit::no; }

Fit fit_of_class(std::string_view type, nb::handle value, nb::handle module) {
  const nb::object kind = class_named(type, module);
  if (!kind.is_valid()) return Fit::perhaps;
  if (!PyObject_TypeCheck(value.ptr(), reinterpret_cast<PyTypeObject*>(kind.ptr()))) return Fit::no;
  return answer(is_made(value));
}

Fit fit_of_one(std::string_view type, nb::handle value, nb::handle module) {
  PyObject* const object = value.ptr();
  if (type == "None") return answer(value.is_none());
  if (type == "int") return is_integer(value) ? Fit::perhaps : Fit::no;
  if (PyComplex_Check(object) != 0 && (type == "float" || type == "complex"))
    return answer(type == "complex");
  if (type == "float" || type == "complex")
    return PyFloat_CheckExact(object)    ? Fit::yes
           : PyNumber_Check(object) != 0 ? Fit::perhaps
                                         : Fit::no;
  if (type == "bool") return answer(PyBool_Check(object) != 0 || is_numpy_bool(value));
  if (type == "str")
    return answer((PyUnicode_Check(object) != 0 && surrogate_in(value) < 0) || is_path(value));
  if (type == "os.PathLike") return answer(is_path(value));
  if (type == "bytes") return answer(PyBytes_Check(object) != 0);
  if (starts_any(type, {"collections.abc.Sequence", "typing.Sequence", "Sequence"}))
    return fit_of_sequence(type, value, module);
  if (type == "object" || type.find('[') != std::string_view::npos) return Fit::perhaps;
  return fit_of_class(type, value, module);
}

}  // namespace

Signature::Signature(std::string_view text, nb::handle defaults) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return;
  text.remove_prefix(open + 1);
  text = text.substr(0, find_outside(text, ')'));
  for (const std::string_view part : split_outside(text, ',')) add(part, defaults);
}

void Signature::add(std::string_view text, nb::handle defaults) {
  if (text == "/") {
    for (Parameter& parameter : parameters) parameter.kind = Kind::place_only;
    return;
  }
  Parameter parameter;
  if (!parameters.empty() &&
      (parameters.back().kind == Kind::name_only || parameters.back().kind == Kind::all_places))
    parameter.kind = Kind::name_only;
  if (text.starts_with("**")) {
    parameter.kind = Kind::all_names;
  } else if (text.starts_with('*')) {
    parameter.kind = Kind::all_places;
  }
  text.remove_prefix(std::min(text.find_first_not_of('*'), text.size()));
  const std::size_t equals = find_outside(text, '=');
  if (equals != text.size())
    parameter.default_text = default_in(trimmed(text.substr(equals + 1)), defaults);
  text = trimmed(text.substr(0, equals));
  const std::size_t colon = find_outside(text, ':');
  parameter.name = trimmed(text.substr(0, colon));
  parameter.type = colon == text.size() ? "object" : trimmed(text.substr(colon + 1));
  parameters.push_back(std::move(parameter));
}

std::size_t Signature::place_of(std::size_t position) const {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == Kind::all_places) return parameters[i].name.empty() ? nowhere : i;
    if (parameters[i].kind == Kind::name_only || parameters[i].kind == Kind::all_names) break;
    if (i == position) return i;
  }
  return nowhere;
}

std::size_t Signature::place_of(std::string_view name) const {
  std::size_t rest = nowhere;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.kind == Kind::all_names) rest = i;
    const bool is_named = parameter.kind == Kind::either || parameter.kind == Kind::name_only;
    if (is_named && parameter.name == name) return i;
  }
  return rest;
}

std::size_t Signature::positional_count() const {
  std::size_t count = 0;
  for (const Parameter& parameter : parameters)
    if (parameter.kind == Kind::either || parameter.kind == Kind::place_only)
      count += parameter.name != "self";
  return count;
}

std::string Signature::shown_as(const std::string& call) const {
  std::string text;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == "self" || parameter.name.starts_with('_')) continue;  // not for programs
    if (!text.empty()) text += ", ";
    if (parameter.kind == Kind::all_places) text += "*";
    if (parameter.kind == Kind::all_names) text += "**";
    text += parameter.name;
    if (!parameter.default_text.empty()) text += "=" + parameter.default_text;
  }
  return call + "(" + text + ")";
}

Fit fit_of(std::string_view type, nb::handle value, nb::handle module) {
  const std::vector<std::string_view> forms = split_outside(type, '|');
  Fit best = forms.empty() ? Fit::perhaps : Fit::no;
  for (const std::string_view form : forms) best = std::max(best, fit_of_one(form, value, module));
  return best;
}

bool may_be_of(std::string_view type, std::string_view kind) {
  for (const std::string_view form : split_outside(type, '|'))
    if (form == kind) return true;
  return false;
}

bool is_numpy_bool(nb::handle value) {
  const std::string_view name = Py_TYPE(value.ptr())->tp_name;
  return name == "numpy.bool" || name == "numpy.bool_";
}

bool is_path(nb::handle value) {
  return nb::hasattr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()))), "__fspath__");
}

bool is_made(nb::handle value) {
  const nb::handle type = value.type();
  return !nb::type_check(type) || nb::inst_ready(value);
}

long surrogate_in(nb::handle text) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(text.ptr());
  for (Py_ssize_t i = 0; i < length; ++i)
    if (const Py_UCS4 letter = PyUnicode_READ_CHAR(text.ptr(), i);
        letter >= 0xD800 && letter <= 0xDFFF)
      return static_cast<long>(i);
  return -1;
}

bool is_huge_integer(nb::handle value) {
  int overflow = 0;
  (void)PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  PyErr_Clear();
  return overflow != 0;
}

bool is_unusual_integer(nb::handle value) {
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(value.ptr(), &overflow);
  return overflow != 0 || number < 0 || number > 0x7fffffffL;
}

}  // namespace treadle::bindings
