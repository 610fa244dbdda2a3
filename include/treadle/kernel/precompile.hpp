// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/device/info.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {

/// Compiles without loading: a Program of the same text, options and device is then found compiled.
/// Needs no context and, beside what is known of it, no device. Blocking; any thread, several at a
/// time. Throws as Program, and NotSupported where traits.builds_text: such a run-time compiles and
/// loads as one.
compile::CompileResult precompile(const device::DeviceInfo& info, const std::string& text,
                                  const ProgramOptions& options = {});

}  // namespace treadle::kernel
