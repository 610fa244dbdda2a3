// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/array/signal.hpp"

namespace treadle::bindings {

/// Places of a convolution: "full", "same" or "valid". Throws InvalidArgument.
array::Overlap overlap_named(const std::string& mode);

}  // namespace treadle::bindings
