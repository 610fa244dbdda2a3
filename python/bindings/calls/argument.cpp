// SPDX-License-Identifier: MIT
#include "calls/argument.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "calls/numpy_scalars.hpp"
#include "refused_call.hpp"

namespace treadle::bindings {
namespace {

using cuda::ParameterKind;

template <class Value>
struct Reader {
  PyTypeObject* type;
  Value (*read)(PyObject*);
};
// Filled while the module is imported, then only read.
std::vector<Reader<cuda::DevicePointer>> pointer_types;
std::vector<Reader<cuda::StreamRef>> stream_types;
std::vector<Reader<unsigned long long>> kernel_objects;
std::vector<Reader<KernelValue>> value_types;

template <class Value>
const Reader<Value>* find_reader(const std::vector<Reader<Value>>& readers, PyTypeObject* type) {
  for (const auto& reader : readers)
    if (reader.type == type) return &reader;
  for (const auto& reader : readers)
    if (PyType_IsSubtype(type, reader.type) != 0) return &reader;
  return nullptr;
}

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// The name of an object's type without its module.
std::string_view short_type_name(PyObject* object) {
  const std::string_view name = Py_TYPE(object)->tp_name;
  return name.substr(name.rfind('.') + 1);
}

/// Whether an object is a handle of the class that cuda.bindings names so.
bool is_handle(PyObject* object, std::string_view bindings_name) {
  const std::string_view name = short_type_name(object);
  // The runtime API of cuda.bindings has other names for the same handles.
  return name == bindings_name || (bindings_name == "CUstream" && name == "cudaStream_t") ||
         (bindings_name == "CUevent" && name == "cudaEvent_t");
}

std::uint64_t handle_number(PyObject* handle) {
  const nb::object number = nb::steal(PyNumber_Long(handle));
  if (!number.is_valid()) throw nb::python_error();
  return unsigned_argument(number.ptr(), "handle");
}

/// Reads an address of cuda.bindings, or the memory of a Buffer of cuda.core.
bool read_foreign_pointer(PyObject* object, cuda::DevicePointer& address) {
  if (is_handle(object, "CUdeviceptr")) {
    address = handle_number(object);
    return true;
  }
  const nb::object is_accessible = attribute_or_null(object, "is_device_accessible");
  if (!is_accessible.is_valid()) return false;
  if (!is_set(is_accessible.ptr()))
    raise_python(PyExc_TypeError, "the memory of this " + type_name(object) +
                                      " is not for the device; copy it there");
  address = foreign_handle(object, "handle", "CUdeviceptr");
  return true;
}

thread_local const LaunchScope* innermost_launch = nullptr;

bool is_integer(ScalarKind kind) {
  return kind == ScalarKind::integer || kind == ScalarKind::unsigned_integer;
}

WideInteger wide(const ScalarType& scalar, const void* data) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, scalar.size);
  if (scalar.kind == ScalarKind::unsigned_integer || scalar.size == 8)
    return {bits, scalar.kind == ScalarKind::integer && static_cast<std::int64_t>(bits) < 0};
  const int unused = 64 - 8 * scalar.size;
  const std::int64_t number = static_cast<std::int64_t>(bits << unused) >> unused;
  return {static_cast<std::uint64_t>(number), number < 0};
}

std::string parameter_text(const Kernel& kernel, std::size_t index) {
  const std::string &name = kernel.names[index], &type = kernel.types[index];
  std::string text = "parameter #" + std::to_string(index) + " (0-based)";
  if (!name.empty() || !type.empty()) text += " '" + type + (type.empty() ? "" : " ") + name + "'";
  return text + " of kernel " + kernel.function.name();
}

void warn_once(Kernel& kernel, std::size_t index, const std::string& text) {
  if (!kernel.reported.has(index))
    kernel.reported.report(index, parameter_text(kernel, index), text);
}

ParameterKind driver_kind(device::ParameterKind declared) {
  switch (declared) {
    case device::ParameterKind::integer:
      return ParameterKind::integer;
    case device::ParameterKind::floating:
      return ParameterKind::floating;
    case device::ParameterKind::memory:
      return ParameterKind::pointer;
    case device::ParameterKind::structure:
      return ParameterKind::structure;
    default:
      return ParameterKind::unknown;
  }
}

bool kinds_differ(ParameterKind parameter, device::ParameterKind given) {
  switch (parameter) {
    case ParameterKind::integer:
    case ParameterKind::pointer:
      return given != device::ParameterKind::integer;
    case ParameterKind::floating:
      return given != device::ParameterKind::floating;
    default:
      return false;
  }
}

void add_scalar(cuda::ArgumentBuffer& buffer, const ScalarType& scalar, PyObject* argument,
                Kernel& kernel) {
  const cuda::KernelParameter* parameter = buffer.next();
  const std::size_t index = buffer.count();
  if (parameter == nullptr || parameter->size == scalar.size) [[likely]] {
    const device::ParameterKind kind = parameter_kind(scalar.kind);
    if (parameter != nullptr && kinds_differ(kernel.kinds[index], kind)) [[unlikely]]
      check_number(kernel, index, kind, type_name(argument));
    return buffer.add_bytes(scalar_data(argument), scalar.size, scalar.alignment);
  }
  if (kernel.face == Face::pycuda && is_integer(scalar.kind)) {
    std::uint64_t converted = 0;
    if (convert_integer(kernel, index, wide(scalar, scalar_data(argument)), scalar.size,
                        &converted))
      return buffer.add_bytes(&converted, parameter->size);
  }
  buffer.add_bytes(scalar_data(argument), scalar.size,
                   scalar.alignment);  // throws, naming both sizes
}

class BufferView {
 public:
  explicit BufferView(PyObject* object) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) == 0) return;
    if (PyObject_CheckBuffer(object) != 0 && PyErr_ExceptionMatches(PyExc_TypeError) != 0)
      throw nb::python_error();
    // The array is not contiguous, or its dtype has no buffer: NumPy makes bytes in C order.
    PyErr_Clear();
    copy_ = nb::handle(object).attr("tobytes")();
    if (PyObject_GetBuffer(copy_.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  ~BufferView() { PyBuffer_Release(&view_); }
  const void* data() const { return view_.buf; }
  std::size_t size() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
  nb::object copy_;
};

void add_by_value(cuda::ArgumentBuffer& buffer, PyObject* argument) {
  const BufferView view(argument);
  buffer.add_bytes(view.data(), view.size());
}

// An array made by managed_empty, or a view of such an array, is passed by its own address.
bool is_managed_array(PyObject* array) {
  nb::object owner = attribute_or_null(array, "base");
  while (owner.is_valid() && !owner.is_none()) {
    cuda::DevicePointer ignored;
    if (read_pointer(owner.ptr(), ignored)) return true;
    if (PyObject_TypeCheck(owner.ptr(), numpy_types().ndarray) == 0) return false;
    owner = attribute_or_null(owner.ptr(), "base");
  }
  return false;
}

// For a struct parameter the bytes of a host array are the argument. For a pointer only an array of
// 64-bit integers makes sense.
void refuse_host_array(const cuda::ArgumentBuffer& buffer, PyObject* array, const Kernel& kernel) {
  const cuda::KernelParameter* parameter = buffer.next();
  if (parameter == nullptr || parameter->size != sizeof(cuda::DevicePointer)) return;
  const auto size_bytes = nb::cast<std::size_t>(nb::handle(array).attr("nbytes"));
  const nb::object dtype = nb::handle(array).attr("dtype");
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  const bool may_be_pointer = size_bytes == parameter->size &&
                              (kind == "u" || kind == "i" || kind == "V") &&
                              nb::cast<std::size_t>(dtype.attr("itemsize")) == parameter->size;
  const ParameterKind known = kernel.kinds[buffer.count()];
  const bool wants_pointer = known == ParameterKind::pointer ||
                             (known == ParameterKind::unknown && size_bytes != parameter->size);
  if (!wants_pointer || may_be_pointer) return;
  const std::string wanted = known == ParameterKind::pointer
                                 ? "no pointer to memory of the device"
                                 : "neither the value of 8 bytes that the kernel takes nor a "
                                   "pointer to memory of the device";
  throw InvalidArgument(parameter_text(kernel, buffer.count()) + ": an array of the host, of " +
                            std::to_string(size_bytes) + " bytes, is " + wanted,
                        "pass drv.In(a), drv.Out(a) or drv.InOut(a), or gpuarray.to_gpu(a)");
}

void add_array(cuda::ArgumentBuffer& buffer, PyObject* array, const Kernel& kernel) {
  if (!is_managed_array(array)) {
    refuse_host_array(buffer, array, kernel);
    return add_by_value(buffer, array);
  }
  const nb::object address = nb::handle(array).attr("ctypes").attr("data");
  buffer.add_pointer(PyLong_AsUnsignedLongLongMask(address.ptr()));
}

bool add_device_object(cuda::ArgumentBuffer& buffer, PyObject* argument, Kernel& kernel) {
  // A class that has the attribute but not the interface raises an error or returns None.
  const nb::object interface = attribute_or_null(argument, "__cuda_array_interface__");
  if (interface.is_valid() && PyObject_IsTrue(interface.ptr()) == 1) {
    check_elements(kernel, buffer.count(), argument);
    buffer.add_pointer(interface_address(interface));
    return true;
  }
  const nb::object memory = attribute_or_null(argument, "gpudata");
  if (!memory.is_valid()) return false;
  buffer.add_pointer(memory.is_none() ? 0 : pointer_argument(memory.ptr(), "gpudata"));
  return true;
}

[[noreturn]] void refuse(PyObject* argument, std::size_t index) {
  std::string text =
      "invalid type on parameter #" + std::to_string(index) + " (0-based): " + type_name(argument);
  if (PyLong_Check(argument) != 0 || PyFloat_Check(argument) != 0)
    text +=
        "; its width is not known, pass a NumPy scalar such as np.int32(...) or np.float32(...)";
  raise_python(PyExc_TypeError, text);
}

void add_other(cuda::ArgumentBuffer& buffer, PyObject* argument, Kernel& kernel,
               std::vector<PyObject*>& handlers) {
  const NumpyTypes& numpy = numpy_types();
  if (PyObject_TypeCheck(argument, numpy.ndarray) != 0) return add_array(buffer, argument, kernel);
  if (PyObject_TypeCheck(argument, numpy.void_scalar) != 0) return add_by_value(buffer, argument);
  if (PyObject_TypeCheck(argument, numpy.generic) != 0 && PyObject_CheckBuffer(argument) != 0)
    return add_by_value(buffer, argument);  // a subclass of a NumPy scalar, or a long double
  if (const auto* reader = find_reader(kernel_objects, Py_TYPE(argument))) {
    const unsigned long long raw = reader->read(argument);
    return buffer.add_bytes(&raw, sizeof raw, alignof(unsigned long long));
  }
  if (const auto* reader = find_reader(value_types, Py_TYPE(argument))) {
    const KernelValue value = reader->read(argument);
    return buffer.add_bytes(value.data, value.size, value.alignment);
  }
  const nb::object get_device_alloc = attribute_or_null(argument, "get_device_alloc");
  if (get_device_alloc.is_valid()) {
    const nb::object memory = get_device_alloc();
    if (const nb::object array = attribute_or_null(argument, "array"); array.is_valid())
      check_elements(kernel, buffer.count(), array.ptr());
    buffer.add_pointer(pointer_argument(memory.ptr(), "get_device_alloc()"));
    handlers.push_back(argument);
    return;
  }
  if (add_device_object(buffer, argument, kernel)) return;
  cuda::DevicePointer address = 0;
  if (!read_foreign_pointer(argument, address)) refuse(argument, buffer.count());
  buffer.add_pointer(address);
}

}  // namespace

LaunchScope::LaunchScope(cuda::StreamRef stream) noexcept
    : outer_(std::exchange(innermost_launch, this)), stream_(stream) {}
LaunchScope::~LaunchScope() { innermost_launch = outer_; }
bool LaunchScope::is_on_default_stream() noexcept {
  return innermost_launch != nullptr && innermost_launch->stream_.is_default();
}

cuda::DevicePointer interface_address(nb::handle interface) {
  PyObject* const data =
      PyDict_Check(interface.ptr()) != 0 ? PyDict_GetItemString(interface.ptr(), "data") : nullptr;
  if (data == nullptr || PyTuple_Check(data) == 0 || PyTuple_GET_SIZE(data) == 0)
    throw DTypeError("__cuda_array_interface__ is " + shown(interface) +
                         ", wanted: a dictionary with \"data\": (address, read-only)",
                     "look at the library that the array is of");
  PyObject* const address = PyTuple_GET_ITEM(data, 0);
  return address == Py_None ? 0 : unsigned_argument(address, "device address");
}

nb::object attribute_or_null(PyObject* object, const char* name) {
  PyObject* found = PyObject_GetAttrString(object, name);
  if (found == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

void register_pointer_type(nb::handle type, cuda::DevicePointer (*read)(PyObject*)) {
  pointer_types.push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read});
}

void register_value_type(nb::handle type, KernelValue (*read)(PyObject*)) {
  value_types.push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read});
}

void register_kernel_object(nb::handle type, unsigned long long (*read)(PyObject*)) {
  kernel_objects.push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read});
}

bool read_pointer(PyObject* object, cuda::DevicePointer& address) {
  const auto* reader = find_reader(pointer_types, Py_TYPE(object));
  if (reader == nullptr) return false;
  address = reader->read(object);
  return true;
}

cuda::DevicePointer pointer_argument(PyObject* object, const char* what) {
  if (PyLong_Check(object) != 0) return unsigned_argument(object, what);
  cuda::DevicePointer address = 0;
  if (read_pointer(object, address)) return address;
  if (PyIndex_Check(object) != 0) return unsigned_argument(object, what);
  if (const nb::object memory = attribute_or_null(object, "gpudata"); memory.is_valid())
    return memory.is_none() ? 0 : pointer_argument(memory.ptr(), what);
  if (read_foreign_pointer(object, address)) return address;
  raise_python(PyExc_TypeError,
               std::string(what) + ": a device address is wanted, not " + type_name(object));
}

void register_stream_type(nb::handle type, cuda::StreamRef (*read)(PyObject*)) {
  stream_types.push_back({reinterpret_cast<PyTypeObject*>(type.ptr()), read});
}

bool is_set(PyObject* option) {
  if (option == nullptr) return false;
  const int truth = PyObject_IsTrue(option);
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

cuda::StreamRef stream_argument(PyObject* object) {
  if (object == nullptr || object == Py_None) return {};
  if (const auto* reader = find_reader(stream_types, Py_TYPE(object))) return reader->read(object);
  if (const nb::object protocol = attribute_or_null(object, "__cuda_stream__");
      protocol.is_valid()) {
    const nb::object pair = protocol();
    const auto handle = unsigned_argument(nb::object(pair[nb::int_(1)]).ptr(), "stream handle");
    return cuda::StreamRef(reinterpret_cast<cuda::RawStream>(handle));
  }
  if (is_handle(object, "CUstream"))
    return cuda::StreamRef(reinterpret_cast<cuda::RawStream>(handle_number(object)));
  raise_python(PyExc_TypeError, "stream must be None or a Stream, not " + type_name(object));
}

std::uintptr_t foreign_handle(PyObject* object, const char* what, const char* bindings_name) {
  nb::object handle = nb::borrow(object);
  const auto is_number = [&] {
    return (PyLong_Check(handle.ptr()) != 0 && PyBool_Check(handle.ptr()) == 0) ||
           is_handle(handle.ptr(), bindings_name);
  };
  for (const char* name : {"handle", "raw"})
    if (!is_number())
      if (nb::object inner = attribute_or_null(object, name); inner.is_valid())
        handle = std::move(inner);
  if (is_number()) return handle_number(handle.ptr());
  raise_python(PyExc_TypeError, std::string(what) + ": a " + bindings_name + " is wanted, not a " +
                                    type_name(handle.ptr()));
}

void refuse_no_integer(PyObject* object, const char* what) {
  std::string text = std::string(what) + " must be an integer, not ";
  // NumPy's scalars such as numpy.float32 are no Python floats, but convert to floats.
  const bool is_float =
      PyFloat_Check(object) != 0 || (PyObject_TypeCheck(object, numpy_types().generic) != 0 &&
                                     PyNumber_Check(object) != 0 && PyComplex_Check(object) == 0);
  if (!is_float) raise_python(PyExc_TypeError, text + public_name(type_name(object)));
  raise_python(PyExc_TypeError,
               text + "the float " + nb::cast<std::string>(nb::str(nb::handle(object))) +
                   ": where / divides, write // (n // 16; rounded up, -(-n // 16))");
}

std::uint64_t unsigned_argument(PyObject* object, const char* what, std::uint64_t highest) {
  const nb::object index = nb::steal(PyNumber_Index(object));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse_no_integer(object, what);
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    const bool negative =
        PyObject_RichCompareBool(index.ptr(), nb::object(nb::int_(0)).ptr(), Py_LT) == 1;
    raise_python(PyExc_OverflowError,
                 negative ? std::string(what) + ": can't convert negative value to unsigned int"
                          : std::string(what) + ": the number needs more than 64 bits");
  }
  if (number > highest)
    raise_python(PyExc_OverflowError, std::string(what) + ": " + std::to_string(number) +
                                          " is more than " + std::to_string(highest));
  return number;
}

cuda::Dim3 any_dim3_argument(PyObject* object, const char* what) {
  const nb::object sequence = PyLong_Check(object) != 0 || PyUnicode_Check(object) != 0
                                  ? nb::object()
                                  : nb::steal(PySequence_Fast(object, "not a sequence"));
  if (!sequence.is_valid()) {
    PyErr_Clear();
    raise_python(PyExc_TypeError, std::string(what) + " must be a tuple of 1 to 3 integers, not " +
                                      type_name(object));
  }
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.ptr());
  if (count < 1 || count > 3)
    throw InvalidArgument(std::string(what) + " must have 1 to 3 entries, not " +
                          std::to_string(count));
  cuda::Dim3 dim;
  unsigned* const sides[] = {&dim.x, &dim.y, &dim.z};
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence.ptr(), i);
    const std::string side = std::string(what) + "[" + std::to_string(i) + "]";
    *sides[i] = static_cast<unsigned>(unsigned_argument(item, side.c_str(), 0xFFFFFFFFu));
  }
  return dim;
}

Kernel::Kernel(cuda::Function kernel_function, Face kernel_face,
               const std::vector<device::Parameter>& declared, const ScalarAliases& aliases)
    : function(std::move(kernel_function)), face(kernel_face), layout(function.parameters()) {
  bool is_declared = declared.size() == layout.parameters.size();
  for (std::size_t i = 0; is_declared && i < declared.size(); ++i)  // otherwise another kernel's
    is_declared =
        declared[i].size_bytes == 0 || declared[i].size_bytes == layout.parameters[i].size;
  for (std::size_t i = 0; i < layout.parameters.size(); ++i) {
    const cuda::KernelParameter& parameter = layout.parameters[i];
    const bool from_text = parameter.type.empty() && is_declared;
    names.push_back(from_text ? declared[i].name : parameter.name);
    types.push_back(from_text ? declared[i].type : parameter.type);
    kinds.push_back(from_text ? driver_kind(declared[i].kind) : parameter.kind);
    if (types.back().empty()) continue;
    pointed.declare(i, types.back(), aliases);
    const auto alias = aliases.find(read_type(types.back()).type);
    if (alias != aliases.end() && kinds.back() == ParameterKind::unknown &&
        !read_type(types.back()).is_pointer)
      kinds.back() =
          DType(alias->second).is_integer() ? ParameterKind::integer : ParameterKind::floating;
  }
}

void check_elements(Kernel& kernel, std::size_t parameter, PyObject* argument) {
  if (!kernel.pointed.is_known(parameter) || kernel.reported.has(parameter)) return;
  GivenElements given{Scalar::int8, false};
  if (!read_elements(argument, given)) return;
  if (const std::string text = kernel.pointed.contradiction(parameter, given); !text.empty())
    warn_once(kernel, parameter, text);
}

// The sizes agree, but the argument is a float and the source says int, or the reverse: passing the
// bits would reinterpret them.
void check_number(Kernel& kernel, std::size_t parameter, device::ParameterKind given,
                  const std::string& text) {
  if (!kinds_differ(kernel.kinds[parameter], given)) return;
  const std::string what = "the bytes of a " + text + " are no " + kernel.types[parameter];
  // PyCUDA passes the bits, and programs pass np.int32(0) for a float zero.
  if (kernel.face == Face::pycuda)
    return warn_once(kernel, parameter, what + "; passed as they are");
  throw DTypeError(parameter_text(kernel, parameter) + ": " + what,
                   "pass a NumPy scalar of the parameter's own type");
}

bool convert_integer(Kernel& kernel, std::size_t parameter, const WideInteger& number,
                     std::size_t given_size, void* to) {
  const std::size_t size = kernel.layout.parameters[parameter].size;
  const ParameterKind kind = kernel.kinds[parameter];
  if (kind != ParameterKind::integer && kind != ParameterKind::unknown) return false;
  if (size != 1 && size != 2 && size != 4 && size != 8) return false;
  if (size < 8) {
    // The driver tells widths but no signs, so a number may fit as signed or as unsigned.
    const std::uint64_t limit = std::uint64_t{1} << (8 * size);
    const bool fits =
        number.is_negative ? number.bits >= ~std::uint64_t{0} - limit / 2 + 1 : number.bits < limit;
    if (!fits) return false;
  }
  warn_once(kernel, parameter,
            "an integer of " + std::to_string(given_size) +
                " bytes was converted to the parameter's " + std::to_string(size) +
                "; pass the exact width");
  std::memcpy(to, &number.bits, size);
  return true;
}

void add_argument(cuda::ArgumentBuffer& buffer, PyObject* argument, Kernel& kernel,
                  std::vector<PyObject*>& handlers) {
  if (const ScalarType* scalar = scalar_type(Py_TYPE(argument)))
    return add_scalar(buffer, *scalar, argument, kernel);
  check_bound_array(kernel, buffer.count(), argument);
  cuda::DevicePointer address = 0;
  if (read_pointer(argument, address)) return buffer.add_pointer(address);
  add_other(buffer, argument, kernel, handlers);
}

}  // namespace treadle::bindings
