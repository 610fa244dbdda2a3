// SPDX-License-Identifier: MIT
// The C libraries a compiled module may call.
#pragma once

#include <string>

namespace treadle::cuda_cpu {

/// Those this very process runs on, so that a module binds to the versions of their functions that
/// will serve it. Paths; empty where there is none.
struct HostLibraries {
  std::string math, vector_math, c;
};

const HostLibraries& host_libraries();

}  // namespace treadle::cuda_cpu
