// SPDX-License-Identifier: MIT
// One run of a kernel that is judged.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/tune/judge.hpp"
#include "tune/judged_kernel.hpp"

namespace treadle::tune {

/// How memory of a run is laid out.
enum class Zones : std::uint8_t {
  none,     ///< each array an allocation, outputs never written: for checks of the run-time
  guarded,  ///< zones before and behind each array, outputs poisoned
};

/// What a run left.
struct RunResult {
  std::map<std::string, std::vector<std::byte>> after;  ///< of each array
  std::string beyond;  ///< what was written beside an array; empty: nothing
};

/// Whether an output of which two runs, poisoned with different bytes, left this was written there.
inline constexpr std::byte poisons[] = {std::byte{0xA5}, std::byte{0x5A}};

/// How a run differs from others.
struct RunOptions {
  Zones zones = Zones::guarded;
  std::byte poison = poisons[0];
  /// An output that lies where an input does; empty: none.
  std::string output = {}, input = {};
};

/// Runs a kernel once and waits; throws what the device throws.
RunResult run_case(const std::shared_ptr<device::Device>& device, const device::Kernel& kernel,
                   const KernelSubject& subject, const JudgedCase& run,
                   const RunOptions& options = {});

}  // namespace treadle::tune
