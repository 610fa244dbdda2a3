// SPDX-License-Identifier: MIT
#include "treadle/cuda/memory.hpp"

#include "caller.hpp"
#include "calls/argument.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "memory/buffer_slots.hpp"
#include "rooms.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

// A contiguous buffer, held during a call.
class Bytes {
 public:
  Bytes(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_ANY_CONTIGUOUS | flags) != 0)
      throw nb::python_error();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }
  std::span<std::byte> span() const {
    return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

void copy_from(DeviceMemory& self, nb::handle host, nb::handle stream) {
  (void)self.address();  // throws if it was freed: then there is no context to wait in
  const Bytes bytes(host, 0);
  const StreamRef queue = stream_argument(stream.ptr());
  if (stream.is_none()) return without_gil(self.context(), [&] { self.copy_from(bytes.span()); });
  nb::gil_scoped_release released;
  self.copy_from_async(bytes.span(), queue);
}

void copy_to(const DeviceMemory& self, nb::handle host, nb::handle stream) {
  (void)self.address();  // throws if it was freed: then there is no context to wait in
  const Bytes bytes(host, PyBUF_WRITABLE);
  const StreamRef queue = stream_argument(stream.ptr());
  if (stream.is_none()) return without_gil(self.context(), [&] { self.copy_to(bytes.span()); });
  nb::gil_scoped_release released;
  self.copy_to_async(bytes.span(), queue);
}

// Sizes are signed here, so that the core refuses a negative size and names it.
std::size_t size_of(std::ptrdiff_t size) { return static_cast<std::size_t>(size); }

void bind_device_memory(nb::module_& m) {
  nb::class_<DeviceMemory> type(m, "DeviceMemory", nb::is_weak_referenceable(),
                                "Memory of the device.");
  let_go_without_gil<DeviceMemory>();
  type.def(
          "__init__",
          [](DeviceMemory* self, std::ptrdiff_t size_bytes) {
            note_launch_site();
            new (self) DeviceMemory(size_of(size_bytes));
          },
          nb::arg("size_bytes"))
      .def_static(
          "pitched",
          [](std::ptrdiff_t width_bytes, std::ptrdiff_t height, unsigned element_bytes) {
            return DeviceMemory::pitched(size_of(width_bytes), size_of(height), element_bytes);
          },
          nb::arg("width_bytes"), nb::arg("height"), nb::arg("element_bytes"),
          "Rows of `width_bytes`, each aligned for elements of 4, 8 or 16 bytes. Raises "
          "OutOfMemory.")
      .def("free", &free_without_gil<DeviceMemory>,
           "Frees now; the memory must not be in use. Raises InvalidState the second time.")
      .def_prop_ro("is_freed", &DeviceMemory::is_freed)
      .def_prop_ro("address", &DeviceMemory::address)
      .def_prop_ro("size_bytes", &DeviceMemory::size_bytes)
      .def_prop_ro("pitch_bytes", &DeviceMemory::pitch_bytes)
      .def("__int__", &DeviceMemory::address)
      .def("__index__", &DeviceMemory::address)
      .def(
          "copy_from",
          [](DeviceMemory& self, nb::object host, nb::object stream) {
            copy_from(self, host, stream);
          },
          nb::arg("host"), nb::arg("stream") = nb::none(),
          "Copies a whole buffer in; with a stream, asynchronously.")
      .def(
          "copy_to",
          [](const DeviceMemory& self, nb::object host, nb::object stream) {
            copy_to(self, host, stream);
          },
          nb::arg("host"), nb::arg("stream") = nb::none(),
          "Fills a whole buffer; with a stream, asynchronously.")
      .def(
          "fill8",
          [](const DeviceMemory& self, std::uint8_t value) {
            fill8(self.address(), value, self.size_bytes());
          },
          nb::arg("value"), "Sets every byte.");
  register_pointer_type(
      type, [](PyObject* object) { return instance_of<DeviceMemory>(object).address(); });
}

void bind_host_memory(nb::module_& m) {
  nb::enum_<HostMemoryFlags>(m, "HostMemoryFlags", "CU_MEMHOSTALLOC_*; combine with |.",
                             nb::is_arithmetic(), nb::is_flag())
      .value("none", HostMemoryFlags::none)
      .value("portable", HostMemoryFlags::portable)
      .value("device_map", HostMemoryFlags::device_map)
      .value("write_combined", HostMemoryFlags::write_combined);
  nb::class_<HostMemory> type(m, "HostMemory", nb::is_weak_referenceable(),
                              nb::type_slots(buffer_slots<HostMemory, Face::native>()),
                              "Page-locked host memory; numpy.frombuffer makes an array of it.");
  let_go_without_gil<HostMemory>();
  type.def(
          "__init__",
          [](HostMemory* self, std::ptrdiff_t size_bytes, HostMemoryFlags flags) {
            new (self) HostMemory(size_of(size_bytes), flags);
          },
          nb::arg("size_bytes"), nb::arg("flags") = HostMemoryFlags::none)
      .def("free", &free_without_gil<HostMemory>,
           "Frees now; no copy may be in flight. Raises InvalidState the second time.")
      .def_prop_ro("is_freed", &HostMemory::is_freed)
      .def_prop_ro("size_bytes", &HostMemory::size_bytes)
      .def_prop_ro("device_pointer", &HostMemory::device_pointer);
}

void bind_managed_memory(nb::module_& m) {
  nb::enum_<AttachFlags>(m, "AttachFlags", "CUmemAttach_flags: who may touch managed memory.")
      .value("everyone", AttachFlags::global)
      .value("host", AttachFlags::host)
      .value("single", AttachFlags::single);
  nb::class_<ManagedMemory> type(m, "ManagedMemory", nb::is_weak_referenceable(),
                                 nb::type_slots(buffer_slots<ManagedMemory, Face::native>()),
                                 "Memory with one address on the host and on every device.");
  let_go_without_gil<ManagedMemory>();
  type.def(
          "__init__",
          [](ManagedMemory* self, std::ptrdiff_t size_bytes, AttachFlags flags) {
            new (self) ManagedMemory(size_of(size_bytes), flags);
          },
          nb::arg("size_bytes"), nb::arg("flags") = AttachFlags::global)
      .def("free", &free_without_gil<ManagedMemory>,
           "Frees now; the memory must not be in use. Raises InvalidState the second time.")
      .def_prop_ro("is_freed", &ManagedMemory::is_freed)
      .def_prop_ro("address", &ManagedMemory::address)
      .def_prop_ro("size_bytes", &ManagedMemory::size_bytes)
      .def(
          "attach",
          [](const ManagedMemory& self, AttachFlags flags, nb::object stream) {
            self.attach(flags, stream_argument(stream.ptr()));
          },
          nb::arg("flags"), nb::arg("stream") = nb::none(),
          "Says who may touch the memory while work runs; ordered on `stream`.");
  register_pointer_type(
      type, [](PyObject* object) { return instance_of<ManagedMemory>(object).address(); });
}

}  // namespace

void bind_cuda_memory(nb::module_& m) {
  bind_device_memory(m);
  bind_host_memory(m);
  bind_managed_memory(m);
  nb::class_<AddressRange>(m, "AddressRange", "An allocation.")
      .def_ro("base", &AddressRange::base)
      .def_ro("size_bytes", &AddressRange::size_bytes);
  m.def(
      "address_range",
      [](nb::object address) { return address_range(pointer_argument(address.ptr(), "address")); },
      nb::arg("address"), "The allocation that an address lies in.");
}

}  // namespace treadle::bindings
