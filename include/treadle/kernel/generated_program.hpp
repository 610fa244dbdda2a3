// SPDX-License-Identifier: MIT
// Compiles texts that a program or a template generated.
#pragma once

#include <memory>

#include "treadle/codegen/text_with_lines.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {

/// Compiles and loads the text like Program's constructor. If the compiler refuses the text, it is
/// compiled once more with `#line` directives, so that the error names the lines from which the
/// text was made. A text that compiles has no such directives, so that the cache finds it whatever
/// its origin.
Program generated_program(const std::shared_ptr<device::Device>& device,
                          const codegen::TextWithLines& text, const ProgramOptions& options = {});

}  // namespace treadle::kernel
