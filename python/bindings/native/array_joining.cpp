// SPDX-License-Identifier: MIT
// Rearranging and joining arrays, for treadle.numpy. Arguments are complete lists here; Python adds
// NumPy's defaults and spellings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "native/choice.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/padding.hpp"

namespace treadle::bindings {
namespace {

using Arrays = std::vector<Array>;
using Axes = std::vector<int>;
using Counts = std::vector<std::int64_t>;

/// A number or an array, or None.
class OptionalOperand {
 public:
  OptionalOperand(const char* name, nb::handle object, const Array& beside) {
    if (object.is_none()) return;
    operand_.emplace(object.ptr(), beside);
    if (!*operand_)
      raise_python(PyExc_TypeError, std::string(name) + " is no array, number or None, but a " +
                                        Py_TYPE(object.ptr())->tp_name);
  }
  std::optional<array::Operand> get() const {
    return operand_ ? std::optional(operand_->get()) : std::nullopt;
  }

 private:
  std::optional<ArrayOperand> operand_;
};

/// Numbers before and behind each axis of an array, cast to its dtype.
class GivenPairs {
 public:
  GivenPairs(const Array& x, const std::vector<std::pair<nb::object, nb::object>>& values) {
    for (const auto& [before, behind] : values) {
      given_.emplace_back(x, before);
      given_.emplace_back(x, behind);
      pairs_.emplace_back(given_[given_.size() - 2].get(), given_.back().get());
    }
  }
  const std::vector<array::PadValues>& get() const noexcept { return pairs_; }

 private:
  std::deque<AssignedValue> given_;  // a deque, so that values referred to do not move
  std::vector<array::PadValues> pairs_;
};

array::PadMode pad_mode_from(const std::string& name) {
  static constexpr const char* names[] = {"edge", "reflect",     "symmetric",
                                          "wrap", "linear_ramp", "maximum",
                                          "mean", "median",      "minimum"};
  return chosen_by_name<array::PadMode>(names, name, "pad: mode='");
}

void bind_views(nb::module_& m) {
  m.def("moveaxis", recorded(+[](const Array& x, const Axes& axes, const Axes& destinations) {
          return array::moveaxis(x, axes, destinations);
        }),
        nb::arg("x"), nb::arg("axes"), nb::arg("destinations"),
        "A view with axes moved to other places.");
  m.def("squeeze",
        recorded(+[](const Array& x, const Axes& axes) { return array::squeeze(x, axes); }),
        nb::arg("x"), nb::arg("axes"), "A view without axes of length 1.");
  m.def("expand_dims",
        recorded(+[](const Array& x, const Axes& axes) { return array::expand_dims(x, axes); }),
        nb::arg("x"), nb::arg("axes"), "A view with more axes of length 1.");
  m.def("flip", recorded(+[](const Array& x, const Axes& axes) { return array::flip(x, axes); }),
        nb::arg("x"), nb::arg("axes"), "A view with axes turned round.");
  m.def("rot90", recorded(&array::rot90), nb::arg("x"), nb::arg("quarters"), nb::arg("axis"),
        nb::arg("other"), "A view turned by quarters.");
  m.def("broadcast_to", recorded(+[](const Array& x, const Counts& shape) {
          return array::broadcast_to(x, shape);
        }),
        nb::arg("x"), nb::arg("shape"), "A view with axes repeated.");
  m.def("broadcast_arrays",
        recorded(+[](const Arrays& all) { return array::broadcast_arrays(all); }),
        nb::arg("arrays"), "Views in the shape that all are broadcast to.");
  m.def("meshgrid", recorded(+[](const Arrays& all, bool is_cartesian, bool is_sparse) {
          return array::meshgrid(all, {.is_cartesian = is_cartesian, .is_sparse = is_sparse});
        }),
        nb::arg("coordinates"), nb::arg("is_cartesian"), nb::arg("is_sparse"),
        "Views: the i-th varies along axis i.");
  m.def("reshape", recorded(+[](const Array& x, const Counts& shape, nb::handle order) {
          return array::reshape(x, shape, memory_order(order));
        }),
        nb::arg("x"), nb::arg("shape"), nb::arg("order"),
        nb::sig("def reshape(x: Array, shape: collections.abc.Sequence[int], order: str) -> Array"),
        "Another shape, elements counted in an order; a copy where it takes one.");
  m.def("ravel_in_memory_order", recorded(&array::ravel_in_memory_order), nb::arg("x"),
        "One axis, elements counted as they lie in memory.");
  m.def("diagonal", recorded(&array::diagonal), nb::arg("x"), nb::arg("offset"), nb::arg("axis"),
        nb::arg("other"), "A view of elements (i, i + offset).");
  m.def("split", recorded(+[](const Array& x, const Counts& positions, int axis) {
          return array::split(x, positions, axis);
        }),
        nb::arg("x"), nb::arg("positions"), nb::arg("axis"),
        "Views of the parts between positions.");
  m.def("array_split", recorded(&array::array_split), nb::arg("x"), nb::arg("parts"),
        nb::arg("axis"), "Views of as many parts.");
  m.def("unstack", recorded(&array::unstack), nb::arg("x"), nb::arg("axis"),
        "Views of the parts along an axis, without it.");
}

void bind_copies(nb::module_& m) {
  m.def("concatenate",
        recorded(+[](const Arrays& all, int axis) { return array::concatenate(all, axis); }),
        nb::arg("arrays"), nb::arg("axis"), "One behind the other.");
  m.def("stack", recorded(+[](const Arrays& all, int axis) { return array::stack(all, axis); }),
        nb::arg("arrays"), nb::arg("axis"), "Along an axis that they do not have.");
  m.def("hstack", recorded(+[](const Arrays& all) { return array::hstack(all); }),
        nb::arg("arrays"), "Side by side.");
  m.def("vstack", recorded(+[](const Arrays& all) { return array::vstack(all); }),
        nb::arg("arrays"), "Rows one below the other.");
  m.def("dstack", recorded(+[](const Arrays& all) { return array::dstack(all); }),
        nb::arg("arrays"), "One behind the other along the third axis.");
  m.def("column_stack", recorded(+[](const Arrays& all) { return array::column_stack(all); }),
        nb::arg("arrays"), "Columns side by side.");
  m.def("append", recorded(&array::append), nb::arg("x"), nb::arg("values"), nb::arg("axis").none(),
        "One behind the other; without an axis all elements.");
  m.def("insert",
        recorded(+[](const Array& x, const Counts& positions, const Array& values, int axis) {
          return array::insert(x, positions, values, axis);
        }),
        nb::arg("x"), nb::arg("positions"), nb::arg("values"), nb::arg("axis"),
        "Values before elements of an axis.");
  m.def("erase", recorded(+[](const Array& x, const Counts& positions, int axis) {
          return array::erase(x, positions, axis);
        }),
        nb::arg("x"), nb::arg("positions"), nb::arg("axis"), "Without elements of an axis.");
  m.def("resize",
        recorded(+[](const Array& x, const Counts& shape) { return array::resize(x, shape); }),
        nb::arg("x"), nb::arg("shape"), "The elements in another shape, again where few.");
  m.def("diag", recorded(&array::diag), nb::arg("x"), nb::arg("offset"),
        "A matrix with a diagonal, or a read-only view of a matrix's diagonal.");
  m.def("roll", recorded(+[](const Array& x, const Counts& shifts, const Axes& axes) {
          return array::roll(x, shifts, axes);
        }),
        nb::arg("x"), nb::arg("shifts"), nb::arg("axes"),
        "Elements moved on, those behind the end to the beginning.");
  m.def("repeat", recorded(nb::overload_cast<const Array&, std::int64_t, int>(&array::repeat)),
        nb::arg("x"), nb::arg("count"), nb::arg("axis"), "Each element several times.");
  m.def("tile",
        recorded(+[](const Array& x, const Counts& counts) { return array::tile(x, counts); }),
        nb::arg("x"), nb::arg("counts"), "The whole several times.");
  m.def("pad",
        recorded(+[](const Array& x, const std::vector<array::PadWidth>& widths, nb::handle value) {
          const AssignedValue border(x, value);
          return array::pad(x, widths, border.get());
        }),
        nb::arg("x"), nb::arg("widths"), nb::arg("value").none(),
        nb::sig("def pad(x: Array, widths: collections.abc.Sequence[tuple[int, int]], value: "
                "typing.Any) -> Array"),
        "With a border of one number.");
  m.def("pad_by_pairs",
        recorded(+[](const Array& x, const std::vector<array::PadWidth>& widths,
                     const std::vector<std::pair<nb::object, nb::object>>& values) {
          const GivenPairs pairs(x, values);
          return array::pad(x, widths, pairs.get());
        }),
        nb::arg("x"), nb::arg("widths"), nb::arg("values"),
        nb::sig("def pad_by_pairs(x: Array, widths: collections.abc.Sequence[tuple[int, int]], "
                "values: collections.abc.Sequence[tuple[typing.Any, typing.Any]]) -> Array"),
        "With a border of a number for each side of an axis.");
  m.def("pad_by_mode",
        recorded(+[](const Array& x, const std::vector<array::PadWidth>& widths,
                     const std::string& mode, bool is_odd,
                     const std::vector<array::PadWidth>& lengths,
                     const std::vector<std::pair<nb::object, nb::object>>& ends) {
          const GivenPairs pairs(x, ends);
          return array::pad(x, widths, pad_mode_from(mode), {is_odd, lengths, pairs.get()});
        }),
        nb::arg("x"), nb::arg("widths"), nb::arg("mode"), nb::arg("is_odd"), nb::arg("lengths"),
        nb::arg("ends"),
        nb::sig("def pad_by_mode(x: Array, widths: collections.abc.Sequence[tuple[int, int]], "
                "mode: str, is_odd: bool, lengths: collections.abc.Sequence[tuple[int, int]], "
                "ends: collections.abc.Sequence[tuple[typing.Any, typing.Any]]) -> Array"),
        "With a border of the array's own elements.");
}

void bind_elementwise(nb::module_& m) {
  m.def("write_into", recorded(+[](const Array& out, const Array& result, bool broadcasts) {
          using array::OutShape;
          array::write_into(out, result, broadcasts ? OutShape::broadcast : OutShape::same);
        }),
        nb::arg("out"), nb::arg("result"), nb::arg("broadcasts") = false,
        "A result into an array of its shape, cast as same_kind allows.");
  m.def("clip", recorded(+[](const Array& x, nb::handle low, nb::handle high) {
          const OptionalOperand least("min", low, x), greatest("max", high, x);
          return array::clip(x, least.get(), greatest.get());
        }),
        nb::arg("x"), nb::arg("low").none(), nb::arg("high").none(),
        nb::sig("def clip(x: Array, low: typing.Any, high: typing.Any) -> Array"),
        "Elements between two numbers.");
  m.def("round", recorded(&array::round), nb::arg("x"), nb::arg("decimals"),
        "To so many decimals, and to even ones halfway.");
  m.def("tril", recorded(&array::tril), nb::arg("x"), nb::arg("offset"), "Zeros above a diagonal.");
  m.def("triu", recorded(&array::triu), nb::arg("x"), nb::arg("offset"), "Zeros below a diagonal.");
}

/// Without an axis, repeats all elements as one axis. There is one count, or one count for each
/// element.
Array repeated(const Array& x, nb::handle repeats, std::optional<int> axis) {
  const array::Shape counts = shape_from(repeats);
  const Array of = axis ? x : array::ravel(x);
  if (counts.size() == 1) return array::repeat(of, counts[0], axis.value_or(0));
  return array::repeat(of, counts, axis.value_or(0));
}

Array squeezed(const Array& x, nb::handle axis) {
  const array::Axes axes = axes_from(axis);
  return axes.named() ? array::squeeze(x, *axes.named()) : array::squeeze(x);
}

}  // namespace

Array raveled(const Array& x, const std::string& order) {
  if (order == "K") return array::ravel_in_memory_order(x);
  return array::ravel(x, order_in(x, order));
}

void bind_array_joining_methods(nb::class_<Array>& type) {
  type.def("swapaxes", recorded(&array::swapaxes), nb::arg("axis1"), nb::arg("axis2"),
           "A view with two axes in each other's place.")
      .def("squeeze", recorded(&squeezed), nb::arg("axis") = nb::none(),
           nb::sig("def squeeze(self, axis: int | typing.Sequence[int] | None = None) -> Array"),
           "A view without axes of length 1, or without those that are named.")
      .def("diagonal", recorded(&array::diagonal), nb::arg("offset") = 0, nb::arg("axis1") = 0,
           nb::arg("axis2") = 1, "Elements (i, i + offset) of two axes, as a new last one: a view.")
      .def("flatten", recorded(+[](const Array& x, const std::string& order) {
             return order == "C" ? array::ravel(array::dense_copy(x))
                                 : array::dense_copy(raveled(x, order));
           }),
           nb::arg("order") = "C", nb::sig("def flatten(self, order: str = 'C') -> Array"),
           "A copy with one axis, elements in C's order or another.")
      .def("repeat", recorded(&repeated), nb::arg("repeats"), nb::arg("axis") = nb::none(),
           nb::sig("def repeat(self, repeats: int | typing.Sequence[int], axis: int | None = None) "
                   "-> Array"),
           "Each element several times, along an axis or in one axis of all.")
      .def("clip",
           recorded(+[](const Array& self, nb::handle low, nb::handle high, nb::handle out) {
             const OptionalOperand least("min", low, self), greatest("max", high, self);
             return result_in(out, array::clip(self, least.get(), greatest.get()),
                              array::OutShape::broadcast);
           }),
           nb::arg("min") = nb::none(), nb::arg("max") = nb::none(), nb::arg("out") = nb::none(),
           nb::sig("def clip(self, min: typing.Any = None, max: typing.Any = None, out: Array | "
                   "None = None) -> Array"),
           "Elements between two numbers; None for no bound.");
}

void bind_array_joining(nb::module_& m) {
  bind_views(m);
  bind_copies(m);
  bind_elementwise(m);
}

}  // namespace treadle::bindings
