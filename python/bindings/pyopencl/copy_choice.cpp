// SPDX-License-Identifier: MIT
// Chooses the form of enqueue_copy for the most frequent operands without running Python code,
// because choosing in Python takes as long as the enqueue itself.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "calls/keyword_names.hpp"
#include "pyopencl/classes.hpp"

namespace treadle::bindings::cl {
namespace {

/// The tuple that is the function's `self`.
enum Part : Py_ssize_t { general, buffer_type, array_type, between_buffers, to_device, to_host };

constexpr std::size_t operands = 3;  // queue, dest, src
constexpr std::size_t most_keywords = 5;
KeywordNames<most_keywords> keywords({"byte_count", "src_offset", "dst_offset", "is_blocking",
                                      "wait_for"});

/// Whether no keyword belongs to boxes, and no keyword has a newer name.
bool are_plain(PyObject* names) {
  const Py_ssize_t count = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (keywords.find(PyTuple_GET_ITEM(names, i)) < 0) return false;
  return true;
}

PyObject* enqueue_copy(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const auto part = [&](Part i) { return PyTuple_GET_ITEM(self, i); };
  const auto is = [&](PyObject* operand, Part type) {
    return reinterpret_cast<PyObject*>(Py_TYPE(operand)) == part(type);
  };
  Part call = general;
  if (count == operands && are_plain(names)) {
    const bool from_buffer = is(args[2], buffer_type), to_buffer = is(args[1], buffer_type);
    if (from_buffer && to_buffer) call = between_buffers;
    if (from_buffer && is(args[1], array_type)) call = to_host;
    if (to_buffer && is(args[2], array_type)) call = to_device;
  }
  if (call == general)
    return PyObject_Vectorcall(part(general), args, static_cast<std::size_t>(count), names);
  std::array<PyObject*, operands + most_keywords> given{};
  std::copy_n(args, operands + (names == nullptr ? 0 : PyTuple_GET_SIZE(names)), given.begin());
  // The native calls take the source before the target, or the buffer before the host's memory.
  if (call != to_device) std::swap(given[1], given[2]);
  return PyObject_Vectorcall(part(call), given.data(), operands, names);
}

PyMethodDef definition{"enqueue_copy",
                       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(enqueue_copy)),
                       METH_FASTCALL | METH_KEYWORDS, nullptr};

/// `parts` has the order of Part. The function gets the first part's documentation.
nb::object make_enqueue_copy(const nb::tuple& parts) {
  static const std::string text =
      "enqueue_copy($module, /, queue, dest, src, **kwargs)\n--\n\n" +
      nb::cast<std::string>(parts[std::size_t{general}].attr("__doc__"));
  definition.ml_doc = text.c_str();
  keywords.intern();
  const nb::str module("pyopencl");
  PyObject* const made = PyCFunction_NewEx(&definition, parts.ptr(), module.ptr());
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

}  // namespace

void bind_copy_choice(nb::module_& m) { m.def("_make_enqueue_copy", make_enqueue_copy); }

}  // namespace treadle::bindings::cl
