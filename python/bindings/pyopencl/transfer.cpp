// SPDX-License-Identifier: MIT
// Copies and fills of ranges. Names with an underscore are the parts of enqueue_copy.
#include "treadle/opencl/transfer.hpp"

#include <vector>

#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

template <HostBuffer::Access access>
nb::object transfer_range(const CommandQueue& queue, const MemoryObjectHolder& mem,
                          nb::handle hostbuf, Size device_offset, nb::handle wait_for,
                          bool is_blocking) {
  const std::size_t offset =
      device_offset.in("enqueue_copy", access == HostBuffer::write ? "src_offset" : "dst_offset");
  return transfer_host<access>(
      {queue, mem, hostbuf, wait_for, is_blocking,
       access == HostBuffer::write ? "clEnqueueReadBuffer" : "clEnqueueWriteBuffer"},
      [offset](const auto& used, const auto& memory, auto bytes, auto order, auto blocking) {
        if constexpr (access == HostBuffer::write)
          return opencl::read(used, memory, bytes, offset, order, blocking);
        else
          return opencl::write(used, memory, bytes, offset, order, blocking);
      },
      /*is_dense=*/true);
}

// -1 bytes means as many as both buffers have; over 6 parameters because they are the keywords of
// the call.
nb::object copy_buffer(const CommandQueue& queue, const MemoryObjectHolder& src,
                       const MemoryObjectHolder& dst, long long byte_count, Size src_offset,
                       Size dst_offset, nb::handle wait_for) {
  opencl::CopyRange range{0, src_offset.in("enqueue_copy", "src_offset"),
                          dst_offset.in("enqueue_copy", "dst_offset")};
  if (byte_count >= 0) range.size_bytes = static_cast<std::size_t>(byte_count);
  const Events after(wait_for);
  if (byte_count == 0)  // the core takes 0 as "all"; OpenCL's answer to 0 bytes is given here
    raise_logic_error("clEnqueueCopyBuffer", "a copy of 0 bytes");
  return with_retry([&] {
    return make_event(
        opencl::copy(use_queue(queue), src.memory(), dst.memory(), range, after.order()));
  });
}

nb::object fill_buffer(const CommandQueue& queue, const MemoryObjectHolder& mem, nb::handle pattern,
                       Size offset, Size size, nb::handle wait_for) {
  constexpr const char* call = "enqueue_fill_buffer";
  const std::size_t begin = offset.in(call, "offset"), bytes = size.in(call, "size");
  const HostBuffer host(pattern, HostBuffer::read, "pattern");
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(
        opencl::fill(use_queue(queue), mem.memory(), host.bytes(), begin, bytes, after.order()));
  });
}

nb::object migrate(const CommandQueue& queue, nb::handle mem_objects, std::uint64_t flags,
                   nb::handle wait_for) {
  const std::vector<opencl::MemoryObject> memory =
      memory_in(mem_objects, {"enqueue_migrate_mem_objects", "mem_objects"});
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::migrate(
        use_queue(queue), memory, static_cast<opencl::MemMigrationFlags>(flags), after.order()));
  });
}

}  // namespace

void bind_transfer(nb::module_& m) {
  m.def("_enqueue_read_buffer", pyopencl(transfer_range<HostBuffer::write>), nb::arg("queue"),
        nb::arg("mem"), nb::arg("hostbuf"), nb::arg("src_offset") = 0,
        nb::arg("wait_for") = nb::none(), nb::arg("is_blocking") = true);
  m.def("_enqueue_write_buffer", pyopencl(transfer_range<HostBuffer::read>), nb::arg("queue"),
        nb::arg("mem"), nb::arg("hostbuf"), nb::arg("dst_offset") = 0,
        nb::arg("wait_for") = nb::none(), nb::arg("is_blocking") = true);
  m.def("_enqueue_copy_buffer", pyopencl(copy_buffer), nb::arg("queue"), nb::arg("src"),
        nb::arg("dst"), nb::arg("byte_count") = -1, nb::arg("src_offset") = 0,
        nb::arg("dst_offset") = 0, nb::arg("wait_for") = nb::none());
  for (const char* name : {"_enqueue_fill_buffer", "enqueue_fill_buffer"})
    m.def(name, pyopencl(fill_buffer), nb::arg("queue"), nb::arg("mem"), nb::arg("pattern"),
          nb::arg("offset"), nb::arg("size"), nb::arg("wait_for") = nb::none(),
          "Repeats the pattern over `size` bytes from `offset` on.");
  m.def("enqueue_migrate_mem_objects", pyopencl(migrate), nb::arg("queue"), nb::arg("mem_objects"),
        nb::arg("flags") = 0, nb::arg("wait_for") = nb::none(),
        "Moves memory to the queue's device, or to the host as the flags say.");
}

}  // namespace treadle::bindings::cl
