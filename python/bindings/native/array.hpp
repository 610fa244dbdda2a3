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

/// The C++ object if `object` is an instance of Array or of a subclass; else null.
const Array* as_array(PyObject* object);
/// Whether the class of `object` is Array itself, and not a subclass such as those of the faces.
bool is_array_itself(PyObject* object) noexcept;
/// Makes a Python object of Array or of a class derived from it. Does not call __init__.
nb::object array_object(Array array, PyTypeObject* type = nullptr);

/// Makes a Python function of a function of arrays. Notes the user's line, and copies the
/// arguments, because other threads run during the computation and may give a Python object another
/// array.
template <class Result, class... Arguments>
auto recorded(Result (*function)(Arguments...)) {
  return [function](std::decay_t<Arguments>... arguments) -> Result {
    note_launch_site();
    return function(std::move(arguments)...);
  };
}

/// A Python object as an operand: an array, a number of Python or NumPy, or an object that is
/// converted to an array. The operand keeps the converted array.
class ArrayOperand {
 public:
  /// Empty for other objects: then the other object's operator is called. Elements of the host are
  /// copied to the device of `beside` if `beside` is an array.
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

/// A number with the dtype that NumPy gives the number alone: for numbers of a program's own class,
/// such as an IntEnum, and for factors of dot().
array::Operand typed_alone(const Number& number);

/// The place where a value is stored. NumPy's conversion of its own numbers depends on the place.
enum class Place : std::uint8_t {
  part,     ///< a slice: for signed integers, NumPy's numbers convert as Python's, which must fit
  element,  ///< one element: a bool array takes the truth value of any object
  chosen,   ///< chosen by a mask or indices: NumPy's numbers are cast as arrays are
};

/// A value assigned to elements of an array, converted as NumPy does. Lists and texts get the
/// array's dtype; complex arrays lose their imaginary parts with a ComplexWarning; tuples and
/// numbers become records for an array of records. Throws TypeError for an object that is no value.
class AssignedValue {
 public:
  AssignedValue(const Array& target, nb::handle value, Place place = Place::part);
  const array::Operand& get() const { return operand_.get(); }

 private:
  nb::object host_;
  ArrayOperand operand_;
};

/// Warns with NumPy's ComplexWarning, at the user's line, if a cast drops imaginary parts. Throws
/// if warnings are errors.
void warn_of_cast(const DType& from, const DType& to);

/// NumPy's module.
nb::object numpy();
/// The Python module with the protocols that call functions of treadle.numpy by name.
nb::object protocols();
bool is_numpy_array(PyObject* object);
bool is_numpy_scalar(PyObject* object);
/// The array given as out=. The result is a handle of its own, because other threads may rebind the
/// object. No array for None. Throws TypeError for other objects.
Array out_array(nb::handle out);
/// Stores a method's result in out=, or returns a new array if `out` is None.
nb::object result_in(nb::handle out, Array result, array::OutShape shape = array::OutShape::same);
/// A number of Python or NumPy. Throws TypeError.
Number number_from(nb::handle object);
/// Converts whatever numpy.dtype() takes, also records. Throws DTypeError for dtypes that devices
/// do not have.
DType dtype_from(nb::handle dtype_like);
/// The numpy.dtype of a DType. For a record, the dtype from which the record was made.
nb::object numpy_dtype_of(const DType& dtype);
/// An int or a sequence of them. Throws TypeError.
array::Shape shape_from(nb::handle shape);
/// Converts an int or a sequence to axes. None: all axes. Throws TypeError.
array::Axes axes_from(nb::handle axes);
/// "C" or "F". Throws InvalidArgument.
MemoryOrder memory_order(nb::handle order);
/// Like memory_order(); "A" stands for the order that x has in memory.
MemoryOrder order_in(const Array& x, const std::string& order);
/// A placement on a device, given by its id or as an object. None: the current device.
array::Placement placement_on(nb::handle device, nb::handle order = {});
/// A placement on the device of an array, on the array's current stream.
array::Placement placement_beside(const Array& array);
/// Copies a NumPy array, or an object that converts to one, to the device in the array's own order.
Array array_from(nb::handle values, nb::handle dtype, nb::handle device);
Array array_from(nb::handle values, nb::handle dtype, array::Placement placement);
/// The layout of a numpy.ndarray without gaps; no value for other objects.
struct HostElements {
  array::Shape shape;
  DType dtype;
  MemoryOrder order;
};
std::optional<HostElements> dense_elements(nb::handle values);
/// Copies the elements of a numpy.ndarray into the array, on the current stream.
void store_elements(const Array& self, nb::handle values, bool blocking);

/// An array in another library's memory, which the array keeps alive. Empty for objects without
/// memory of a device. Work that the library has queued on the memory comes before Treadle's work.
std::optional<Array> foreign_array(PyObject* object);

/// One axis, with the elements in NumPy's order "C", "F", "A" or "K". Throws InvalidArgument.
Array raveled(const Array& x, const std::string& order);
/// x[key] for every kind of key. A mask on the device returns no value.
Array subscripted(const Array& x, nb::handle key);
/// Whether the key names a field of records.
bool names_field(const Array& x, nb::handle key);
/// x[key] = value for keys that do not name a field.
void assign_subscripted(const Array& x, nb::handle key, nb::handle value);

// The buffer interface of arrays whose memory the host can read.
int get_array_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_array_buffer(PyObject* self, Py_buffer* view) noexcept;

// The following functions bind the methods, by topic.
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
/// Binds NumPy's methods beside operators.
void bind_array_numpy_methods(nb::class_<Array>& type);
void bind_array_interchange(nb::module_& m);
void bind_array_flags(nb::module_& m, nb::class_<Array>& type);
void bind_array_memory(nb::module_& m);
void bind_user_kernels(nb::module_& m);
void bind_array_faces(nb::module_& m);
/// Binds buffer, explain() and fusing.
void bind_array_laziness(nb::module_& m, nb::class_<Array>& type);

}  // namespace treadle::bindings
