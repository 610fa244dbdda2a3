// SPDX-License-Identifier: MIT
// A real loader's table with a counter before every entry point: the N-th call fails without
// reaching the platform, and what was made and not released is counted.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "treadle/opencl/table.hpp"

namespace treadle::opencl::faults {

/// Sets the counts to zero and lets the call with number `fail_call`, from 1, answer `fail_code`; 0
/// lets none fail.
void reset(int fail_call = 0, int fail_code = 0);
/// Calls since reset().
int calls();
/// The entry point that was made to fail; empty if none was reached.
std::string failed_call();
/// Names of all entry points that were called since the program began.
std::vector<std::string> called();
/// References held of each kind of object ("context", "memory", ..., "mapping") that are not zero.
std::map<std::string, int> live();

/// Wraps a loader's table; of platforms' tables made from it, the extensions are not counted. One
/// at a time: the counters are the process's.
std::shared_ptr<const Table> wrap(const Table& inner);

}  // namespace treadle::opencl::faults
