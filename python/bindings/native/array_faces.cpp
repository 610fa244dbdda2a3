// SPDX-License-Identifier: MIT
// Additions to treadle.Array for the faces' array classes: memory of a user's pool, and operators
// that are recorded on a stream.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "caller.hpp"
#include "calls/argument.hpp"
#include "calls/parameter_check.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "kept.hpp"
#include "memory/launched_array.hpp"
#include "memory/shown_memory.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/face_array.hpp"
#include "native/promotion.hpp"
#include "refused_call.hpp"
#include "treadle/array/allocator.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/sort.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/opencl.hpp"

namespace treadle::bindings {
namespace {

/// The handle of a face's memory object: int_ptr of OpenCL's objects, the integer itself for CUDA.
std::uint64_t handle_of(nb::handle block, const device::Device& device) {
  const bool is_opencl = device::opencl_device(device) != nullptr;
  const nb::object number = is_opencl ? attribute_or_null(block.ptr(), "int_ptr")
                                      : nb::steal(PyNumber_Index(block.ptr()));
  std::uint64_t handle = 0;
  if (number.is_valid() && nb::try_cast(number, handle)) return handle;
  PyErr_Clear();
  throw DTypeError("an array's allocator gave " + shown(block) + ", wanted: memory of " +
                       (is_opencl ? "OpenCL" : "CUDA"),
                   "a function of the size in bytes, such as a memory pool's allocate");
}

/// An allocator that calls a Python function, a pool of a face. No other code knows the memory.
class PoolAllocator final : public array::Allocator {
 public:
  explicit PoolAllocator(nb::handle function) : function_(keep(function)) {}
  nb::object function() const { return nb::borrow(kept_object(function_)); }

  memory::Buffer allocate(std::size_t size_bytes,
                          const std::shared_ptr<device::Stream>& stream) override {
    const nb::gil_scoped_acquire gil;
    const nb::object block = function()(size_bytes);
    device::Device& device = stream->device();
    return memory::Buffer::adopt(device.shared_from_this(), {handle_of(block, device), 0},
                                 size_bytes,
                                 {.kind = memory::BufferKind::user, .owner = keep(block)});
  }

 private:
  std::shared_ptr<void> function_;
};

std::shared_ptr<array::Allocator> allocator_by(nb::handle function) {
  if (function.is_none()) return nullptr;
  return std::make_shared<PoolAllocator>(function);
}

void set_pool(const Array& self, nb::handle function) {
  array::set_allocator(self, allocator_by(function));
}

nb::object pool_of(const Array& self) {
  const auto allocator = array::allocator_of(self);
  const auto* const pool = dynamic_cast<const PoolAllocator*>(allocator.get());
  return pool != nullptr ? pool->function() : nb::none();
}

nb::object block_of(const Array self) {  // a handle of its own: other threads may rebind
  const memory::Buffer buffer = self.buffer();
  (void)buffer.location();
  const nb::handle block = kept_object(buffer.owner());
  return block.is_valid() ? nb::borrow(block) : nb::none();
}

/// The memory object for PyCUDA: an allocation for an array without a base that begins with its
/// buffer, else an address.
nb::object pycuda_memory(const memory::Buffer& buffer, std::int64_t offset, nb::handle array) {
  const bool is_root = array.attr("base").is_none();
  if (is_root && offset == 0) {
    const nb::handle block = kept_object(buffer.owner());
    return block.is_valid() ? nb::borrow(block) : shown_memory().pycuda(buffer);
  }
  const device::Location place = buffer.location();
  return nb::int_(place.handle + place.offset + static_cast<std::uint64_t>(offset));
}

nb::object memory_object(nb::handle_t<FaceArray> object) {
  FaceArray& self = instance_of<FaceArray>(object);
  if (self.misfit.is_valid()) raise_python(PyExc_ValueError, nb::cast<std::string>(self.misfit));
  if (self.data.is_valid()) return self.data;
  if (self.size() == 0) return nb::none();
  const Array own = self;  // other threads may rebind
  const memory::Buffer buffer = own.buffer();
  (void)buffer.location();
  nb::object data;
  if (!self.context.is_valid()) {
    data = pycuda_memory(buffer, own.layout().offset_bytes(), object);
  } else {
    const nb::handle block = kept_object(buffer.owner());
    data = block.is_valid() ? nb::borrow(block) : shown_memory().pyopencl(buffer, self.context);
  }
  self.data = data;
  return data;
}

/// The stream for new arrays of a face, given a Place or a Device.
std::shared_ptr<device::Stream> stream_at(nb::handle place) {
  if (nb::isinstance<FacePlace>(place)) return instance_of<FacePlace>(place).stream;
  return stream_for(*nb::cast<std::shared_ptr<device::Device>>(place));
}

nb::object sent(nb::handle values, nb::handle place, nb::handle pool, bool wait) {
  const std::optional<HostElements> host = dense_elements(values);
  if (!host || host->dtype.kind() == ScalarKind::structure) return nb::none();
  note_launch_site();
  const std::shared_ptr<device::Stream> stream = stream_at(place);
  const device::StreamScope scope(stream);
  const std::shared_ptr<array::Allocator> allocator = allocator_by(pool);
  Array made;
  const Layout layout = Layout::contiguous(host->shape, host->dtype.size_bytes(), host->order);
  if (allocator == nullptr || layout.size() == 0) {
    made = array::empty(host->shape, host->dtype, {.stream = stream, .order = host->order});
  } else {
    const std::size_t size_bytes =
        static_cast<std::size_t>(layout.size()) * host->dtype.size_bytes();
    made = Array::view_of(allocator->allocate(size_bytes, stream), layout, host->dtype,
                          {.stream = stream, .is_unshared = true});
  }
  if (allocator != nullptr) array::set_allocator(made, allocator);
  if (layout.size() != 0) store_elements(made, values, wait);
  return array_object(std::move(made));
}

PyObject* iterate(PyObject* self) noexcept {
  // Python may ask an object of a program's class before the constructor has run.
  const bool is_made = nb::inst_ready(self) && nb::inst_ptr<Array>(self)->has_value();
  if (!is_made || nb::inst_ptr<Array>(self)->layout().shape().empty()) {
    PyErr_SetString(PyExc_TypeError, "iteration over an array without axes");
    return nullptr;
  }
  return PySeqIter_New(self);
}

// Sets the slot without defining __iter__, which would make the class a collections.abc.Iterable.
void iterate_by_index(nb::handle type) {
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_iter = iterate;
}

/// Records an event on the stream that changed the array last.
std::shared_ptr<device::Event> marked(const Array self) {
  const std::shared_ptr<device::Event> event = self.device().make_event();
  const nb::gil_scoped_release released;
  array::evaluate({self});
  const device::LeaveDeferred leave;  // other expressions stay pending
  self.stream()->record(*event);
  return event;
}

/// Prepares a write as launches of the waist do: expressions that read the array are computed
/// first, and expressions on the array stay lazy.
std::pair<std::uint64_t, std::uint64_t> written_on(const Array self,
                                                   const std::shared_ptr<device::Stream>& stream) {
  const auto [location, watched] = self.for_launch();
  watched->before_use(*stream, device::MemoryUse::writes);
  return {location.handle, location.offset};
}

bool read_launched(PyObject* object, PyObject* place, LaunchedArray& launched) {
  const FaceArray* const array = as_face_array(object);
  if (array == nullptr || !nb::isinstance<FacePlace>(place)) return false;
  const FacePlace& at = instance_of<FacePlace>(place);
  if (array->data.is_valid() || array->misfit.is_valid() || !array->context.is_valid() ||
      array->size() == 0 || &array->device() != &at.stream->device())
    return false;
  const std::size_t item = array->dtype().size_bytes();
  const Layout& layout = array->layout();
  launched.is_dense =
      layout.is_contiguous(item) || layout.is_contiguous(item, MemoryOrder::fortran);
  launched.context = array->context.ptr();
  launched.events = array->events.ptr();
  const auto [handle, offset] = written_on(*array, at.stream);
  launched.handle = handle;
  launched.offset = offset;
  launched.end = offset + array->size_bytes();
  return true;
}

// Reads the elements that are compared with kernels' declarations.
bool read_array_elements(PyObject* object, GivenElements& elements) {
  if (!nb::inst_ready(object) || !nb::inst_ptr<Array>(object)->has_value()) return false;
  const Array& array = *nb::inst_ptr<Array>(object);
  const auto& layout = array.layout();
  const auto [begin, end] = layout.byte_range(array.dtype().size_bytes());
  const bool is_whole = end - begin == static_cast<std::int64_t>(array.size_bytes());
  elements = {array.dtype(), layout.size() > 1 && (!is_whole || begin != layout.offset_bytes())};
  return true;
}

}  // namespace

void bind_array_faces(nb::module_& m) {
  register_array_type(nb::type<Array>(), read_array_elements);
  launched_arrays().read = read_launched;
  m.def("set_pool", &set_pool, nb::arg("array"), nb::arg("function").none(),
        nb::sig("def set_pool(array: Array, function: typing.Callable[[int], typing.Any] | None) "
                "-> None"),
        "Results of operations on the array take their memory from a function of the size in "
        "bytes, which gives what nobody else knows, once for each; None: from the device's pool.");
  m.def("pool", &pool_of, nb::arg("array"),
        nb::sig("def pool(array: Array) -> typing.Callable[[int], typing.Any] | None"),
        "That function.");
  m.def("memory_object", &memory_object, nb::arg("array"),
        nb::sig("def memory_object(array: FaceArray) -> typing.Any"),
        "The Python object of an array's memory, which is made once: of the class that its face "
        "has for it. PyCUDA has an address of a part of one. None: there are no elements.");
  m.def("sent", &sent, nb::arg("values"), nb::arg("place"), nb::arg("pool").none(), nb::arg("wait"),
        nb::sig("def sent(values: typing.Any, place: Place | treadle._core.device.Device, pool: "
                "typing.Any, wait: bool) -> Array | None"),
        "A copy of a numpy.ndarray without gaps at a place, in memory of a pool or (None) of the "
        "device's own, with the axes in the same order. None, and nothing done, for others.");
  m.def("iterate_by_index", &iterate_by_index, nb::arg("type"),
        nb::sig("def iterate_by_index(type: type[Array]) -> None"),
        "Lets iter() of this class's arrays go by __getitem__, whatever __iter__ is.");
  m.def("block", &block_of, nb::arg("array"), nb::sig("def block(array: Array) -> typing.Any"),
        "The object that a user's allocator gave for the memory; None: there is none. Operations "
        "on it are not deferred from now on, as after memory().");
  m.def("mark", &marked, nb::arg("array"),
        "An event after the last change of the array, which is computed if it was pending.");
  m.def("bitonic_sort", recorded(+[](const Array& x, nb::handle carried, int axis) {
          const Array* const beside = as_array(carried.ptr());
          if (beside == nullptr && !carried.is_none())
            raise_python(PyExc_TypeError,
                         std::string("bitonic_sort() carries an Array along, not a ") +
                             Py_TYPE(carried.ptr())->tp_name);
          // Another thread may give the Python object another array meanwhile.
          const Array along = beside != nullptr ? *beside : Array();
          array::sort(x, along, axis);
        }),
        nb::arg("x"), nb::arg("carried") = nb::none(), nb::arg("axis") = 0,
        nb::sig("def bitonic_sort(x: Array, carried: Array | None = None, axis: int = 0) -> None"),
        "Sorts in place along an axis whose length is a power of two, and brings the elements of "
        "another array to the places of those that they belong to.");
}

}  // namespace treadle::bindings
