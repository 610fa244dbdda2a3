// SPDX-License-Identifier: MIT
// Address space for device memory, apart from the C heap: a kernel that writes past the end of an
// array spoils device memory or runs into a guard page, not the program's own data.
#pragma once

#include <cstddef>

namespace treadle::cuda_cpu {

/// At least 256-byte aligned; zeroed the first time only. Null if the system has no more.
/// Thread-safe.
void* device_heap_allocate(std::size_t size);
/// `size` as it was given to device_heap_allocate().
void device_heap_release(void* block, std::size_t size);

/// A mapping of its own, zeroed, with `guard` bytes on both sides that nobody may touch: address
/// space only, but not every process has enough of it. `guard` is a multiple of a page. Null if the
/// system has no more. Thread-safe.
void* map_guarded(std::size_t size, std::size_t guard);
/// Sizes as they were given to map_guarded().
void unmap_guarded(void* block, std::size_t size, std::size_t guard);

}  // namespace treadle::cuda_cpu
