// SPDX-License-Identifier: MIT
// Programs of texts that a program or a template wrote.
#pragma once

#include <memory>

#include "treadle/codegen/text_with_lines.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {

/// Compiles and loads the text, as Program's constructor does. If the compiler refuses the text,
/// the error names the lines that the text comes from: then it is compiled once more with `#line`
/// directives. What compiles has none of them, so that it is found compiled wherever it comes from.
Program generated_program(const std::shared_ptr<device::Device>& device,
                          const codegen::TextWithLines& text, const ProgramOptions& options = {});

}  // namespace treadle::kernel
