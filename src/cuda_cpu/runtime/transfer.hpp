// SPDX-License-Identifier: MIT
// Copies and fills of memory as commands of a stream, cut into pieces that several threads share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda_cpu/runtime/stream.hpp"

namespace treadle::cuda_cpu {

/// Whether the call returns before the work is done.
enum class Blocking { yes, no };

/// `height` rows of `width` bytes in each of `depth` slices; pitches and slice sizes in bytes.
struct Copy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0, to_slice = 0, from_slice = 0;
  std::shared_ptr<std::byte[]>
      staged;  ///< keeps `from` alive, if it is a copy of what the caller gave
};

/// `height` rows of `width` elements of 1, 2, 4, 8 or 16 bytes, all set to `value`, or the last to
/// `value` and behind it `high`.
struct Fill {
  std::byte* to = nullptr;
  std::uint64_t value = 0, high = 0;
  unsigned element_size = 1;
  std::size_t width = 0, height = 1, pitch = 0;
};

/// Appends to the stream. An address that faults is CUDA_ERROR_INVALID_VALUE if the call blocks;
/// else it fails the context, as the call has long returned.
CUresult submit_copy(const std::shared_ptr<Stream>& stream, Copy copy, Blocking blocking);
CUresult submit_fill(const std::shared_ptr<Stream>& stream, const Fill& fill, Blocking blocking);

/// The same as commands that are submitted later.
std::unique_ptr<Command> make_copy(Context& context, Copy copy);
std::unique_ptr<Command> make_fill(Context& context, const Fill& fill);

/// memcpy on the calling thread; false if an address faulted.
bool copy_readable(std::byte* to, const std::byte* from, std::size_t size);

}  // namespace treadle::cuda_cpu
