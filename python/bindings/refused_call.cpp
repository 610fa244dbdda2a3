// SPDX-License-Identifier: MIT
#include "refused_call.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "signature.hpp"

namespace treadle::bindings {
namespace {

bool is_plain(nb::handle value) {
  PyObject* const object = value.ptr();
  return value.is_none() || PyBool_Check(object) != 0 || PyLong_CheckExact(object) != 0 ||
         PyFloat_CheckExact(object) != 0 || PyUnicode_CheckExact(object) != 0 ||
         PyBytes_CheckExact(object) != 0;
}

// Sizes and shapes are such sequences.
bool is_plain_sequence(nb::handle value) {
  constexpr Py_ssize_t most = 8;
  PyObject* const object = value.ptr();
  if (PyTuple_CheckExact(object) == 0 && PyList_CheckExact(object) == 0) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < std::min(count, most); ++i)
    if (!is_plain(PySequence_Fast_GET_ITEM(object, i))) return false;
  return count <= most;
}

constexpr std::string_view unexplained = "incompatible function arguments";

/// The arguments of a call.
struct Given {
  PyObject* const* arguments;
  std::size_t positional;
  PyObject* keywords;  // a tuple of names, or null

  std::size_t named() const {
    return keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
  }
  std::string name(std::size_t i) const {
    const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(i)));
    if (text == nullptr) PyErr_Clear();
    return text == nullptr ? "?" : text;
  }
  nb::handle named_value(std::size_t i) const { return arguments[positional + i]; }
};

/// Why one signature of a function does not accept a call.
struct Reasons {
  std::vector<std::string> certain, possible;
  std::vector<std::string> rest;  // arguments that fit
  const std::vector<std::string>& best() const {
    if (!certain.empty()) return certain;
    return possible.empty() ? rest : possible;
  }
};

// Tells why a value does not fit.
std::string fault_of(const Parameter& parameter, nb::handle value) {
  if (may_be_of(parameter.type, "str") && PyUnicode_Check(value.ptr()) != 0)
    if (const long place = surrogate_in(value); place >= 0)
      return ", whose character " + std::to_string(place) +
             " is half of one (a lone surrogate) and cannot be encoded";
  if (!is_made(value)) return ", whose constructor has not run";
  return ", wanted: " + public_name(parameter.type);
}

void look_at(const Parameter& parameter, nb::handle value, nb::handle module, Reasons& reasons) {
  const std::string is = parameter.name + " is " + shown(value);
  const Fit fit = fit_of(parameter.type, value, module);
  if (fit == Fit::no)
    reasons.certain.push_back(is + fault_of(parameter, value));
  else if (PyLong_Check(value.ptr()) != 0 && is_unusual_integer(value))
    reasons.possible.push_back(is + ", which is out of range");
  else if (value.is_none() && parameter.type == "object")
    reasons.possible.push_back(is + ", wanted: an object");
  else if (fit == Fit::perhaps && parameter.type != "object" && parameter.name != "self")
    reasons.rest.push_back(is + ", wanted: " + public_name(parameter.type));
}

Reasons reasons_against(const Signature& form, const Given& given, nb::handle module) {
  Reasons reasons;
  std::vector<bool> is_given(form.parameters.size());
  for (std::size_t i = 0; i < given.positional; ++i) {
    const std::size_t place = form.place_of(i);
    if (place == Signature::nowhere) {
      const std::size_t self = form.is_method() ? 1 : 0;
      reasons.certain.push_back("it takes " + std::to_string(form.positional_count()) +
                                " arguments by place, not " +
                                std::to_string(given.positional - self));
      break;
    }
    is_given[place] = true;
    look_at(form.parameters[place], given.arguments[i], module, reasons);
  }
  for (std::size_t i = 0; i < given.named(); ++i) {
    const std::string name = given.name(i);
    const std::size_t place = form.place_of(name);
    if (place == Signature::nowhere) {
      reasons.certain.push_back("it has no argument " + name);
    } else if (is_given[place] && !form.parameters[place].is_rest()) {
      reasons.certain.push_back(name + " is given twice");
    } else {
      is_given[place] = true;
      look_at(form.parameters[place], given.named_value(i), module, reasons);
    }
  }
  for (std::size_t i = 0; i < form.parameters.size(); ++i)
    if (!is_given[i] && form.parameters[i].is_needed())
      reasons.certain.push_back(form.parameters[i].name + " is missing");
  return reasons;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string text_attribute(nb::handle object, const char* name) {
  const nb::object found = nb::getattr(object, name, nb::none());
  return nb::isinstance<nb::str>(found) ? nb::cast<std::string>(found) : std::string();
}

// "Buffer" for "Buffer.__init__", "Buffer.size" for the getter of a property.
std::string call_name_of(nb::handle function) {
  std::string name = text_attribute(function, "__qualname__");
  if (name.empty()) name = text_attribute(function, "__name__");
  const std::string_view constructor = ".__init__";
  if (name.ends_with(constructor)) name.resize(name.size() - constructor.size());
  if (name.starts_with("_enqueue_")) name.erase(0, 1);  // a part of enqueue_copy()
  return name;
}

bool is_constructor(nb::handle function) {
  return text_attribute(function, "__name__") == "__init__";
}

// "Buffer" for Buffer's methods.
std::string owner_of(nb::handle function) {
  const std::string name = text_attribute(function, "__qualname__");
  const std::size_t end = name.rfind('.');
  return end == std::string::npos ? "object" : name.substr(0, end);
}

/// The whole message; empty if there is no explanation.
std::string explanation(nb::handle function, const Given& given) {
  const nb::object signatures = nb::getattr(function, "__nb_signature__", nb::none());
  if (!nb::isinstance<nb::tuple>(signatures)) return {};
  const std::string call = call_name_of(function);
  const std::string module_name = text_attribute(function, "__module__");
  const nb::object module = module_name.empty()
                                ? nb::object(nb::none())
                                : nb::object(nb::module_::import_(module_name.c_str()));
  std::vector<std::string> forms;
  std::vector<std::string> best;
  for (const nb::handle entry : nb::borrow<nb::tuple>(signatures)) {
    Signature form(nb::cast<std::string>(nb::object(entry[0])), nb::object(entry[2]));
    // The object of a constructor's call is not initialised yet.
    if (form.is_method())
      form.parameters[0].type = is_constructor(function) ? "object" : owner_of(function);
    const Reasons reasons = reasons_against(form, given, module);
    if (reasons.best().empty()) return {};
    if (forms.empty() || reasons.best().size() < best.size()) best = reasons.best();
    forms.push_back(form.shown_as(call));
  }
  if (forms.empty()) return {};
  return call + "(): " + joined(best, "; ") + "\n  try: " + joined(forms, ", or ");
}

/// The signatures of all overloads of a function of the extension; none for other objects.
std::vector<Signature> forms_of(nb::handle function) {
  std::vector<Signature> forms;
  const nb::object signatures = nb::getattr(function, "__nb_signature__", nb::none());
  if (!nb::isinstance<nb::tuple>(signatures)) return forms;
  for (const nb::handle entry : nb::borrow<nb::tuple>(signatures))
    forms.emplace_back(nb::cast<std::string>(nb::object(entry[0])), nb::object(entry[2]));
  return forms;
}

/// Converts a value for the binding library: numpy.bool_ to bool, an object with __index__ to int,
/// a path to str. Null if no conversion applies.
nb::object converted(std::string_view type, nb::handle value) {
  PyObject* const object = value.ptr();
  if (may_be_of(type, "bool") && is_numpy_bool(value))
    return nb::borrow(PyObject_IsTrue(object) == 1 ? Py_True : Py_False);
  if (may_be_of(type, "str") && PyUnicode_Check(object) == 0 && is_path(value)) {
    nb::object path = nb::steal(PyOS_FSPath(object));
    if (!path.is_valid()) throw nb::python_error();
    return PyBytes_Check(path.ptr()) != 0
               ? nb::steal(PyUnicode_DecodeFSDefault(PyBytes_AsString(path.ptr())))
               : path;
  }
  if (may_be_of(type, "int") && PyLong_CheckExact(object) == 0 && PyIndex_Check(object) != 0) {
    nb::object number = nb::steal(PyNumber_Index(object));
    if (!number.is_valid()) PyErr_Clear();
    return number;
  }
  const std::size_t open = type.find("Sequence[");
  if (open == std::string_view::npos ||
      (PyList_CheckExact(object) == 0 && PyTuple_CheckExact(object) == 0))
    return {};
  const std::size_t start = open + std::string_view("Sequence[").size();
  const std::string_view entry = type.substr(start, type.find(']', start) - start);
  bool any = false;
  nb::list items;
  for (const nb::handle item : nb::borrow<nb::iterable>(value)) {
    const nb::object other = converted(entry, item);
    any = any || other.is_valid();
    items.append(other.is_valid() ? nb::handle(other) : item);
  }
  return any ? nb::object(items) : nb::object();
}

/// The arguments after converted(); empty if no argument was converted.
std::vector<nb::object> all_converted(nb::handle function, const Given& given) {
  std::vector<nb::object> all;
  bool any = false;
  const std::vector<Signature> forms = forms_of(function);
  for (std::size_t i = 0; i < given.positional + given.named(); ++i) {
    const nb::handle value = given.arguments[i];
    nb::object other;
    for (const Signature& form : forms) {
      const std::size_t place =
          i < given.positional ? form.place_of(i) : form.place_of(given.name(i - given.positional));
      if (place == Signature::nowhere) continue;
      other = converted(form.parameters[place].type, value);
      if (other.is_valid()) break;
    }
    any = any || other.is_valid();
    all.push_back(other.is_valid() ? std::move(other) : nb::borrow(value));
  }
  if (!any) all.clear();
  return all;
}

// Only for the TypeError that no overload fits; other errors explain themselves.
void explain(PyObject* function, const Given& given) noexcept {
  try {
    nb::python_error raised;  // takes the pending error
    try {
      const std::string better = explanation(function, given);
      if (!better.empty()) {
        PyErr_SetString(PyExc_TypeError, better.c_str());
        return;
      }
    } catch (...) {
      PyErr_Clear();
    }
    raised.restore();
  } catch (...) {
    PyErr_SetString(PyExc_TypeError, "the arguments do not fit");
  }
}

// Whether the error is the binding library's about arguments, raised before anything was done.
bool is_unexplained() noexcept {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
  nb::python_error raised;
  bool is = false;
  try {
    const auto text = nb::cast<std::string>(nb::str(raised.value()));
    is = text.find(unexplained) != std::string::npos;
  } catch (...) {
    PyErr_Clear();
  }
  raised.restore();
  return is;
}

/// Repeats the call with converted arguments. Null if no argument was converted; the error then
/// stays.
PyObject* try_converted(PyObject* function, vectorcallfunc entry, const Given& given,
                        std::size_t flags) noexcept {
  nb::python_error raised;
  try {
    const std::vector<nb::object> all = all_converted(function, given);
    if (!all.empty()) {
      std::vector<PyObject*> bare;
      for (const nb::object& one : all) bare.push_back(one.ptr());
      return entry(function, bare.data(), given.positional | flags, given.keywords);
    }
  } catch (...) {
    PyErr_Clear();
  }
  raised.restore();
  return nullptr;
}

// The highest bit of a count is a flag of Python's, and the next bit is a flag of the library's.
constexpr std::size_t most_arguments = ~std::size_t{0} >> 2;
constexpr std::size_t library_flag = std::size_t{1} << (8 * sizeof(std::size_t) - 2);

PyObject* answer_refusal(PyObject* function, vectorcallfunc entry, const Given& given,
                         std::size_t flags) noexcept {
  if (!is_unexplained()) return nullptr;
  if (PyObject* const answer = try_converted(function, entry, given, flags)) return answer;
  if (is_unexplained()) explain(function, given);
  return nullptr;
}

// The library has a few entry functions. Ours replace them, one for each.
constexpr std::size_t entry_limit = 12;
std::array<vectorcallfunc, entry_limit> entries{};

template <std::size_t which>
PyObject* explained(PyObject* function, PyObject* const* arguments, std::size_t count,
                    PyObject* keywords) {
  PyObject* const answer = entries[which](function, arguments, count, keywords);
  if (answer != nullptr) [[likely]]
    return answer;
  return answer_refusal(function, entries[which], {arguments, count & most_arguments, keywords},
                        count & library_flag);
}

template <std::size_t... which>
constexpr std::array<vectorcallfunc, entry_limit> all_explained(std::index_sequence<which...>) {
  return {explained<which>...};
}
constexpr auto explained_entries = all_explained(std::make_index_sequence<entry_limit>());

void explain_function(nb::handle function) {
  // First the cheap test: most members are constants, and starting a program visits all members.
  const vectorcallfunc entry = PyVectorcall_Function(function.ptr());
  if (entry == nullptr || !nb::hasattr(function, "__nb_signature__")) return;
  const Py_ssize_t offset = Py_TYPE(function.ptr())->tp_vectorcall_offset;
  std::size_t which = 0;
  for (; which < entry_limit; ++which) {
    if (entry == explained_entries[which]) return;  // the function has a second name
    if (entries[which] == entry || entries[which] == nullptr) break;
  }
  if (which == entry_limit) return;  // keep the library's message
  entries[which] = entry;
  std::memcpy(reinterpret_cast<char*>(function.ptr()) + offset, &explained_entries[which],
              sizeof entry);
}

void explain_members(nb::handle scope) {
  const nb::object members = nb::getattr(scope, "__dict__");
  const nb::object values = nb::list(members.attr("values")());
  for (const nb::handle value : values) {
    if (PyType_Check(value.ptr()) != 0) {
      if (text_attribute(value, "__module__").starts_with("treadle._core")) explain_members(value);
    } else if (Py_TYPE(value.ptr()) == &PyProperty_Type) {
      for (const char* accessor : {"fget", "fset"}) explain_function(nb::getattr(value, accessor));
    } else if (PyModule_Check(value.ptr()) != 0) {
      if (text_attribute(value, "__name__").starts_with("treadle._core")) explain_members(value);
    } else {
      explain_function(value);
    }
  }
}

}  // namespace

std::string shown(nb::handle value) {
  const std::string type = nb::cast<std::string>(nb::type_name(value.type()));
  if (value.is_none()) return "None";
  if (!is_plain(value) && !is_plain_sequence(value)) return "a " + public_name(type);
  const nb::object text = nb::steal(PyObject_Repr(value.ptr()));
  if (!text.is_valid()) {  // an integer with thousands of digits
    PyErr_Clear();
    return "a huge " + type;
  }
  constexpr std::size_t longest = 60;
  auto words = nb::cast<std::string>(text);
  if (words.size() > longest) words = words.substr(0, longest) + "...";
  return words + " (" + type + ")";
}

std::string public_name(std::string name) {
  constexpr std::string_view core = "treadle._core.";
  constexpr std::pair<std::string_view, std::string_view> homes[] = {
      {"opencl.", "pyopencl."}, {"driver.", "pycuda.driver."}, {"device.", "treadle."},
      {"array.", "treadle."},   {"kernel.", "treadle."},       {"rules.", "treadle."},
      {"random.", "treadle."},
  };
  for (std::size_t at = name.find(core); at != std::string::npos; at = name.find(core, at)) {
    std::string_view home = "treadle.";
    std::size_t length = core.size();
    for (const auto& [room, face] : homes)
      if (std::string_view(name).substr(at + core.size()).starts_with(room)) {
        home = face;
        length += room.size();
      }
    name.replace(at, length, home);
    at += home.size();
  }
  return name;
}

void explain_refusals(nb::module_& module) { explain_members(module); }

}  // namespace treadle::bindings
