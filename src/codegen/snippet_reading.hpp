// SPDX-License-Identifier: MIT
// What generators ask about a user's text; all of it is told by tokens, and comments are gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// Whether an array's elements may be read before the text is: they are numbers of the language's
/// own types.
bool has_plain_elements(const DType& dtype, const Dialect& dialect, const TypeNames& types);
/// Whether every use of `pointer` is the value `pointer[i]`, or an assignment to it.
bool uses_only_its_element(std::string_view text, std::string_view pointer);
/// Whether every use of `pointer` is the value of one of its elements, whichever: nothing is
/// assigned to it, and no address is taken.
bool only_reads_elements(std::string_view text, std::string_view pointer);
/// The lines of `text` that define macros, which the operation may call, and other directives.
std::string definitions(std::string_view text);
/// The names of the macros that it defines.
std::vector<std::string> defined_macros(std::string_view text);
/// Whether an expression calls a function.
bool calls_functions(std::string_view text);
/// Whether an expression may write to memory, or takes an address; what functions do nobody tells.
bool may_write(std::string_view text);
/// Whether an expression reads `name[i]` and uses `name` in no other way.
bool reads_its_element(std::string_view text, std::string_view preamble, std::string_view name);
/// And reads it whatever `i` is.
bool reads_every_element(std::string_view text, std::string_view preamble, std::string_view name);
/// Whether statements are one assignment to `name[i]`, of what mentions no other pointer.
bool assigns_every_element(std::string_view text, std::string_view preamble, std::string_view name,
                           const std::vector<ParameterSpec>& parameters);
/// An expression or such statements with `replacement` in the place of each `name[i]`.
std::string with_elements(std::string_view text, std::string_view name,
                          std::string_view replacement);

}  // namespace treadle::codegen
