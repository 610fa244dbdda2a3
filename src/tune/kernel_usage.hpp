// SPDX-License-Identifier: MIT
// What a kernel needs of a GPU that is not here, by its assembler.
#pragma once

#include <string>

#include "tune/judged_kernel.hpp"

namespace treadle::tune {

/// "sm_90: 24 registers, 512 bytes of shared memory, 128 threads a block: 16 blocks, 100 % of the
/// warps a multiprocessor holds, by registers". Throws what the compiler throws, NotSupported where
/// it does not tell.
std::string usage_on(const std::string& architecture, const KernelSubject& subject,
                     const NamedValues& problem);

}  // namespace treadle::tune
