// SPDX-License-Identifier: MIT
// Converts the objects that may be passed as the text of a program.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "treadle/base/language.hpp"
#include "treadle/codegen/text_with_lines.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The text of a tree printed in the language, of a generated text, or of a str, which has no line
/// map. Throws InvalidArgument for other objects, and the printer's exceptions.
codegen::TextWithLines program_text(nb::handle source, Language language);
/// Binds the functions behind treadle.templates.
void bind_generated_text(nb::module_& m);

}  // namespace treadle::bindings
