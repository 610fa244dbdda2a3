// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/array/signal.hpp"

namespace treadle::bindings {

/// The overlap of a convolution by name: "full", "same" or "valid". Throws InvalidArgument.
array::Overlap overlap_named(const std::string& mode);

}  // namespace treadle::bindings
