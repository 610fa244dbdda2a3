// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::device {

/// Fills device memory with a pattern in one call of the driver, so that it is queued whole or not
/// at all. The driver's own calls know patterns of up to 4 bytes; for 8 and 16 there is a kernel on
/// GPUs, made in each context by the first such fill, and an entry point of the CPU device. Any
/// thread.
class PatternFill {
 public:
  /// `pattern` has 1, 2, 4, 8 or 16 bytes, `count` > 0; `context` is current, and always the same.
  void queue(const cuda::Context& context, const cuda::Table& cu, cuda::DevicePointer to,
             std::span<const std::byte> pattern, std::size_t count, cuda::RawStream stream);

 private:
  void launch(const cuda::Context& context, cuda::DevicePointer to,
              std::span<const std::byte> pattern, std::size_t count, cuda::RawStream stream);

  std::once_flag loaded_;
  std::optional<cuda::Module> module_;
};

}  // namespace treadle::device
