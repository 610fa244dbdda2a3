// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy.hpp"

#include <memory>
#include <string>

#include "calls/argument.hpp"
#include "interrupt.hpp"
#include "native/cuda_rooms.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

/// A CopySide that Python describes by an object.
struct Side {
  CopySide side;
  std::shared_ptr<Py_buffer> view = {};  ///< keeps a host buffer in its place
  bool is_read_only() const { return view && view->readonly != 0; }
};

std::size_t copy_number(nb::handle value, const char* name) {
  return static_cast<std::size_t>(unsigned_argument(value.ptr(), name, PTRDIFF_MAX));
}

/// The context of a side's memory: the given one, else the memory's own; none for host memory.
Context context_of(nb::handle given, nb::handle object) {
  if (nb::isinstance<Context>(given)) return nb::cast<Context>(given);
  if (!given.is_none())
    raise_python(PyExc_TypeError,
                 std::string("the context of a side of a copy is a Context, not a ") +
                     Py_TYPE(given.ptr())->tp_name);
  if (nb::isinstance<DeviceMemory>(object)) return nb::cast<const DeviceMemory&>(object).context();
  return {};
}

Side side_of(nb::handle object, nb::handle context) {
  Side made;
  CopySide& side = made.side;
  side.context = context_of(context, object);
  if (nb::isinstance<Array>(object)) {
    side.type = MemoryType::array;
    side.array = nb::cast<const Array&>(object);
  } else if (PyObject_CheckBuffer(object.ptr()) != 0) {
    made.view = std::shared_ptr<Py_buffer>(new Py_buffer{}, [](Py_buffer* view) {
      PyBuffer_Release(view);
      delete view;
    });
    if (PyObject_GetBuffer(object.ptr(), made.view.get(), PyBUF_ANY_CONTIGUOUS) != 0)
      throw nb::python_error();
    side.type = MemoryType::host;
    side.host = made.view->buf;
    side.size_bytes = static_cast<std::size_t>(made.view->len);
  } else {
    side.type = MemoryType::device;
    side.device = pointer_argument(object.ptr(), "memory");
    if (nb::isinstance<DeviceMemory>(object))
      side.size_bytes = nb::cast<const DeviceMemory&>(object).size_bytes();
  }
  return made;
}

/// The place of a side of a copy: an address or an array.
nb::object side_place(const CopySide& side) {
  if (side.type == MemoryType::array) return nb::cast(side.array);
  return nb::int_(side.type == MemoryType::host ? reinterpret_cast<std::uintptr_t>(side.host)
                                                : static_cast<std::uintptr_t>(side.device));
}

void bind_sides(nb::module_& m) {
  nb::class_<Side>(m, "CopySide", "Where a box of bytes begins, and how its rows are spaced.")
      .def(
          "__init__",
          [](Side* self, nb::handle memory, nb::handle x_bytes, nb::handle y, nb::handle z,
             nb::handle pitch_bytes, nb::handle height, nb::handle level_of_detail,
             nb::handle context) {
            Side made = side_of(memory, context);
            made.side.x_bytes = copy_number(x_bytes, "x_bytes");
            made.side.y = copy_number(y, "y");
            made.side.z = copy_number(z, "z");
            made.side.pitch_bytes = copy_number(pitch_bytes, "pitch_bytes");
            made.side.height = copy_number(height, "height");
            made.side.level_of_detail = copy_number(level_of_detail, "level_of_detail");
            new (self) Side(std::move(made));
          },
          nb::keep_alive<1, 2>(), nb::arg("memory"), nb::kw_only(), nb::arg("x_bytes") = 0,
          nb::arg("y") = 0, nb::arg("z") = 0, nb::arg("pitch_bytes") = 0, nb::arg("height") = 0,
          nb::arg("level_of_detail") = 0, nb::arg("context") = nb::none(),
          nb::sig("def __init__(self, memory: object, *, x_bytes: int = 0, y: int = 0, z: int = "
                  "0, pitch_bytes: int = 0, height: int = 0, level_of_detail: int = 0, context: "
                  "Context | None = None) -> None"),
          "`memory` is an Array, memory of the device or its address, or an object with a buffer. "
          "A pitch or height of 0: without gaps. `context`, for copies between contexts: None is "
          "that of an Array or DeviceMemory, else the current one. Keeps `memory`.");
  nb::class_<Copy3D>(m, "Copy3D", "`depth` slices of `height` rows of `width_bytes` each.")
      .def(
          "__init__",
          [](Copy3D* self, const Side& destination, const Side& source, nb::handle width_bytes,
             nb::handle height, nb::handle depth) {
            if (destination.is_read_only())
              throw InvalidArgument("Copy3D: the destination is a read-only buffer",
                                    "pass one that can be written to");
            new (self)
                Copy3D{source.side, destination.side, copy_number(width_bytes, "width_bytes"),
                       copy_number(height, "height"), copy_number(depth, "depth")};
          },
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::arg("destination"), nb::arg("source"),
          nb::arg("width_bytes"), nb::arg("height") = 1, nb::arg("depth") = 1,
          nb::sig("def __init__(self, destination: CopySide, source: CopySide, width_bytes: int, "
                  "height: int = 1, depth: int = 1) -> None"),
          "A box, which must not overlap itself. Keeps its sides.")
      .def_prop_ro(
          "source", [](const Copy3D& self) { return side_place(self.source); },
          nb::sig("def source(self) -> int | Array"), "An address, or an array.")
      .def_prop_ro(
          "destination", [](const Copy3D& self) { return side_place(self.destination); },
          nb::sig("def destination(self) -> int | Array"), "An address, or an array.")
      .def_prop_ro("source_pitch_bytes", [](const Copy3D& self) { return self.source.pitch_bytes; })
      .def_prop_ro("destination_pitch_bytes",
                   [](const Copy3D& self) { return self.destination.pitch_bytes; })
      .def_ro("width_bytes", &Copy3D::width_bytes)
      .def_ro("height", &Copy3D::height)
      .def_ro("depth", &Copy3D::depth);
}

/// Blocks without a stream; with a stream, queues the copy.
template <void (*blocking)(const Copy3D&), void (*queued)(const Copy3D&, StreamRef)>
void run_box(const Copy3D& copy, nb::handle stream) {
  if (stream.is_none()) return without_gil(Context::current(), [&] { blocking(copy); });
  const StreamRef queue = stream_argument(stream.ptr());
  nb::gil_scoped_release released;
  queued(copy, queue);
}

void run_peer(nb::handle destination, nb::handle source, nb::handle size_bytes,
              nb::handle destination_context, nb::handle source_context, nb::handle stream) {
  const PeerAddress to{pointer_argument(destination.ptr(), "destination"),
                       context_of(destination_context, destination)},
      from{pointer_argument(source.ptr(), "source"), context_of(source_context, source)};
  const std::size_t bytes = copy_number(size_bytes, "size_bytes");
  if (stream.is_none()) return without_gil(Context::current(), [&] { copy_peer(to, from, bytes); });
  const StreamRef queue = stream_argument(stream.ptr());
  nb::gil_scoped_release released;
  copy_peer_async(to, from, bytes, queue);
}

}  // namespace

void bind_cuda_copy(nb::module_& m) {
  bind_sides(m);
  m.def("copy_3d", &run_box<copy_3d, copy_3d_async>, nb::arg("copy"),
        nb::arg("stream") = nb::none(),
        nb::sig("def copy_3d(copy: Copy3D, stream: object | None = None) -> None"),
        "Within one context. With a stream in its order, and then the sides must live, and host "
        "memory must not change, until it is past the copy.");
  m.def("copy_3d_peer", &run_box<copy_3d_peer, copy_3d_peer_async>, nb::arg("copy"),
        nb::arg("stream") = nb::none(),
        nb::sig("def copy_3d_peer(copy: Copy3D, stream: object | None = None) -> None"),
        "The same between two contexts, which CopySide names.");
  m.def("copy_peer", &run_peer, nb::arg("destination"), nb::arg("source"), nb::arg("size_bytes"),
        nb::kw_only(), nb::arg("destination_context") = nb::none(),
        nb::arg("source_context") = nb::none(), nb::arg("stream") = nb::none(),
        nb::sig("def copy_peer(destination: object, source: object, size_bytes: int, *, "
                "destination_context: Context | None = None, source_context: Context | None = "
                "None, stream: object | None = None) -> None"),
        "Bytes from memory of one context to that of another, of one device or of two. A context "
        "of None is that of a DeviceMemory, else the current one.");
}

}  // namespace treadle::bindings
