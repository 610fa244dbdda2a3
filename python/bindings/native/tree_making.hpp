// SPDX-License-Identifier: MIT
// Makes nodes in the constructors of tree.hpp's classes.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "native/tree.hpp"

namespace treadle::bindings {

/// Makes the node in a Python object: `place(self, Kind::assignment, {left, "=", right})`.
template <class T, std::size_t count>
void place(T* self, Kind kind, Part (&&parts)[count], Parts list = {}) {
  new (self) T(kind, std::span<Part>(parts), std::move(list), tree::Position{});
}
/// Makes a node that has only a list.
template <class T>
void place_list(T* self, Kind kind, Parts list) {
  new (self) T(kind, std::span<Part>(), std::move(list), tree::Position{});
}
/// Makes a node of the Python class `T` in our own functions, at the line that called them.
template <class T, class... Arguments>
NodePtr make_object(Arguments&&... arguments) {
  const nb::object made =
      nb::handle(reinterpret_cast<PyObject*>(T::type))(std::forward<Arguments>(arguments)...);
  return NodePtr(nb::inst_ptr<tree::Node>(made));
}

inline const nb::sig contents_signature(
    "def __init__(self, contents: collections.abc.Iterable[typing.Any] | None = None) -> None");

}  // namespace treadle::bindings
