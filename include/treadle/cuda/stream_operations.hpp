// SPDX-License-Identifier: MIT
// What a stream does besides kernels and copies: it calls the host, writes a value to memory, and
// waits for one there. All of them return at once, and become nodes of a graph where the stream
// captures.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// Calls `function` on a thread of the driver's once `stream` is past the work queued so far; later
/// work of the stream waits for it. It must not call CUDA. What it throws becomes a warning; in a
/// context that has failed it is not called. Throws InvalidArgument for an empty function.
void call_host(StreamRef stream, std::function<void()> function);

/// CUstreamWaitValue_flags: when a wait is over, for the value found and the one wanted.
enum class WaitCondition : unsigned {
  greater_or_equal = 0,  ///< found - wanted >= 0, as signed numbers
  equal = 1,
  any_bit = 2,   ///< found & wanted != 0
  any_unset = 3  ///< ~(found | wanted) != 0
};

/// Later work of `stream` starts once the word at `address`, 4 or 8 bytes of device or mapped host
/// memory and aligned to that, satisfies `condition`: another stream, a kernel or the host writes
/// it. Throws InvalidArgument for an address that is not aligned, DeviceError for one that is not
/// such memory.
void wait_value32(StreamRef stream, DevicePointer address, std::uint32_t value,
                  WaitCondition condition = WaitCondition::greater_or_equal);
void wait_value64(StreamRef stream, DevicePointer address, std::uint64_t value,
                  WaitCondition condition = WaitCondition::greater_or_equal);
/// Writes the word once `stream` is past the work queued so far, whose writes are visible then.
void write_value32(StreamRef stream, DevicePointer address, std::uint32_t value);
void write_value64(StreamRef stream, DevicePointer address, std::uint64_t value);

/// One of the four above, for a batch.
struct MemoryOperation {
  /// Which one.
  enum class Kind { wait32, wait64, write32, write64 };
  Kind kind;                                                  ///< which one
  DevicePointer address;                                      ///< of the word
  std::uint64_t value;                                        ///< the low half for 32 bits
  WaitCondition condition = WaitCondition::greater_or_equal;  ///< of a wait
};
/// All of them in one call, in order; at most 256.
void run_operations(StreamRef stream, std::span<const MemoryOperation> operations);

}  // namespace treadle::cuda
