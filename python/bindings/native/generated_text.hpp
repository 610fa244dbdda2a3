// SPDX-License-Identifier: MIT
// What may be given where the text of a program is wanted.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "treadle/base/language.hpp"
#include "treadle/codegen/text_with_lines.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// A tree printed in the language, a generated text, or a str, which has no lines. Throws
/// InvalidArgument for anything else, and what the printer throws.
codegen::TextWithLines program_text(nb::handle source, Language language);
/// What treadle.templates is made of.
void bind_generated_text(nb::module_& m);

}  // namespace treadle::bindings
