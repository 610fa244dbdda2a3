// SPDX-License-Identifier: MIT
// Type slots of treadle.Array: calls through Python's attributes would cost as much as the rest.
// The faces' arrays have the same slots, which follow the rules of their face.
#include <algorithm>
#include <string>
#include <utility>

#include "caller.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "native/array.hpp"
#include "native/face_array.hpp"
#include "native/linalg.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

Array& own_array(PyObject* object) { return instance_of<Array>(object); }

/// Returns the computed array as the slot's result. Exceptions become Python errors.
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

bool is_of_face(PyObject* a, PyObject* b) noexcept {
  return as_face_array(a) != nullptr || as_face_array(b) != nullptr;
}

/// Does the same for an operator on arrays of a face.
template <class Compute>
PyObject* guarded_of_face(PyObject* a, PyObject* b, Compute compute) noexcept {
  PyObject* const result = guarded(compute);
  if (result == nullptr) raise_face_shape_error(a, b);
  return result;
}

template <Op op>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  if (is_of_face(a, b)) return guarded_of_face(a, b, [&] { return face_operator(op, a, b); });
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
    if (as_face_array(a) != nullptr) return face_operator(op, a, nullptr);
    note_launch_site();
    return array_object(array::apply(op, {own_array(a)})).release().ptr();
  });
}

template <Op op>
PyObject* in_place(PyObject* a, PyObject* b) noexcept {
  if (as_face_array(a) != nullptr)
    return guarded_of_face(a, b, [&] { return face_update(op, a, b); });
  return guarded([&]() -> PyObject* {
    // Then Python computes a = a + b. A face's array is changed in place.
    if (is_array_itself(a) && own_array(a).is_scalar()) return not_implemented();
    const ArrayOperand y(b, a);
    if (!y) return not_implemented();
    note_launch_site();
    own_array(a).update(op, y.get());
    Py_INCREF(a);
    return a;
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) noexcept {
  if (modulus == Py_None && is_of_face(a, b)) return binary<Op::power>(a, b);
  return guarded([&]() -> PyObject* {
    const ArrayOperand x(a, b), y(b, a);
    if (modulus != Py_None || !x || !y) return not_implemented();
    note_launch_site();
    // For a bool array the square is int8, and power() would give int64. For numbers use power().
    const Array* const base = x.get().array();
    if (base != nullptr && !base->is_scalar() && PyLong_CheckExact(b) &&
        y.get().number().as_double() == 2)
      return array_object(array::square(x.get())).release().ptr();
    return array_object(array::power(x.get(), y.get())).release().ptr();
  });
}

PyObject* divmod(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    const nb::object quotient = nb::steal(binary<Op::floor_divide>(a, b));
    if (!quotient.is_valid()) throw nb::python_error();
    if (quotient.ptr() == Py_NotImplemented) return not_implemented();
    const nb::object rest = nb::steal(binary<Op::remainder>(a, b));
    if (!rest.is_valid()) throw nb::python_error();
    return nb::make_tuple(quotient, rest).release().ptr();
  });
}

/// Refuses matrix products of a face's arrays: PyCUDA's and PyOpenCL's arrays have none.
void refuse_matrices_of_face(PyObject* a, PyObject* b) {
  if (is_of_face(a, b))
    throw NotSupported("the product of matrices of arrays of a face",
                       "treadle.numpy.asarray(x) @ treadle.numpy.asarray(y)");
}

/// An operand of @. Only arrays are allowed.
const Array& matrix_of(const ArrayOperand& operand) {
  const Array* const array = operand.get().array();
  if (array == nullptr)
    throw ShapeError("matmul: a number has no axes, and at least one is multiplied",
                     "multiply by a number with *");
  return *array;
}

PyObject* matrix_product(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    refuse_matrices_of_face(a, b);
    const ArrayOperand x(a, b), y(b, a);
    if (!x || !y) return not_implemented();
    return array_object(multiplied_matrices(matrix_of(x), matrix_of(y))).release().ptr();
  });
}

PyObject* in_place_matrix_product(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    refuse_matrices_of_face(a, b);
    const ArrayOperand y(b, a);
    if (!y) return not_implemented();
    const Array own = own_array(a);
    array::write_into(own, multiplied_matrices(own, matrix_of(y)));
    Py_INCREF(a);
    return a;
  });
}

PyObject* in_place_power(PyObject* a, PyObject* b, PyObject*) noexcept {
  return in_place<Op::power>(a, b);
}

/// The result of == and != with an object that no element can equal. The faces have their own.
PyObject* compare_with_none(PyObject* a, bool answer) noexcept {
  return guarded([&]() -> PyObject* {
    note_launch_site();
    return array_object(array::full_like(own_array(a), answer, Scalar::boolean)).release().ptr();
  });
}

/// The text as an array of a's dtype. Returns nothing if no element can equal the text: if the
/// dtype is no such text, or is shorter.
nb::object text_beside(PyObject* a, PyObject* text) {
  const nb::object dtype = numpy_dtype_of(own_array(a).dtype());
  const nb::object host = numpy().attr("asarray")(nb::handle(text));
  const bool may_be_equal = dtype.attr("kind").equal(host.attr("dtype").attr("kind")) &&
                            nb::cast<std::int64_t>(host.attr("dtype").attr("itemsize")) <=
                                nb::cast<std::int64_t>(dtype.attr("itemsize"));
  if (!may_be_equal) return {};
  const array::Placement beside{.stream = own_array(a).stream()};
  return array_object(array_from(host.attr("astype")(dtype), nb::none(), beside));
}

PyObject* compare_with_text(PyObject* a, PyObject* b, int how) noexcept {
  return guarded([&]() -> PyObject* {
    const nb::object text = text_beside(a, b);
    if (!text.is_valid()) return compare_with_none(a, how == Py_NE);
    return how == Py_EQ ? binary<Op::equal>(a, text.ptr()) : binary<Op::not_equal>(a, text.ptr());
  });
}

PyObject* compare(PyObject* a, PyObject* b, int how) noexcept {
  if ((how == Py_EQ || how == Py_NE) && is_array_itself(a)) {
    if (b == Py_None) return compare_with_none(a, how == Py_NE);
    if (PyUnicode_Check(b) || PyBytes_Check(b)) return compare_with_text(a, b, how);
  }
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
    const Array& self = own_array(a);
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
    const Array& self = own_array(a);
    if (self.rank() == 0) raise_python(PyExc_TypeError, "len() of an array without axes");
    result = static_cast<Py_ssize_t>(self.shape()[0]);
    return nullptr;
  });
  return result;
}

/// The result of an index for all axes. In NumPy it is a number, so that a[i], a[j] = a[j], a[i]
/// exchanges two elements. A record is a view, and so is every result of a face.
Array as_read(PyObject* a, Array chosen) {
  const bool is_number = chosen.rank() == 0 && chosen.dtype().scalar() != Scalar::structure;
  return is_number && is_array_itself(a) ? array::element(chosen) : chosen;
}

bool has_ellipsis(PyObject* key) {
  if (!PyTuple_Check(key)) return key == Py_Ellipsis;
  const nb::tuple parts = nb::borrow<nb::tuple>(key);
  return std::any_of(parts.begin(), parts.end(),
                     [](nb::handle part) { return part.ptr() == Py_Ellipsis; });
}

PyObject* item_at(PyObject* a, Py_ssize_t position) noexcept {
  return guarded([&]() -> PyObject* {
    return array_object(as_read(a, own_array(a).at({Index::at(position)}))).release().ptr();
  });
}

/// Iterates along the first axis; item_at() ends the iteration by IndexError.
PyObject* subscript(PyObject* a, PyObject* key) noexcept {
  return guarded([&]() -> PyObject* {
    note_launch_site();
    Array chosen = subscripted(own_array(a), key);
    if (chosen.rank() == 0 && !has_ellipsis(key) && !PyUnicode_Check(key))
      chosen = as_read(a, chosen);
    return array_object(std::move(chosen)).release().ptr();
  });
}

int assign_subscript(PyObject* a, PyObject* key, PyObject* value) noexcept {
  const PyObject* done = guarded([&]() -> PyObject* {
    if (value == nullptr) raise_python(PyExc_TypeError, "elements of an array cannot be deleted");
    note_launch_site();
    const Array self = own_array(a);  // another thread may give `a` another node
    if (names_field(self, key)) {
      const Array field = array::field(self, nb::cast<std::string>(nb::handle(key)));
      field.assign(AssignedValue(field, value).get());
      return Py_None;
    }
    assign_subscripted(self, key, value);
    return Py_None;
  });
  return done == nullptr ? -1 : 0;
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyType_Slot array_slots[] = {{Py_nb_add, slot(binary<Op::add>)},
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
                             {Py_nb_inplace_matrix_multiply, slot(in_place_matrix_product)},
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

}  // namespace treadle::bindings
