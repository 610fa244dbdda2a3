// SPDX-License-Identifier: MIT
// A platform made of recording functions, enough to see what the shell asks without having one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "treadle/opencl/program.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl::fake {

/// What the fake was asked and what it shall answer. One for the process; reset() before each test.
struct State {
  std::vector<std::string> calls;           ///< "clSetKernelArg(0)", in order
  std::map<std::string, int> fail;          ///< entry point -> code that it answers from now on
  std::string version = "OpenCL 3.0 Fake";  ///< of the platform
  unsigned argument_count = 2;              ///< of every kernel
  std::string build_log = "the log", source = "the source";  ///< of every program
  /// How often an entry point was called.
  int count(const std::string& name) const;
};
State& state();
void reset();

/// A loader's table with all that the fake can do; the rest is absent.
std::shared_ptr<Table> make_table();
/// The fake's device, through the platform's own table: what came after state().version is absent.
Device device();

}  // namespace treadle::opencl::fake
