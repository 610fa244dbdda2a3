// SPDX-License-Identifier: MIT
// Shows the memory of an array to the users of each face, as an object of the face's class.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Each face sets these when it makes its classes.
struct ShownMemory {
  nb::object (*pycuda)(memory::Buffer buffer) = nullptr;
  nb::object (*pyopencl)(memory::Buffer buffer, nb::handle context) = nullptr;
};
inline ShownMemory& shown_memory() noexcept {
  static ShownMemory functions;
  return functions;
}

}  // namespace treadle::bindings
