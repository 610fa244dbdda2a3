// SPDX-License-Identifier: MIT
#include "treadle/kernel/generated_program.hpp"

#include "treadle/base/error.hpp"

namespace treadle::kernel {

Program generated_program(const std::shared_ptr<device::Device>& device,
                          const codegen::TextWithLines& text, const ProgramOptions& options) {
  try {
    return Program(device, text.text, options);
  } catch (const CompileError&) {
    if (text.lines.empty()) throw;
  }
  return Program(device, codegen::with_line_directives(text), options);
}

}  // namespace treadle::kernel
