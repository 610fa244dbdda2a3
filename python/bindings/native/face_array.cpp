// SPDX-License-Identifier: MIT
// Operators of the faces' arrays. The common case is decided and recorded here. The methods
// _operate() and _update() of the array do the other cases: a program's own class or allocator, and
// questions that only Python answers.
#include "native/face_array.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

#include "caller.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "native/promotion.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"

namespace treadle::bindings {
namespace {

PyTypeObject* face_type = nullptr;
PyTypeObject* place_type = nullptr;
/// Never freed, because arrays in programs' modules may outlive everything. Emptied at exit,
/// because it keeps classes.
std::vector<FacePolicy>& policies() {
  static auto& all = *new std::vector<FacePolicy>;
  return all;
}

const FacePolicy& policy_of(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  for (const FacePolicy& policy : policies())
    if (policy.type == type) return policy;
  for (const FacePolicy& policy : policies())
    if (PyType_IsSubtype(type, policy.type) != 0) return policy;
  raise_python(PyExc_TypeError, std::string(type->tp_name) + " is an array of no face");
}

PyObject* attribute_name(const char* name) { return PyUnicode_InternFromString(name); }

/// Whether the program added events that later work has to wait for.
bool has_new_events(const FaceArray& array) {
  PyObject* const events = array.events.ptr();
  if (events == nullptr || PyList_Check(events) == 0 || PyList_GET_SIZE(events) == 0) return false;
  static PyObject* const ordered = attribute_name("ordered");
  const nb::object count = nb::steal(PyObject_GetAttr(events, ordered));
  if (!count.is_valid()) throw nb::python_error();
  return PyList_GET_SIZE(events) > nb::cast<Py_ssize_t>(count);
}

/// The place where operators on the array record. Null: the array's own stream is right. No value:
/// ask Python.
std::optional<const FacePlace*> recording_place(const FacePolicy& policy, const FaceArray& array) {
  if (!policy.has_queues) return nullptr;
  PyObject* const place = array.place.ptr();
  if (!array.queue.is_valid() || place == nullptr || !PyObject_TypeCheck(place, place_type))
    return std::nullopt;
  const FacePlace& known = instance_of<FacePlace>(place);
  if (!known.records || has_new_events(array)) return std::nullopt;
  return &known;
}

bool is_plain_number(PyObject* object) {
  if (PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
      PyComplex_CheckExact(object))
    return true;
  static const nb::object& kinds =
      *new nb::object(nb::make_tuple(numpy().attr("number"), numpy().attr("bool_")));
  return PyObject_IsInstance(object, kinds.ptr()) == 1;
}

/// Whether results have the face's own class and memory that native arrays can allocate.
bool is_plain(const FacePolicy& policy, PyObject* object, const FaceArray& array) {
  return Py_TYPE(object) == policy.type && !array.allocator.is_valid() && !array.misfit.is_valid();
}

/// Whether the common case can take the object as second operand.
bool is_usual_operand(const FacePolicy& policy, PyObject* object) {
  if (Py_TYPE(object) == policy.type) {
    const auto& array = instance_of<FaceArray>(object);
    return !array.misfit.is_valid() && !has_new_events(array);
  }
  return is_plain_number(object);
}

/// The first operand that is an array of a face, as in Python's protocol of operators.
PyObject* own_operand(PyObject* a, PyObject* b) { return as_face_array(a) != nullptr ? a : b; }

bool is_comparison(Op op) { return op_info(op).rule == OpRule::compare; }
bool is_of_bits(Op op) {
  return op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor;
}

OperandType type_beside_arrays(PyObject* object) {
  const Array* const array = as_array(object);
  // A number's own dtype does not matter.
  return array != nullptr ? OperandType(array->dtype().scalar()) : OperandType(Weak::integer);
}

nb::object call_python(PyObject* self, const char* method, nb::handle name, PyObject* a,
                       PyObject* b) {
  const nb::object bound = nb::handle(self).attr(method);
  if (b == nullptr) return bound(name, nb::handle(a));
  return a == nullptr ? bound(name, nb::handle(b)) : bound(name, nb::handle(a), nb::handle(b));
}

nb::object name_of(Op op) { return nb::str(op_info(op).name.data(), op_info(op).name.size()); }

Array computed(const FacePolicy& policy, Op op, PyObject* a, PyObject* b) {
  note_launch_site();
  const ArrayOperand x(a);
  if (b == nullptr) return array::apply(op, {x.get()});
  const ArrayOperand y(b);
  Array result = array::apply(op, {x.get(), y.get()});
  if (!is_comparison(op)) return result;
  const Scalar wanted =
      result_dtype(*policy.dtypes, op, type_beside_arrays(a), type_beside_arrays(b));
  return result.dtype() == wanted ? result : array::cast(result, wanted);
}

/// Makes the result, on the array's queue.
nb::object result_like(const FacePolicy& policy, const FaceArray& lead, const Array& result) {
  nb::object made = nb::inst_alloc(reinterpret_cast<PyObject*>(policy.type));
  auto* const array = new (nb::inst_ptr<FaceArray>(made)) FaceArray(result);
  nb::inst_mark_ready(made);
  if (policy.has_queues) {
    array->queue = lead.queue;
    array->context = lead.context;
    array->place = lead.place;
  }
  return made;
}

/// The result of the common case; null in other cases.
nb::object recorded_result(const FacePolicy& policy, Op op, PyObject* a, PyObject* b,
                           PyObject* self) {
  const auto& lead = instance_of<FaceArray>(self);
  PyObject* const other = b == nullptr ? nullptr : (self == a ? b : a);
  if (!is_plain(policy, self, lead)) return {};
  if (other != nullptr && !is_usual_operand(policy, other)) return {};
  // If an operand has no axes, class and queue of the result may come from the other operand.
  if (lead.rank() == 0 && (policy.has_queues || (other != nullptr && as_array(other) != nullptr)))
    return {};
  const auto place = recording_place(policy, lead);
  if (!place) return {};
  std::optional<device::StreamScope> scope;
  if (*place != nullptr) scope.emplace((*place)->stream);
  return result_like(policy, lead, computed(policy, op, a, b));
}

bool is_mask(PyObject* object) {
  const FaceArray* const array = as_face_array(object);
  return array != nullptr && nb::inst_ready(object) && array->is_mask;
}

/// Whether the operand is a number of the array's dtype: then every face updates as NumPy does.
bool keeps_dtype(Op op, const FacePolicy& policy, const FaceArray& array, PyObject* object) {
  const ScalarKind kind = array.dtype().kind();
  const bool is_floating = kind == ScalarKind::floating || kind == ScalarKind::complex;
  if (Py_TYPE(object) == policy.type)
    return instance_of<FaceArray>(object).dtype() == array.dtype() &&
           (is_floating || op != Op::divide);
  return is_floating && (PyFloat_CheckExact(object) || PyLong_CheckExact(object));
}

}  // namespace

FaceArray* as_face_array(PyObject* object) noexcept {
  for (const FacePolicy& policy : policies())
    if (Py_TYPE(object) == policy.type) return nb::inst_ptr<FaceArray>(object);
  if (face_type == nullptr || !PyType_IsSubtype(Py_TYPE(object), face_type)) return nullptr;
  return nb::inst_ptr<FaceArray>(object);
}

PyObject* face_operator(Op op, PyObject* a, PyObject* b) {
  PyObject* const self = b == nullptr ? a : own_operand(a, b);
  if (op == Op::positive) return Py_NewRef(self);
  const FacePolicy& policy = policy_of(self);
  nb::object made = recorded_result(policy, op, a, b, self);
  if (!made.is_valid()) made = call_python(self, "_operate", name_of(op), a, b);
  if (made.ptr() == Py_NotImplemented) return made.release().ptr();
  const bool makes_mask =
      is_comparison(op) || (b != nullptr && is_of_bits(op) && is_mask(a) && is_mask(b));
  if (makes_mask)
    if (as_face_array(made.ptr()) != nullptr) instance_of<FaceArray>(made).is_mask = true;
  return made.release().ptr();
}

PyObject* face_update(Op op, PyObject* a, PyObject* b) {
  const FacePolicy& policy = policy_of(a);
  auto& array = instance_of<FaceArray>(a);
  const bool is_usual =
      !array.misfit.is_valid() && is_usual_operand(policy, b) && keeps_dtype(op, policy, array, b);
  const auto place = is_usual ? recording_place(policy, array) : std::nullopt;
  if (!place) return call_python(a, "_update", name_of(op), nullptr, b).release().ptr();
  array.is_mask = false;
  {
    note_launch_site();
    std::optional<device::StreamScope> scope;
    if (*place != nullptr) scope.emplace((*place)->stream);
    array.update(op, ArrayOperand(b).get());
  }
  if (policy.has_queues) nb::handle(a).attr("_changed")();
  return Py_NewRef(a);
}

void raise_face_shape_error(PyObject* a, PyObject* b) noexcept {
  try {
    nb::python_error raised;  // takes the pending Python error
    const FacePolicy& policy = policy_of(own_operand(a, b));
    if (!raised.matches(policy.native_error) || raised.matches(policy.shape_error)) {
      raised.restore();
      return;
    }
    const nb::object made = policy.shape_error(nb::handle(a), nb::handle(b), raised.value());
    PyErr_SetObject(policy.shape_error.ptr(), made.ptr());
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    set_python_error(Face::native);
  }
}

namespace {

FaceArray* ready_array(PyObject* self) {
  if (nb::inst_ready(self)) return nb::inst_ptr<FaceArray>(self);
  PyErr_SetString(PyExc_AttributeError, "the array's __init__() has not run");
  return nullptr;
}

// These are plain getters, because programs' loops and the faces read the members often. Through
// nanobind each read takes twice as long.
template <nb::object FaceArray::* member>
PyObject* get_member(PyObject* self, void*) noexcept {
  const FaceArray* const array = ready_array(self);
  if (array == nullptr) return nullptr;
  PyObject* const value = (array->*member).ptr();
  return Py_NewRef(value != nullptr ? value : Py_None);
}

template <nb::object FaceArray::* member>
int set_member(PyObject* self, PyObject* value, void*) noexcept {
  FaceArray* const array = ready_array(self);
  if (array == nullptr) return -1;
  const bool is_absent = value == nullptr || value == Py_None;
  array->*member = is_absent ? nb::object() : nb::borrow(value);
  return 0;
}

PyObject* get_mask(PyObject* self, void*) noexcept {
  const FaceArray* const array = ready_array(self);
  return array != nullptr ? PyBool_FromLong(static_cast<long>(array->is_mask)) : nullptr;
}

int set_mask(PyObject* self, PyObject* value, void*) noexcept {
  FaceArray* const array = ready_array(self);
  const int is_true = array == nullptr || value == nullptr ? -1 : PyObject_IsTrue(value);
  if (is_true >= 0) array->is_mask = is_true == 1;
  return is_true >= 0 ? 0 : -1;
}

template <nb::object FaceArray::* member>
constexpr PyGetSetDef property(const char* name) {
  return {name, get_member<member>, set_member<member>, nullptr, nullptr};
}

PyGetSetDef members[] = {property<&FaceArray::allocator>("_allocator"),
                         property<&FaceArray::misfit>("_misfit"),
                         property<&FaceArray::data>("_data"),
                         property<&FaceArray::queue>("_queue"),
                         property<&FaceArray::context>("context"),
                         property<&FaceArray::place>("_place"),
                         property<&FaceArray::events>("_events"),
                         {"_is_mask", get_mask, set_mask, nullptr, nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};

// Attributes that programs add belong to their class, whose own functions visit them.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const FaceArray& array = *nb::inst_ptr<FaceArray>(self);
  for (const nb::object* kept : {&array.allocator, &array.misfit, &array.data, &array.queue,
                                 &array.context, &array.place, &array.events})
    Py_VISIT(kept->ptr());
  return 0;
}

int clear(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  FaceArray& array = *nb::inst_ptr<FaceArray>(self);
  for (nb::object* kept : {&array.allocator, &array.misfit, &array.data, &array.queue,
                           &array.context, &array.place, &array.events})
    kept->reset();
  return 0;
}

PyType_Slot face_slots[] = {{Py_tp_getset, members},
                            {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                            {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                            {0, nullptr}};

void register_face(nb::handle type, const std::string& policy, nb::handle shape_error) {
  if (policies().empty())
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { policies().clear(); }));
  const bool has_queues = policy == "pyopencl";
  const DTypePolicy& dtypes = has_queues ? pyopencl_dtypes : pycuda_dtypes;
  policies().push_back({reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()), &dtypes, has_queues,
                        nb::borrow(shape_error), shape_error.attr("__bases__")[nb::int_(0)]});
}

/// The result of an operator of native arrays; NotImplemented for other operands.
nb::object operated(const std::string& name, const nb::args& operands) {
  const Op op = op_named(name);
  note_launch_site();
  const nb::object x = operands[0];
  if (operands.size() == 1) return array_object(array::apply(op, {ArrayOperand(x.ptr()).get()}));
  const nb::object y = operands[1];
  const ArrayOperand a(x.ptr(), y.ptr()), b(y.ptr(), x.ptr());
  if (!a || !b) return nb::borrow(Py_NotImplemented);
  return array_object(array::apply(op, {a.get(), b.get()}));
}

/// Does the same in place, for any class of `target`.
bool updated(const std::string& name, nb::handle_t<Array> target, nb::handle value) {
  const ArrayOperand y(value.ptr(), target.ptr());
  if (!y) return false;
  instance_of<Array>(target).update(op_named(name), y.get());
  return true;
}

}  // namespace

void bind_face_array(nb::module_& m) {
  nb::class_<FaceArray, Array> type(m, "FaceArray", nb::type_slots(face_slots),
                                    "An array of which the faces' classes are derived.");
  face_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def(nb::init<const Array&>(), nb::arg("array"), "The same array: its elements are shared.");
  nb::class_<FacePlace> place(m, "Place", "Where the work of a queue goes.");
  place_type = reinterpret_cast<PyTypeObject*>(place.ptr());
  place
      .def(
          "__init__",
          [](FacePlace* self, nb::object device, nb::object stream, bool has_double) {
            const auto native = nb::cast<std::shared_ptr<device::Stream>>(stream);
            new (self)
                FacePlace{native, std::move(device), std::move(stream), has_double, has_double};
          },
          nb::arg("device"), nb::arg("stream"), nb::arg("has_double"))
      .def_prop_ro(
          "device", [](const FacePlace& self) { return self.device_object; },
          nb::for_getter(nb::sig("def device(self) -> treadle._core.device.Device")))
      .def_prop_ro(
          "stream", [](const FacePlace& self) { return self.stream_object; },
          nb::for_getter(nb::sig("def stream(self) -> treadle._core.device.Stream")))
      .def_rw("has_double", &FacePlace::has_double)
      .def_rw("records", &FacePlace::records,
              "False where operators have to ask before they record work here.");
  m.def("register_face", &register_face, nb::arg("type"), nb::arg("policy"), nb::arg("shape_error"),
        nb::sig("def register_face(type: type[FaceArray], policy: str, shape_error: "
                "type[Exception]) -> None"),
        "Lets operators on arrays of a class derived from FaceArray follow a face's rules. The "
        "class has _operate(name, *operands) and _update(name, value) for what is not the usual "
        "case.");
  m.def("operate", &operated, nb::arg("name"), nb::arg("operands"),
        nb::sig("def operate(name: str, *operands: typing.Any) -> typing.Any"),
        "An operator of arrays by NumPy's name: a native array, of whatever class the operands "
        "are; NotImplemented where one is neither an array nor a number.");
  m.def("update", recorded(&updated), nb::arg("name"), nb::arg("target"), nb::arg("value"),
        nb::sig("def update(name: str, target: Array, value: typing.Any) -> bool"),
        "The same in place; False where `value` is neither an array nor a number.");
}

}  // namespace treadle::bindings
