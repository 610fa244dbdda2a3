// SPDX-License-Identifier: MIT
// Elements under masks, and their places, for treadle.numpy.
#include "treadle/array/selection.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "native/array.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::bindings {
namespace {

using Counted = std::pair<Array, Array>;

Counted pair_of(array::Counted counted) {
  return {std::move(counted.values), std::move(counted.count)};
}

}  // namespace

void bind_array_selection(nb::module_& m, nb::class_<Array>& type) {
  m.def("nonzero", recorded(+[](const Array& x) { return array::nonzero(x); }), nb::arg("x"),
        "Places along each axis of what is not 0; waits for their number.");
  m.def("nonzero_counted", recorded(+[](const Array& x, std::int64_t capacity) {
          array::CountedPlaces counted = array::nonzero(x, {capacity});
          return std::pair(std::move(counted.places), std::move(counted.count));
        }),
        nb::arg("x"), nb::arg("capacity"), "The same and the number, without waiting.");
  m.def("flatnonzero", recorded(+[](const Array& x) { return array::flatnonzero(x); }),
        nb::arg("x"), "Places in C's order of what is not 0; waits for their number.");
  m.def("flatnonzero_counted", recorded(+[](const Array& x, std::int64_t capacity) {
          return pair_of(array::flatnonzero(x, {capacity}));
        }),
        nb::arg("x"), nb::arg("capacity"), "The same and the number, without waiting.");
  m.def("argwhere", recorded(&array::argwhere), nb::arg("x"),
        "A row of places along the axes for each element that is not 0.");
  m.def("extract", recorded(+[](const Array& condition, const Array& x) {
          return array::extract(condition, x);
        }),
        nb::arg("condition"), nb::arg("x"), "Elements where a condition is not 0.");
  m.def("extract_counted",
        recorded(+[](const Array& condition, const Array& x, std::int64_t capacity) {
          return pair_of(array::extract(condition, x, {capacity}));
        }),
        nb::arg("condition"), nb::arg("x"), nb::arg("capacity"),
        "The same and their number, without waiting.");
  m.def("compress", recorded(&array::compress), nb::arg("condition"), nb::arg("x"),
        nb::arg("axis").none(), "Parts along an axis where a condition is not 0.");
  m.def("without", recorded(&array::without), nb::arg("x"), nb::arg("indices"),
        nb::arg("axis").none(), "What is left without those at indices, or under a mask.");
  type.def("nonzero",
           recorded(+[](const Array& self) { return nb::tuple(nb::cast(array::nonzero(self))); }),
           nb::sig("def nonzero(self) -> tuple[Array, ...]"),
           "Places along each axis of the elements that are not 0; waits for their number.")
      .def("compress",
           recorded(+[](const Array& self, nb::handle condition, std::optional<int> axis,
                        nb::handle out) {
             const Array mask = as_array(condition.ptr()) != nullptr
                                    ? *as_array(condition.ptr())
                                    : array_from(condition, nb::none(), placement_beside(self));
             return result_in(out, array::compress(mask, self, axis));
           }),
           nb::arg("condition"), nb::arg("axis") = nb::none(), nb::arg("out") = nb::none(),
           nb::sig("def compress(self, condition: typing.Any, axis: int | None = None, out: Array "
                   "| None = None) -> Array"),
           "Parts along an axis, or elements in C's order, where a condition is not 0.");
}

}  // namespace treadle::bindings
