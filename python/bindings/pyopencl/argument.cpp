// SPDX-License-Identifier: MIT
#include "pyopencl/argument.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "calls/argument.hpp"
#include "calls/numpy_scalars.hpp"
#include "calls/parameter_check.hpp"
#include "calls/small_integer.hpp"
#include "instance.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/svm.hpp"
#include "python_parts.hpp"
#include "refused_call.hpp"

namespace treadle::bindings::cl {
namespace {

using Kind = opencl::ArgumentView::Kind;

std::string type_name(PyObject* object) { return public_name(Py_TYPE(object)->tp_name); }

bool is_python_number(PyObject* value) {
  return PyLong_Check(value) != 0 || PyFloat_Check(value) != 0 || PyComplex_Check(value) != 0;
}

constexpr const void* no_handle = nullptr;

// Set with the first list: comparing the exact type costs one comparison.
PyTypeObject* buffer_type() {
  static auto* type = reinterpret_cast<PyTypeObject*>(nb::type<Buffer>().ptr());
  return type;
}

}  // namespace

ArgumentType read_argument_type(nb::handle declared, const Argument& argument) {
  using Form = ArgumentType::Form;
  if (declared.is_none()) return {};
  const nb::object with_offset = attribute_or_null(declared.ptr(), "with_offset");
  if (with_offset.is_valid() && attribute_or_null(declared.ptr(), "declarator").is_valid())
    return {nb::cast<bool>(with_offset) ? Form::vector_with_offset : Form::vector};
  const nb::object dtype = dtype_in(declared, argument);
  const char code = nb::cast<std::string>(dtype.attr("char"))[0];
  if (nb::cast<std::string>(dtype.attr("kind")) == "V") return {Form::bytes, code};
  if (code == 'F' || code == 'D') return {Form::complex, code};
  if (std::string("cbBhHiIlLfdqQe?nN").find(code) == std::string::npos)
    raise_python(PyExc_TypeError, "arguments of dtype " + nb::cast<std::string>(nb::repr(dtype)) +
                                      " cannot be declared");
  return {Form::number, code};
}

ArgumentList::ArgumentList(std::size_t count, std::size_t first) : first_(first) {
  count *= 2;  // a vector may take two arguments
  if (count <= few) {
    arguments_ = reinterpret_cast<opencl::ArgumentView*>(few_.arguments);
    scalars_ = few_.scalars;
    return;
  }
  many_arguments_ = std::make_unique<opencl::ArgumentView[]>(count);
  many_scalars_ = std::make_unique<Scalar[]>(count);
  arguments_ = many_arguments_.get();
  scalars_ = many_scalars_.get();
}

ArgumentList::~ArgumentList() {
  for (Py_buffer& view : views_) PyBuffer_Release(&view);
}

void ArgumentList::add_argument(const opencl::ArgumentView& argument) {
  new (arguments_ + count_++) opencl::ArgumentView(argument);
}

void ArgumentList::add_bytes(const void* data, std::size_t size) {
  add_argument({Kind::value, size, data});
}

void ArgumentList::add_scalar(const ScalarType& scalar, PyObject* value) {
  add_bytes(scalar_data(value), scalar.size);
}

template <class T>
void ArgumentList::add_value(const T& value) {
  static_assert(sizeof(T) <= sizeof(Scalar) && !std::is_pointer_v<T>);
  std::memcpy(scalars_[count_].bytes, &value, sizeof value);
  add_bytes(scalars_[count_].bytes, sizeof value);
}

void ArgumentList::refuse(PyObject* value, const std::string& why) const {
  std::string text = "when processing arg#" + std::to_string(first_ + count_ + 1) +
                     " (1-based): a " + type_name(value) + " " + why;
  if (attribute_or_null(value, "base_data").is_valid())
    text += "; of an array, pass its memory: array.data";
  const nb::object raise = python_part("pyopencl errors").attr("raise_argument_error");
  raise(text);
  throw nb::python_error();
}

void ArgumentList::add(PyObject* value) {
  if (Py_TYPE(value) == buffer_type() && nb::inst_ready(value)) [[likely]] {
    return add_argument(opencl::argument_of(nb::inst_ptr<Buffer>(value)->memory(), Kind::buffer));
  }
  if (const ScalarType* scalar = scalar_type(Py_TYPE(value))) return add_scalar(*scalar, value);
  add_other(value);
}

void ArgumentList::add_other(PyObject* value) {
  if (value == Py_None) return add_argument({Kind::null, sizeof no_handle, &no_handle});
  if (nb::inst_check(value) && !nb::inst_ready(value))
    refuse(value, "has no memory: its constructor has not run");
  if (nb::isinstance<MemoryObjectHolder>(value)) {
    const auto& holder = instance_of<MemoryObjectHolder>(value);
    return add_argument(opencl::argument_of(holder.memory(), holder.kind()));
  }
  if (nb::isinstance<SVMPointer>(value)) {
    const auto& pointer = instance_of<SVMPointer>(value);
    void* address = pointer.address();  // throws if the memory was freed
    const opencl::Context* context = pointer.context();
    return add_argument(
        {Kind::svm, sizeof address, address, context == nullptr ? nullptr : context->raw()});
  }
  if (nb::isinstance<Sampler>(value))
    return add_argument(
        opencl::KernelArgument<opencl::Sampler>::of(instance_of<Sampler>(value).sampler));
  if (nb::isinstance<LocalMemory>(value))
    return add_argument({Kind::local, instance_of<LocalMemory>(value).size_bytes});
  if (nb::isinstance<CommandQueue>(value))
    return add_argument(
        opencl::KernelArgument<opencl::Queue>::of(instance_of<CommandQueue>(value).queue));
  if (is_python_number(value) && PyObject_CheckBuffer(value) == 0)
    refuse(value,
           "has no width: pass a NumPy scalar such as numpy.int32(...), or declare the "
           "types with set_scalar_arg_dtypes");
  add_view(value);
}

void ArgumentList::add_view(PyObject* value) {
  Py_buffer view{};
  if (PyObject_GetBuffer(value, &view, PyBUF_ANY_CONTIGUOUS) != 0) {
    PyErr_Clear();
    refuse(value, "is neither memory nor anything with bytes of its own");
  }
  views_.push_back(view);
  add_bytes(view.buf, static_cast<std::size_t>(view.len));
}

void ArgumentList::add(const ArgumentType& type, PyObject* value) {
  switch (type.form) {
    case ArgumentType::Form::generic:
      return add(value);
    case ArgumentType::Form::number:
      return add_number(type.code, value);
    case ArgumentType::Form::complex:
      return add_complex(type.code, value);
    case ArgumentType::Form::bytes:
      return add_view(value);
    case ArgumentType::Form::vector:
      return add_vector(false, value);
    case ArgumentType::Form::vector_with_offset:
      return add_vector(true, value);
  }
}

// Adds a Python number of the exact usual type; types are declared for these.
bool ArgumentList::add_plain_number(char code, PyObject* value) {
  if (PyFloat_CheckExact(value)) {
    const double number = PyFloat_AS_DOUBLE(value);
    if (code != 'f' && code != 'd') return false;
    code == 'f' ? add_value(static_cast<float>(number)) : add_value(number);
    return true;
  }
  const long number = small_integer(value);
  if (number < 0) return false;
  switch (code) {
    case 'i':
    case 'I':
      add_value(static_cast<std::int32_t>(number));
      return true;
    case 'l':
    case 'L':
    case 'q':
    case 'Q':
      add_value(std::int64_t{number});
      return true;
    default:
      return false;
  }
}

void ArgumentList::add_number(char code, PyObject* value) {
  if (add_plain_number(code, value)) return;
  const ScalarType* scalar = scalar_type(Py_TYPE(value));
  if (scalar != nullptr && scalar->code == code) return add_scalar(*scalar, value);
  if (code == 'e') {  // NumPy rounds; no other part of Python knows float16
    const nb::object half = nb::module_::import_("numpy").attr("float16")(nb::handle(value));
    std::uint16_t bits;
    std::memcpy(&bits, scalar_data(half.ptr()), sizeof bits);
    return add_value(bits);
  }
  if (code != 'f' && code != 'd') return add_integer(code, value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(value, "is no number");
  }
  return code == 'f' ? add_value(static_cast<float>(number)) : add_value(number);
}

template <class T>
void ArgumentList::require_fit(long long value) {
  using Limits = std::numeric_limits<T>;
  if (value < static_cast<long long>(Limits::min()) ||
      value > static_cast<long long>(Limits::max()))
    refuse(nb::object(nb::int_(value)).ptr(), "of value " + std::to_string(value) +
                                                  " does not fit into " +
                                                  std::to_string(sizeof(T)) + " bytes");
}

template <class T>
void ArgumentList::add_checked(long long value) {
  require_fit<T>(value);
  add_value(static_cast<T>(value));
}

void ArgumentList::report_truncation(PyObject* value, const nb::object& number) const {
  const int is_same = PyObject_RichCompareBool(number.ptr(), value, Py_EQ);
  if (is_same < 0) PyErr_Clear();
  if (is_same != 0) return;
  report_contradiction("argument " + std::to_string(first_ + count_),
                       "an integer was declared, and a " + type_name(value) + " of value " +
                           nb::cast<std::string>(nb::str(nb::handle(value))) + " is given; " +
                           nb::cast<std::string>(nb::str(number)) + " is passed");
}

void ArgumentList::add_integer(char code, PyObject* value) {
  // A Python float here is a mistake. PyOpenCL has always accepted NumPy's floats, truncated.
  if (PyFloat_CheckExact(value) || PyUnicode_Check(value) != 0 || PyBytes_Check(value) != 0)
    refuse(value, "is given where an integer was declared");
  if (code == '?') {
    const int truth = PyObject_IsTrue(value);
    if (truth < 0) throw nb::python_error();
    return add_value(static_cast<bool>(truth));
  }
  const nb::object number =
      PyLong_CheckExact(value) ? nb::borrow(value) : nb::steal(PyNumber_Long(value));
  if (!number.is_valid()) {
    PyErr_Clear();
    refuse(value, "is given where an integer was declared");
  }
  if (!PyLong_CheckExact(value)) report_truncation(value, number);
  if (code == 'L' || code == 'Q' || code == 'N') {
    const unsigned long long bits = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() == nullptr) return add_value(bits);
  }
  int overflow = code == 'L' || code == 'Q' || code == 'N' ? 1 : 0;
  PyErr_Clear();
  const long long bits = overflow != 0 ? 0 : PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) refuse(value, "does not fit into 8 bytes");
  switch (code) {
    case 'b':
    case 'c':
    case 'B':
      // One byte wraps as in PyOpenCL, for numbers that fit an int.
      require_fit<std::int32_t>(bits);
      return add_value(static_cast<std::uint8_t>(bits));
    case 'h':
      return add_checked<std::int16_t>(bits);
    case 'H':
      return add_checked<std::uint16_t>(bits);
    case 'i':
      return add_checked<std::int32_t>(bits);
    case 'I':
      return add_checked<std::uint32_t>(bits);
    default:
      return add_value(bits);
  }
}

void ArgumentList::add_complex(char code, PyObject* value) {
  const ScalarType* scalar = scalar_type(Py_TYPE(value));
  if (scalar != nullptr && scalar->code == code) return add_scalar(*scalar, value);
  const nb::object real = attribute_or_null(value, "real"), imag = attribute_or_null(value, "imag");
  if (!real.is_valid() || !imag.is_valid()) refuse(value, "is no complex number");
  const double parts[] = {PyFloat_AsDouble(real.ptr()), PyFloat_AsDouble(imag.ptr())};
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(value, "is no complex number");
  }
  if (code == 'D') return add_value(parts);
  const float narrow[] = {static_cast<float>(parts[0]), static_cast<float>(parts[1])};
  add_value(narrow);
}

void ArgumentList::add(const ArgumentType& type, const LaunchedArray& array) {
  const opencl::Buffer& memory = buffers_.emplace_back(
      instance_of<Context>(array.context).context,
      reinterpret_cast<opencl::RawMemory>(array.handle), opencl::Ownership::retain, array.end);
  add_argument(opencl::argument_of(memory, Kind::buffer));
  if (type.form == ArgumentType::Form::vector_with_offset)
    add_value(static_cast<std::int64_t>(array.offset));
}

void ArgumentList::add_vector(bool with_offset, PyObject* value) {
  const nb::object memory = attribute_or_null(value, "base_data");
  if (!memory.is_valid()) {
    add(value);
    if (with_offset) add_value(std::int64_t{0});
    return;
  }
  add(memory.ptr());  // the caller keeps the array, and the array keeps its memory
  if (with_offset) add_value(nb::cast<std::int64_t>(nb::handle(value).attr("offset")));
}

}  // namespace treadle::bindings::cl
