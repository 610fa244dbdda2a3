// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/device/info.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {

/// Compiles without loading: a later Program with the same text, options and device finds the
/// binary in the cache. Needs no context, and no device beyond its description. Blocking; any
/// thread, several at a time. Throws as Program, and NotSupported if traits.builds_text, because
/// such a run-time compiles and loads in one step.
compile::CompileResult precompile(const device::DeviceInfo& info, const std::string& text,
                                  const ProgramOptions& options = {});

}  // namespace treadle::kernel
