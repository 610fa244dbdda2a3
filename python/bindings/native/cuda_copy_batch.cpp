// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy_batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

std::size_t batch_number(nb::handle value, const char* name) {
  return static_cast<std::size_t>(unsigned_argument(value.ptr(), name, PTRDIFF_MAX));
}

/// The address of device memory, or of an object with a contiguous buffer, which the caller keeps.
DevicePointer address_of(nb::handle object, const char* name, bool is_written) {
  if (PyObject_CheckBuffer(object.ptr()) == 0 || nb::isinstance<DeviceMemory>(object))
    return pointer_argument(object.ptr(), name);
  Py_buffer view{};
  if (PyObject_GetBuffer(
          object.ptr(), &view,
          is_written ? PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_ANY_CONTIGUOUS) != 0)
    throw nb::python_error();
  const auto address = reinterpret_cast<DevicePointer>(view.buf);
  PyBuffer_Release(&view);
  return address;
}

CopySide side_of(nb::handle object, const char* name, bool is_written, nb::handle pitch,
                 nb::handle height) {
  CopySide side;
  if (nb::isinstance<Array>(object)) {
    side.type = MemoryType::array;
    side.array = nb::cast<const Array&>(object);
  } else {
    side.type = MemoryType::unified;
    side.device = address_of(object, name, is_written);
  }
  side.pitch_bytes = batch_number(pitch, "pitch_bytes");
  side.height = batch_number(height, "height");
  return side;
}

void bind_hints(nb::module_& m) {
  nb::enum_<SourceAccess>(m, "SourceAccess", "When the source of a copy of a batch may be read.")
      .value("in_stream_order", SourceAccess::in_stream_order)
      .value("during_call", SourceAccess::during_call)
      .value("any", SourceAccess::any);
  nb::class_<BatchCopyHints>(m, "BatchCopyHints", "When and how a copy of a batch is done.")
      .def(
          "__init__",
          [](BatchCopyHints* self, SourceAccess source_access, bool overlaps_compute,
             std::optional<MemoryLocation> source, std::optional<MemoryLocation> destination) {
            new (self) BatchCopyHints{source_access, overlaps_compute, source, destination};
          },
          nb::kw_only(), nb::arg("source_access") = SourceAccess::in_stream_order,
          nb::arg("overlaps_compute") = false, nb::arg("source") = nb::none(),
          nb::arg("destination") = nb::none(),
          "The places are of managed memory, or memory of the host that CUDA did not make.")
      .def_ro("source_access", &BatchCopyHints::source_access)
      .def_ro("overlaps_compute", &BatchCopyHints::overlaps_compute)
      .def_ro("source", &BatchCopyHints::source)
      .def_ro("destination", &BatchCopyHints::destination);
}

}  // namespace

void bind_cuda_copy_batch(nb::module_& m) {
  bind_hints(m);
  nb::class_<BatchCopy>(m, "BatchCopy", "Bytes from one address to another.")
      .def(
          "__init__",
          [](BatchCopy* self, nb::handle destination, nb::handle source, nb::handle size_bytes,
             const BatchCopyHints& hints) {
            new (self) BatchCopy{address_of(destination, "destination", true),
                                 address_of(source, "source", false),
                                 batch_number(size_bytes, "size_bytes"), hints};
          },
          nb::arg("destination"), nb::arg("source"), nb::arg("size_bytes"),
          nb::arg("hints") = BatchCopyHints{},
          nb::sig("def __init__(self, destination: object, source: object, size_bytes: int, hints: "
                  "BatchCopyHints = ...) -> None"),
          "Sides are addresses, memory of the device, or objects with a buffer; none is kept.")
      .def_ro("destination", &BatchCopy::destination)
      .def_ro("source", &BatchCopy::source)
      .def_ro("size_bytes", &BatchCopy::size_bytes)
      .def_ro("hints", &BatchCopy::hints);
  nb::class_<BatchCopy3D>(m, "BatchCopy3D", "A box between memory and arrays.")
      .def(
          "__init__",
          [](BatchCopy3D* self, nb::handle destination, nb::handle source, nb::handle width_bytes,
             nb::handle height, nb::handle depth, nb::handle destination_pitch_bytes,
             nb::handle destination_height, nb::handle source_pitch_bytes, nb::handle source_height,
             const BatchCopyHints& hints) {
            new (self)
                BatchCopy3D{{side_of(source, "source", false, source_pitch_bytes, source_height),
                             side_of(destination, "destination", true, destination_pitch_bytes,
                                     destination_height),
                             batch_number(width_bytes, "width_bytes"),
                             batch_number(height, "height"), batch_number(depth, "depth")},
                            hints};
          },
          nb::arg("destination"), nb::arg("source"), nb::arg("width_bytes"), nb::arg("height") = 1,
          nb::arg("depth") = 1, nb::kw_only(), nb::arg("destination_pitch_bytes") = 0,
          nb::arg("destination_height") = 0, nb::arg("source_pitch_bytes") = 0,
          nb::arg("source_height") = 0, nb::arg("hints") = BatchCopyHints{},
          nb::sig("def __init__(self, destination: object, source: object, width_bytes: int, "
                  "height: int = 1, depth: int = 1, *, destination_pitch_bytes: int = 0, "
                  "destination_height: int = 0, source_pitch_bytes: int = 0, source_height: int = "
                  "0, hints: BatchCopyHints = ...) -> None"),
          "Sides are Arrays, or as those of BatchCopy; a pitch or height of 0: without gaps.")
      .def_ro("hints", &BatchCopy3D::hints);
  m.def(
      "copy_batch",
      [](const std::vector<BatchCopy>& copies, nb::handle stream) {
        const StreamRef queue = stream_argument(stream.ptr());
        nb::gil_scoped_release released;
        copy_batch(copies, queue);
      },
      nb::arg("copies"), nb::arg("stream").none(),
      "Queues all of them, in no order among them, on a stream that was made. Sides must live "
      "until the stream is past them.");
  m.def(
      "copy_3d_batch",
      [](const std::vector<BatchCopy3D>& copies, nb::handle stream) {
        const StreamRef queue = stream_argument(stream.ptr());
        nb::gil_scoped_release released;
        copy_3d_batch(copies, queue);
      },
      nb::arg("copies"), nb::arg("stream").none(), "The same for boxes.");
}

}  // namespace treadle::bindings
