// SPDX-License-Identifier: MIT
// What the faces' array classes need beside treadle.Array: memory of a user's pool, and operators
// that are recorded on a stream.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>

#include "caller.hpp"
#include "calls/parameter_check.hpp"
#include "errors.hpp"
#include "kept.hpp"
#include "native/array.hpp"
#include "native/promotion.hpp"
#include "refused_call.hpp"
#include "treadle/array/allocator.hpp"
#include "treadle/array/bitonic_sort.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/opencl.hpp"

namespace treadle::bindings {
namespace {

/// Where a memory object of a face is: OpenCL's have int_ptr, CUDA's are integers.
std::uint64_t handle_of(nb::handle block, const device::Device& device) {
  const bool is_opencl = device::opencl_device(device) != nullptr;
  const nb::object number = is_opencl ? nb::getattr(block, "int_ptr", nb::none())
                                      : nb::steal(PyNumber_Index(block.ptr()));
  std::uint64_t handle = 0;
  if (number.is_valid() && nb::try_cast(number, handle)) return handle;
  PyErr_Clear();
  throw DTypeError("an array's allocator gave " + shown(block) + ", wanted: memory of " +
                       (is_opencl ? "OpenCL" : "CUDA"),
                   "a function of the size in bytes, such as a memory pool's allocate");
}

/// A function of the size in bytes that gives memory nobody else knows: a pool of a face.
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

void set_pool(const Array& self, nb::handle function) {
  std::shared_ptr<array::Allocator> allocator;
  if (!function.is_none()) allocator = std::make_shared<PoolAllocator>(function);
  array::set_allocator(self, std::move(allocator));
}

nb::object pool_of(const Array& self) {
  const auto allocator = array::allocator_of(self);
  const auto* const pool = dynamic_cast<const PoolAllocator*>(allocator.get());
  return pool != nullptr ? pool->function() : nb::none();
}

nb::object block_of(const Array self) {  // a share: other threads may rebind
  const memory::Buffer buffer = self.buffer();
  (void)buffer.location();
  const nb::handle block = kept_object(buffer.owner());
  return block.is_valid() ? nb::borrow(block) : nb::none();
}

PyObject* iterate(PyObject* self) noexcept {
  // One of a program's class may be asked before its constructor has run.
  const bool is_made = nb::inst_ready(self) && static_cast<bool>(*nb::inst_ptr<Array>(self));
  if (!is_made || nb::inst_ptr<Array>(self)->layout().shape().empty()) {
    PyErr_SetString(PyExc_TypeError, "iteration over an array without axes");
    return nullptr;
  }
  return PySeqIter_New(self);
}

// Without __iter__, which would make the class a collections.abc.Iterable, in the slot alone.
void iterate_by_index(nb::handle type) {
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_iter = iterate;
}

/// Of the stream that changed the array last: on whichever queue that was.
std::shared_ptr<device::Event> marked(const Array self) {
  const std::shared_ptr<device::Event> event = self.device().make_event();
  const nb::gil_scoped_release released;
  array::evaluate({self});
  const device::LeaveDeferred leave;  // other expressions may wait
  self.stream()->record(*event);
  return event;
}

/// As launches of the waist have it: what reads the array is computed before, and expressions on it
/// stay deferred.
std::pair<std::uint64_t, std::uint64_t> written_on(const Array self,
                                                   const std::shared_ptr<device::Stream>& stream) {
  const auto [location, watched] = self.for_launch();
  watched->before_use(*stream, device::MemoryUse::writes);
  return {location.handle, location.offset};
}

// What kernels' declarations are compared with.
bool read_array_elements(PyObject* object, GivenElements& elements) {
  if (!nb::inst_ready(object) || !*nb::inst_ptr<Array>(object)) return false;
  const Array& array = *nb::inst_ptr<Array>(object);
  const auto& layout = array.layout();
  const auto [begin, end] = layout.byte_range(array.dtype().size_bytes());
  const bool is_whole = end - begin == static_cast<std::int64_t>(array.size_bytes());
  elements = {array.dtype(), layout.size() > 1 && (!is_whole || begin != layout.offset_bytes())};
  return true;
}

Array applied(Op op, nb::handle x, nb::handle y) {
  const ArrayOperand a(x.ptr());
  if (y.is_none()) return array::apply(op, {a.get()});
  const ArrayOperand b(y.ptr());
  Array result = array::apply(op, {a.get(), b.get()});
  return op_info(op).rule == OpRule::compare ? array::cast(result, Scalar::int8) : result;
}

/// Only where `lead` has axes: of others the face knows more.
nb::object record_on(const std::shared_ptr<device::Stream>& stream, int op, nb::handle x,
                     nb::handle y, nb::handle lead) {
  if (nb::inst_ptr<Array>(lead)->rank() == 0) return nb::none();
  note_launch_site();
  const device::StreamScope scope(stream);
  return array_object(applied(static_cast<Op>(op), x, y), Py_TYPE(lead.ptr()));
}

}  // namespace

void bind_array_faces(nb::module_& m) {
  register_array_type(nb::type<Array>(), read_array_elements);
  m.def("set_pool", &set_pool, nb::arg("array"), nb::arg("function").none(),
        nb::sig("def set_pool(array: Array, function: typing.Callable[[int], typing.Any] | None) "
                "-> None"),
        "Results of operations on the array take their memory from a function of the size in "
        "bytes, which gives what nobody else knows, once for each; None: from the device's pool.");
  m.def("pool", &pool_of, nb::arg("array"),
        nb::sig("def pool(array: Array) -> typing.Callable[[int], typing.Any] | None"),
        "That function.");
  m.def("iterate_by_index", &iterate_by_index, nb::arg("type"),
        nb::sig("def iterate_by_index(type: type[Array]) -> None"),
        "Lets iter() of this class's arrays go by __getitem__, whatever __iter__ is.");
  m.def("block", &block_of, nb::arg("array"), nb::sig("def block(array: Array) -> typing.Any"),
        "The object that a user's allocator gave for the memory; None: there is none. Operations "
        "on it are not deferred from now on, as after memory().");
  m.def("written_on", &written_on, nb::arg("array"), nb::arg("stream"),
        "For a launch that may write to the array and is queued on the stream next: the handle of "
        "its memory and the first element's offset in bytes, which the caller gives nobody else.");
  m.def("mark", &marked, nb::arg("array"),
        "An event after the last change of the array, which is computed if it was pending.");
  m.def(
      "op_number", [](const std::string& name) { return static_cast<int>(op_named(name)); },
      nb::arg("name"), "What record_on() takes.");
  m.def("record_on", &record_on, nb::arg("stream"), nb::arg("op"), nb::arg("x"),
        nb::arg("y").none(), nb::arg("lead"),
        nb::sig("def record_on(stream: treadle._core.device.Stream, op: int, x: typing.Any, y: "
                "typing.Any, lead: Array) -> typing.Any"),
        "An operator on arrays and numbers of Python (y is None: of one operand), recorded on a "
        "stream, where comparisons give int8: an object of the class of `lead`, one of them, "
        "without its __init__. None if that has no axes.");
  m.def("bitonic_sort", recorded(+[](const Array& x, nb::handle carried, int axis) {
          const Array* const beside = as_array(carried.ptr());
          if (beside == nullptr && !carried.is_none())
            raise_python(PyExc_TypeError,
                         std::string("bitonic_sort() carries an Array along, not a ") +
                             Py_TYPE(carried.ptr())->tp_name);
          // Another thread may give the Python object another array meanwhile.
          const Array along = beside != nullptr ? *beside : Array();
          array::bitonic_sort(x, along, axis);
        }),
        nb::arg("x"), nb::arg("carried") = nb::none(), nb::arg("axis") = 0,
        nb::sig("def bitonic_sort(x: Array, carried: Array | None = None, axis: int = 0) -> None"),
        "Sorts in place along an axis whose length is a power of two, and brings the elements of "
        "another array to the places of those that they belong to.");
}

}  // namespace treadle::bindings
