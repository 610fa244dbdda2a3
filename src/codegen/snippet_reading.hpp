// SPDX-License-Identifier: MIT
// Questions that generators ask about a user's text. The answers come from tokens; comments must
// have been removed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// Whether an array's elements may be read before the text runs: they are numbers of the language's
/// own types.
bool has_plain_elements(const DType& dtype, const Dialect& dialect, const TypeNames& types);
/// Whether every use of `pointer` reads `pointer[i]` or assigns to it.
bool uses_only_its_element(std::string_view text, std::string_view pointer);
/// Whether every use of `pointer` reads an element, with any index: nothing is assigned, and no
/// address is taken.
bool only_reads_elements(std::string_view text, std::string_view pointer);
/// The lines of `text` with directives, including macros, which the operation may use.
std::string definitions(std::string_view text);
/// The names of the macros that a text defines.
std::vector<std::string> defined_macros(std::string_view text);
/// Whether an expression calls a function.
bool calls_functions(std::string_view text);
/// Whether an expression may write to memory or takes an address; functions are assumed not to
/// write.
bool may_write(std::string_view text);
/// Whether an expression reads `name[i]` and uses `name` in no other way.
bool reads_its_element(std::string_view text, std::string_view preamble, std::string_view name);
/// Whether, in addition, it reads `name[i]` under all conditions.
bool reads_every_element(std::string_view text, std::string_view preamble, std::string_view name);
/// Whether statements are one assignment to `name[i]` of an expression that mentions no other
/// pointer.
bool assigns_every_element(std::string_view text, std::string_view preamble, std::string_view name,
                           const std::vector<ParameterSpec>& parameters);

}  // namespace treadle::codegen
