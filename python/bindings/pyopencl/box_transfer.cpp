// SPDX-License-Identifier: MIT
// Copies of boxes, whose rows and slices have distances.
#include <array>
#include <string>

#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::bindings::cl {
namespace {

opencl::BoxPlace place(nb::handle origin, nb::handle pitches, const char* side) {
  opencl::BoxPlace place;
  place.origin = numbers<3>(origin, 0, (std::string(side) + "_origin").c_str());
  const auto distances = numbers<2>(pitches, 0, (std::string(side) + "_pitches").c_str());
  place.row_pitch = distances[0];
  place.slice_pitch = distances[1];
  return place;
}

// over 6 parameters because they are the keywords of the Python call
template <HostBuffer::Access access>
nb::object transfer_rect(const CommandQueue& queue, const MemoryObjectHolder& mem,
                         nb::handle hostbuf, nb::handle buffer_origin, nb::handle host_origin,
                         nb::handle region, nb::handle buffer_pitches, nb::handle host_pitches,
                         nb::handle wait_for, bool is_blocking) {
  constexpr bool to_host = access == HostBuffer::write;
  const opencl::BoxPlace buffer = place(buffer_origin, buffer_pitches, "buffer");
  const opencl::BoxPlace host = place(host_origin, host_pitches, "host");
  const opencl::Box box{numbers<3>(region, 1, "region"), to_host ? buffer : host,
                        to_host ? host : buffer};
  return transfer_host<access>(
      {queue, mem, hostbuf, wait_for, is_blocking,
       access == HostBuffer::write ? "clEnqueueReadBufferRect" : "clEnqueueWriteBufferRect"},
      [&box](const auto& used, const auto& memory, auto bytes, auto order, auto blocking) {
        if constexpr (to_host)
          return opencl::read_box(used, memory, bytes, box, order, blocking);
        else
          return opencl::write_box(used, memory, bytes, box, order, blocking);
      });
}

// over 6 parameters because they are the keywords of the Python call
nb::object copy_rect(const CommandQueue& queue, const MemoryObjectHolder& src,
                     const MemoryObjectHolder& dst, nb::handle src_origin, nb::handle dst_origin,
                     nb::handle region, nb::handle src_pitches, nb::handle dst_pitches,
                     nb::handle wait_for) {
  const opencl::Box box{numbers<3>(region, 1, "region"), place(src_origin, src_pitches, "src"),
                        place(dst_origin, dst_pitches, "dst")};
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(
        opencl::copy_box(use_queue(queue), src.memory(), dst.memory(), box, after.order()));
  });
}

template <class F>
void define_host_rect(nb::module_& m, const char* name, F function) {
  m.def(name, pyopencl(function), nb::arg("queue"), nb::arg("mem"), nb::arg("hostbuf"),
        nb::arg("buffer_origin"), nb::arg("host_origin"), nb::arg("region"),
        nb::arg("buffer_pitches") = nb::none(), nb::arg("host_pitches") = nb::none(),
        nb::arg("wait_for") = nb::none(), nb::arg("is_blocking") = true);
}

}  // namespace

void bind_box_transfer(nb::module_& m) {
  define_host_rect(m, "_enqueue_read_buffer_rect", transfer_rect<HostBuffer::write>);
  define_host_rect(m, "_enqueue_write_buffer_rect", transfer_rect<HostBuffer::read>);
  m.def("_enqueue_copy_buffer_rect", pyopencl(copy_rect), nb::arg("queue"), nb::arg("src"),
        nb::arg("dst"), nb::arg("src_origin"), nb::arg("dst_origin"), nb::arg("region"),
        nb::arg("src_pitches") = nb::none(), nb::arg("dst_pitches") = nb::none(),
        nb::arg("wait_for") = nb::none());
}

}  // namespace treadle::bindings::cl
