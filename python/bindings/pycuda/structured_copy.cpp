// SPDX-License-Identifier: MIT
// Memcpy2D, Memcpy3D and Memcpy3DPeer: mutable descriptions of a rectangle or box to copy.
#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "pycuda/array.hpp"
#include "rooms.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::bindings {
namespace face {
namespace {

// Members of all three classes. `kept` holds the objects that own the addresses.
struct StructuredCopy {
  cuda::Copy3D copy;
  nb::object kept_source, kept_destination;
};
struct Memcpy2D : StructuredCopy {};
struct Memcpy3D : StructuredCopy {};
struct Memcpy3DPeer : StructuredCopy {};

struct HostMemory {
  void* address;
  std::size_t size_bytes;  ///< from the address to the last element; 0: strides are negative
};

// A buffer that may have gaps: the copy uses its own pitches.
HostMemory host_memory(nb::handle object, bool writable) {
  Py_buffer view{};
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0)) != 0)
    throw nb::python_error();
  HostMemory memory{view.buf, static_cast<std::size_t>(view.itemsize)};
  bool is_forward = view.len > 0;
  for (int i = 0; i < view.ndim; ++i) {
    is_forward = is_forward && view.strides[i] >= 0;
    memory.size_bytes += static_cast<std::size_t>((view.shape[i] - 1) * view.strides[i]);
  }
  if (!is_forward) memory.size_bytes = 0;
  PyBuffer_Release(&view);  // `object` itself is kept
  return memory;
}

template <class T>
void set_host(T& self, nb::object buffer, bool source) {
  cuda::CopySide& side = source ? self.copy.source : self.copy.destination;
  const HostMemory memory = host_memory(buffer, !source);
  side.host = memory.address;
  side.size_bytes = memory.size_bytes;
  side.type = cuda::MemoryType::host;
  (source ? self.kept_source : self.kept_destination) = std::move(buffer);
}

template <class T>
void set_device(T& self, nb::object pointer, bool source) {
  cuda::CopySide& side = source ? self.copy.source : self.copy.destination;
  side.device = pointer_argument(pointer.ptr(), source ? "src" : "dst");
  side.size_bytes = 0;
  side.type = cuda::MemoryType::device;
  (source ? self.kept_source : self.kept_destination) = std::move(pointer);
}

template <class T>
void set_unified(T& self, nb::object buffer, bool source) {
  cuda::CopySide& side = source ? self.copy.source : self.copy.destination;
  const HostBuffer view(buffer, source ? HostBuffer::read : HostBuffer::write);
  side.device = reinterpret_cast<cuda::DevicePointer>(view.data());
  side.size_bytes = view.size();
  side.type = cuda::MemoryType::unified;
  (source ? self.kept_source : self.kept_destination) = std::move(buffer);
}

template <class T>
void set_array(T& self, const nb::object& array, bool source) {
  cuda::CopySide& side = source ? self.copy.source : self.copy.destination;
  side.array = array_argument(array, "array");
  side.size_bytes = 0;
  side.type = cuda::MemoryType::array;
  (source ? self.kept_source : self.kept_destination) = nb::object();
}

template <class T, class Get>
void bind_size(nb::class_<T>& type, const char* name, Get get) {
  type.def_prop_rw(
      name, [get](T& self) { return static_cast<std::uint64_t>(get(self.copy)); },
      pycuda([get](T& self, nb::object value) {
        get(self.copy) = unsigned_argument(value.ptr(), "value");
      }));
}

template <class T, class GetSide>
void bind_side(nb::class_<T>& type, const std::string& prefix, GetSide side, bool is_3d) {
  const auto size = [&](const char* name, std::size_t cuda::CopySide::* member) {
    bind_size(type, (prefix + name).c_str(),
              [side, member](cuda::Copy3D& copy) -> std::size_t& { return side(copy).*member; });
  };
  size("x_in_bytes", &cuda::CopySide::x_bytes);
  size("y", &cuda::CopySide::y);
  size("pitch", &cuda::CopySide::pitch_bytes);
  if (is_3d) {
    size("z", &cuda::CopySide::z);
    size("lod", &cuda::CopySide::level_of_detail);
    size("height", &cuda::CopySide::height);
  }
  type.def_prop_rw((prefix + "memory_type").c_str(),
                   [side](T& self) {
                     return enum_member("memory_type", static_cast<int>(side(self.copy).type));
                   },
                   pycuda([side](T& self, nb::object value) {
                     side(self.copy).type =
                         static_cast<cuda::MemoryType>(enum_value(value, "memory_type"));
                   }));
  type.def_prop_rw((prefix + "device").c_str(), [side](T& self) { return side(self.copy).device; },
                   pycuda([side](T& self, nb::object value) {
                     side(self.copy).device = pointer_argument(value.ptr(), "value");
                     side(self.copy).size_bytes = 0;
                   }));
}

template <class T>
void bind_setters(nb::class_<T>& type) {
  type.def("set_src_host",
           pycuda([](T& self, nb::object o) { set_host(self, std::move(o), true); }),
           nb::arg("buffer"), "Copies from this host buffer, which the copy keeps alive.")
      .def("set_dst_host",
           pycuda([](T& self, nb::object o) { set_host(self, std::move(o), false); }),
           nb::arg("buffer"), "Copies to this host buffer, which the copy keeps alive.")
      .def("set_src_array", pycuda([](T& self, nb::object o) { set_array(self, o, true); }),
           nb::arg("array"), "Copies from this Array, which the copy keeps alive.")
      .def("set_dst_array", pycuda([](T& self, nb::object o) { set_array(self, o, false); }),
           nb::arg("array"), "Copies to this Array, which the copy keeps alive.")
      .def("set_src_device",
           pycuda([](T& self, nb::object o) { set_device(self, std::move(o), true); }),
           nb::arg("ptr"), "Copies from this address of device memory.")
      .def("set_dst_device",
           pycuda([](T& self, nb::object o) { set_device(self, std::move(o), false); }),
           nb::arg("ptr"), "Copies to this address of device memory.")
      .def("set_src_unified",
           pycuda([](T& self, nb::object o) { set_unified(self, std::move(o), true); }),
           nb::arg("buffer"),
           "Copies from this buffer, by the one address it has on host and device.")
      .def("set_dst_unified",
           pycuda([](T& self, nb::object o) { set_unified(self, std::move(o), false); }),
           nb::arg("buffer"),
           "Copies to this buffer, by the one address it has on host and device.");
}

template <class T>
nb::class_<T> bind_structured(nb::module_& m, const char* name, const char* doc, bool is_3d) {
  static PyType_Slot slots[] = {
      type_slot(Py_tp_traverse, traverse_kept<T, &T::kept_source, &T::kept_destination>),
      type_slot(Py_tp_clear, clear_kept<T, &T::kept_source, &T::kept_destination>),
      {0, nullptr}};
  nb::class_<T> type(m, name, nb::dynamic_attr(), nb::is_weak_referenceable(),
                     nb::type_slots(slots), doc);
  type.def(nb::init<>());
  bind_side(type, "src_", [](cuda::Copy3D& copy) -> cuda::CopySide& { return copy.source; }, is_3d);
  bind_side(
      type, "dst_", [](cuda::Copy3D& copy) -> cuda::CopySide& { return copy.destination; }, is_3d);
  bind_size(type, "width_in_bytes", [](cuda::Copy3D& c) -> std::size_t& { return c.width_bytes; });
  bind_size(type, "height", [](cuda::Copy3D& c) -> std::size_t& { return c.height; });
  if (is_3d) bind_size(type, "depth", [](cuda::Copy3D& c) -> std::size_t& { return c.depth; });
  bind_setters(type);
  return type;
}

cuda::Copy2D flat(const cuda::Copy3D& copy) {
  return {copy.source, copy.destination, copy.width_bytes, copy.height};
}

// copy(True), copy(False), copy(None) and copy() block; copy(stream) does not.
void run_2d(const Memcpy2D& self, const nb::object& how) {
  const cuda::Context context = current_context();
  const cuda::Copy2D copy = flat(self.copy);
  if (how.is_none() || PyBool_Check(how.ptr()) != 0) {
    const bool aligned = how.ptr() == Py_True;
    return without_gil(context, [&] {
      if (aligned)
        cuda::copy_2d(copy);
      else
        cuda::copy_2d_unaligned(copy);
    });
  }
  const cuda::StreamRef stream = stream_argument(how.ptr());
  without_gil_asked(context, [&] { cuda::copy_2d_async(copy, stream); });
}

template <auto Blocking, auto Async>
void run_3d(const cuda::Copy3D& copy, const nb::object& stream) {
  const cuda::Context context = current_context();
  const cuda::StreamRef queue = stream_argument(stream.ptr());
  if (stream.is_none()) return without_gil(context, [&] { Blocking(copy); });
  without_gil_asked(context, [&] { Async(copy, queue); });
}

}  // namespace
}  // namespace face

void bind_pycuda_structured_copy(nb::module_& m) {
  using namespace face;
  bind_structured<Memcpy2D>(m, "Memcpy2D", "A rectangle to copy.", false)
      .def("__call__",
           pycuda([](const Memcpy2D& self, nb::object aligned) { run_2d(self, aligned); }),
           nb::arg("aligned").none() = false,
           "Copies: (True) aligned, (False) not, (stream) asynchronous.");
  bind_structured<Memcpy3D>(m, "Memcpy3D", "A box to copy.", true)
      .def("__call__", pycuda([](const Memcpy3D& self, nb::object stream) {
             run_3d<cuda::copy_3d, cuda::copy_3d_async>(self.copy, stream);
           }),
           nb::arg("stream") = nb::none());
  bind_structured<Memcpy3DPeer>(m, "Memcpy3DPeer", "A box to copy between contexts.", true)
      .def(
          "set_src_context",
          [](Memcpy3DPeer& self, const Context& context) {
            self.copy.source.context = context.context;
          },
          nb::arg("context"), "Copies from memory of this context.")
      .def(
          "set_dst_context",
          [](Memcpy3DPeer& self, const Context& context) {
            self.copy.destination.context = context.context;
          },
          nb::arg("context"), "Copies to memory of this context.")
      .def("__call__", pycuda([](const Memcpy3DPeer& self, nb::object stream) {
             run_3d<cuda::copy_3d_peer, cuda::copy_3d_peer_async>(self.copy, stream);
           }),
           nb::arg("stream") = nb::none());
}

}  // namespace treadle::bindings
