// SPDX-License-Identifier: MIT
#include "treadle/cuda/external.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "native/cuda_rooms.hpp"
#include "native/graph_after.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

std::size_t external_bytes(nb::handle value, const char* name) {
  return static_cast<std::size_t>(unsigned_argument(value.ptr(), name, PTRDIFF_MAX));
}

void bind_memory_of_others(nb::module_& m) {
  nb::enum_<ExternalMemoryType>(m, "ExternalMemoryType", "What a descriptor of memory is.")
      .value("opaque", ExternalMemoryType::opaque, "As Vulkan exports memory.")
      .value("dma_buffer", ExternalMemoryType::dma_buffer, "Of another driver of Linux.");
  nb::class_<ExternalBuffer> buffer(m, "ExternalBuffer", nb::is_weak_referenceable(),
                                    "Bytes of external memory as kernels see them.");
  buffer.def_prop_ro("address", &ExternalBuffer::address)
      .def_prop_ro("size_bytes", &ExternalBuffer::size_bytes)
      .def("__int__", &ExternalBuffer::address)
      .def("__index__", &ExternalBuffer::address);
  register_pointer_type(
      buffer, [](PyObject* object) { return instance_of<ExternalBuffer>(object).address(); });
  nb::class_<ExternalMemory>(m, "ExternalMemory", nb::is_weak_referenceable(),
                             "Memory that another interface made.")
      .def_static(
          "import_file",
          [](int descriptor, nb::handle size_bytes, ExternalMemoryType type, bool is_dedicated) {
            return ExternalMemory::import_file(descriptor, external_bytes(size_bytes, "size_bytes"),
                                               type, is_dedicated);
          },
          nb::arg("descriptor"), nb::arg("size_bytes"),
          nb::arg("type") = ExternalMemoryType::opaque, nb::arg("is_dedicated") = false,
          nb::sig("def import_file(descriptor: int, size_bytes: int, type: ExternalMemoryType = "
                  "..., is_dedicated: bool = False) -> ExternalMemory"),
          "What a file descriptor stands for, in the current context; the driver closes it.")
      .def(
          "buffer",
          [](const ExternalMemory& self, nb::handle offset, nb::handle size_bytes) {
            return self.buffer(external_bytes(offset, "offset"),
                               external_bytes(size_bytes, "size_bytes"));
          },
          nb::arg("offset"), nb::arg("size_bytes"),
          nb::sig("def buffer(self, offset: int, size_bytes: int) -> ExternalBuffer"),
          "A part of it, for kernels and copies.")
      .def(
          "image",
          [](const ExternalMemory& self, nb::handle offset, nb::handle width, nb::handle height,
             nb::handle depth, unsigned levels, ArrayFormat format, unsigned channels,
             ArrayFlags flags) {
            return self.image(external_bytes(offset, "offset"),
                              {external_bytes(width, "width"), external_bytes(height, "height"),
                               external_bytes(depth, "depth"), format, channels, flags},
                              levels);
          },
          nb::arg("offset"), nb::arg("width"), nb::arg("height") = 0, nb::arg("depth") = 0,
          nb::kw_only(), nb::arg("levels") = 1, nb::arg("format") = ArrayFormat::float32,
          nb::arg("channels") = 1, nb::arg("flags") = ArrayFlags::none,
          nb::sig("def image(self, offset: int, width: int, height: int = 0, depth: int = 0, *, "
                  "levels: int = 1, format: ArrayFormat = ..., channels: int = 1, flags: "
                  "ArrayFlags = ...) -> MipmappedArray"),
          "An image that begins there, laid out as the other interface's of the same shape.")
      .def_prop_ro("size_bytes", &ExternalMemory::size_bytes);
  let_go_without_gil<ExternalMemory>();
}

void bind_semaphores(nb::module_& m) {
  nb::enum_<ExternalSemaphoreType>(m, "ExternalSemaphoreType", "What a descriptor stands for.")
      .value("binary", ExternalSemaphoreType::binary, "Signalled or not.")
      .value("timeline", ExternalSemaphoreType::timeline, "A number that grows.");
  nb::class_<ExternalSemaphore>(m, "ExternalSemaphore", nb::is_weak_referenceable(),
                                "A semaphore that another interface made.")
      .def_static("import_file", &ExternalSemaphore::import_file, nb::arg("descriptor"),
                  nb::arg("type") = ExternalSemaphoreType::timeline,
                  "What a file descriptor stands for, in the current context; the driver closes "
                  "it.")
      .def_prop_ro("raw", [](const ExternalSemaphore& self) {
        return reinterpret_cast<std::uintptr_t>(self.raw());
      });
  nb::class_<SemaphoreValue>(m, "SemaphoreValue",
                             "A semaphore, and the number it is set to or waited for.")
      .def(
          "__init__",
          [](SemaphoreValue* self, const ExternalSemaphore& semaphore, std::uint64_t value) {
            new (self) SemaphoreValue{semaphore, value};
          },
          nb::arg("semaphore"), nb::arg("value") = 0)
      .def_ro("semaphore", &SemaphoreValue::semaphore)
      .def_ro("value", &SemaphoreValue::value);
}

using SemaphoreValues = std::vector<SemaphoreValue>;

}  // namespace

void bind_cuda_external(nb::module_& m) {
  bind_memory_of_others(m);
  bind_semaphores(m);
  m.def(
      "signal_semaphores",
      [](const SemaphoreValues& values, nb::handle stream) {
        signal(values, stream_argument(stream.ptr()));
      },
      nb::arg("values"), nb::arg("stream") = nb::none(),
      "Sets them all once the stream is past the work queued so far.");
  m.def(
      "wait_semaphores",
      [](const SemaphoreValues& values, nb::handle stream) {
        wait(values, stream_argument(stream.ptr()));
      },
      nb::arg("values"), nb::arg("stream") = nb::none(),
      "Later work of the stream starts once all of them have these numbers, or greater ones.");
  nb::borrow<nb::class_<Graph>>(nb::type<Graph>())
      .def(
          "add_semaphore_signal",
          [](const Graph& self, const SemaphoreValues& values, nb::handle after) {
            return add_signal(self, after_argument(after), values);
          },
          nb::arg("values"), nb::arg("after") = nb::none(), "A node that sets them.")
      .def(
          "add_semaphore_wait",
          [](const Graph& self, const SemaphoreValues& values, nb::handle after) {
            return add_wait(self, after_argument(after), values);
          },
          nb::arg("values"), nb::arg("after") = nb::none(), "A node that waits for them.")
      .def(
          "set_semaphores",
          [](const Graph& self, const GraphNode& node, const SemaphoreValues& values) {
            set_semaphores(self, node, values);
          },
          nb::arg("node"), nb::arg("values"), "What a node of either kind does.")
      .def(
          "semaphores",
          [](const Graph& self, const GraphNode& node) {
            std::vector<std::pair<std::uintptr_t, std::uint64_t>> told;
            for (const auto& [raw, value] : semaphores(self, node))
              told.emplace_back(reinterpret_cast<std::uintptr_t>(raw), value);
            return told;
          },
          nb::arg("node"), "The driver's semaphores and numbers of a node of either kind.");
  nb::borrow<nb::class_<GraphExec>>(nb::type<GraphExec>())
      .def(
          "set_semaphores",
          [](const GraphExec& self, const GraphNode& node, const SemaphoreValues& values) {
            set_semaphores(self, node, values);
          },
          nb::arg("node"), nb::arg("values"),
          "What a node of either kind does in later launches; keep the semaphores.");
}

}  // namespace treadle::bindings
