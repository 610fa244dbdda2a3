// SPDX-License-Identifier: MIT
// Scans, runs and segment sums, for treadle.scans and for methods of treadle.numpy's functions.
#include "treadle/array/scan.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "native/array.hpp"
#include "native/promotion.hpp"

namespace treadle::bindings {
namespace {

using Three = std::tuple<Array, Array, Array>;

/// An operation's name, or (combine, neutral, preamble, {name: dtype}).
array::Associative operation_from(nb::handle operation) {
  array::Associative made;
  if (nb::isinstance<nb::str>(operation)) {
    made.op = op_named(nb::cast<std::string>(operation));
    return made;
  }
  const auto parts = nb::cast<nb::tuple>(operation);
  made.combine = nb::cast<std::string>(parts[0]);
  made.neutral = nb::cast<std::string>(parts[1]);
  made.preamble = nb::cast<std::string>(parts[2]);
  for (const auto [name, dtype] : nb::cast<nb::dict>(parts[3]))
    made.types.emplace_back(nb::cast<std::string>(name), dtype_from(dtype));
  return made;
}

Three keyed(array::KeyedValues made) {
  return {std::move(made.keys), std::move(made.values), std::move(made.count)};
}
Three runs(array::Runs made) {
  return {std::move(made.values), std::move(made.lengths), std::move(made.count)};
}

void bind_segments(nb::module_& m) {
  m.def("segmented_reduce",
        recorded(+[](const Array& x, const Array& starts, const std::optional<Array>& ends,
                     nb::handle operation, int axis) {
          const array::Associative own = operation_from(operation);
          return ends ? array::segmented_reduce(x, starts, *ends, own, axis)
                      : array::segmented_reduce(x, starts, own, axis);
        }),
        nb::arg("x"), nb::arg("starts"), nb::arg("ends").none(), nb::arg("operation"),
        nb::arg("axis"),
        nb::sig("def segmented_reduce(x: Array, starts: Array, ends: Array | None, operation: "
                "typing.Any, axis: int) -> Array"),
        "What the elements of each segment combine to; without ends, `starts` are offsets.");
  m.def(
      "reduceat",
      recorded(+[](const Array& x, const Array& indices, nb::handle operation, int axis) {
        return array::reduceat(x, indices, operation_from(operation), axis);
      }),
      nb::arg("x"), nb::arg("indices"), nb::arg("operation"), nb::arg("axis"),
      nb::sig("def reduceat(x: Array, indices: Array, operation: typing.Any, axis: int) -> Array"),
      "As NumPy's ufunc.reduceat.");
  m.def("combine_at",
        recorded(+[](const Array& x, const Array& places, nb::handle values, nb::handle operation) {
          array::combine_at(x, places, AssignedValue(x, values, Place::chosen).get(),
                            operation_from(operation));
        }),
        nb::arg("x"), nb::arg("places"), nb::arg("values"), nb::arg("operation"),
        nb::sig("def combine_at(x: Array, places: Array, values: typing.Any, operation: "
                "typing.Any) -> None"),
        "Combines elements at places in C's order with values, once for each place.");
}

}  // namespace

void bind_array_scans(nb::module_& m) {
  m.def("scan",
        recorded(+[](const Array& x, nb::handle operation, std::optional<int> axis,
                     bool is_exclusive, bool is_reversed) {
          return array::scan(x, operation_from(operation), {axis, is_exclusive, is_reversed});
        }),
        nb::arg("x"), nb::arg("operation"), nb::arg("axis").none(), nb::arg("is_exclusive"),
        nb::arg("is_reversed"),
        nb::sig("def scan(x: Array, operation: typing.Any, axis: int | None, is_exclusive: bool, "
                "is_reversed: bool) -> Array"),
        "For each element what all up to it combine to.");
  m.def("segmented_scan",
        recorded(+[](const Array& x, const Array& beside, bool are_keys, nb::handle operation,
                     bool is_exclusive, bool is_reversed) {
          const array::Associative own = operation_from(operation);
          const array::ScanForm form{std::nullopt, is_exclusive, is_reversed};
          return are_keys ? array::scan_by_key(beside, x, own, form)
                          : array::segmented_scan(x, beside, own, form);
        }),
        nb::arg("x"), nb::arg("beside"), nb::arg("are_keys"), nb::arg("operation"),
        nb::arg("is_exclusive"), nb::arg("is_reversed"),
        nb::sig("def segmented_scan(x: Array, beside: Array, are_keys: bool, operation: "
                "typing.Any, is_exclusive: bool, is_reversed: bool) -> Array"),
        "The same, beginning anew where `beside` is not 0, or another key.");
  m.def("reduce_by_key",
        recorded(+[](const Array& keys, const Array& values, nb::handle operation,
                     std::optional<std::int64_t> capacity) {
          const array::Associative own = operation_from(operation);
          return keyed(capacity ? array::reduce_by_key(keys, values, own, {*capacity})
                                : array::reduce_by_key(keys, values, own));
        }),
        nb::arg("keys"), nb::arg("values"), nb::arg("operation"), nb::arg("capacity").none(),
        nb::sig("def reduce_by_key(keys: Array, values: Array, operation: typing.Any, capacity: "
                "int | None) -> tuple[Array, Array, Array]"),
        "Keys, what the values of each run combine to, and the number of runs.");
  m.def("run_length_encode", recorded(+[](const Array& x, std::optional<std::int64_t> capacity) {
          return runs(capacity ? array::run_length_encode(x, {*capacity})
                               : array::run_length_encode(x));
        }),
        nb::arg("x"), nb::arg("capacity").none(),
        "The value and the length of each run, and the number of runs.");
  m.def("run_length_decode", recorded(&array::run_length_decode), nb::arg("values"),
        nb::arg("lengths"), "Each value as often as its length says.");
  bind_segments(m);
}

}  // namespace treadle::bindings
