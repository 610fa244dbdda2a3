// SPDX-License-Identifier: MIT
// Reads the small integers of launches without a call into CPython.
#pragma once

#include <Python.h>

namespace treadle::bindings {

/// The value of a non-negative int that fits one digit of CPython's (below 2^30), as sizes and
/// counts nearly always do. -1 for every other object, which the caller then reads in the general
/// way.
inline long small_integer(PyObject* object) noexcept {
  if (!PyLong_CheckExact(object)) return -1;
#if PY_VERSION_HEX >= 0x030C0000
  const auto* number = reinterpret_cast<PyLongObject*>(object);
  if (!PyUnstable_Long_IsCompact(number)) return -1;
  const Py_ssize_t value = PyUnstable_Long_CompactValue(number);
  return value < 0 ? -1 : static_cast<long>(value);
#else
  // The sign of the size is that of the number.
  const Py_ssize_t digits = Py_SIZE(object);
  if (digits == 1) return static_cast<long>(reinterpret_cast<PyLongObject*>(object)->ob_digit[0]);
  return digits == 0 ? 0 : -1;
#endif
}

/// Sizes in one to three directions. `count` is 0 if small_sides() cannot read the object.
struct SmallSides {
  Py_ssize_t count = 0;
  long x = 0, y = 0, z = 0;
};

/// Reads a tuple of one to three small integers, as nearly every launch passes it. Missing sizes
/// become `rest`. The caller reads, or refuses, every other object in the general way.
inline SmallSides small_sides(PyObject* given, long rest) noexcept {
  if (!PyTuple_CheckExact(given)) return {};
  const Py_ssize_t count = PyTuple_GET_SIZE(given);
  if (count < 1 || count > 3) return {};
  // Three variables and no loop, so that the values stay in registers.
  const long x = small_integer(PyTuple_GET_ITEM(given, 0));
  const long y = count > 1 ? small_integer(PyTuple_GET_ITEM(given, 1)) : rest;
  const long z = count > 2 ? small_integer(PyTuple_GET_ITEM(given, 2)) : rest;
  if ((x | y | z) < 0) return {};
  return {count, x, y, z};
}

}  // namespace treadle::bindings
