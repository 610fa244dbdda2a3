// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

struct KernelBody;
class PassRunner;

/// Whether blocks side by side in the grid may run together, row of threads by row of threads, and
/// memory is then read and written in longer stretches.
bool suits_block_rows(const KernelBody& body, PassRunner& runner);

}  // namespace treadle::cuda_cpu
