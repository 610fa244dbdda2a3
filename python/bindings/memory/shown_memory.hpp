// SPDX-License-Identifier: MIT
// How each face shows its users the memory of an array: as an object of the face's own class.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Set by each face when its classes are made.
struct ShownMemory {
  nb::object (*pycuda)(memory::Buffer buffer) = nullptr;
  nb::object (*pyopencl)(memory::Buffer buffer, nb::handle context) = nullptr;
};
inline ShownMemory& shown_memory() noexcept {
  static ShownMemory functions;
  return functions;
}

}  // namespace treadle::bindings
