// SPDX-License-Identifier: MIT
// The waist as Python has it: what the bindings of devices and of kernels share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>

#include "treadle/device/buffer.hpp"
#include "treadle/device/info.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The C++ object if `object` is an instance of the bound class (or of a subclass); else null.
const device::Buffer* as_buffer(PyObject* object) noexcept;
device::Stream* as_stream(PyObject* object) noexcept;

/// 1 to 3 sizes: an integer or a sequence. Throws TypeError or OverflowError naming `what`.
device::Extent extent_argument(PyObject* object, const char* what);

/// Waits without the GIL; Ctrl-C ends the wait, not the work. Releases what copies on this stream
/// kept alive.
void wait_for(device::Stream& stream);

/// A contiguous buffer of the host, held as long as this lives.
class HostBytes {
 public:
  HostBytes(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_ANY_CONTIGUOUS | flags) != 0)
      throw nb::python_error();
  }
  HostBytes(const HostBytes&) = delete;
  HostBytes& operator=(const HostBytes&) = delete;
  ~HostBytes() { PyBuffer_Release(&view_); }
  std::span<std::byte> span() const {
    return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

}  // namespace treadle::bindings
