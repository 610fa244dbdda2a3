// SPDX-License-Identifier: MIT
// treadle.Array, and the conversion of Python's arguments to arrays, numbers, shapes and places.
#include "native/array.hpp"
#include "native/array_counting.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "caller.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "native/device.hpp"
#include "native/face_array.hpp"
#include "native/layout.hpp"
#include "native/promotion.hpp"
#include "python_parts.hpp"
#include "rooms.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::bindings {
namespace {

using array::Operand;
using array::Shape;

PyTypeObject* array_type = nullptr;

void fill(const Array& self, nb::handle value) {
  const AssignedValue assigned(self, value, Place::element);
  const Array* const array = assigned.get().array();
  if (array != nullptr && array->size() == 1 && self.dtype() == Scalar::boolean)
    return self.assign(array::reshape(*array, {}));
  if (array != nullptr && array->rank() != 0 &&
      (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())))
    throw DTypeError(std::string("fill() with a ") + Py_TYPE(value.ptr())->tp_name +
                         ": it is one number, which all elements become",
                     "x[...] = value assigns what broadcasts");
  if (array != nullptr && array->rank() != 0)
    throw ShapeError("fill() with a value of shape " + shape_text(array->shape()) +
                         ": it is one number, which all elements become",
                     "x[...] = value assigns what broadcasts");
  self.assign(assigned.get());
}

/// Converts as operator.index() does: floats and texts are refused.
std::int64_t length_from(nb::handle object) {
  const nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
  if (!integer.is_valid()) {
    PyErr_Clear();
    raise_python(PyExc_TypeError, std::string("a ") + Py_TYPE(object.ptr())->tp_name +
                                      " is no length or axis: pass an integer");
  }
  const long long value = PyLong_AsLongLong(integer.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

/// Clamps an axis to an int. An axis beyond an int is beyond every array, and so is the clamped
/// one.
int axis_from(std::int64_t axis) {
  using Limits = std::numeric_limits<int>;
  return static_cast<int>(std::clamp<std::int64_t>(axis, Limits::min(), Limits::max()));
}

std::shared_ptr<device::Device> device_object(nb::handle object) {
  std::shared_ptr<device::Device> device;
  if (!nb::try_cast(object, device))
    raise_python(PyExc_TypeError, std::string("device= is a ") + Py_TYPE(object.ptr())->tp_name +
                                      ": pass a Device, its name such as 'cuda:0', or None");
  return device;
}

Shape shape_arguments(const nb::args& arguments) {
  if (arguments.size() == 1) return shape_from(arguments[0]);
  return shape_from(arguments);
}

Array matrix_transpose(const Array& self) {
  if (self.rank() < 2)
    throw ShapeError("mT of an array of shape " + shape_text(self.shape()),
                     "it takes two axes or more");
  return array::swapaxes(self, -2, -1);
}

/// x.real = value and x.imag = value.
template <Array (*part)(const Array&)>
void set_part(const Array& self, nb::handle value) {
  note_launch_site();
  if (part == &array::imaginary_part && self.dtype().kind() != ScalarKind::complex)
    throw DTypeError("an array of " + self.dtype().name() + " has no imaginary part to set",
                     "x.astype(complex) has one");
  const Array target = part(self);
  target.assign(AssignedValue(target, value).get());
}

void bind_properties(nb::class_<Array>& type) {
  const auto getter = [](const char* text) { return nb::for_getter(nb::sig(text)); };
  type.def_prop_ro(
          "shape", [](const Array& self) { return tuple_of(self.shape()); },
          getter("def shape(self) -> tuple[int, ...]"), "The length of each axis.")
      .def_prop_ro(
          "strides", [](const Array& self) { return tuple_of(self.strides()); },
          getter("def strides(self) -> tuple[int, ...]"),
          "Bytes from one element to the next, along each axis.")
      .def_prop_ro(
          "dtype", [](const Array& self) { return numpy_dtype_of(self.dtype()); },
          getter("def dtype(self) -> numpy.dtype"), "Of an element.")
      .def_prop_ro("ndim", &Array::rank, "How many axes it has.")
      .def_prop_ro("size", &Array::size, "How many elements it has.")
      .def_prop_ro("nbytes", &Array::size_bytes, "Of all elements.")
      .def_prop_ro(
          "itemsize", [](const Array& self) { return self.dtype().size_bytes(); },
          "Bytes of an element.")
      .def_prop_ro("is_pending", &Array::is_pending, "Whether it has not been computed yet.")
      .def_prop_ro(
          "device", [](const Array& self) { return self.device().shared_from_this(); },
          getter("def device(self) -> treadle._core.device.Device"), "Where it is.")
      .def_prop_ro("T", nb::overload_cast<const Array&>(&array::transpose),
                   "A view with its axes in reverse.")
      .def_prop_ro("mT", &matrix_transpose, "A view with the last two axes exchanged.")
      .def_prop_rw("real", &array::real_part, &set_part<&array::real_part>,
                   nb::for_setter(nb::sig("def real(self, value: typing.Any, /) -> None")),
                   "The real parts, as a view; can be assigned to.")
      .def_prop_rw("imag", &array::imaginary_part, &set_part<&array::imaginary_part>,
                   nb::for_setter(nb::sig("def imag(self, value: typing.Any, /) -> None")),
                   "The imaginary parts, as a view that can be assigned to; of real elements "
                   "zeros, which cannot.");
}

Array copied(const Array& self, const std::string& order) {
  if (order == "K") return array::copy(self);
  if (order_in(self, order) == MemoryOrder::c) return array::dense_copy(self);
  return array::transpose(array::dense_copy(array::transpose(self)));
}

/// Throws DTypeError unless numpy.can_cast() allows it.
void require_cast(const DType& from, const DType& to, const std::string& casting) {
  const nb::object allows = numpy().attr("can_cast");
  if (!nb::cast<bool>(allows(numpy_dtype_of(from), numpy_dtype_of(to), casting)))
    throw DTypeError(
        "astype: " + from.name() + " is not cast to " + to.name() + " as casting='" + casting + "'",
        "allow more: casting='same_kind' or 'unsafe'");
}

void bind_methods(nb::class_<Array>& type) {
  type.def(
          "astype",
          recorded(+[](nb::handle self, nb::handle dtype, const std::string& order,
                       const std::string& casting, bool copies) {
            const Array x = nb::cast<const Array&>(self);
            const DType wanted = dtype_from(dtype);
            if (casting != "unsafe") require_cast(x.dtype(), wanted, casting);
            if (!copies && x.dtype() == wanted && order == "K") return nb::borrow(self);
            warn_of_cast(x.dtype(), wanted);
            const Array made = array::cast(x, wanted);
            return array_object(order == "K" ? made : copied(made, order));
          }),
          nb::arg("dtype"), nb::arg("order") = "K", nb::arg("casting") = "unsafe", nb::kw_only(),
          nb::arg("copy") = true,
          nb::sig("def astype(self, dtype: typing.Any, order: str = 'K', casting: str = 'unsafe', "
                  "*, copy: bool = True) -> Array"),
          "The elements in another dtype, as a new array; the array itself, with copy=False, where "
          "it has that dtype. DTypeError where `casting` does not allow it.")
      .def("copy", recorded(&copied), nb::arg("order") = "C",
           nb::sig("def copy(self, order: str = 'C') -> Array"),
           "A dense copy, in C's order, Fortran's (F), that of the two which this has (A), or with "
           "axes "
           "as this has them in memory (K).")
      .def("fill", recorded(&fill), nb::arg("value").none(),
           nb::sig("def fill(self, value: typing.Any) -> None"), "Makes every element this number.")
      .def(
          "reshape",
          recorded(+[](const Array& self, const nb::args& shape, const std::string& order) {
            return array::reshape(self, shape_arguments(shape), order_in(self, order));
          }),
          nb::arg("shape"), nb::arg("order") = "C",
          nb::sig("def reshape(self, *shape: int | typing.Sequence[int], order: str = 'C') -> "
                  "Array"),
          "The same elements under another shape, of which one extent may be -1: a view, or a copy "
          "where strides cannot say it. They are counted in C's order, Fortran's (F), or that of "
          "the two which this has (A).")
      .def(
          "ravel",
          recorded(+[](const Array& x, const std::string& order) { return raveled(x, order); }),
          nb::arg("order") = "C", nb::sig("def ravel(self, order: str = 'C') -> Array"),
          "One axis, elements in C's order or another: a view where they lie one after another, or "
          "a copy.")
      .def(
          "transpose",
          [](const Array& self, const nb::args& axes) {
            if (axes.size() == 0 || (axes.size() == 1 && axes[0].is_none()))
              return array::transpose(self);
            std::vector<int> order;
            for (const std::int64_t axis : shape_arguments(axes)) order.push_back(axis_from(axis));
            return array::permute_dims(self, order);
          },
          nb::sig("def transpose(self, *axes: int | typing.Sequence[int] | None) -> Array"),
          "A view with its axes in another order; in reverse without an argument.");
}

}  // namespace

nb::object numpy() { return nb::module_::import_("numpy"); }
nb::object protocols() { return python_part("numpy protocols"); }
bool is_numpy_scalar(PyObject* object) {
  static const nb::object& generic = *new nb::object(numpy().attr("generic"));
  return PyObject_IsInstance(object, generic.ptr()) == 1;
}
bool is_numpy_array(PyObject* object) {
  static const nb::object& ndarray = *new nb::object(numpy().attr("ndarray"));
  return PyObject_IsInstance(object, ndarray.ptr()) == 1;
}

bool is_array_itself(PyObject* object) noexcept { return Py_TYPE(object) == array_type; }

const Array* as_array(PyObject* object) {
  if (Py_TYPE(object) == array_type || PyObject_TypeCheck(object, array_type))
    return &instance_of<Array>(object);
  return nullptr;
}

Array out_array(nb::handle out) {
  if (out.is_none()) return {};
  const Array* const given = as_array(out.ptr());
  if (given == nullptr) raise_python(PyExc_TypeError, "out= takes an Array");
  return *given;
}

nb::object array_object(Array array, PyTypeObject* type) {
  nb::object made =
      nb::inst_alloc(reinterpret_cast<PyObject*>(type != nullptr ? type : array_type));
  new (nb::inst_ptr<Array>(made)) Array(std::move(array));
  nb::inst_mark_ready(made);
  return made;
}

Shape shape_from(nb::handle shape) {
  if (PyIndex_Check(shape.ptr())) return {length_from(shape)};
  if (PySequence_Check(shape.ptr()) == 0 || PyUnicode_Check(shape.ptr()) != 0)
    raise_python(PyExc_TypeError, std::string("a ") + Py_TYPE(shape.ptr())->tp_name +
                                      " stands for no lengths or axes: pass integers, one or a "
                                      "sequence");
  Shape extents;
  for (const nb::handle extent : nb::iter(shape)) extents.push_back(length_from(extent));
  return extents;
}

array::Axes axes_from(nb::handle axes) {
  if (axes.is_none()) return {};
  std::vector<int> all;
  for (const std::int64_t axis : shape_from(axes)) all.push_back(axis_from(axis));
  return all;
}

array::Placement placement_on(nb::handle device, nb::handle order) {
  array::Placement placement;
  if (PyUnicode_Check(device.ptr()) != 0)
    placement.stream = stream_for(*device::find_device(nb::cast<std::string>(device)));
  else if (!device.is_none())
    placement.stream = stream_for(*device_object(device));
  if (order.is_valid()) placement.order = memory_order(order);
  return placement;
}

MemoryOrder memory_order(nb::handle order) {
  if (order.is_none()) return MemoryOrder::c;
  const std::string name = nb::cast<std::string>(nb::str(order));
  if (name != "C" && name != "F")
    throw InvalidArgument("the order \"" + name + "\" of elements in memory", "\"C\" or \"F\"");
  return name == "F" ? MemoryOrder::fortran : MemoryOrder::c;
}

MemoryOrder order_in(const Array& x, const std::string& order) {
  if (order != "A") return memory_order(nb::str(order.c_str()));
  const std::size_t item = x.dtype().size_bytes();
  const bool is_fortran =
      !x.layout().is_contiguous(item) && x.layout().is_contiguous(item, MemoryOrder::fortran);
  return is_fortran ? MemoryOrder::fortran : MemoryOrder::c;
}

Array array_from(nb::handle values, nb::handle dtype, array::Placement placement) {
  nb::object host = numpy().attr("asarray")(values, dtype);
  const bool is_fortran = nb::cast<bool>(host.attr("flags").attr("f_contiguous")) &&
                          !nb::cast<bool>(host.attr("flags").attr("c_contiguous"));
  const Shape shape = shape_from(host.attr("shape"));
  if (!is_fortran) host = numpy().attr("ascontiguousarray")(host);
  placement.order = is_fortran ? MemoryOrder::fortran : MemoryOrder::c;
  const auto* const data =
      reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(host.attr("ctypes").attr("data")));
  const DType element = dtype_from(host.attr("dtype"));
  nb::gil_scoped_release released;
  return Array::from(data, shape, element, placement);
}

Array array_from(nb::handle values, nb::handle dtype, nb::handle device) {
  return array_from(values, dtype, placement_on(device));
}

void bind_array(nb::module_& m) {
  auto type = nb::class_<Array>(m, "Array", nb::type_slots(array_slots),
                                "A rectangular block of elements of one dtype on a device.");
  array_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def(
      nb::init<const Array&>(), nb::arg("array"),
      "The same array: its elements are shared. For subclasses; treadle.numpy makes new ones.");
  bind_properties(type);
  bind_array_host(m, type);
  bind_array_protocols(type);
  bind_methods(type);
  bind_array_indexing_methods(type);
  bind_array_joining_methods(type);
  bind_array_laziness(m, type);
  bind_array_functions(m);
  bind_array_reductions(m, type);
  bind_array_interchange(m);
  bind_array_indexing(m);
  bind_array_element_functions(m);
  bind_array_linear_algebra(m);
  bind_array_signal(m);
  bind_array_joining(m);
  bind_array_selection(m, type);
  bind_array_scans(m);
  bind_array_ordering(m, type);
  bind_array_searching(m, type);
  bind_array_counting(m);
  bind_array_flags(m, type);
  bind_array_memory(m);
  bind_array_numpy_methods(type);
  bind_user_kernels(m);
  bind_face_array(m);
  bind_array_faces(m);
}

}  // namespace treadle::bindings
