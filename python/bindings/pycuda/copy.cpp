// SPDX-License-Identifier: MIT
// memcpy_* and memset_*: between host buffers and device addresses.
#include "treadle/cuda/copy.hpp"
#include "interrupt.hpp"
#include "pycuda/classes.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {

namespace {

struct Address {
  cuda::DevicePointer value;
  Address(const nb::object& object, const char* what)
      : value(pointer_argument(object.ptr(), what)) {}
};

std::size_t size_of(const nb::object& size) { return unsigned_argument(size.ptr(), "size"); }

void htod(const nb::object& dest, const nb::object& src) {
  const cuda::Context context = current_context();
  const Address to(dest, "dest");
  const HostBuffer from(src, HostBuffer::read);
  if (from.size() == 0) return;
  without_gil(context, [&] { cuda::copy_to_device(to.value, from.data(), from.size()); });
}

void htod_async(const nb::object& dest, const nb::object& src, const nb::object& stream) {
  const cuda::Context context = current_context();
  const Address to(dest, "dest");
  const cuda::StreamRef queue = stream_argument(stream.ptr());
  const HostBuffer from(src, HostBuffer::read);
  if (from.size() == 0) return;
  without_gil_asked(context,
                    [&] { cuda::copy_to_device_async(to.value, from.data(), from.size(), queue); });
}

void dtoh(const nb::object& dest, const nb::object& src) {
  const cuda::Context context = current_context();
  const Address from(src, "src");
  const HostBuffer to(dest, HostBuffer::write);
  if (to.size() == 0) return;
  without_gil(context, [&] { cuda::copy_to_host(to.data(), from.value, to.size()); });
}

void dtoh_async(const nb::object& dest, const nb::object& src, const nb::object& stream) {
  const cuda::Context context = current_context();
  const Address from(src, "src");
  const cuda::StreamRef queue = stream_argument(stream.ptr());
  const HostBuffer to(dest, HostBuffer::write);
  if (to.size() == 0) return;
  without_gil_asked(context,
                    [&] { cuda::copy_to_host_async(to.data(), from.value, to.size(), queue); });
}

void dtod(const nb::object& dest, const nb::object& src, const nb::object& size,
          const nb::object* stream) {
  const cuda::Context context = current_context();
  const Address to(dest, "dest"), from(src, "src");
  const std::size_t bytes = size_of(size);
  const cuda::StreamRef queue =
      stream == nullptr ? cuda::StreamRef{} : stream_argument(stream->ptr());
  if (bytes == 0) return;
  // The device orders the copy. On a GPU neither form waits; on the CPU device the first form
  // waits.
  without_gil_asked(context, [&] {
    if (stream == nullptr)
      cuda::copy_on_device(to.value, from.value, bytes);
    else
      cuda::copy_on_device_async(to.value, from.value, bytes, queue);
  });
}

cuda::Context context_or_current(const nb::object& object, const char* what) {
  if (object.is_none()) return current_context();
  if (!nb::isinstance<Context>(object))
    raise_python(PyExc_TypeError, std::string(what) + " must be None or a Context, not " +
                                      Py_TYPE(object.ptr())->tp_name);
  return nb::cast<const Context&>(object).context;
}

struct Peers {
  cuda::PeerAddress destination, source;
};
Peers peers_of(const nb::object& dest, const nb::object& src, const nb::object& dest_context,
               const nb::object& src_context) {
  return {{Address(dest, "dest").value, context_or_current(dest_context, "dest_context")},
          {Address(src, "src").value, context_or_current(src_context, "src_context")}};
}

void bind_copies(nb::module_& m) {
  m.def("memcpy_htod", pycuda([](nb::object dest, nb::object src) { htod(dest, src); }),
        nb::arg("dest"), nb::arg("src"), "Copies a buffer to the device; blocks.");
  m.def("memcpy_htod_async", pycuda([](nb::object dest, nb::object src, nb::object stream) {
          htod_async(dest, src, stream);
        }),
        nb::arg("dest"), nb::arg("src"), nb::arg("stream") = nb::none(),
        "As memcpy_htod, in the order of `stream`; `src` must live until it is past.");
  m.def("memcpy_dtoh", pycuda([](nb::object dest, nb::object src) { dtoh(dest, src); }),
        nb::arg("dest"), nb::arg("src"), "Fills a buffer from the device; blocks.");
  m.def("memcpy_dtoh_async", pycuda([](nb::object dest, nb::object src, nb::object stream) {
          dtoh_async(dest, src, stream);
        }),
        nb::arg("dest"), nb::arg("src"), nb::arg("stream") = nb::none(),
        "As memcpy_dtoh, in the order of `stream`; the bytes are there once it is past.");
  m.def("memcpy_dtod", pycuda([](nb::object dest, nb::object src, nb::object size) {
          dtod(dest, src, size, nullptr);
        }),
        nb::arg("dest"), nb::arg("src"), nb::arg("size"),
        "Ordered on the device: may return before the copy is done.");
  m.def("memcpy_dtod_async",
        pycuda([](nb::object dest, nb::object src, nb::object size, nb::object stream) {
          dtod(dest, src, size, &stream);
        }),
        nb::arg("dest"), nb::arg("src"), nb::arg("size"), nb::arg("stream") = nb::none(),
        "As memcpy_dtod, in the order of `stream`.");
}

void bind_peer_copies(nb::module_& m) {
  m.def("memcpy_peer",
        pycuda([](nb::object dest, nb::object src, nb::object size, nb::object dest_context,
                  nb::object src_context) {
          const Peers peers = peers_of(dest, src, dest_context, src_context);
          const std::size_t bytes = size_of(size);
          without_gil_asked(context_or_current(dest_context, "dest_context"),
                            [&] { cuda::copy_peer(peers.destination, peers.source, bytes); });
        }),
        nb::arg("dest"), nb::arg("src"), nb::arg("size"), nb::arg("dest_context") = nb::none(),
        nb::arg("src_context") = nb::none(), "Between two contexts; None is the current one.");
  m.def("memcpy_peer_async",
        pycuda([](nb::object dest, nb::object src, nb::object size, nb::object dest_context,
                  nb::object src_context, nb::object stream) {
          const Peers peers = peers_of(dest, src, dest_context, src_context);
          const std::size_t bytes = size_of(size);
          const cuda::StreamRef queue = stream_argument(stream.ptr());
          without_gil_asked(context_or_current(dest_context, "dest_context"), [&] {
            cuda::copy_peer_async(peers.destination, peers.source, bytes, queue);
          });
        }),
        nb::arg("dest"), nb::arg("src"), nb::arg("size"), nb::arg("dest_context") = nb::none(),
        nb::arg("src_context") = nb::none(), nb::arg("stream") = nb::none(),
        "As memcpy_peer, in the order of `stream`.");
}

// The four forms of memset for one width of elements.
template <class Value>
struct Fill {
  void (*linear)(cuda::DevicePointer, Value, std::size_t);
  void (*linear_async)(cuda::DevicePointer, Value, std::size_t, cuda::StreamRef);
  void (*area)(const cuda::FillArea&, Value);
  void (*area_async)(const cuda::FillArea&, Value, cuda::StreamRef);
};

template <class Value>
Value value_of(const nb::object& data) {
  return static_cast<Value>(
      unsigned_argument(data.ptr(), "data", std::numeric_limits<Value>::max()));
}

cuda::FillArea area_of(const nb::object& dest, const nb::object& pitch, const nb::object& width,
                       const nb::object& height) {
  return {Address(dest, "dest").value, unsigned_argument(pitch.ptr(), "pitch"),
          unsigned_argument(width.ptr(), "width"), unsigned_argument(height.ptr(), "height")};
}

template <class Value>
void bind_fill(nb::module_& m, const std::string& bits, Fill<Value> fill) {
  // PyCUDA's functions call the number `size`; its documentation calls the number `count`.
  for (const char* number : {"size", "count"}) {
    m.def(("memset_d" + bits).c_str(),
          pycuda([fill](nb::object dest, nb::object data, nb::object size) {
            const cuda::Context context = current_context();
            const Address to(dest, "dest");
            const Value value = value_of<Value>(data);
            const std::size_t count = size_of(size);
            without_gil(context, [&] { fill.linear(to.value, value, count); });
          }),
          nb::arg("dest"), nb::arg("data"), nb::arg(number), "Fills so many elements.");
    m.def(("memset_d" + bits + "_async").c_str(),
          pycuda([fill](nb::object dest, nb::object data, nb::object size, nb::object stream) {
            current_context();
            fill.linear_async(Address(dest, "dest").value, value_of<Value>(data), size_of(size),
                              stream_argument(stream.ptr()));
          }),
          nb::arg("dest"), nb::arg("data"), nb::arg(number), nb::arg("stream") = nb::none(),
          "The same in the order of `stream`.");
  }
  m.def(("memset_d2d" + bits).c_str(),
        pycuda([fill](nb::object dest, nb::object pitch, nb::object data, nb::object width,
                      nb::object height) {
          const cuda::Context context = current_context();
          const cuda::FillArea area = area_of(dest, pitch, width, height);
          const Value value = value_of<Value>(data);
          without_gil(context, [&] { fill.area(area, value); });
        }),
        nb::arg("dest"), nb::arg("pitch"), nb::arg("data"), nb::arg("width"), nb::arg("height"),
        "Fills `height` rows of `width` elements; `pitch` is in bytes.");
  m.def(("memset_d2d" + bits + "_async").c_str(),
        pycuda([fill](nb::object dest, nb::object pitch, nb::object data, nb::object width,
                      nb::object height, nb::object stream) {
          current_context();
          fill.area_async(area_of(dest, pitch, width, height), value_of<Value>(data),
                          stream_argument(stream.ptr()));
        }),
        nb::arg("dest"), nb::arg("pitch"), nb::arg("data"), nb::arg("width"), nb::arg("height"),
        nb::arg("stream") = nb::none(), "The same in the order of `stream`.");
}

}  // namespace
}  // namespace face

void bind_pycuda_copy(nb::module_& m) {
  face::bind_copies(m);
  face::bind_peer_copies(m);
  face::bind_fill<std::uint8_t>(
      m, "8", {cuda::fill8, cuda::fill8_async, cuda::fill_2d8, cuda::fill_2d8_async});
  face::bind_fill<std::uint16_t>(
      m, "16", {cuda::fill16, cuda::fill16_async, cuda::fill_2d16, cuda::fill_2d16_async});
  face::bind_fill<std::uint32_t>(
      m, "32", {cuda::fill32, cuda::fill32_async, cuda::fill_2d32, cuda::fill_2d32_async});
}

}  // namespace treadle::bindings
