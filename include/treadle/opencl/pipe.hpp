// SPDX-License-Identifier: MIT
// Pipes: packets that one kernel writes and another reads. Few platforms have them.
#pragma once

#include <cstdint>

#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/memory.hpp"

namespace treadle::opencl {

/// A queue of packets between kernels; the host sees none of it. Copies are the same pipe. Kernels
/// take it for parameters `read_only pipe T` and `write_only pipe T`. Any thread.
class Pipe : public MemoryObject, public Queries<Pipe, PipeInfo> {
 public:
  Pipe() = default;
  /// Room for `max_packets` of `packet_bytes` each. `flags` may be read_write and host_no_access,
  /// which {} means. Throws, before the platform is asked, DeviceError CL_INVALID_OPERATION where
  /// no device of the context has pipes, CL_INVALID_PIPE_SIZE for no packets, packets of no bytes
  /// or more than the devices take; NotSupported before OpenCL 2.0; OutOfMemory.
  Pipe(const Context& context, std::uint32_t packet_bytes, std::uint32_t max_packets,
       MemFlags flags = {});
  /// Wraps a pipe of another library.
  Pipe(std::shared_ptr<const Table> table, RawMemory raw, Ownership ownership)
      : MemoryObject(std::move(table), raw, ownership) {}

  using MemoryObject::info;
  using Queries<MemoryObject, MemInfo>::get;
  using Queries<Pipe, PipeInfo>::get;
  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(PipeInfo parameter) const;
};

/// The pipe. Throws InvalidState if it was released.
template <>
struct KernelArgument<Pipe> {
  static ArgumentView of(const Pipe& pipe) { return argument_of(pipe, ArgumentView::Kind::pipe); }
};

}  // namespace treadle::opencl
