// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include <cstdint>
#include <utility>

#include "instance.hpp"
#include "kept_objects.hpp"
#include "memory/shown_memory.hpp"
#include "pyopencl/callback.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::MemFlags;

bool is_image(opencl::MemObjectType type) {
  using enum opencl::MemObjectType;
  return type == image1d || type == image1d_array || type == image1d_buffer || type == image2d ||
         type == image2d_array || type == image3d;
}

std::size_t buffer_size(std::size_t size, const HostBuffer& host) {
  if (size > host.size())
    raise_logic_error("Buffer", "size=" + std::to_string(size) + " is more than the " +
                                    std::to_string(host.size()) + " bytes of hostbuf");
  return size == 0 ? host.size() : size;
}

/// Makes a buffer. `properties` are those of clCreateBufferWithProperties, or None.
struct Making {
  const opencl::Context& context;
  MemFlags flags;
  nb::handle properties;

  opencl::Buffer make(std::size_t size_bytes, void* host) const {
    return with_retry([&] {
      if (properties.is_none()) return opencl::Buffer(context, size_bytes, flags, host);
      std::vector<std::uint64_t> list;
      for_each_in(
          properties, {"Buffer", "properties"}, "an iterable of int",
          [&](nb::handle item, const Argument& which) { list.push_back(bits_in(item, which)); });
      return opencl::Buffer::with_properties(context, list, size_bytes, flags, host);
    });
  }
};

Buffer from_host(const Making& making, std::size_t size, nb::handle hostbuf) {
  const HostBuffer host(hostbuf, host_access(making.flags), "hostbuf");
  opencl::Buffer made = making.make(buffer_size(size, host), host.data());
  const bool is_kept = opencl::has(making.flags, MemFlags::use_host_ptr);
  Buffer buffer(std::move(made), is_kept ? nb::borrow(hostbuf) : nb::object());
  if (is_kept) note_end_of(buffer);
  return buffer;
}

void construct_buffer(Buffer* self, const Context& context, std::uint64_t bits, Size given,
                      nb::handle hostbuf, nb::handle properties) {
  const Making making{context.context, static_cast<MemFlags>(bits), properties};
  const std::size_t size = given.in("Buffer", "size");
  if (!hostbuf.is_none())
    new (self) Buffer(from_host(making, size, hostbuf));
  else
    new (self) Buffer(making.make(size, nullptr));
}

nb::object sub_region(const Buffer& self, std::size_t origin, std::size_t size,
                      std::uint64_t flags) {
  return nb::cast(Buffer(with_retry(
      [&] { return self.buffer().sub_buffer(origin, size, static_cast<MemFlags>(flags)); })));
}

nb::object sub_region_of(const Buffer& self, Size origin, Size size, std::uint64_t flags) {
  constexpr const char* call = "Buffer.get_sub_region";
  return sub_region(self, origin.in(call, "origin"), size.in(call, "size"), flags);
}

nb::object slice_of(const Buffer& self, nb::handle index) {
  if (PySlice_Check(index.ptr()) == 0)
    raise_logic_error("Buffer.__getitem__",
                      "a Buffer is indexed by a slice of bytes: buffer[start:stop]");
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(index.ptr(), &start, &stop, &step) != 0) throw nb::python_error();
  const auto size = static_cast<Py_ssize_t>(self.memory().size_bytes());
  PySlice_AdjustIndices(size, &start, &stop, step);
  if (step != 1) raise_logic_error("Buffer.__getitem__", "the step of a slice must be 1");
  if (stop <= start) raise_logic_error("Buffer.__getitem__", "the slice has no bytes");
  const auto inherited = static_cast<std::uint64_t>(self.memory().flags()) &
                         ~static_cast<std::uint64_t>(MemFlags::copy_host_ptr);
  return sub_region(self, static_cast<std::size_t>(start), static_cast<std::size_t>(stop - start),
                    inherited);
}

nb::object memory_info(const MemoryObjectHolder& self, long long param) {
  const auto parameter = static_cast<opencl::MemInfo>(param);
  if (parameter == opencl::MemInfo::size)  // known, and read for every array
    return nb::int_(self.memory().size_bytes());
  if (parameter == opencl::MemInfo::host_ptr)
    raise_logic_error("MemoryObject.get_info",
                      "the address is of no use in Python: get_host_array() "
                      "makes an array of USE_HOST_PTR memory");
  return to_python(self.memory().shared_table(), self.memory().info(parameter));
}

nb::object host_array(nb::handle_t<MemoryObjectHolder> object, nb::handle shape, nb::handle dtype,
                      nb::handle order) {
  auto& self = instance_of<MemoryObjectHolder>(object.ptr());
  if (!opencl::has(self.memory().flags(), MemFlags::use_host_ptr))
    raise_logic_error("MemoryObject.get_host_array",
                      "only memory made with USE_HOST_PTR has an array of the host's");
  const nb::module_ numpy = nb::module_::import_("numpy");
  constexpr const char* call = "MemoryObject.get_host_array";
  const nb::object type = dtype_in(dtype, {call, "dtype"});
  const std::size_t bytes = array_bytes(shape, type, call);
  if (bytes > self.memory().size_bytes())
    raise_logic_error("MemoryObject.get_host_array",
                      "the array has " + std::to_string(bytes) + " bytes, the memory " +
                          std::to_string(self.memory().size_bytes()));
  self.exported = reinterpret_cast<void*>(self.memory().get<opencl::MemInfo::host_ptr>());
  self.exported_bytes = self.memory().size_bytes();
  const auto hide = [&](void*) { self.exported = nullptr; };
  const std::unique_ptr<void, decltype(hide)> guard(self.exported, hide);
  return numpy.attr("ndarray")(shape_in(shape, call), type, object, 0, nb::none(),
                               order_in(order, call));
}

void bind_holder(nb::module_& m) {
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_host_memory), {0, nullptr}};
  auto type = nb::class_<MemoryObjectHolder>(m, "MemoryObjectHolder", nb::dynamic_attr(),
                                             nb::is_weak_referenceable(), nb::type_slots(slots),
                                             "What stands for memory of a context.");
  bind_identity(type, [](const MemoryObjectHolder& self) { return self.memory().raw(); });
  bind_info(type, "mem_info", memory_info);
  type.def("get_host_array", pyopencl(host_array), nb::arg("shape"), nb::arg("dtype"),
           nb::arg("order") = "C", "An array over memory made with USE_HOST_PTR.");
}

void bind_memory_object(nb::module_& m) {
  static PyType_Slot slots[] = {
      type_slot(Py_bf_getbuffer, export_host_memory),
      // No tp_clear: the host's memory must outlive the device's.
      type_slot(Py_tp_traverse, traverse_kept<MemoryObject, &MemoryObject::hostbuf>),
      {0, nullptr}};
  auto type = nb::class_<MemoryObject, MemoryObjectHolder>(
      m, "MemoryObject", nb::dynamic_attr(), nb::type_slots(slots), "Memory of a context.");
  bind_from_pointer<opencl::RawMemory>(type, [](opencl::RawMemory raw, opencl::Ownership own) {
    return make_memory(opencl::MemoryObject(loader_table(), raw, own));
  });
  type.def("release", pyopencl([](MemoryObject& self) { self.release(); }),
           "Gives the memory up now; LogicError the second time.")
      .def("on_destruction", pyopencl([](const MemoryObject& self, nb::handle callback) {
             self.memory().on_destruction(
                 [callback = Callback(callback, {"MemoryObject.on_destruction", "callback"})] {
                   callback.call_apart([] { return nb::make_tuple(); });
                 });
           }),
           nb::arg("callback"), "Calls callback() on another thread when the memory is freed.")
      .def_prop_ro("hostbuf", [](const MemoryObject& self) {
        return self.hostbuf.is_valid() ? self.hostbuf : nb::object(nb::none());
      });
}

}  // namespace

// NumPy reads the buffer while the array is made, and keeps the object as .base.
int export_host_memory(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const auto& holder = instance_of<MemoryObjectHolder>(self);
    if (holder.exported == nullptr)
      raise_python(PyExc_BufferError,
                   "memory of a device is no host buffer: copy it with enqueue_copy");
    return PyBuffer_FillInfo(view, self, holder.exported,
                             static_cast<Py_ssize_t>(holder.exported_bytes), 0, flags);
  } catch (...) {
    set_error();
    return -1;
  }
}

HostBuffer::Access host_access(MemFlags flags) {
  const bool is_used = opencl::has(flags, MemFlags::use_host_ptr);
  if (!is_used && !opencl::has(flags, MemFlags::copy_host_ptr))
    warn_python(PyExc_UserWarning, "'hostbuf' was passed, but no memory flags to make use of it.");
  // With USE_HOST_PTR kernels may write to the host's memory itself.
  const bool writes = is_used && (opencl::has(flags, MemFlags::read_write) ||
                                  opencl::has(flags, MemFlags::write_only));
  return writes ? HostBuffer::write : HostBuffer::read;
}

opencl::Buffer Buffer::buffer() const {
  return opencl::Buffer(memory_.shared_table(), memory_.raw(), opencl::Ownership::retain);
}

std::vector<opencl::MemoryObject> memory_in(nb::handle given, const Argument& argument) {
  std::vector<opencl::MemoryObject> memory;
  for_each_in(given, argument, "an iterable of pyopencl.MemoryObjectHolder",
              [&](nb::handle item, const Argument& which) {
                memory.push_back(object_in<MemoryObjectHolder>(item, which).memory());
              });
  return memory;
}

nb::object make_memory(opencl::MemoryObject memory) {
  const auto type = memory.get<opencl::MemInfo::type>();
  if (type == static_cast<std::uint64_t>(opencl::MemObjectType::buffer))
    return nb::cast(Buffer(std::move(memory)));
  if (is_image(static_cast<opencl::MemObjectType>(type)))
    return nb::cast(
        Image(opencl::Image(memory.shared_table(), memory.raw(), opencl::Ownership::retain)));
  if (type == static_cast<std::uint64_t>(opencl::MemObjectType::pipe))
    return nb::cast(
        Pipe(opencl::Pipe(memory.shared_table(), memory.raw(), opencl::Ownership::retain)));
  return nb::cast(MemoryObject(std::move(memory)));
}

void bind_memory(nb::module_& m) {
  bind_holder(m);
  bind_memory_object(m);
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_host_memory),
                                type_slot(Py_tp_traverse, traverse_kept<Buffer, &Buffer::hostbuf>),
                                {0, nullptr}};
  auto type = nb::class_<Buffer, MemoryObject>(m, "Buffer", nb::dynamic_attr(),
                                               nb::type_slots(slots), "A range of bytes.");
  type.attr("__iter__") = nb::none();  // subscripts are slices, not integers
  type.def("__init__", pyopencl(construct_buffer), nb::arg("context"), nb::arg("flags"),
           nb::arg("size") = 0, nb::arg("hostbuf") = nb::none(), nb::kw_only(),
           nb::arg("properties") = nb::none())
      .def("get_sub_region", pyopencl(sub_region_of), nb::arg("origin"), nb::arg("size"),
           nb::arg("flags") = 0, "A part of the buffer, which keeps the whole.")
      .def("__getitem__", pyopencl(slice_of))
      .def_static("_in_context",
                  pyopencl([](const Context& context, std::uintptr_t pointer, std::size_t size) {
                    return Buffer(opencl::Buffer(context.context,
                                                 reinterpret_cast<opencl::RawMemory>(pointer),
                                                 opencl::Ownership::retain, size));
                  }),
                  nb::arg("context"), nb::arg("int_ptr_value"), nb::arg("size"),
                  "from_int_ptr() of what is known.");
  shown_memory().pyopencl = [](memory::Buffer shown, nb::handle context) {
    opencl::Buffer raw(nb::inst_ptr<Context>(context)->context,
                       reinterpret_cast<opencl::RawMemory>(shown.location().handle),
                       opencl::Ownership::retain, shown.size_bytes());
    nb::object made = nb::cast(Buffer(std::move(raw)));
    nb::inst_ptr<Buffer>(made)->shown = std::move(shown);
    return made;
  };
  nb::class_<LocalMemory>(m, "LocalMemory", nb::dynamic_attr(),
                          "Memory of each work-group, as an argument of a kernel.")
      .def("__init__", pyopencl([](LocalMemory* self, Size size) {
             const std::size_t bytes = size.in("LocalMemory", "size");
             if (bytes == 0) raise_logic_error("LocalMemory", "size is 0: a group has none then");
             new (self) LocalMemory{bytes};
           }),
           nb::arg("size"))
      .def_ro("size", &LocalMemory::size_bytes);
}

}  // namespace treadle::bindings::cl
