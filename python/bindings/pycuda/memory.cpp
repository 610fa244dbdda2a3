// SPDX-License-Identifier: MIT
#include "pycuda/memory.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "caller.hpp"
#include "calls/bindings_handle.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "memory/shown_memory.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {

void LinearAllocation::free() {
  if (memory_.is_freed())
    raise_logic_error("device_allocation::free failed: invalid resource handle");
  free_without_gil(memory_);
}

void ManagedAllocation::free() {
  if (memory_.is_freed())
    raise_logic_error("managed_allocation::free failed: invalid resource handle");
  free_without_gil(memory_);
}

void BufferAllocation::free() {
  if (buffer_.is_freed())
    raise_logic_error("device_allocation::free failed: invalid resource handle");
  const nb::gil_scoped_release released;
  buffer_.free();
}

nb::object raw_buffer(cuda::DevicePointer address, nb::handle size, nb::handle offset) {
  const auto length = unsigned_argument(size.ptr(), "size", PY_SSIZE_T_MAX);
  const auto start = unsigned_argument(offset.ptr(), "offset", PY_SSIZE_T_MAX);
  PyObject* view = PyMemoryView_FromMemory(reinterpret_cast<char*>(address + start),
                                           static_cast<Py_ssize_t>(length), PyBUF_WRITE);
  if (view == nullptr) throw nb::python_error();
  return nb::steal(view);
}

namespace {

std::unique_ptr<DeviceAllocation> mem_alloc(nb::handle bytes) {
  const auto size = unsigned_argument(bytes.ptr(), "bytes");
  const cuda::Context context = current_context();
  note_launch_site();
  return allocate_with_retry(
      [&] { return std::make_unique<LinearAllocation>(cuda::DeviceMemory(context, size)); });
}

nb::tuple mem_alloc_pitch(nb::handle width, nb::handle height, nb::handle access_size) {
  const auto width_bytes = unsigned_argument(width.ptr(), "width");
  const auto rows = unsigned_argument(height.ptr(), "height");
  const auto element = unsigned_argument(access_size.ptr(), "access_size", 0xFFFFFFFFu);
  current_context();
  note_launch_site();
  auto memory = allocate_with_retry([&] {
    return cuda::DeviceMemory::pitched(width_bytes, rows, static_cast<unsigned>(element));
  });
  const std::size_t pitch = memory.pitch_bytes();
  return nb::make_tuple(std::unique_ptr<DeviceAllocation>(new LinearAllocation(std::move(memory))),
                        pitch);
}

cuda::DevicePointer held_pointer(nb::handle holder) {
  return unsigned_argument(nb::object(holder.attr("get_pointer")()).ptr(), "get_pointer()");
}

nb::int_ as_integer(cuda::DevicePointer address) {
  return nb::int_(static_cast<unsigned long long>(address));
}

void bind_allocations(nb::module_& m) {
  auto base = nb::class_<DeviceAllocation>(m, "DeviceAllocation", nb::dynamic_attr(),
                                           nb::is_weak_referenceable(),
                                           "Linear device memory; int() gives its address.");
  refuse_construction(base);
  name_for_bindings(base, "CUdeviceptr");
  base.def("free", pycuda([](DeviceAllocation& self) { self.free(); }),
           "Gives the memory back now.")
      .def("__int__", [](const DeviceAllocation& self) { return as_integer(self.address()); })
      .def("__index__", [](const DeviceAllocation& self) { return as_integer(self.address()); })
      .def("as_buffer",
           pycuda([](const DeviceAllocation& self, nb::object size, nb::object offset) {
             return raw_buffer(self.live_address(), size, offset);
           }),
           nb::arg("size"), nb::arg("offset") = 0,
           "A view of the raw address: only where the host can reach the memory.");
  nb::class_<LinearAllocation, DeviceAllocation>(m, "_LinearAllocation");
  let_go_without_gil<LinearAllocation>();
  register_pointer_type(nb::type<LinearAllocation>(), [](PyObject* object) {
    return instance_of<LinearAllocation>(object).live_address();
  });
  nb::class_<BufferAllocation, DeviceAllocation> buffer(m, "_BufferAllocation");
  let_go_without_gil<BufferAllocation>();
  shown_memory().pycuda = [](memory::Buffer shown) {
    return nb::cast(std::make_unique<BufferAllocation>(std::move(shown)));
  };
  register_pointer_type(buffer, [](PyObject* object) {
    return instance_of<BufferAllocation>(object).live_address();
  });
}

void bind_pointer_holder(nb::module_& m) {
  nb::class_<PointerHolderBase>(m, "PointerHolderBase", nb::dynamic_attr(),
                                nb::is_weak_referenceable(),
                                "Subclasses define get_pointer(), and are then taken as addresses.")
      .def(nb::init<>())
      .def("get_pointer", pycuda([](nb::handle_t<PointerHolderBase> self) -> std::uint64_t {
             raise_python(PyExc_TypeError, std::string(Py_TYPE(self.ptr())->tp_name) +
                                               " must define get_pointer(), as every subclass of "
                                               "PointerHolderBase");
           }),
           "The address, as subclasses define it.")
      .def("__int__", pycuda([](nb::handle_t<PointerHolderBase> self) {
             return as_integer(held_pointer(self));
           }))
      .def("__index__", pycuda([](nb::handle_t<PointerHolderBase> self) {
             return as_integer(held_pointer(self));
           }))
      .def("as_buffer",
           pycuda([](nb::handle_t<PointerHolderBase> self, nb::object size, nb::object offset) {
             return raw_buffer(held_pointer(self), size, offset);
           }),
           nb::arg("size"), nb::arg("offset") = 0,
           "A view of the raw address: only where the host can reach the memory.");
  register_pointer_type(nb::type<PointerHolderBase>(),
                        [](PyObject* object) { return held_pointer(object); });
}

}  // namespace
}  // namespace face

void bind_pycuda_memory(nb::module_& m) {
  face::bind_allocations(m);
  face::bind_pointer_holder(m);
  m.def("mem_alloc", pycuda([](nb::object bytes) { return face::mem_alloc(bytes); }),
        nb::sig("def mem_alloc(bytes: int, /) -> DeviceAllocation"),
        "Allocates device memory in the current context.");
  m.def("mem_alloc_pitch", pycuda([](nb::object width, nb::object height, nb::object access_size) {
          return face::mem_alloc_pitch(width, height, access_size);
        }),
        nb::arg("width"), nb::arg("height"), nb::arg("access_size"),
        "(allocation, pitch): rows of `width` bytes, aligned for elements of `access_size`.");
  m.def("mem_get_info", pycuda([] {
          const cuda::MemoryInfo info = face::current_context().memory_info();
          return nb::make_tuple(info.free_bytes, info.total_bytes);
        }),
        "(free, total) bytes of device memory.");
  m.def("mem_get_address_range", pycuda([](nb::object ptr) {
          face::current_context();
          const auto range = cuda::address_range(pointer_argument(ptr.ptr(), "ptr"));
          return nb::make_tuple(range.base, range.size_bytes);
        }),
        nb::arg("ptr"), "(base, size) of the allocation an address lies in.");
}

}  // namespace treadle::bindings
