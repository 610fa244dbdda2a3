// SPDX-License-Identifier: MIT
// What kernels compiled with TREADLE_CHECK ask while they run: is this access within something,
// does another thread meet it there, has anybody written it, has everybody come to this barrier?
// The first answer that is no ends the kernel with an error that names the line. Slow on purpose:
// the clearness of the report is all.
#pragma once

#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

/// Services::check_access: before an access of `size` bytes. `base` is the variable it is made
/// through, null where only the address is known.
void check_access(const void* address, std::uint64_t size, const void* base,
                  const CheckedAccess* access);
/// Services::check_step: a thread starts, comes to a barrier, or goes on behind it.
void check_step(std::uint32_t step, const CheckedAccess* place);

/// Frees what is known of a block of a cooperative launch, which no worker runs any more.
void forget_checked_block(const BlockContext& block) noexcept;

/// Whether any kernel of the process has asked yet: memory is then kept track of more closely.
bool kernels_are_checked() noexcept;

}  // namespace treadle::cuda_cpu
