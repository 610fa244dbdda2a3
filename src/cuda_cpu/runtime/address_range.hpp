// SPDX-License-Identifier: MIT
// One range of addresses for all memory of the device, reserved when the first of it is needed:
//
//   [ empty, 1/4 | device memory with guards in between, 1/2 | empty, 1/4 ]     64 TiB, or less
//
// No memory of the host process lies in it. An index that is out of bounds, by up to 16 TiB in a
// range of 64, therefore hits device memory or faults. The range is address space only; it takes
// neither memory nor page tables.
#pragma once

#include <cstddef>

namespace treadle::cuda_cpu {

/// `bytes` of addresses, aligned, with `guard` bytes on both sides that stay unused: nothing is
/// mapped there yet. All sizes are multiples of a page. Where the system does not grant the range
/// (`ulimit -v`, an address space of fewer bits), or it is full, addresses are reserved one by one
/// wherever they are free. Null if there are none. Thread-safe.
void* take_addresses(std::size_t bytes, std::size_t guard, std::size_t alignment);
/// Sizes as they were given to take_addresses(). Unmaps what lies there.
void give_back_addresses(void* block, std::size_t bytes, std::size_t guard);

}  // namespace treadle::cuda_cpu
