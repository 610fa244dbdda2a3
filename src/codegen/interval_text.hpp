// SPDX-License-Identifier: MIT
// Shared by kernels in which each group has an interval of the user's indices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"
#include "words.hpp"

namespace treadle::codegen {

/// Throws DTypeError unless indices may have this dtype; `who` is for example "scan sums".
inline void require_index_dtype(Scalar dtype, const std::string& who) {
  if (dtype != Scalar::int32 && dtype != Scalar::int64)
    throw DTypeError("the indices of " + who + " are of " + DType(dtype).name(),
                     "choose int32 or int64");
}

/// Throws InvalidArgument for a parameter with one of these names.
template <class Names>
void refuse_own_names(const std::vector<ParameterSpec>& parameters, const Names& names,
                      const std::string& who) {
  for (const ParameterSpec& parameter : parameters)
    for (const std::string_view own : names)
      if (parameter.name == own)
        throw InvalidArgument("argument '" + parameter.name + "' of " + who +
                                  " is called as one of the kernel's own variables",
                              "give it another name");
}

/// A user's expression in brackets on separate lines, because it may end in a comment.
inline std::string text_in_brackets(std::string_view expression) {
  return joined({"(\n", expression, "\n)"});
}
/// Like text_in_brackets(), as a part that the printer does not analyse.
inline tree::Part in_brackets(std::string_view expression) {
  return tree::as_written(text_in_brackets(expression));
}

/// Defines treadle_begin and treadle_end, the interval of this group; both have the type `integer`.
inline void write_interval_bounds(tree::BlockBuilder& code, std::string_view integer,
                                  const Dialect& dialect) {
  code.declare({"const ", integer}, "treadle_begin", {dialect.group_id, " * treadle_length"});
  code.declare({"const ", integer}, "treadle_end",
               "N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length");
}

}  // namespace treadle::codegen
