// SPDX-License-Identifier: MIT
// Run-time part of TREADLE_CHECK. Checked kernels ask before each access and around each barrier:
// is the access within an object, does it race with another thread's, was the memory written, have
// all threads come to this barrier? The first check that fails ends the kernel with an error that
// names the line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

struct BlockOrder;
struct LaunchShape;
struct WordDifference;

/// Services::check_access: before an access of `size` bytes. `base` is the variable it is made
/// through, null where only the address is known.
void check_access(const void* address, std::uint64_t size, const void* base,
                  const CheckedAccess* access);
/// Services::check_step: a thread starts, comes to a barrier, or goes on behind it.
void check_step(std::uint32_t step, const CheckedAccess* place);

/// Services::check_row, for neighbours.
std::uint32_t check_row(BlockContext* block, const RowAccess* accesses, const RowPlace* places,
                        std::uint32_t count, std::uint32_t thread, std::uint32_t rows);

/// What a launch by the calling thread of a kernel may count on; null if the kernel is not checked.
std::shared_ptr<const BlockOrder> order_handed_on();
/// The block that runs has waited for its launches, up to a position of a stream.
void note_ended(std::uint64_t stream, std::uint64_t position);
/// What the check `determinism` tells, without the kernel's name.
std::string describe_difference(const WordDifference& found, const LaunchShape& shape);

/// Frees what is known of a block of a cooperative launch, which no worker runs any more.
void forget_checked_block(const BlockContext& block) noexcept;

/// The calling thread runs no more of a launch, and keeps nothing of memory that may be freed now.
void forget_known_places() noexcept;

/// Whether a checked kernel has run in this process: from then on memory is tracked in more detail.
bool kernels_are_checked() noexcept;

}  // namespace treadle::cuda_cpu
