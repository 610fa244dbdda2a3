// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <string>

#include "errors.hpp"
#include "refused_call.hpp"

namespace treadle::bindings {

/// A contiguous buffer of a Python object, held during a call.
class HostBuffer {
 public:
  enum Access { read, write };
  /// Throws the exporter's exception, such as BufferError or NumPy's ValueError; TypeError naming
  /// the argument for an object without a buffer.
  HostBuffer(nb::handle object, Access access, const char* name = "the host's memory") {
    const int flags = PyBUF_ANY_CONTIGUOUS | (access == write ? PyBUF_WRITABLE : 0);
    if (PyUnicode_Check(object.ptr()) != 0)
      raise_python(PyExc_TypeError, std::string(name) + " is " + shown(object) +
                                        ": a str is no buffer; encode() gives one");
    if (PyObject_CheckBuffer(object.ptr()) == 0)
      raise_python(PyExc_TypeError, std::string(name) + " is " + shown(object) +
                                        ", wanted: a bytes-like object with a buffer, such as a "
                                        "NumPy array");
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nb::python_error();
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() { PyBuffer_Release(&view_); }
  std::byte* data() const { return static_cast<std::byte*>(view_.buf); }
  std::size_t size() const { return static_cast<std::size_t>(view_.len); }
  std::span<std::byte> bytes() const { return {data(), size()}; }

 private:
  Py_buffer view_{};
};

}  // namespace treadle::bindings
