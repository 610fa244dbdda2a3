// SPDX-License-Identifier: MIT
#include "pyopencl/object_arguments.hpp"

#include <nanobind/stl/string.h>

#include <string_view>

#include "refused_call.hpp"

namespace treadle::bindings::cl {
namespace {

struct Advice {
  std::string_view type;
  const char* words;
};
constexpr Advice all_advice[] = {
    {"pyopencl.Platform", "get_platforms() lists them"},
    {"pyopencl.Device", "a platform's get_devices() lists them"},
    {"pyopencl.Context", "create_some_context() makes one"},
    {"pyopencl.CommandQueue", "CommandQueue(context) makes one"},
    {"pyopencl.Event", "enqueue_marker(queue) and the other enqueue functions give them"},
    {"pyopencl._Program", "Program(context, source).build() makes one"},
    {"pyopencl.Kernel", "a built program has them as attributes: program.name"},
    {"pyopencl.MemoryObjectHolder",
     "Buffer(context, flags, size) makes one; that of an array is "
     "its base_data"},
    {"pyopencl.SVMPointer", "SVM(array) or SVMAllocation(context, size, alignment, flags) is one"},
    {"pyopencl.ImageDescriptor", "ImageDescriptor() makes one"},
};

std::string named(const Argument& argument) {
  std::string text = argument.name;
  if (argument.entry >= 0) text.append("[").append(std::to_string(argument.entry)).append("]");
  return text;
}

}  // namespace

void refuse_kind(nb::handle given, const Argument& argument, const char* wanted,
                 const char* advice) {
  std::string text = argument.call;
  if (!text.empty()) text += ": ";
  text += named(argument) + " is " + shown(given) + ", wanted: " + wanted;
  if (advice != nullptr) text += std::string("; ") + advice;
  raise_python(PyExc_TypeError, text);
}

void refuse_object(nb::handle given, const Argument& argument, nb::handle type) {
  const std::string name = public_name(nb::cast<std::string>(nb::type_name(type)));
  for (const Advice& advice : all_advice)
    if (advice.type == name) refuse_kind(given, argument, name.c_str(), advice.words);
  refuse_kind(given, argument, name.c_str());
}

std::uint64_t bits_in(nb::handle given, const Argument& argument) {
  const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    refuse_kind(given, argument, "int");
  }
  const unsigned long long bits = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_logic_error(argument.call, named(argument) + " is " + shown(number) +
                                         ", wanted: an int from 0 to 2**64 - 1");
  }
  return bits;
}

std::string text_in(nb::handle given, const Argument& argument) {
  if (PyBytes_Check(given.ptr()) != 0)
    return {PyBytes_AS_STRING(given.ptr()),
            static_cast<std::size_t>(PyBytes_GET_SIZE(given.ptr()))};
  if (PyUnicode_Check(given.ptr()) == 0) refuse_kind(given, argument, "str or bytes");
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &length);
  if (text == nullptr) throw nb::python_error();  // the UnicodeEncodeError names the character
  return {text, static_cast<std::size_t>(length)};
}

nb::handle callable_in(nb::handle given, const Argument& argument) {
  if (PyCallable_Check(given.ptr()) == 0) refuse_kind(given, argument, "a function");
  return given;
}

std::pair<nb::object, nb::object> pair_in(nb::handle given, const Argument& argument,
                                          const char* of_what) {
  const bool is_sequence = PySequence_Check(given.ptr()) != 0;
  const Py_ssize_t count = is_sequence ? PyObject_Size(given.ptr()) : -1;
  if (count < 0) {
    PyErr_Clear();
    refuse_kind(given, argument, of_what);
  }
  if (count != 2)
    raise_logic_error(argument.call, named(argument) + " has " + std::to_string(count) +
                                         " entries, wanted: " + of_what);
  return {nb::object(given[0]), nb::object(given[1])};
}

nb::iterable iterable_in(nb::handle given, const Argument& argument, const char* of_what) {
  if (nb::steal(PyObject_GetIter(given.ptr())).is_valid()) return nb::borrow<nb::iterable>(given);
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  refuse_kind(given, argument, of_what);
}

}  // namespace treadle::bindings::cl
