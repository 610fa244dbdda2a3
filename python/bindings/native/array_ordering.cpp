// SPDX-License-Identifier: MIT
// Sorts, for treadle.numpy.
#include "treadle/array/ordering.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/array.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using Axis = std::optional<int>;

/// Accepts each of NumPy's kinds; every kind is the same stable sort.
void require_kind(const std::optional<std::string>& kind, nb::handle order, nb::handle stable) {
  static constexpr const char* kinds[] = {"quicksort", "mergesort", "heapsort", "stable"};
  if (kind && std::ranges::find(kinds, *kind) == std::end(kinds))
    throw InvalidArgument("a sort of kind='" + *kind + "'",
                          "pass 'quicksort', 'mergesort', 'heapsort' or 'stable'");
  if (kind && !stable.is_none())
    throw InvalidArgument("a sort with kind='" + *kind + "' and stable=", "pass one of them");
  if (!order.is_none())
    throw NotSupported("a sort with order=, of fields of records", "lexsort() takes the fields");
}

/// Checks the places that divide a partition. They count elements along the axis, from either end.
void require_places(const Array& x, nb::handle kth, const Axis& axis) {
  const auto extent = [&](int along) {
    return x.shape()[static_cast<std::size_t>(checked_axis(along, x.rank()))];
  };
  const std::int64_t length = axis && x.rank() > 0 ? extent(*axis) : x.size();
  for (const std::int64_t place : shape_from(kth))  // NumPy checks nothing for empty arrays
    if (x.size() > 0 && (place < -length || place >= length))
      throw InvalidArgument(
          "kth=" + std::to_string(place) + " of " + std::to_string(length) + " elements",
          "pass a place along the axis");
}

Array sorted(const Array& x, const Axis& axis, bool is_descending) {
  return array::sorted(x, {axis, is_descending});
}
Array argsort(const Array& x, const Axis& axis, bool is_descending) {
  return array::argsort(x, {axis, is_descending});
}
Array partitioned(const Array& x, nb::handle kth, const Axis& axis) {
  require_places(x, kth, axis);
  return array::sorted(x, {.axis = axis});
}
Array argpartitioned(const Array& x, nb::handle kth, const Axis& axis) {
  require_places(x, kth, axis);
  return array::argsort(x, {.axis = axis});
}

using Kind = std::optional<std::string>;

void bind_methods(nb::class_<Array>& type) {
  type.def("sort",
           recorded(+[](const Array& self, int axis, const Kind& kind, nb::handle order,
                        nb::handle stable, bool descending) {
             require_kind(kind, order, stable);
             array::sort_in_place(self, {axis, descending});
           }),
           nb::arg("axis") = -1, nb::arg("kind") = nb::none(), nb::arg("order") = nb::none(),
           nb::kw_only(), nb::arg("stable") = nb::none(), nb::arg("descending") = false,
           nb::sig("def sort(self, axis: int = -1, kind: str | None = None, order: None = None, *, "
                   "stable: bool | None = None, descending: bool = False) -> None"),
           "Sorts the elements along an axis, in place; see treadle.numpy.sort().")
      .def("argsort",
           recorded(+[](const Array& self, const Axis& axis, const Kind& kind, nb::handle order,
                        nb::handle stable, bool descending) {
             require_kind(kind, order, stable);
             return argsort(self, axis, descending);
           }),
           nb::arg("axis").none() = -1, nb::arg("kind") = nb::none(), nb::arg("order") = nb::none(),
           nb::kw_only(), nb::arg("stable") = nb::none(), nb::arg("descending") = false,
           nb::sig("def argsort(self, axis: int | None = -1, kind: str | None = None, order: None "
                   "= None, *, stable: bool | None = None, descending: bool = False) -> Array"),
           "Where the sorted elements are along an axis; see treadle.numpy.argsort().")
      .def("partition", recorded(+[](const Array& self, nb::handle kth, int axis) {
             require_places(self, kth, axis);
             array::sort_in_place(self, {axis});
           }),
           nb::arg("kth"), nb::arg("axis") = -1,
           nb::sig("def partition(self, kth: int | typing.Sequence[int], axis: int = -1) -> None"),
           "Brings the elements at kth to where a sort has them, in place.")
      .def("argpartition", recorded(&argpartitioned), nb::arg("kth"), nb::arg("axis").none() = -1,
           nb::sig("def argpartition(self, kth: int | typing.Sequence[int], axis: int | None = -1) "
                   "-> Array"),
           "Where the elements of partition() are.");
}

}  // namespace

void bind_array_ordering(nb::module_& m, nb::class_<Array>& type) {
  bind_methods(type);
  m.def("sorted", recorded(&sorted), nb::arg("x"), nb::arg("axis").none(), nb::arg("is_descending"),
        "The elements along an axis, in a new array.");
  m.def("partitioned", recorded(&partitioned), nb::arg("x"), nb::arg("kth"), nb::arg("axis").none(),
        nb::sig("def partitioned(x: Array, kth: int | collections.abc.Sequence[int], axis: int | "
                "None) -> Array"),
        "With the elements at kth where a sort has them.");
  m.def("require_kind", &require_kind, nb::arg("kind").none(), nb::arg("order").none(),
        nb::arg("stable").none(),
        nb::sig("def require_kind(kind: str | None, order: object, stable: object) -> None"),
        "Refuses what a sort does not take.");
  m.def("top_k",
        recorded(+[](const Array& x, std::int64_t k, const Axis& axis, bool largest, bool sorted) {
          static_cast<void>(sorted);
          const array::TopK made = array::top_k(x, k, {axis, largest});
          return std::pair(made.values, made.indices);
        }),
        nb::arg("x"), nb::arg("k"), nb::arg("axis").none() = -1, nb::arg("largest") = true,
        nb::arg("sorted") = true,
        "The k largest (or smallest) elements along an axis, in their order, and where they are: "
        "values and indices. Of equal elements the first ones; NaN is largest. They are in their "
        "order with sorted=False, too.");
  m.def("merge", recorded(&array::merged), nb::arg("x"), nb::arg("y"),
        "One sorted array of two sorted ones, of one axis each; of equal elements those of x come "
        "first.");
  m.def("sort_complex", recorded(&array::sort_complex), nb::arg("x"),
        "Complex numbers in their order.");
  m.def("lexsort", recorded(+[](const std::vector<Array>& keys, int axis) {
          return array::lexsort(keys, axis);
        }),
        nb::arg("keys"), nb::arg("axis"), "The order by several keys, the last one first.");
}

}  // namespace treadle::bindings
