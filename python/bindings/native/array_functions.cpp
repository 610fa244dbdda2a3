// SPDX-License-Identifier: MIT
// The native functions behind treadle.numpy.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <complex>
#include <deque>
#include <string>
#include <vector>

#include "caller.hpp"
#include "errors.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/promotion.hpp"
#include "treadle/array/closeness.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

nb::object apply_named(const std::string& name, const nb::args& arguments, nb::handle out,
                       nb::handle where) {
  const Op op = op_named(name);
  nb::handle beside;
  for (const nb::handle argument : arguments)
    if (as_array(argument.ptr()) != nullptr) beside = argument;
  if (!beside.is_valid()) beside = out;
  note_launch_site();
  std::deque<ArrayOperand> operands;  // a deque, so that operands referred to do not move
  std::vector<array::Operand> views;
  for (const nb::handle argument : arguments) {
    operands.emplace_back(argument.ptr(), beside.ptr());
    if (!operands.back())
      raise_python(PyExc_TypeError, name + "() of a " + Py_TYPE(argument.ptr())->tp_name);
    views.push_back(operands.back().get());
  }
  const Array* mask = as_array(where.ptr());
  if (mask == nullptr && !where.is_none())
    raise_python(PyExc_TypeError, name + "(): where= takes an Array");
  if (out.is_none() && mask != nullptr)
    raise_python(PyExc_TypeError, name + "(): where= needs out=, whose elements stay elsewhere");
  const Array target = out_array(out);
  if (!target.has_value()) return array_object(array::apply(op, views));
  array::apply_into(target, op, views, mask);
  return nb::borrow(out);
}

Array isclose_of(nb::handle x, nb::handle y, double rtol, double atol, bool equal_nan) {
  note_launch_site();
  const ArrayOperand a(x.ptr(), y.ptr()), b(y.ptr(), x.ptr());
  if (!a || !b)
    raise_python(PyExc_TypeError, std::string("isclose() of a ") + Py_TYPE(x.ptr())->tp_name +
                                      " and a " + Py_TYPE(y.ptr())->tp_name);
  return array::isclose(a.get(), b.get(),
                        {.relative = rtol, .absolute = atol, .nan_equals_nan = equal_nan});
}

void bind_progression(nb::module_& m) {
  m.def("progression",
        recorded(+[](nb::handle first, nb::handle second, std::int64_t count, nb::handle dtype,
                     nb::handle device) {
          return array::progression(number_from(first), number_from(second), count,
                                    scalar_from(dtype), placement_on(device));
        }),
        nb::arg("first"), nb::arg("second"), nb::arg("count"), nb::arg("dtype"),
        nb::arg("device") = nb::none(),
        nb::sig("def progression(first: typing.Any, second: typing.Any, count: int, dtype: "
                "typing.Any, device: treadle._core.device.Device | str | None = None) -> Array"),
        "So many elements, which go on by the distance of the first two.");
}

void bind_lines(nb::module_& m) {
  m.def("linspace",
        recorded(+[](double start, double stop, std::int64_t count, bool endpoint, nb::handle dtype,
                     nb::handle device) {
          return array::linspace(start, stop, count, endpoint, scalar_from(dtype),
                                 placement_on(device));
        }),
        nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("endpoint"), nb::arg("dtype"),
        nb::arg("device") = nb::none(),
        nb::sig("def linspace(start: float, stop: float, count: int, endpoint: bool, dtype: "
                "typing.Any, device: treadle._core.device.Device | str | None = None) -> Array"),
        "`count` numbers from start to stop.");
  m.def("complex_linspace",
        recorded(+[](std::complex<double> start, std::complex<double> stop, std::int64_t count,
                     bool endpoint, nb::handle dtype, nb::handle device) {
          return array::linspace(start, stop, count, endpoint, scalar_from(dtype),
                                 placement_on(device));
        }),
        nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("endpoint"), nb::arg("dtype"),
        nb::arg("device") = nb::none(),
        nb::sig("def complex_linspace(start: complex, stop: complex, count: int, endpoint: bool, "
                "dtype: typing.Any, device: treadle._core.device.Device | str | None = None) -> "
                "Array"),
        "`count` numbers on a line of the complex plane.");
  m.def("linspace_between",
        recorded(+[](const Array& start, const Array& stop, std::int64_t count, bool endpoint) {
          return array::linspace(start, stop, count, endpoint);
        }),
        nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("endpoint"),
        "`count` numbers from each element of an array to one of another, along a new first axis.");
}

void bind_ranges(nb::module_& m) {
  bind_progression(m);
  bind_lines(m);
  m.def(
      "arange",
      recorded(+[](nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype,
                   nb::handle device) {
        return array::arange(number_from(start), number_from(stop), number_from(step),
                             scalar_from(dtype), placement_on(device));
      }),
      nb::arg("start"), nb::arg("stop"), nb::arg("step"), nb::arg("dtype"),
      nb::arg("device") = nb::none(),
      nb::sig("def arange(start: typing.Any, stop: typing.Any, step: typing.Any, dtype: typing.Any,"
              " device: treadle._core.device.Device | str | None = None) -> Array"),
      "start, start + step, ... before stop.");
  m.def("logspace",
        recorded(+[](double start, double stop, std::int64_t count, bool endpoint, double base,
                     nb::handle device) {
          return array::logspace(start, stop, count, endpoint, base, placement_on(device));
        }),
        nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("endpoint"), nb::arg("base"),
        nb::arg("device") = nb::none(),
        nb::sig("def logspace(start: float, stop: float, count: int, endpoint: bool, base: float, "
                "device: treadle._core.device.Device | str | None = None) -> Array"),
        "base to the power of numbers from start to stop.");
  m.def("geomspace",
        recorded(
            +[](double start, double stop, std::int64_t count, bool endpoint, nb::handle device) {
              return array::geomspace(start, stop, count, endpoint, placement_on(device));
            }),
        nb::arg("start"), nb::arg("stop"), nb::arg("count"), nb::arg("endpoint"),
        nb::arg("device") = nb::none(),
        nb::sig("def geomspace(start: float, stop: float, count: int, endpoint: bool, device: "
                "treadle._core.device.Device | str | None = None) -> Array"),
        "Numbers from start to stop by a constant factor.");
  m.def("eye",
        recorded(+[](std::int64_t rows, std::int64_t columns, std::int64_t offset, nb::handle dtype,
                     nb::handle device) {
          return array::eye(rows, columns, offset, scalar_from(dtype), placement_on(device));
        }),
        nb::arg("rows"), nb::arg("columns"), nb::arg("offset"), nb::arg("dtype"),
        nb::arg("device") = nb::none(),
        nb::sig("def eye(rows: int, columns: int, offset: int, dtype: typing.Any, device: "
                "treadle._core.device.Device | str | None = None) -> Array"),
        "Ones on a diagonal.");
  m.def(
      "tri",
      recorded(+[](std::int64_t rows, std::int64_t columns, std::int64_t offset, nb::handle dtype) {
        return array::tri(rows, columns, offset, scalar_from(dtype));
      }),
      nb::arg("rows"), nb::arg("columns"), nb::arg("offset"), nb::arg("dtype"),
      nb::sig("def tri(rows: int, columns: int, offset: int, dtype: typing.Any) -> Array"),
      "Ones at and below a diagonal.");
  m.def("indices", recorded(+[](nb::handle shape) { return array::indices(shape_from(shape)); }),
        nb::arg("shape"), nb::sig("def indices(shape: typing.Any) -> Array"),
        "The place of each element along axis 0, along axis 1, ...");
}

/// Binds questions about the relation of two arrays.
void bind_questions(nb::module_& m) {
  m.def("isclose", &isclose_of, nb::arg("x"), nb::arg("y"), nb::arg("rtol"), nb::arg("atol"),
        nb::arg("equal_nan"),
        nb::sig("def isclose(x: typing.Any, y: typing.Any, rtol: float, atol: float, equal_nan: "
                "bool) -> Array"),
        "Of each pair of elements, whether they are close.");
  m.def(
      "is_contiguous",
      +[](const Array& x, nb::handle order) {
        return x.layout().is_contiguous(x.dtype().size_bytes(), memory_order(order));
      },
      nb::arg("x"), nb::arg("order"), nb::sig("def is_contiguous(x: Array, order: str) -> bool"),
      "Whether elements are dense, in this order.");
  m.def("array_equal", recorded(&array::array_equal), nb::arg("x"), nb::arg("y"),
        nb::arg("equal_nan"), "Whether both have one shape and equal elements. Waits.");
  m.def("array_equiv", recorded(&array::array_equiv), nb::arg("x"), nb::arg("y"),
        "Whether they broadcast together and are equal then. Waits.");
  m.def(
      "checked_axis", &checked_axis, nb::arg("axis"), nb::arg("rank"), nb::arg("what") = "",
      "An axis counted from the first of `rank` axes. IndexError, which begins with `what`, where "
      "it is none.");
  m.def("may_share_memory", &array::may_share_memory, nb::arg("x"), nb::arg("y"),
        "Whether a change of one may change the other.");
  m.def(
      "are_apart",
      [](nb::sequence arrays) {
        std::vector<Array> all;
        for (nb::handle item : arrays) {
          Array one;
          if (!nb::try_cast(item, one)) return false;
          for (const Array& other : all)
            if (array::may_share_memory(one, other)) return false;
          all.push_back(one);
        }
        return true;
      },
      nb::arg("arrays"),
      "Whether all are Arrays, and a change of one changes none of the others for certain.");
}

/// Makes records by a function of NumPy's, with its arguments in this order.
Array records_by(const char* function, nb::handle device, nb::handle order, auto... arguments) {
  const array::Placement placement = placement_on(device, order);
  const char* const name = placement.order == MemoryOrder::fortran ? "F" : "C";
  const nb::object host = nb::module_::import_("numpy").attr(function)(arguments..., name);
  return array_from(host, host.attr("dtype"), placement);
}

}  // namespace

void bind_array_functions(nb::module_& m) {
  m.def("array", recorded(nb::overload_cast<nb::handle, nb::handle, nb::handle>(&array_from)),
        nb::arg("values"), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
        nb::sig("def array(values: typing.Any, dtype: typing.Any = None, device: "
                "treadle._core.device.Device | str | None = None) -> Array"),
        "Values of the host as an array, in their own order. Blocking.");
  m.def(
      "apply", &apply_named, nb::arg("name"), nb::arg("operands"), nb::arg("out") = nb::none(),
      nb::arg("where") = nb::none(),
      nb::sig("def apply(name: str, *operands: typing.Any, out: Array | None = None, where: Array "
              "| None = None) -> Array"),
      "An operation on elements, by its name in NumPy.");
  m.def("zeros",
        recorded(+[](nb::handle shape, nb::handle dtype, nb::handle device, nb::handle order) {
          const DType element = dtype_from(dtype);
          if (element.scalar() == Scalar::structure)
            return records_by("zeros", device, order, shape, dtype);
          return array::zeros(shape_from(shape), element.scalar(), placement_on(device, order));
        }),
        nb::arg("shape"), nb::arg("dtype"), nb::arg("device") = nb::none(),
        nb::arg("order") = nb::none(),
        nb::sig("def zeros(shape: typing.Any, dtype: typing.Any, device: "
                "treadle._core.device.Device | str | None = None, order: str | None = None) -> "
                "Array"),
        "Every element 0, of text and raw bytes every byte.");
  m.def("full",
        recorded(+[](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device,
                     nb::handle order) {
          const DType element = dtype_from(dtype);
          if (element.scalar() == Scalar::structure)
            return records_by("full", device, order, shape, value, dtype);
          return array::full(shape_from(shape), number_from(value), element.scalar(),
                             placement_on(device, order));
        }),
        nb::arg("shape"), nb::arg("value"), nb::arg("dtype"), nb::arg("device") = nb::none(),
        nb::arg("order") = nb::none(),
        nb::sig("def full(shape: typing.Any, value: typing.Any, dtype: typing.Any, device: "
                "treadle._core.device.Device | str | None = None, order: str | None = None) -> "
                "Array"),
        "Every element the same number.");
  m.def("empty",
        recorded(+[](nb::handle shape, nb::handle dtype, nb::handle device, nb::handle order) {
          return array::empty(shape_from(shape), dtype_from(dtype), placement_on(device, order));
        }),
        nb::arg("shape"), nb::arg("dtype"), nb::arg("device") = nb::none(),
        nb::arg("order") = nb::none(),
        nb::sig("def empty(shape: typing.Any, dtype: typing.Any, device: "
                "treadle._core.device.Device | str | None = None, order: str | None = None) -> "
                "Array"),
        "Undefined elements.");
  bind_ranges(m);
  m.def("evaluate", recorded(+[](const nb::args& objects) {
          const auto array_of = [](nb::handle object) -> const Array& {
            const Array* one = as_array(object.ptr());
            if (one == nullptr) raise_python(PyExc_TypeError, "evaluate() takes Arrays");
            return *one;
          };
          if (objects.size() == 1) return array::evaluate(std::span(&array_of(objects[0]), 1));
          std::vector<Array> all;
          for (const nb::handle object : objects) all.push_back(array_of(object));
          array::evaluate(all);
        }),
        nb::sig("def evaluate(*arrays: Array) -> None"),
        "Computes pending arrays now, those of one shape in one pass. Queues, does not wait.");
  bind_questions(m);
  m.def("set_lazy", &array::set_lazy, nb::arg("lazy"),
        "Whether expressions wait until somebody looks at them. Returns what it was.");
}

}  // namespace treadle::bindings
