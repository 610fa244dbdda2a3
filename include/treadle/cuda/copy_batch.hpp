// SPDX-License-Identifier: MIT
// Many copies in one call of the driver, which costs less than a call for each and lets the driver
// run them side by side. The batch as a whole is in the order of its stream; within it there is no
// order: no copy may read or write what another of the batch writes.
//
// The stream must be one that was made: CUDA has no batches on the default stream. NotSupported
// before CUDA 13.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/managed_memory.hpp"

namespace treadle::cuda {

/// CUmemcpySrcAccessOrder: when a source may be read.
enum class SourceAccess : int {
  in_stream_order = 1,  ///< once the stream is there, as other copies read
  during_call = 2,      ///< at any time before the call returns, as from a local variable
  any = 3               ///< at any time: nothing that is queued writes it
};

/// What holds for one copy of a batch.
struct BatchCopyHints {
  SourceAccess source_access = SourceAccess::in_stream_order;  ///< when the source may be read
  bool overlaps_compute = false;  ///< rather slower, if kernels run beside it; a hint
  /// Where managed memory, or memory of the host that CUDA did not make, is to be taken to be.
  std::optional<MemoryLocation> source = {}, destination = {};
  bool operator==(const BatchCopyHints&) const = default;
};

/// `size_bytes` between addresses of the device or the host.
struct BatchCopy {
  DevicePointer destination = 0, source = 0;  ///< not null
  std::size_t size_bytes = 0;                 ///< at least 1
  BatchCopyHints hints = {};                  ///< when and how
};
/// Queues them all. Throws InvalidArgument, naming the copy by its index, for null addresses and
/// sizes that are 0 or negative, and for the default stream; DeviceError.
void copy_batch(std::span<const BatchCopy> copies, StreamRef stream);

/// A box between memory and arrays, in any mixture. Sides are host, device, unified or array;
/// pitches of memory that is copied from or to an array are whole elements. No levels of detail.
struct BatchCopy3D {
  Copy3D copy = {};           ///< none of its sizes is 0
  BatchCopyHints hints = {};  ///< when and how
};
/// Queues them all. Throws as copy_batch() and copy_3d_async() do.
void copy_3d_batch(std::span<const BatchCopy3D> copies, StreamRef stream);

}  // namespace treadle::cuda
