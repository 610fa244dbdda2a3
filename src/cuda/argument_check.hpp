// SPDX-License-Identifier: MIT
// What is refused before the driver is called: NVIDIA's starts copies and fills of negative sizes,
// which touch foreign memory, and the context is lost.
#pragma once

#include <cstddef>

#include "treadle/cuda/raw.hpp"

namespace treadle::cuda {

/// Throws InvalidArgument for a size or count that was negative before it became unsigned. `call`
/// and `what` begin the message: "cuMemAlloc: size_bytes".
void refuse_negative(const char* call, const char* what, std::size_t value);
/// Throws InvalidArgument for no memory where there are bytes to read or write.
void refuse_null(const char* call, const char* what, const void* data, std::size_t size_bytes);
void refuse_null(const char* call, const char* what, DevicePointer address, std::size_t size_bytes);
/// Throws InvalidArgument for a null handle of another library's `what`.
void refuse_null_handle(const char* what, const void* raw);
/// Throws InvalidState for an object that was moved from, and so stands for nothing.
void refuse_moved_from(const char* what, const void* raw);

}  // namespace treadle::cuda
