// SPDX-License-Identifier: MIT
// Reads the nodes that a new node of a graph waits for.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "errors.hpp"
#include "treadle/cuda/graph.hpp"

namespace treadle::bindings {

/// Takes None, a node, or several nodes.
inline cuda::After after_argument(nb::handle after) {
  if (after.is_none()) return {};
  if (nb::isinstance<cuda::GraphNode>(after)) return nb::cast<const cuda::GraphNode&>(after);
  std::vector<cuda::GraphNode> nodes;
  if (!nb::try_cast(after, nodes))
    raise_python(PyExc_TypeError,
                 std::string("after is None, a GraphNode or a list of them, not ") +
                     Py_TYPE(after.ptr())->tp_name);
  return nodes;
}

}  // namespace treadle::bindings
