// SPDX-License-Identifier: MIT
// Searches among sorted elements, and arrays as sets, for treadle.numpy.
#include "treadle/array/searching.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "native/array.hpp"
#include "treadle/array/sets.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

array::SearchSide side_from(const std::string& side) {
  if (side == "left") return array::SearchSide::left;
  if (side == "right") return array::SearchSide::right;
  throw InvalidArgument("searchsorted with side='" + side + "'", "pass 'left' or 'right'");
}

Array searched(const Array& sorted, const Array& x, const std::string& side,
               const std::optional<Array>& sorter) {
  return array::searchsorted(sorted, x, side_from(side), sorter.value_or(Array()));
}

/// Returns None for a result that the caller did not ask for.
nb::object optional_array(const Array& x) { return x.has_value() ? array_object(x) : nb::none(); }

nb::tuple unique(const Array& x, bool has_indices, bool has_inverse, bool has_counts,
                 bool makes_nans_equal, std::optional<int> axis) {
  const array::Unique made =
      array::unique(x, {has_indices, has_inverse, has_counts, makes_nans_equal, axis});
  return nb::make_tuple(array_object(made.values), optional_array(made.indices),
                        optional_array(made.inverse), optional_array(made.counts));
}

void bind_sets(nb::module_& m) {
  m.def("unique", recorded(&unique), nb::arg("x"), nb::arg("has_indices"), nb::arg("has_inverse"),
        nb::arg("has_counts"), nb::arg("makes_nans_equal"), nb::arg("axis").none(),
        nb::sig("def unique(x: Array, has_indices: bool, has_inverse: bool, has_counts: bool, "
                "makes_nans_equal: bool, axis: int | None) -> tuple[Array, Array | None, Array | "
                "None, Array | "
                "None]"),
        "Values in their order, where each is first, which each element is, and their counts.");
  m.def("union1d", recorded(&array::union1d), nb::arg("x"), nb::arg("y"),
        "Values that one of both has.");
  m.def("intersect1d", recorded(+[](const Array& x, const Array& y, bool are_unique) {
          array::Intersection made = array::intersect1d(x, y, are_unique);
          return std::tuple(made.values, made.first, made.second);
        }),
        nb::arg("x"), nb::arg("y"), nb::arg("are_unique"),
        "Values that both have, and their places in both.");
  m.def("setdiff1d", recorded(&array::setdiff1d), nb::arg("x"), nb::arg("y"), nb::arg("are_unique"),
        "Values of x that y does not have.");
  m.def("setxor1d", recorded(&array::setxor1d), nb::arg("x"), nb::arg("y"), nb::arg("are_unique"),
        "Values that one of both has, and the other has not.");
  m.def("isin", recorded(&array::isin), nb::arg("x"), nb::arg("y"), nb::arg("is_inverted"),
        "Whether each element is one of y's.");
}

}  // namespace

void bind_array_searching(nb::module_& m, nb::class_<Array>& type) {
  m.def("searchsorted", recorded(&searched), nb::arg("sorted"), nb::arg("x"), nb::arg("side"),
        nb::arg("sorter").none(), "Where elements would stand among others that are sorted.");
  m.def("digitize", recorded(&array::digitize), nb::arg("x"), nb::arg("edges"), nb::arg("is_right"),
        "Which of the bins between edges each element is in.");
  m.def("interp",
        recorded(+[](const Array& x, const Array& places, const Array& values,
                     std::optional<double> left, std::optional<double> right,
                     std::optional<double> period) {
          return array::interp(x, places, values, {left, right, period});
        }),
        nb::arg("x"), nb::arg("places"), nb::arg("values"), nb::arg("left").none(),
        nb::arg("right").none(), nb::arg("period").none(), "Values on the line through others.");
  bind_sets(m);
  type.def("searchsorted",
           recorded(+[](const Array& self, nb::handle v, const std::string& side,
                        const std::optional<Array>& sorter) {
             const Array* own = as_array(v.ptr());
             const Array x =
                 own != nullptr ? *own : array_from(v, nb::none(), placement_beside(self));
             return searched(self, x, side, sorter);
           }),
           nb::arg("v"), nb::arg("side") = "left", nb::arg("sorter") = nb::none(),
           nb::sig("def searchsorted(self, v: typing.Any, side: str = 'left', sorter: Array | None "
                   "= None) -> Array"),
           "Where elements would stand among those of this array, which is sorted.");
}

}  // namespace treadle::bindings
