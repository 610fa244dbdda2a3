// SPDX-License-Identifier: MIT
// The facts that a launch of a face reads of an array argument. Arrays and faces do not know each
// other, so that arrays set the function.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace treadle::bindings {

namespace nb = nanobind;

/// An array whose memory only Treadle knows.
struct LaunchedArray {
  std::uint64_t handle;        ///< of its memory
  std::uint64_t offset, end;   ///< bytes to its first element, and behind its last
  bool is_dense;               ///< no gaps between elements, in whichever order
  PyObject *context, *events;  ///< borrowed; the events that the program added, or null
};
struct LaunchedArrays {
  /// For a launch at `place` that may write to the array and is queued there next. The array's
  /// expressions stay deferred, because no other code gets its address. Returns false, and does
  /// nothing, for other objects, other devices, and memory that the program knows.
  bool (*read)(PyObject* object, PyObject* place, LaunchedArray& array) = nullptr;
};
inline LaunchedArrays& launched_arrays() noexcept {
  static LaunchedArrays functions;
  return functions;
}

}  // namespace treadle::bindings
