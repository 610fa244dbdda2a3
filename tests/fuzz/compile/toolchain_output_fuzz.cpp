// SPDX-License-Identifier: MIT
// What other people's programs wrote: a library whose build is wanted, a make rule of nvcc.
#include "compile/identity.hpp"
#include "compile/nvcc.hpp"
#include "compile/nvrtc_search.hpp"
#include "fuzz/target.hpp"

using namespace treadle;
using namespace treadle::compile;

TREADLE_FUZZ_TARGET(toolchain_output) {
  if (const auto id = elf_build_id(input))
    fuzz::require(id->size() <= 2 * input.size() && !id->empty(), "a build id is part of the file");
  std::size_t size = 0;
  for (const std::string& file : files_of_make_rule(input)) size += file.size();
  fuzz::require(size <= input.size(), "names are part of the rule");
  version_in_name(input);
}
