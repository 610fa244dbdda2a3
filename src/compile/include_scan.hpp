// SPDX-License-Identifier: MIT
// Finds what a text may include, without evaluating a single #if: too many names cost a needless
// miss, one name too few would be a wrong hit. So branches that are not taken count, and so do
// directives inside comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::compile {

struct IncludeName {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
  bool next = false;    ///< #include_next: any folder's file of that name may be meant
};

struct IncludeScan {
  std::vector<IncludeName> includes;   ///< of #include, #import and #embed, in order
  std::vector<IncludeName> questions;  ///< of __has_include: only whether the file exists matters
  std::string
      obstacle;  ///< a construct whose meaning only a compiler knows; empty if there is none
  bool names_its_file = false;  ///< __FILE__, assert and the like: the result holds the path
  bool names_the_time = false;  ///< __DATE__, __TIME__: no two compiles are the same
};

IncludeScan scan_includes(std::string_view text);

}  // namespace treadle::compile
