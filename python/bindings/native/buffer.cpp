// SPDX-License-Identifier: MIT
// Memory of any device.
#include "treadle/memory/buffer.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <utility>

#include "caller.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "native/device.hpp"
#include "native/host_array.hpp"
#include "native/interchange.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/current.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::bindings {

using device::Device;
using device::Stream;
using memory::Buffer;

namespace {

PyTypeObject* buffer_type;  // set while the module is imported

memory::Site python_site() {
  note_launch_site();
  return launch_site();
}

// ---- copies

// With a stream, the copy is queued, and the host's memory is kept until the stream has passed it.
// Without a stream, the copy runs on the current stream and is waited for. Work queued there
// earlier may take long, and a driver may not return from the copy before that work is done; so
// first wait for that work, and Ctrl-C ends this wait.
void copy(const Buffer& buffer, nb::handle host, nb::handle stream, HostArray::Access access) {
  (void)device::Location(buffer);  // throws if the buffer was freed
  HostCopy copy(host, access);
  const auto queue = stream_or_current(stream, buffer.device());
  if (!stream.is_none()) {
    copy.queue(*queue, buffer, {});
    return copy.keep(*queue);
  }
  wait_for(*queue);
  copy.queue(*queue, buffer, {});
  try {
    wait_for(*queue);
  } catch (...) {
    copy.keep(*queue);  // after Ctrl-C the copy goes on
    throw;
  }
}

void bind_copies(nb::class_<Buffer>& type) {
  type.def(
          "copy_from",
          [](Buffer& self, nb::object host, nb::object stream) {
            copy(self, host, stream, HostArray::Access::read);
          },
          nb::arg("host"), nb::arg("stream") = nb::none(),
          nb::sig("def copy_from(self, host: object, stream: Stream | None = None) -> None"),
          "Copies an array of the host to the start and waits; with a stream, without waiting. One "
          "with strides arrives without gaps, in C order.")
      .def(
          "copy_to",
          [](const Buffer& self, nb::object host, nb::object stream) {
            copy(self, host, stream, HostArray::Access::write);
          },
          nb::arg("host"), nb::arg("stream") = nb::none(),
          nb::sig("def copy_to(self, host: object, stream: Stream | None = None) -> None"),
          "Fills an array of the host from the start and waits; with a stream, without waiting.");
}

// ---- making

void make_from_host(Buffer* self, const std::shared_ptr<Device>& device, nb::handle host) {
  // Wait before allocating: after Ctrl-C, freeing the memory would be another wait.
  wait_for(*stream_for(*device));
  Buffer made(device, HostArray(host, HostArray::Access::read).size_bytes());
  copy(made, host, nb::none(), HostArray::Access::read);
  new (self) Buffer(std::move(made));
}

nb::object make_pooled(std::size_t size_bytes, nb::handle stream) {
  const auto queue = stream_or_current(stream, *device::current_device());
  nb::object made = nb::cast(Buffer::pooled(queue, size_bytes, python_site()));
  // The pool takes the memory back in the order of the stream, so keep another library's stream.
  nb::keep_alive_obj(made, stream_object(queue));
  return made;
}

void bind_making(nb::class_<Buffer>& type) {
  type.def(
          "__init__",
          [](Buffer* self, const std::shared_ptr<Device>& device, std::size_t size_bytes) {
            new (self) Buffer(device, size_bytes);
          },
          nb::arg("device"), nb::arg("size_bytes"), "With undefined contents.")
      .def(
          "__init__",
          [](Buffer* self, const std::shared_ptr<Device>& device, nb::object host) {
            make_from_host(self, device, host);
          },
          nb::arg("device"), nb::arg("host"), "With the contents of a NumPy array or other buffer.")
      .def_static(
          "pooled", &make_pooled, nb::arg("size_bytes"), nb::arg("stream") = nb::none(),
          nb::sig("def pooled(size_bytes: int, stream: Stream | None = None) -> Buffer"),
          "Memory of the device's pool, for use on a stream (None: the current one) without "
          "waiting. It goes back in the order of that stream; a use on another is the "
          "program's to order.")
      .def_static("page_locked", &Buffer::page_locked, nb::arg("device"), nb::arg("size_bytes"),
                  "Memory of the host that kernels use and copies move without a detour; "
                  "numpy.frombuffer() makes an array of it.")
      .def_static("adopt", &adopt_buffer, nb::arg("object"), nb::arg("stream") = nb::none(),
                  nb::sig("def adopt(object: object, stream: Stream | None = None) -> Buffer"),
                  "Memory of another library's array, which is kept: one with "
                  "__cuda_array_interface__ or __dlpack__, without gaps. What its library has "
                  "queued comes before later work on the stream (None: the current one); nobody "
                  "waits. Memory that its owner calls read-only must not be written to.");
}

// ---- places

nb::object slice(nb::handle self, nb::handle bytes) {
  const auto& buffer = nb::cast<const Buffer&>(self);
  if (PySlice_Check(bytes.ptr()) == 0)
    raise_python(PyExc_TypeError,
                 "a buffer is sliced by bytes, buffer[start:stop]; it has no items");
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(bytes.ptr(), &start, &stop, &step) != 0) throw nb::python_error();
  if (step != 1)
    throw InvalidArgument("a slice of a buffer with a step of " + std::to_string(step),
                          "buffer[start:stop]");
  const Py_ssize_t length =
      PySlice_AdjustIndices(static_cast<Py_ssize_t>(buffer.size_bytes()), &start, &stop, step);
  nb::object made =
      nb::cast(buffer.slice(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
  nb::keep_alive_obj(made, self);
  return made;
}

std::uint64_t address(const Buffer& self) {
  if (device::cuda_context(self.device()) == nullptr)
    throw NotSupported(
        "memory of " + self.device().info().id + " has no address",
        "Buffer.raw is the run-time's handle, Buffer.offset the bytes from there on");
  const device::Location place = self.location();
  return place.handle + place.offset;
}

void bind_places(nb::class_<Buffer>& type) {
  type.def("__getitem__", &slice, nb::arg("bytes"),
           nb::sig("def __getitem__(self, bytes: slice) -> Buffer"),
           "A part of this memory, which shares it: buffer[start:stop], in bytes.")
      .def_prop_ro("address", &address,
                   "Where it begins, on CUDA; NotSupported on run-times without addresses.")
      .def_prop_ro(
          "raw", [](const Buffer& self) { return self.location().handle; },
          "What the run-time calls the allocation: its address on CUDA, a cl_mem on OpenCL.")
      .def_prop_ro(
          "offset", [](const Buffer& self) { return device::Location(self).offset; },
          "Bytes from there to the start of this buffer.")
      .def_prop_ro("size_bytes", &Buffer::size_bytes)
      .def_prop_ro("nbytes", &Buffer::size_bytes, "The same, under NumPy's name.")
      .def_prop_ro(
          "kind", [](const Buffer& self) { return memory::buffer_kind_name(self.kind()); },
          "\"owned\", \"pooled\", \"page-locked\", \"managed\", \"svm\", \"adopted\" or \"user\".")
      .def_prop_ro("device", &Buffer::shared_device)
      .def_prop_ro("is_freed", &Buffer::is_freed)
      .def("free", &Buffer::free, nb::call_guard<nb::gil_scoped_release>(),
           "Frees now, for every slice; work that is queued already may still use it.")
      .def("__repr__", [](const Buffer& self) {
        return "<buffer of " + std::to_string(self.size_bytes()) + " bytes, " +
               (self.is_freed() ? std::string("freed")
                                : std::string(memory::buffer_kind_name(self.kind())) + " on " +
                                      self.device().info().id) +
               ">";
      });
}

// ---- other libraries

/// Copies a buffer into new memory of the same kind.
Buffer copied(const Buffer& self) {
  Buffer made = self.kind() == memory::BufferKind::page_locked
                    ? Buffer::page_locked(self.shared_device(), self.size_bytes())
                    : Buffer(self.shared_device(), self.size_bytes());
  stream_for(self.device())->copy(made.location(), self.location(), self.size_bytes());
  return made;
}

nb::object exported(const Buffer& self, nb::handle stream, nb::handle max_version,
                    nb::handle dl_device, nb::handle copy) {
  if (!dl_device.is_none() && !dlpack_device(self).equal(nb::borrow(dl_device)))
    raise_python(PyExc_BufferError,
                 "the buffer is on another device than the one asked for: Buffer.copy_to() and "
                 "Stream.copy() move it");
  const bool is_copied = copy.ptr() == Py_True;
  return dlpack(bytes_of(is_copied ? copied(self) : self), is_copied, stream, max_version);
}

void bind_interchange(nb::class_<Buffer>& type) {
  type.def_prop_ro(
          "__cuda_array_interface__",
          [](const Buffer& self) { return cuda_array_interface(bytes_of(self)); },
          "Version 3: the bytes, and the current stream, whose work comes first.")
      .def("__dlpack_device__", &dlpack_device,
           nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__dlpack__", &exported, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, "
                   "int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | "
                   "None = None) -> object"),
           "The bytes as a DLPack capsule. What is queued on the current stream comes before later "
           "work on the consumer's; for memory that the host reads, it is waited for.");
}

/// For numpy.frombuffer() and memoryview(): memory that the host can read.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const Buffer& buffer = instance_of<Buffer>(self);
    std::byte* const host = buffer.host_data();
    if (host == nullptr && buffer.size_bytes() != 0)
      raise_python(PyExc_BufferError, "the host does not see memory of kind \"" +
                                          std::string(memory::buffer_kind_name(buffer.kind())) +
                                          "\": copy_to() copies it");
    static std::byte nothing{};
    return PyBuffer_FillInfo(view, self, host != nullptr ? host : &nothing,
                             static_cast<Py_ssize_t>(buffer.size_bytes()), 0, flags);
  } catch (...) {
    set_python_error(Face::native);
    return -1;
  }
}

}  // namespace

const Buffer* as_buffer(PyObject* object) {
  return is_instance(object, buffer_type) ? &instance_of<Buffer>(object) : nullptr;
}

void bind_buffers(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                {0, nullptr}};
  nb::class_<Buffer> type(m, "Buffer", nb::is_weak_referenceable(), nb::type_slots(slots),
                          "Memory of one device.");
  bind_making(type);
  bind_places(type);
  bind_copies(type);
  bind_interchange(type);
  buffer_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

}  // namespace treadle::bindings
