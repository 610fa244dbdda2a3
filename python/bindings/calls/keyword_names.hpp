// SPDX-License-Identifier: MIT
// Finds the keywords of a vectorcall without comparing text: call sites have interned keywords.
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>

namespace treadle::bindings {

/// `Count` keywords. A keyword is known by its place in the list.
template <std::size_t Count>
class KeywordNames {
 public:
  constexpr explicit KeywordNames(const std::array<const char*, Count>& names) : names_(names) {}

  const char* name(std::size_t place) const { return names_[place]; }
  /// Call this before the first find(), with the GIL. The strings live as long as the process.
  void intern() {
    for (std::size_t i = 0; i < Count; ++i) objects_[i] = PyUnicode_InternFromString(names_[i]);
  }
  /// The place of `name`, a str; -1 if the list does not have it.
  int find(PyObject* name) const noexcept {
    for (std::size_t i = 0; i < Count; ++i)
      if (objects_[i] == name) return static_cast<int>(i);
    for (std::size_t i = 0; i < Count; ++i)  // of a dictionary made at run time
      if (PyUnicode_CompareWithASCIIString(name, names_[i]) == 0) return static_cast<int>(i);
    return -1;
  }

 private:
  std::array<const char*, Count> names_;
  std::array<PyObject*, Count> objects_{};
};

}  // namespace treadle::bindings
