// SPDX-License-Identifier: MIT
// What nvcc allows with pointers and another compiler refuses: arithmetic on `void*`, in bytes, and
// `pointer > 0`. Words that the preludes define are put where a compiler has found one:
// `p + 4` becomes `p * __treadle_bytes + 4`, and `p > 0` `p > __treadle_null * 0`. They leave other
// types as they are, so they may stand in templates and in the texts of macros.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::compile {

/// Text to be put before the byte `at` of a source.
struct Insertion {
  std::size_t at = 0;
  std::string text;
};

/// What to put into `text`, which `log` refuses, in falling order of places; nothing for other
/// errors, and where the words stand already.
std::vector<Insertion> pointer_insertions(std::string_view text, std::string_view log,
                                          const std::string& source_name);

}  // namespace treadle::compile
