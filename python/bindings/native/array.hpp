// SPDX-License-Identifier: MIT
// Arrays as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "caller.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The C++ object if `object` is an Array (or of a subclass); else null.
const Array* as_array(PyObject* object);
/// Whether it is an Array of no class that is derived: of neither face.
bool is_array_itself(PyObject* object) noexcept;
/// A new Python object, of a class that is Array's or derived from it; its __init__ is not called.
nb::object array_object(Array array, PyTypeObject* type = nullptr);

/// A function of arrays as Python gets it: with the user's line noted, and with arguments of its
/// own, because other threads run while it computes and may give a Python object another array.
template <class Result, class... Arguments>
auto recorded(Result (*function)(Arguments...)) {
  return [function](std::decay_t<Arguments>... arguments) -> Result {
    note_launch_site();
    return function(std::move(arguments)...);
  };
}

/// A Python object as an operand: an array, a number of Python or NumPy, or an object that is
/// converted to an array, which this operand keeps.
class ArrayOperand {
 public:
  /// Empty for objects that are neither: then the operator is the other object's. Elements of the
  /// host are copied to the device of `beside` if that is an array.
  explicit ArrayOperand(PyObject* object, PyObject* beside = nullptr);
  ArrayOperand(PyObject* object, const Array& beside);
  ArrayOperand(PyObject* object, const array::Placement& placement);
  ArrayOperand(const ArrayOperand&) = delete;
  ArrayOperand& operator=(const ArrayOperand&) = delete;
  explicit operator bool() const noexcept { return operand_.has_value(); }
  const array::Operand& get() const { return *operand_; }
  /// Whether its elements were copied from the host.
  bool is_copied() const noexcept { return is_copied_; }

 private:
  bool take_number(PyObject* object);
  void take_host(PyObject* object, const array::Placement& placement);

  std::optional<array::Operand> operand_;
  Array made_;
  bool is_copied_ = false;
};

/// A number with the dtype that NumPy gives it alone: of a program's own class, such as an IntEnum,
/// and as a factor of dot().
array::Operand typed_alone(const Number& number);

/// Where a value is stored, by which NumPy tells how its own numbers are converted.
enum class Place : std::uint8_t {
  part,     ///< what slices name: into signed integers numbers of NumPy as Python's, which fit
  element,  ///< one element: of a bool array whatever is true or false
  chosen,   ///< what a mask or indices choose: numbers of NumPy are cast as arrays are
};

/// The value that is assigned to elements of an array, as NumPy reads it: lists and texts in the
/// array's dtype, real parts of complex arrays with a ComplexWarning, tuples and numbers as records
/// for records. Throws TypeError for an object that is no value.
class AssignedValue {
 public:
  AssignedValue(const Array& target, nb::handle value, Place place = Place::part);
  const array::Operand& get() const { return operand_.get(); }

 private:
  nb::object host_;
  ArrayOperand operand_;
};

/// NumPy's ComplexWarning, at the user's line, if a cast from one dtype to the other drops
/// imaginary parts. Throws where warnings are errors.
void warn_of_cast(const DType& from, const DType& to);

/// The module.
nb::object numpy();
/// What of the protocols is calls of treadle.numpy by name.
nb::object protocols();
bool is_numpy_array(PyObject* object);
bool is_numpy_scalar(PyObject* object);
/// The array that out= names. The result is a share of its own, because other threads may rebind
/// the object. No array for None; throws TypeError for anything else.
Array out_array(nb::handle out);
/// What out= of a method receives, or (None) a new array.
nb::object result_in(nb::handle out, Array result, array::OutShape shape = array::OutShape::same);
/// A number of Python or NumPy. Throws TypeError.
Number number_from(nb::handle object);
/// What numpy.dtype() takes, records included. Throws DTypeError for those that devices do not
/// have.
DType dtype_from(nb::handle dtype_like);
/// The numpy.dtype again: of a record the one that it was made from.
nb::object numpy_dtype_of(const DType& dtype);
/// An int or a sequence of them. Throws TypeError.
array::Shape shape_from(nb::handle shape);
/// The same as axes; None: all. Throws TypeError.
array::Axes axes_from(nb::handle axes);
/// "C" or "F". Throws InvalidArgument.
MemoryOrder memory_order(nb::handle order);
/// On a device, named by its id or itself, or (None) the current one.
array::Placement placement_on(nb::handle device, nb::handle order = {});
/// On the device of an array, in the order of its current stream.
array::Placement placement_beside(const Array& array);
/// A NumPy array, or what becomes one, copied to the device, in its own order.
Array array_from(nb::handle values, nb::handle dtype, nb::handle device);
Array array_from(nb::handle values, nb::handle dtype, array::Placement placement);
/// How a numpy.ndarray's elements lie that has no gaps; no value for other objects.
struct HostElements {
  array::Shape shape;
  DType dtype;
  MemoryOrder order;
};
std::optional<HostElements> dense_elements(nb::handle values);
/// Copies the elements of a numpy.ndarray in, on the current stream.
void store_elements(const Array& self, nb::handle values, bool blocking);

/// An array in memory of another library, which the array keeps; empty for objects without memory
/// of a device. Work that is queued on the memory there comes before ours.
std::optional<Array> foreign_array(PyObject* object);

/// One axis, with the elements in NumPy's order "C", "F", "A" or "K". Throws InvalidArgument.
Array raveled(const Array& x, const std::string& order);
/// x[key] for every kind of key; a mask on the device selects no value.
Array subscripted(const Array& x, nb::handle key);
/// Whether the key names a field of records.
bool names_field(const Array& x, nb::handle key);
/// x[key] = value, for keys that name no field.
void assign_subscripted(const Array& x, nb::handle key, nb::handle value);

// The buffer interface, of arrays whose memory the host sees.
int get_array_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_array_buffer(PyObject* self, Py_buffer* view) noexcept;

// The methods, by topic.
void bind_array_host(nb::module_& m, nb::class_<Array>& type);
void bind_array_protocols(nb::class_<Array>& type);
void bind_array_functions(nb::module_& m);
void bind_array_indexing(nb::module_& m);
void bind_array_indexing_methods(nb::class_<Array>& type);
void bind_array_element_functions(nb::module_& m);
void bind_array_linear_algebra(nb::module_& m);
void bind_array_signal(nb::module_& m);
void bind_array_joining(nb::module_& m);
void bind_array_selection(nb::module_& m, nb::class_<Array>& type);
void bind_array_scans(nb::module_& m);
void bind_array_searching(nb::module_& m, nb::class_<Array>& type);
void bind_array_ordering(nb::module_& m, nb::class_<Array>& type);
void bind_array_joining_methods(nb::class_<Array>& type);
void bind_array_reductions(nb::module_& m, nb::class_<Array>& type);
/// Methods that NumPy has beside operators.
void bind_array_numpy_methods(nb::class_<Array>& type);
void bind_array_interchange(nb::module_& m);
void bind_array_flags(nb::module_& m, nb::class_<Array>& type);
void bind_array_memory(nb::module_& m);
void bind_user_kernels(nb::module_& m);
void bind_array_faces(nb::module_& m);
/// buffer, explain() and fusing.
void bind_array_laziness(nb::module_& m, nb::class_<Array>& type);

}  // namespace treadle::bindings
