// SPDX-License-Identifier: MIT
// Reads and writes the codes of a format.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>

#include "calls/numpy_scalars.hpp"
#include "calls/pvt_struct.hpp"
#include "errors.hpp"

namespace treadle::bindings {
namespace {

struct Code {
  char code;
  std::uint8_t size, alignment;
  bool is_integer, is_signed;
};
constexpr Code codes[] = {
    {'c', 1, 1, false, false}, {'?', 1, 1, false, false}, {'b', 1, 1, true, true},
    {'B', 1, 1, true, false},  {'h', 2, 2, true, true},   {'H', 2, 2, true, false},
    {'i', 4, 4, true, true},   {'I', 4, 4, true, false},  {'l', 8, 8, true, true},
    {'L', 8, 8, true, false},  {'q', 8, 8, true, true},   {'Q', 8, 8, true, false},
    {'n', 8, 8, true, true},   {'N', 8, 8, true, false},  {'f', 4, 4, false, true},
    {'d', 8, 8, false, true},  {'F', 8, 4, false, true},  {'D', 16, 8, false, true},
    {'P', 8, 8, false, false}, {'s', 0, 1, false, false}, {'p', 0, 1, false, false},
    {'x', 1, 1, false, false}};

const Code* find_code(char code) noexcept {
  const auto* found = std::find_if(std::begin(codes), std::end(codes),
                                   [&](const Code& c) { return c.code == code; });
  return found == std::end(codes) ? nullptr : found;
}

template <class T>
void write(char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}
template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

nb::object as_index(PyObject* value) {
  PyObject* index = PyLong_CheckExact(value) ? Py_NewRef(value) : PyNumber_Index(value);
  if (index == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    raise_struct_error("required argument is not an integer");
  }
  return nb::steal(index);
}

[[noreturn]] void raise_out_of_range(char code, std::size_t size, bool is_signed) {
  if (size == 8) raise_struct_error("argument out of range");
  const auto bits = 8 * size;
  const long long highest = (1ll << (is_signed ? bits - 1 : bits)) - 1;
  const long long lowest = is_signed ? -highest - 1 : 0;
  raise_struct_error(std::string("'") + code + "' format requires " + std::to_string(lowest) +
                     " <= number <= " + std::to_string(highest));
}

void pack_integer(const Code& code, PyObject* value, char* to) {
  const nb::object index = as_index(value);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (number == -1 && overflow == 0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (code.size == 8 && !code.is_signed && overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      raise_out_of_range(code.code, code.size, code.is_signed);
    }
    return write(to, large);
  }
  const int unused_bits = 64 - 8 * code.size;
  const bool fits = code.is_signed
                        ? (number << unused_bits) >> unused_bits == number
                        : number >= 0 && (unused_bits == 0 || number >> (8 * code.size) == 0);
  if (overflow != 0 || !fits) raise_out_of_range(code.code, code.size, code.is_signed);
  std::memcpy(to, &number, code.size);  // little endian: the low bytes come first
}

bool is_complex(PyObject* value) {
  if (PyComplex_Check(value)) return true;
  // There are NumPy scalars only if NumPy was imported.
  const nb::object numpy = nb::steal(PyImport_GetModule(nb::object(nb::str("numpy")).ptr()));
  if (!numpy.is_valid()) return false;
  numpy_types();
  const ScalarType* scalar = scalar_type(Py_TYPE(value));
  return scalar != nullptr && scalar->kind == ScalarKind::complex;
}

double as_double(PyObject* value) {
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
  if (is_complex(value)) raise_struct_error("required argument is not a float");
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    raise_struct_error("required argument is not a float");
  }
  return number;
}

void pack_float(PyObject* value, char* to) {
  const double number = as_double(value);
  const auto narrow = static_cast<float>(number);
  if (std::isinf(narrow) && !std::isinf(number))
    raise_python(PyExc_OverflowError, "float too large to pack with f format");
  write(to, narrow);
}

std::complex<double> as_complex(PyObject* value) {
  Py_complex number = PyComplex_AsCComplex(value);
  if (number.real == -1.0 && PyErr_Occurred() != nullptr) {
    // A 0-dimensional array is no number, but complex() converts it.
    PyErr_Clear();
    PyObject* made = PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value);
    if (made == nullptr) {
      PyErr_Clear();
      raise_struct_error("required argument is not a complex number");
    }
    number = PyComplex_AsCComplex(made);
    Py_DECREF(made);
  }
  return {number.real, number.imag};
}

void pack_pointer(PyObject* value, char* to) {
  const nb::object index = as_index(value);
  // Negative numbers wrap: address arithmetic on signed integers is common in user code.
  const unsigned long long address = PyLong_AsUnsignedLongLongMask(index.ptr());
  if (address == ~0ull && PyErr_Occurred() != nullptr) throw nb::python_error();
  write(to, address);
}

class Bytes {
 public:
  Bytes(PyObject* value, const char* complaint) {
    if (PyObject_GetBuffer(value, &view_, PyBUF_SIMPLE) != 0) {
      PyErr_Clear();
      raise_struct_error(complaint);
    }
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }
  const char* data() const { return static_cast<const char*>(view_.buf); }
  std::size_t size() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

void pack_text(const FormatItem& item, PyObject* value, char* to) {
  const Bytes bytes(value, "argument for 's' or 'p' must be a bytes-like object");
  std::memset(to, 0, item.size);
  if (item.code == 's') {
    std::memcpy(to, bytes.data(), std::min(item.size, bytes.size()));
  } else if (item.size > 0) {  // a length byte, then the text
    const std::size_t length = std::min({bytes.size(), item.size - 1, std::size_t{255}});
    *to = static_cast<char>(length);
    std::memcpy(to + 1, bytes.data(), length);
  }
}

nb::object unpack_integer(const Code& code, const char* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, code.size);
  if (!code.is_signed) return nb::steal(PyLong_FromUnsignedLongLong(bits));
  const int unused_bits = 64 - 8 * code.size;
  return nb::steal(
      PyLong_FromLongLong(static_cast<std::int64_t>(bits << unused_bits) >> unused_bits));
}

nb::object bytes_object(const char* data, std::size_t size) {
  return nb::steal(PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(size)));
}

}  // namespace

std::size_t code_alignment(char code) noexcept {
  const Code* found = find_code(code);
  return found == nullptr ? 1 : found->alignment;
}
std::size_t code_size(char code) noexcept {
  const Code* found = find_code(code);
  return found == nullptr ? 0 : found->size;
}
bool is_integer_code(char code) noexcept {
  const Code* found = find_code(code);
  return found != nullptr && found->is_integer;
}

void pack_value(const FormatItem& item, PyObject* value, char* to) {
  const Code& code = *find_code(item.code);
  if (code.is_integer) return pack_integer(code, value, to);
  switch (item.code) {
    case 'P':
      return pack_pointer(value, to);
    case 'f':
      return pack_float(value, to);
    case 'd':
      return write(to, as_double(value));
    case 'F':
      return write(to, static_cast<std::complex<float>>(as_complex(value)));
    case 'D':
      return write(to, as_complex(value));
    case '?': {
      const int truth = PyObject_IsTrue(value);
      if (truth < 0) throw nb::python_error();
      return write(to, static_cast<char>(truth));
    }
    case 'c':
      if (!PyBytes_Check(value) || PyBytes_GET_SIZE(value) != 1)
        raise_struct_error("char format requires a bytes object of length 1");
      return write(to, *PyBytes_AS_STRING(value));
    default:
      return pack_text(item, value, to);
  }
}

nb::object unpack_value(const FormatItem& item, const char* from) {
  const Code& code = *find_code(item.code);
  if (code.is_integer) return unpack_integer(code, from);
  switch (item.code) {
    case 'P':
      return nb::steal(PyLong_FromUnsignedLongLong(read<std::uint64_t>(from)));
    case 'f':
      return nb::steal(PyFloat_FromDouble(static_cast<double>(read<float>(from))));
    case 'd':
      return nb::steal(PyFloat_FromDouble(read<double>(from)));
    case 'F': {
      const auto parts = read<std::complex<float>>(from);
      return nb::steal(PyComplex_FromDoubles(static_cast<double>(parts.real()),
                                             static_cast<double>(parts.imag())));
    }
    case 'D': {
      const auto parts = read<std::complex<double>>(from);
      return nb::steal(PyComplex_FromDoubles(parts.real(), parts.imag()));
    }
    case '?':
      return nb::bool_(*from != 0);
    case 'p': {
      const auto length = item.size == 0 ? 0u : static_cast<unsigned char>(*from);
      return bytes_object(from + 1,
                          std::min<std::size_t>(length, item.size == 0 ? 0 : item.size - 1));
    }
    default:
      return bytes_object(from, item.size);
  }
}

}  // namespace treadle::bindings
