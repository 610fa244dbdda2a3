// SPDX-License-Identifier: MIT
// Exchange with other libraries: their arrays as operands, and Treadle's arrays for them.
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/interchange.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/transfer.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/device/cuda.hpp"

namespace treadle::bindings {
namespace {

using memory::Buffer;

constexpr int host_type = 1;  // DLPack's kDLCPU

bool is_host_memory(device::Device& device) {
  const cuda::Context* context = device::cuda_context(device);
  return context != nullptr && context->driver().provider() == cuda::Provider::cpu;
}

// ---- our arrays for other libraries

/// The elements for other libraries, on the current stream.
SharedElements elements_of(const Array self) {  // a handle of its own: other threads may rebind
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;  // computing may compile a kernel
  Buffer buffer = self.buffer(stream);
  return {.buffer = std::move(buffer),
          .layout = self.layout(),
          .item_bytes = self.dtype().size_bytes(),
          .dtype = self.dtype().name(),
          .is_read_only = !self.is_writable(),
          .stream = stream};
}

nb::dict interface_of(const Array& self) {
  if (device::cuda_context(self.device()) == nullptr)
    throw nb::attribute_error("__cuda_array_interface__");  // hasattr() is False, nothing computed
  return cuda_array_interface(elements_of(self));
}

nb::object exported(const Array& self, nb::handle stream, nb::handle max_version,
                    nb::handle dl_device, nb::handle copy) {
  const bool may_copy = copy.ptr() != Py_False;
  if (may_copy && !dl_device.is_none() && !is_host_memory(self.device()) &&
      nb::make_tuple(host_type, 0).equal(nb::borrow(dl_device))) {
    nb::dict keywords;
    keywords["max_version"] = max_version;
    return nb::cast(self).attr("get")().attr("__dlpack__")(**keywords);
  }
  const bool is_copied = copy.ptr() == Py_True;
  const SharedElements elements = elements_of(is_copied ? array::copy(self) : self);
  if (!dl_device.is_none() && !dlpack_device(elements.buffer).equal(nb::borrow(dl_device)))
    raise_python(PyExc_BufferError,
                 "the array is on another device than the one asked for: x.to_device() moves it");
  return dlpack(elements, is_copied, stream, max_version);
}

/// The memory that a Py_buffer of an array points to.
struct Lent {
  std::vector<Py_ssize_t> shape, strides;
  std::string format;
};

[[noreturn]] void refuse_buffer(const std::string& text) { raise_python(PyExc_BufferError, text); }

std::string format_of(const DType& dtype) {
  switch (dtype.kind()) {
    case ScalarKind::structure:
      refuse_buffer("records are not lent: x.get() copies them");
    case ScalarKind::complex:
      return dtype.scalar() == Scalar::complex64 ? "Zf" : "Zd";
    default:
      return {dtype.numpy_char()};
  }
}

void require_order(const Array& array, int flags) {
  const std::size_t item = array.dtype().size_bytes();
  const bool is_c = array.layout().is_contiguous(item);
  const bool is_fortran = array.layout().is_contiguous(item, MemoryOrder::fortran);
  const auto asks = [&](int what) { return (flags & what) == what; };
  if ((asks(PyBUF_C_CONTIGUOUS) && !is_c) || (asks(PyBUF_F_CONTIGUOUS) && !is_fortran) ||
      (asks(PyBUF_ANY_CONTIGUOUS) && !is_c && !is_fortran) || (!asks(PyBUF_STRIDES) && !is_c))
    refuse_buffer("the elements do not lie in the order that is asked for: x.copy(order) does it");
}

void lend(PyObject* self, Py_buffer& view, int flags) {
  const Array array = instance_of<Array>(self);
  if (!is_host_memory(array.device()))
    refuse_buffer("the host does not see memory of " + array.device().info().id +
                  ": x.get() copies it");
  if ((flags & PyBUF_WRITABLE) != 0 && !array.is_writable())
    refuse_buffer("the array is read-only");
  require_order(array, flags);
  auto lent = std::make_unique<Lent>();
  lent->format = format_of(array.dtype());
  const SharedElements elements = elements_of(array);
  wait_for(*elements.stream);
  const Extents shape = array.shape(), strides = array.strides();
  lent->shape.assign(shape.begin(), shape.end());
  lent->strides.assign(strides.begin(), strides.end());
  static std::byte nothing{};
  view.buf =
      array.size() == 0 ? &nothing : host_memory(elements.buffer) + elements.layout.offset_bytes();
  view.len = array.size_bytes();
  view.itemsize = static_cast<Py_ssize_t>(elements.item_bytes);
  view.readonly = elements.is_read_only ? 1 : 0;
  view.ndim = array.rank();
  view.format = (flags & PyBUF_FORMAT) != 0 ? lent->format.data() : nullptr;
  view.shape = (flags & PyBUF_ND) != 0 ? lent->shape.data() : nullptr;
  view.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? lent->strides.data() : nullptr;
  view.suboffsets = nullptr;
  view.internal = lent.release();
  view.obj = Py_NewRef(self);
}

// ---- arrays of other libraries

Array view_of(const SharedElements& elements) {
  return Array::view_of(elements.buffer, elements.layout, DType::parse(elements.dtype),
                        {.stream = elements.stream, .is_read_only = elements.is_read_only});
}

/// NumPy's view of another library's memory.
nb::object numpys_view(nb::handle object) {
  try {
    return numpy().attr("from_dlpack")(object);
  } catch (nb::python_error& error) {
    const std::string text = nb::cast<std::string>(nb::str(error.value()));
    if (!error.matches(PyExc_ValueError) || text.find("PyCapsule") == std::string::npos) throw;
  }
  throw DTypeError("__dlpack__() returned what is no capsule \"dltensor\" that nobody has taken",
                   "ask for a new one for each consumer");
}

/// Takes a read-only array of another library in host memory. Returns a view if the memory belongs
/// to the CPU device, else a copy; throws if copies are forbidden.
Array from_host_dlpack(nb::handle object, nb::handle device, nb::handle copy) {
  const nb::object host = numpys_view(object);
  const auto address = nb::cast<std::uintptr_t>(host.attr("ctypes").attr("data"));
  if (device_at(address) == nullptr || copy.ptr() == Py_True) {
    if (copy.ptr() == Py_False)
      raise_python(PyExc_BufferError,
                   "the elements are memory of the host, and reach a device by a copy, which "
                   "copy=False forbids");
    return array_from(host, nb::none(), device);
  }
  return view_of(adopt_dlpack(host, nb::none()));
}

bool is_host_dlpack(nb::handle object) { return dlpack_device_of(object).first == host_type; }

Array from_dlpack(nb::handle object, nb::handle device, nb::handle copy) {
  if (const Array* own = as_array(object.ptr()))
    return copy.ptr() == Py_True ? array::copy(*own) : *own;
  if (is_host_dlpack(object)) return from_host_dlpack(object, device, copy);
  const Array view = view_of(adopt_dlpack(object, nb::none()));
  return copy.ptr() == Py_True ? array::copy(view) : view;
}

Array moved(const Array self, nb::handle device, nb::handle stream) {
  array::Placement placement = placement_on(device);
  if (!stream.is_none() && device.is_none())
    raise_python(PyExc_TypeError, "to_device() takes a device, and a stream of it");
  if (!stream.is_none()) placement.stream = stream_or_current(stream, placement.stream->device());
  const nb::gil_scoped_release released;
  return array::to_device(self, placement);
}

// ---- methods

void bind_exports(nb::class_<Array>& type) {
  type.def_prop_ro("__cuda_array_interface__", &interface_of,
                   "Version 3, on CUDA; the current stream's work comes first.")
      .def(
          "__dlpack_device__",
          [](const Array& self) { return dlpack_device(elements_of(self).buffer); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__dlpack__", &exported, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, "
                   "int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | "
                   "None = None) -> object"),
           "The elements as a DLPack capsule. What is queued on them comes before later work on "
           "the consumer's stream; for memory that the host reads, it is waited for.")
      .def("to_device", &moved, nb::arg("device"), nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::sig("def to_device(self, device: treadle._core.device.Device | str, *, stream: "
                   "treadle._core.device.Stream | None = None) -> Array"),
           "The elements on a device; the array itself where it is there.");
}

void bind_dispatch(nb::class_<Array>& type) {
  type.attr("__array_priority__") = 1000;
  type.def(
          "__array_ufunc__",
          [](nb::handle, nb::handle ufunc, const std::string& method, const nb::args& inputs,
             const nb::kwargs& options) {
            return protocols().attr("call_ufunc")(ufunc, method, inputs, options);
          },
          nb::sig("def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: typing.Any, "
                  "**options: typing.Any) -> typing.Any"),
          "NumPy's functions of elements: numpy.sin(x) is treadle.numpy.sin(x).")
      .def(
          "__array_function__",
          [](nb::handle, nb::handle function, nb::handle, nb::handle arguments,
             nb::handle options) {
            return protocols().attr("call_function")(function, arguments, options);
          },
          nb::arg("function"), nb::arg("types"), nb::arg("arguments"), nb::arg("options"),
          nb::sig("def __array_function__(self, function: typing.Any, types: typing.Any, "
                  "arguments: typing.Any, options: typing.Any) -> typing.Any"),
          "NumPy's other functions, by name.")
      .def(
          "__array_namespace__",
          [](nb::handle, nb::handle version) { return protocols().attr("namespace")(version); },
          nb::kw_only(), nb::arg("api_version") = nb::none(),
          nb::sig("def __array_namespace__(self, *, api_version: str | None = None) -> "
                  "typing.Any"),
          "treadle.numpy, by the array API standard.");
}

void bind_copying(nb::class_<Array>& type) {
  type.def("__copy__", nb::overload_cast<const Array&>(&array::copy))
      .def("__deepcopy__", [](const Array& self, nb::handle) { return array::copy(self); })
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(protocols().attr("restored"), nb::make_tuple(self.attr("get")()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
          "Pickles have the elements; they become an array on the current device.")
      .def(
          "__iter__",
          [](nb::handle self) {
            const nb::object count = nb::int_(nb::len(self));
            const nb::object builtins = nb::module_::import_("builtins");
            return builtins.attr("map")(self.attr("__getitem__"), builtins.attr("range")(count));
          },
          nb::sig("def __iter__(self) -> typing.Iterator[Array]"))
      .def("__contains__", [](nb::handle self, nb::handle value) {
        return nb::cast<bool>(protocols().attr("contains")(self, value));
      });
}

}  // namespace

int get_array_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    lend(self, *view, flags);
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    set_python_error(Face::native);
  }
  return -1;
}

void release_array_buffer(PyObject*, Py_buffer* view) noexcept {
  delete static_cast<Lent*>(view->internal);
}

std::optional<Array> foreign_array(PyObject* object) {
  if (const Buffer* bytes = as_buffer(object)) return view_of(bytes_of(*bytes));
  if (attribute_or_null(object, "__cuda_array_interface__").is_valid())
    return view_of(adopt_elements(object, nb::none()));
  if (attribute_or_null(object, "__dlpack__").is_valid())
    return from_dlpack(object, nb::none(), nb::none());
  return std::nullopt;
}

void bind_array_protocols(nb::class_<Array>& type) {
  bind_exports(type);
  bind_dispatch(type);
  bind_copying(type);
}

void bind_array_interchange(nb::module_& m) {
  m.def("from_dlpack", &from_dlpack, nb::arg("x"), nb::arg("device") = nb::none(),
        nb::arg("copy") = nb::none(),
        nb::sig("def from_dlpack(x: typing.Any, device: treadle._core.device.Device | str | None "
                "= None, copy: bool | None = None) -> Array"),
        "An array in the memory of another library's, by DLPack.");
  m.def(
      "foreign",
      [](nb::handle object) -> nb::object {
        std::optional<Array> found = foreign_array(object.ptr());
        return found ? array_object(*std::move(found)) : nb::none();
      },
      nb::arg("object").none(), nb::sig("def foreign(object: typing.Any) -> Array | None"),
      "An array in the memory of another library's; None for what is no array of a device.");
}

}  // namespace treadle::bindings
