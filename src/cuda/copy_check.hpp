// SPDX-License-Identifier: MIT
// What is known to be wrong with a copy before the driver is asked.
#pragma once

#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {

/// Throws InvalidArgument for negative sizes, and for sides that were not set where there is
/// something to copy; ShapeError for sides that are smaller than what is copied. `call` begins the
/// message.
void check_copy(const char* call, const Copy3D& copy);
/// Throws InvalidArgument for an array that is not of the current context.
void check_current(const char* call, const CopySide& source, const CopySide& destination);
/// Throws ShapeError for more bytes than the array has from there on, InvalidArgument for an array
/// of another context than the current one and for parts of elements.
void check_position(const char* call, const char* what, const ArrayPosition& position,
                    std::size_t size_bytes);

}  // namespace treadle::cuda
