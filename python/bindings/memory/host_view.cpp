// SPDX-License-Identifier: MIT
// Wraps every request for a Python object's buffer: the linker puts this file between the module
// and Python (--wrap=PyObject_GetBuffer). Copies read the bytes from here. Elements that are Python
// objects, or records with such fields, are refused, because the elements of a device are not
// Python objects.
#include <Python.h>

namespace treadle::bindings {
namespace {

/// Whether a format of the struct module, with NumPy's records, has the letter for Python objects.
/// Field names stand between colons.
bool has_objects(const char* format) noexcept {
  bool is_name = false;
  for (; *format != '\0'; ++format) {
    if (*format == ':')
      is_name = !is_name;
    else if (*format == 'O' && !is_name)
      return true;
  }
  return false;
}

/// Does the same for objects that give their bytes without a format. NumPy has no format for dates,
/// for texts of any length (which are pointers) and for names with a colon; their dtypes tell.
bool has_objects(PyObject* elements) noexcept {
  PyObject* const dtype = PyObject_GetAttrString(elements, "dtype");
  PyObject* const answer = dtype != nullptr ? PyObject_GetAttrString(dtype, "hasobject") : nullptr;
  const bool has = answer != nullptr && PyObject_IsTrue(answer) == 1;
  Py_XDECREF(answer);
  Py_XDECREF(dtype);
  PyErr_Clear();
  return has;
}

}  // namespace
}  // namespace treadle::bindings

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): ld gives these names to wrapped functions
int __real_PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags);

int __wrap_PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags) {
  if (__real_PyObject_GetBuffer(object, view, flags) != 0) return -1;
  Py_buffer full;
  if (__real_PyObject_GetBuffer(object, &full, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    if (!treadle::bindings::has_objects(object)) return 0;
  } else {
    const bool is_refused = full.format != nullptr && treadle::bindings::has_objects(full.format);
    PyBuffer_Release(&full);
    if (!is_refused) return 0;
  }
  PyBuffer_Release(view);
  PyErr_Format(PyExc_TypeError,
               "the elements of the %.200s are Python objects, wanted: numbers or records of "
               "numbers; bytes are copied, and those of a device are no objects: "
               "x.astype(numpy.float32) makes numbers",
               Py_TYPE(object)->tp_name);
  return -1;
}
// NOLINTEND(bugprone-reserved-identifier)
}
