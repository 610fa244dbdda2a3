// SPDX-License-Identifier: MIT
// treadle.Array: operators as type slots, because a call through Python costs as much as the rest.
#include "native/array.hpp"

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
#include "native/device.hpp"
#include "native/layout.hpp"
#include "native/promotion.hpp"
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

Array& self_of(PyObject* object) { return *nb::inst_ptr<Array>(object); }

/// The array that becomes the result of a slot; what is thrown becomes Python's error.
template <class Compute>
PyObject* guarded(Compute compute) noexcept {
  try {
    return compute();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    set_python_error(Face::native);
  }
  return nullptr;
}

PyObject* not_implemented() noexcept {
  Py_INCREF(Py_NotImplemented);
  return Py_NotImplemented;
}

template <Op op>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    const ArrayOperand x(a, b), y(b, a);
    if (!x || !y) return not_implemented();
    note_launch_site();
    return array_object(array::apply(op, {x.get(), y.get()})).release().ptr();
  });
}

template <Op op>
PyObject* unary(PyObject* a) noexcept {
  return guarded([&]() -> PyObject* {
    note_launch_site();
    return array_object(array::apply(op, {self_of(a)})).release().ptr();
  });
}

template <Op op>
PyObject* in_place(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    // Python computes a = a + b then. Arrays of faces change in place.
    if (Py_TYPE(a) == array_type && self_of(a).is_scalar()) return not_implemented();
    const ArrayOperand y(b, a);
    if (!y) return not_implemented();
    note_launch_site();
    self_of(a).update(op, y.get());
    Py_INCREF(a);
    return a;
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) noexcept {
  return guarded([&]() -> PyObject* {
    const ArrayOperand x(a, b), y(b, a);
    if (modulus != Py_None || !x || !y) return not_implemented();
    note_launch_site();
    // Of bool that is int8, where power() gives int64; of numbers it is power().
    const Array* const base = x.get().array();
    if (base != nullptr && !base->is_scalar() && PyLong_CheckExact(b) &&
        y.get().number().as_double() == 2)
      return array_object(array::square(x.get())).release().ptr();
    return array_object(array::power(x.get(), y.get())).release().ptr();
  });
}

PyObject* divmod(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    const ArrayOperand x(a, b), y(b, a);
    if (!x || !y) return not_implemented();
    note_launch_site();
    Array quotient = array::apply(Op::floor_divide, {x.get(), y.get()});
    Array rest = array::apply(Op::remainder, {x.get(), y.get()});
    return nb::make_tuple(array_object(std::move(quotient)), array_object(std::move(rest)))
        .release()
        .ptr();
  });
}

PyObject* matrix_product(PyObject*, PyObject*) noexcept {
  return guarded([]() -> PyObject* {
    throw NotSupported("the product of matrices: arrays get it in the next release",
                       "x.get() @ y.get() computes it on the host");
  });
}

PyObject* in_place_power(PyObject* a, PyObject* b, PyObject*) noexcept {
  return in_place<Op::power>(a, b);
}

/// == and != of what no element can be equal to; faces have their own.
PyObject* compare_with_none(PyObject* a, bool answer) noexcept {
  return guarded([&]() -> PyObject* {
    note_launch_site();
    return array_object(array::full_like(self_of(a), answer, Scalar::boolean)).release().ptr();
  });
}

PyObject* compare(PyObject* a, PyObject* b, int how) noexcept {
  const bool is_nothing = b == Py_None || PyUnicode_CheckExact(b) || PyBytes_CheckExact(b);
  if (is_nothing && (how == Py_EQ || how == Py_NE) && Py_TYPE(a) == array_type)
    return compare_with_none(a, how == Py_NE);
  switch (how) {
    case Py_LT:
      return binary<Op::less>(a, b);
    case Py_LE:
      return binary<Op::less_equal>(a, b);
    case Py_EQ:
      return binary<Op::equal>(a, b);
    case Py_NE:
      return binary<Op::not_equal>(a, b);
    case Py_GT:
      return binary<Op::greater>(a, b);
    default:
      return binary<Op::greater_equal>(a, b);
  }
}

int truth(PyObject* a) noexcept {
  const PyObject* done = guarded([&]() -> PyObject* {
    const Array& self = self_of(a);
    if (self.size() != 1)
      throw InvalidArgument("the truth value of an array of " + std::to_string(self.size()) +
                                " elements is ambiguous",
                            "use any() or all()");
    return self.item().as_bool() ? Py_True : Py_False;
  });
  return done == nullptr ? -1 : static_cast<int>(done == Py_True);
}

Py_ssize_t length(PyObject* a) noexcept {
  Py_ssize_t result = -1;
  guarded([&]() -> PyObject* {
    const Array& self = self_of(a);
    if (self.rank() == 0) raise_python(PyExc_TypeError, "len() of an array without axes");
    result = static_cast<Py_ssize_t>(self.shape()[0]);
    return nullptr;
  });
  return result;
}

/// What an element is where all axes have an index: in NumPy a number, so that a[i], a[j] = a[j],
/// a[i] exchanges them; a record is a view there, and everything is in faces.
Array as_read(PyObject* a, Array chosen) {
  const bool is_number = chosen.rank() == 0 && chosen.dtype().scalar() != Scalar::structure;
  return is_number && Py_TYPE(a) == array_type ? array::element(chosen) : chosen;
}

bool has_ellipsis(PyObject* key) {
  if (!PyTuple_Check(key)) return key == Py_Ellipsis;
  const nb::tuple parts = nb::borrow<nb::tuple>(key);
  return std::any_of(parts.begin(), parts.end(),
                     [](nb::handle part) { return part.ptr() == Py_Ellipsis; });
}

PyObject* item_at(PyObject* a, Py_ssize_t position) noexcept {
  return guarded([&]() -> PyObject* {
    return array_object(as_read(a, self_of(a).at({Index::at(position)}))).release().ptr();
  });
}

/// Along the first axis; item_at() ends it by its IndexError.
PyObject* subscript(PyObject* a, PyObject* key) noexcept {
  return guarded([&]() -> PyObject* {
    note_launch_site();
    Array chosen = subscripted(self_of(a), key);
    if (chosen.rank() == 0 && !has_ellipsis(key) && !PyUnicode_Check(key))
      chosen = as_read(a, chosen);
    return array_object(std::move(chosen)).release().ptr();
  });
}

void fill(const Array& self, nb::handle value) {
  const AssignedValue assigned(self, value);
  const Array* const array = assigned.get().array();
  if (array != nullptr && array->rank() != 0)
    throw ShapeError("fill() with a value of shape " + shape_text(array->shape()) +
                         ": it is one number, which all elements become",
                     "x[...] = value assigns what broadcasts");
  self.assign(assigned.get());
}

int assign_subscript(PyObject* a, PyObject* key, PyObject* value) noexcept {
  const PyObject* done = guarded([&]() -> PyObject* {
    if (value == nullptr) raise_python(PyExc_TypeError, "elements of an array cannot be deleted");
    note_launch_site();
    const Array self = self_of(a);  // another thread may give it another node
    if (names_field(self, key)) {
      const Array field = array::field(self, nb::cast<std::string>(nb::handle(key)));
      field.assign(AssignedValue(field, value).get());
      return Py_None;
    }
    const AssignedValue assigned(self, value);
    assign_subscripted(self, key, assigned.get());
    return Py_None;
  });
  return done == nullptr ? -1 : 0;
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyType_Slot slots[] = {{Py_nb_add, slot(binary<Op::add>)},
                       {Py_nb_subtract, slot(binary<Op::subtract>)},
                       {Py_nb_multiply, slot(binary<Op::multiply>)},
                       {Py_nb_true_divide, slot(binary<Op::divide>)},
                       {Py_nb_floor_divide, slot(binary<Op::floor_divide>)},
                       {Py_nb_remainder, slot(binary<Op::remainder>)},
                       {Py_nb_power, slot(power)},
                       {Py_nb_and, slot(binary<Op::bitwise_and>)},
                       {Py_nb_or, slot(binary<Op::bitwise_or>)},
                       {Py_nb_xor, slot(binary<Op::bitwise_xor>)},
                       {Py_nb_lshift, slot(binary<Op::left_shift>)},
                       {Py_nb_rshift, slot(binary<Op::right_shift>)},
                       {Py_nb_negative, slot(unary<Op::negative>)},
                       {Py_nb_positive, slot(unary<Op::positive>)},
                       {Py_nb_absolute, slot(unary<Op::absolute>)},
                       {Py_nb_invert, slot(unary<Op::invert>)},
                       {Py_nb_inplace_add, slot(in_place<Op::add>)},
                       {Py_nb_inplace_subtract, slot(in_place<Op::subtract>)},
                       {Py_nb_inplace_multiply, slot(in_place<Op::multiply>)},
                       {Py_nb_inplace_true_divide, slot(in_place<Op::divide>)},
                       {Py_nb_inplace_floor_divide, slot(in_place<Op::floor_divide>)},
                       {Py_nb_inplace_remainder, slot(in_place<Op::remainder>)},
                       {Py_nb_inplace_power, slot(in_place_power)},
                       {Py_nb_inplace_and, slot(in_place<Op::bitwise_and>)},
                       {Py_nb_inplace_or, slot(in_place<Op::bitwise_or>)},
                       {Py_nb_inplace_xor, slot(in_place<Op::bitwise_xor>)},
                       {Py_nb_inplace_lshift, slot(in_place<Op::left_shift>)},
                       {Py_nb_inplace_rshift, slot(in_place<Op::right_shift>)},
                       {Py_nb_divmod, slot(divmod)},
                       {Py_nb_matrix_multiply, slot(matrix_product)},
                       {Py_nb_inplace_matrix_multiply, slot(matrix_product)},
                       {Py_nb_bool, slot(truth)},
                       {Py_bf_getbuffer, slot(get_array_buffer)},
                       {Py_bf_releasebuffer, slot(release_array_buffer)},
                       {Py_mp_length, slot(length)},
                       {Py_sq_item, slot(item_at)},
                       {Py_mp_subscript, slot(subscript)},
                       {Py_mp_ass_subscript, slot(assign_subscript)},
                       {Py_tp_richcompare, slot(compare)},
                       {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                       {0, nullptr}};

/// As operator.index() has it: numbers with a point and texts are no lengths.
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

/// No array has so many axes that one is out of an int's range: the nearest end is out of theirs.
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
  const std::size_t item = self.dtype().size_bytes();
  const bool is_fortran = order == "A"
                              ? !self.layout().is_contiguous(item) &&
                                    self.layout().is_contiguous(item, MemoryOrder::fortran)
                              : memory_order(nb::str(order.c_str())) == MemoryOrder::fortran;
  if (!is_fortran) return array::dense_copy(self);
  return array::transpose(array::dense_copy(array::transpose(self)));
}

void bind_methods(nb::class_<Array>& type) {
  type.def(
          "astype", recorded(+[](nb::handle self, nb::handle dtype, bool copies) {
            const Array x = nb::cast<const Array&>(self);
            const DType wanted = dtype_from(dtype);
            if (!copies && x.dtype() == wanted) return nb::borrow(self);
            warn_of_cast(x.dtype(), wanted);
            return array_object(array::cast(x, wanted));
          }),
          nb::arg("dtype"), nb::kw_only(), nb::arg("copy") = true,
          nb::sig("def astype(self, dtype: typing.Any, *, copy: bool = True) -> Array"),
          "The elements in another dtype, as a new array; the array itself, with copy=False, where "
          "it has that dtype.")
      .def("copy", recorded(&copied), nb::arg("order") = "K",
           nb::sig("def copy(self, order: str = 'K') -> Array"),
           "A dense copy, in C's order, Fortran's (F), that of the two which this has (A), or with "
           "axes "
           "as this has them in memory (K).")
      .def("fill", recorded(&fill), nb::arg("value").none(),
           nb::sig("def fill(self, value: typing.Any) -> None"), "Makes every element this number.")
      .def("reshape", recorded(+[](const Array& self, const nb::args& shape) {
             return array::reshape(self, shape_arguments(shape));
           }),
           nb::sig("def reshape(self, *shape: int | typing.Sequence[int]) -> Array"),
           "The same elements in C's order under another shape, of which one extent may be -1: a "
           "view, or a copy where strides cannot say it.")
      .def(
          "ravel",
          [](nb::handle_t<Array> self, const std::string& order) -> nb::object {
            if (order != "C")
              return nb::module_::import_("treadle.numpy").attr("ravel")(self, order);
            return array_object(recorded(nb::overload_cast<const Array&>(&array::ravel))(
                *nb::inst_ptr<Array>(self)));
          },
          nb::arg("order") = "C", nb::sig("def ravel(self, order: str = 'C') -> Array"),
          "One axis, elements in C's order or another: a view, or a copy.")
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
nb::object protocols() { return nb::module_::import_("treadle.numpy._protocols"); }
bool is_numpy_scalar(PyObject* object) {
  static const nb::object& generic = *new nb::object(numpy().attr("generic"));
  return PyObject_IsInstance(object, generic.ptr()) == 1;
}
bool is_numpy_array(PyObject* object) {
  static const nb::object& ndarray = *new nb::object(numpy().attr("ndarray"));
  return PyObject_IsInstance(object, ndarray.ptr()) == 1;
}

const Array* as_array(PyObject* object) noexcept {
  if (Py_TYPE(object) == array_type || PyObject_TypeCheck(object, array_type))
    return nb::inst_ptr<Array>(object);
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
  auto type = nb::class_<Array>(m, "Array", nb::type_slots(slots),
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
  bind_array_composed(m);
  bind_array_joining(m);
  bind_array_memory(m);
  bind_array_numpy_methods(type);
  bind_user_kernels(m);
  bind_array_faces(m);
}

}  // namespace treadle::bindings
