// SPDX-License-Identifier: MIT
#include "treadle/cuda/decompress.hpp"

#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

void bind_cuda_decompress(nb::module_& m) {
  nb::enum_<Compression>(m, "Compression", "What GPUs with an engine for it decompress.")
      .value("deflate", Compression::deflate)
      .value("snappy", Compression::snappy)
      .value("lz4", Compression::lz4);
  nb::class_<Decompression>(m, "Decompression", "One compressed block, and where its bytes go.")
      .def(
          "__init__",
          [](Decompression* self, nb::handle destination, nb::handle source,
             nb::handle source_bytes, nb::handle written_bytes, Compression algorithm,
             nb::handle destination_bytes) {
            const auto bytes = [](nb::handle value, const char* name) {
              return static_cast<std::size_t>(unsigned_argument(value.ptr(), name, PTRDIFF_MAX));
            };
            new (self) Decompression{pointer_argument(destination.ptr(), "destination"),
                                     pointer_argument(source.ptr(), "source"),
                                     bytes(source_bytes, "source_bytes"),
                                     pointer_argument(written_bytes.ptr(), "written_bytes"),
                                     bytes(destination_bytes, "destination_bytes"),
                                     algorithm};
          },
          nb::arg("destination"), nb::arg("source"), nb::arg("source_bytes"),
          nb::arg("written_bytes"), nb::arg("algorithm"), nb::arg("destination_bytes") = 0,
          nb::sig("def __init__(self, destination: object, source: object, source_bytes: int, "
                  "written_bytes: object, algorithm: Compression, destination_bytes: int = 0) -> "
                  "None"),
          "Memory of the device, which is not kept; `written_bytes` takes a number of 32 bits.")
      .def_ro("destination", &Decompression::destination)
      .def_ro("source", &Decompression::source)
      .def_ro("source_bytes", &Decompression::source_bytes)
      .def_ro("written_bytes", &Decompression::written_bytes)
      .def_ro("destination_bytes", &Decompression::destination_bytes)
      .def_ro("algorithm", &Decompression::algorithm);
  m.def(
      "decompress_batch",
      [](const std::vector<Decompression>& blocks, nb::handle stream) {
        const StreamRef queue = stream_argument(stream.ptr());
        nb::gil_scoped_release released;
        decompress_batch(blocks, queue);
      },
      nb::arg("blocks"), nb::arg("stream") = nb::none(),
      "Queues all of them, in no order among them. Their memory must live until the stream is past "
      "them. Raises NotSupported on the CPU device.");
}

}  // namespace treadle::bindings
