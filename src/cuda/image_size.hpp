// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treadle::cuda {

/// How many bytes a module image says it has, by its own headers: a cubin (64-bit ELF) by its
/// farthest table or section, a fatbin by its length. 0 for what says nothing: PTX, anything else,
/// and a header that is cut off itself has at least its own size. The driver is given an address
/// without a length and believes the headers, so it would read beyond an image that was cut off.
std::uint64_t stated_size(std::span<const std::byte> image) noexcept;

}  // namespace treadle::cuda
