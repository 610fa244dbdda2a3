// SPDX-License-Identifier: MIT
// Arguments of a METH_FASTCALL | METH_KEYWORDS method, by place or by name.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "calls/keyword_names.hpp"
#include "errors.hpp"

namespace treadle::bindings {

/// Returns every argument of `method`, borrowed, in the order of `names`. No argument may be left
/// out. `count` is the number of positional arguments; `keywords` is the tuple of names of the
/// others, or null. Throws TypeError.
template <std::size_t Count>
std::array<PyObject*, Count> named_arguments(const std::string& method,
                                             const KeywordNames<Count>& names,
                                             PyObject* const* arguments, Py_ssize_t count,
                                             PyObject* keywords) {
  std::array<PyObject*, Count> found{};
  if (static_cast<std::size_t>(count) > Count)
    raise_python(PyExc_TypeError, method + "() takes " + std::to_string(Count) +
                                      " arguments, given " + std::to_string(count));
  for (Py_ssize_t i = 0; i < count; ++i) found[static_cast<std::size_t>(i)] = arguments[i];
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* const name = PyTuple_GET_ITEM(keywords, i);
    const int place = names.find(name);
    if (place < 0) {
      const char* const text = PyUnicode_AsUTF8(name);
      raise_python(PyExc_TypeError,
                   method + "() has no argument " + (text == nullptr ? "of that name" : text));
    }
    if (found[static_cast<std::size_t>(place)] != nullptr)
      raise_python(PyExc_TypeError,
                   method + "() got " + names.name(static_cast<std::size_t>(place)) + " twice");
    found[static_cast<std::size_t>(place)] = arguments[count + i];
  }
  for (std::size_t i = 0; i < Count; ++i)
    if (found[i] == nullptr) raise_python(PyExc_TypeError, method + "() needs " + names.name(i));
  return found;
}

}  // namespace treadle::bindings
