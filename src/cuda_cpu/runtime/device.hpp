// SPDX-License-Identifier: MIT
// The one device this library presents, in numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

inline constexpr int driver_version = 13000;
inline constexpr unsigned context_api_version = 3020;
/// 7.0: threads of a warp are scheduled independently, and programs choose no code path that is
/// written in newer inline PTX.
inline constexpr int capability_major = 7, capability_minor = 0;
inline constexpr unsigned warp_size = 32;
inline constexpr unsigned max_threads_per_block = 1024;
inline constexpr unsigned max_block_size[3] = {1024, 1024, 64};
inline constexpr unsigned max_grid_size[3] = {2147483647, max_blocks_along_y, max_blocks_along_y};
inline constexpr std::size_t shared_per_block =
    48u << 10;  ///< static and dynamic, without asking for more
inline constexpr std::size_t shared_per_block_optin =
    1u << 20;  ///< with MAX_DYNAMIC_SHARED_SIZE_BYTES
inline constexpr std::size_t constant_memory = 64u << 10;
inline constexpr std::size_t parameter_limit = 32764;  ///< bytes of kernel parameters
inline constexpr std::size_t max_pitch = 2147483647;
inline constexpr std::size_t pitch_alignment = 512;
inline constexpr std::size_t memory_alignment = 256;
inline constexpr std::size_t texture_pitch_alignment = 32;

}  // namespace treadle::cuda_cpu
