// SPDX-License-Identifier: MIT
#include "treadle/opencl/pipe.hpp"

#include <string>

#include "opencl/limits.hpp"
#include "opencl/query.hpp"
#include "treadle/opencl/allocation.hpp"

namespace treadle::opencl {
namespace {

constexpr const char* pipe_call = "clCreatePipe";

Handle<RawMemory> create_pipe(const Context& context, std::uint32_t packet_bytes,
                              std::uint32_t max_packets, MemFlags flags) {
  const Table& cl = context.table();
  if (!is_present(cl.clCreatePipe)) raise(cl, absent_entry_point, pipe_call);
  // Platforms without pipes have the entry point all the same, and answer in various ways.
  const std::uint64_t limit = largest<DeviceInfo::pipe_max_packet_size>(context);
  if (limit == 0)
    raise(cl, CL_INVALID_OPERATION, pipe_call, context.devices().front().name() + " has no pipes",
          "use a buffer and an atomic counter");
  if (packet_bytes == 0 || packet_bytes > limit || max_packets == 0)
    raise(cl, CL_INVALID_PIPE_SIZE, pipe_call,
          std::to_string(max_packets) + " packets of " + std::to_string(packet_bytes) +
              " bytes; there is 1 or more, of 1 to " + std::to_string(limit) + " bytes");
  cl_int code = CL_SUCCESS;
  RawMemory raw = nullptr;
  check_allocated(
      cl, pipe_call,
      [&] {
        raw = cl.clCreatePipe(context.raw(), static_cast<cl_mem_flags>(flags), packet_bytes,
                              max_packets, nullptr, &code);
        return code;
      },
      [&] {
        return std::to_string(max_packets) + " packets of " + std::to_string(packet_bytes) +
               " bytes";
      });
  return {context.shared_table(), raw, Ownership::adopt};
}

}  // namespace

Pipe::Pipe(const Context& context, std::uint32_t packet_bytes, std::uint32_t max_packets,
           MemFlags flags)
    : MemoryObject(context, create_pipe(context, packet_bytes, max_packets, flags)) {}

InfoValue Pipe::info(PipeInfo parameter) const {
  return query_object(table(), "clGetPipeInfo", table().clGetPipeInfo, raw(), parameter);
}

}  // namespace treadle::opencl
