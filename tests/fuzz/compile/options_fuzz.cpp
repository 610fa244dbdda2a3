// SPDX-License-Identifier: MIT
// Options, one a line, and the names of targets.
#include <string>
#include <vector>

#include "compile/options.hpp"
#include "fuzz/target.hpp"
#include "treadle/base/error.hpp"

using namespace treadle;
using namespace treadle::compile;

TREADLE_FUZZ_TARGET(options) {
  const std::string name(fuzz::take_line(input));
  try {
    fuzz::require(!Target::parse(name).name().empty(), "a target has a name");
  } catch (const InvalidArgument&) {
  }
  std::vector<std::string> flags;
  while (!input.empty()) flags.emplace_back(fuzz::take_line(input));
  for (const Reader reader : {Reader::nvrtc, Reader::cpu, Reader::nvcc}) {
    try {
      read_options(flags, {}, Target::parse("sm_90"), reader);
    } catch (const InvalidArgument&) {
    }
  }
}
