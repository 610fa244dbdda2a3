// SPDX-License-Identifier: MIT
// Objects to a module image. The work is the compiler's, which is opened when something is linked:
// this library has no LLVM.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/module_header.hpp"

namespace treadle::cuda_cpu {

/// Copies what a caller says is there; false if it is not, or is larger than any object.
bool read_bytes(const void* from, std::size_t size, std::vector<char>& to);
/// Whether the bytes begin as an object does. False as well if they cannot be read.
bool is_object(const void* image, std::optional<std::size_t> size);

/// One module image; empty where the compiler refuses, or is not there, and `failure` says why.
std::vector<char> link_inputs(std::span<const LinkInput> inputs, LoadFailure& failure);
/// The same for one object whose end may be known from its header alone, as programs that load PTX
/// have it: what it needs must be in it.
std::vector<char> link_object(const void* image, std::optional<std::size_t> size,
                              LoadFailure& failure);

}  // namespace treadle::cuda_cpu
