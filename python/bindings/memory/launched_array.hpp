// SPDX-License-Identifier: MIT
// The facts about an array argument that a launch of a face reads. Arrays and faces do not include
// each other, so that arrays set a function pointer here.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace treadle::bindings {

namespace nb = nanobind;

/// An array whose address only Treadle knows.
struct LaunchedArray {
  std::uint64_t handle;        ///< of its memory
  std::uint64_t offset, end;   ///< bytes to its first element, and behind its last
  bool is_dense;               ///< no gaps between elements, in any order
  PyObject *context, *events;  ///< borrowed; `events` are those that the program added, or null
};
struct LaunchedArrays {
  /// Prepares a launch at `place`, queued there next, that may write to the array. Expressions of
  /// the array stay pending, because no other code learns its address. Returns false without an
  /// effect for other objects, other devices, and memory whose address the program knows.
  bool (*read)(PyObject* object, PyObject* place, LaunchedArray& array) = nullptr;
};
inline LaunchedArrays& launched_arrays() noexcept {
  static LaunchedArrays functions;
  return functions;
}

}  // namespace treadle::bindings
