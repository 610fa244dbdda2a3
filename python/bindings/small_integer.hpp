// SPDX-License-Identifier: MIT
// Integers as launches have them: small, and read without a call into CPython.
#pragma once

#include <Python.h>

namespace treadle::bindings {

/// The value of an int that is not negative and fits one digit of CPython's (below 2^30), which
/// sizes and counts nearly always are. -1 for every other object: read that the long way.
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

}  // namespace treadle::bindings
