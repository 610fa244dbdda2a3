// SPDX-License-Identifier: MIT
// Products by cuBLAS.
#pragma once

#include "treadle/kernel/product.hpp"
#include "treadle/library/cublas.hpp"

namespace treadle::linalg {

/// Queues the product on the stream, in its order, with its workspace. False, and nothing happens,
/// where cuBLAS cannot read the operands as they lie, or would take many calls. Throws as
/// Cublas::check(), and OutOfMemory for the workspace.
bool multiply_by_cublas(library::CublasHandle& handle, device::Stream& stream,
                        const kernel::Product& product);

}  // namespace treadle::linalg
