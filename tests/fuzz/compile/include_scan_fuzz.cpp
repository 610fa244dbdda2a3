// SPDX-License-Identifier: MIT
// The text of a kernel, and what it includes.
#include <algorithm>

#include "compile/include_scan.hpp"
#include "compile/source_text.hpp"
#include "fuzz/target.hpp"

using namespace treadle;
using namespace treadle::compile;

TREADLE_FUZZ_TARGET(include_scan) {
  const std::string text(input);
  scan_includes(text);
  // Whatever stands before it, an include on a line of its own is never overlooked.
  const IncludeScan scan = scan_includes(text + "\n\n#include <the_last.h>\n");
  fuzz::require(!scan.obstacle.empty() ||
                    std::ranges::any_of(scan.includes,
                                        [](const IncludeName& include) {
                                          return include.name == "the_last.h" && !include.quoted;
                                        }),
                "an include is overlooked");
  const std::size_t opening = opening_length(text);
  fuzz::require(opening <= text.size(), "the opening is part of the text");
  for (const bool extern_c : {false, true})
    fuzz::require(compiler_text(text, "k.cu", extern_c).size() >= text.size(),
                  "the compiler gets the whole text");
}
