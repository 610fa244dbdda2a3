// SPDX-License-Identifier: MIT
// Tiling numbers that were measured to be better for a device than those that its limits give. They
// come from a file of the user's, which tune_arrays() (treadle/tune/tune_arrays.hpp) writes, and
// from lines that Treadle contains (kernels/tilings).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "treadle/base/schedule.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/device/device.hpp"

namespace treadle::kernel {

/// The better numbers for a kind of device.
struct KnownTiling {
  std::string device = {};        ///< the vendor's name; empty: all devices of the architecture
  std::string architecture = {};  ///< "sm_90", "cpu"
  Schedule schedule = Schedule::wide;
  std::map<std::string, std::uint64_t> numbers = {};  ///< others are the default's
  bool operator==(const KnownTiling&) const = default;
};

/// The tiling as a line of JSON, without a line end.
std::string tiling_line(const KnownTiling& tiling);
/// The tiling of a line; no value for a line that is not a tiling.
std::optional<KnownTiling> tiling_of_line(std::string_view line);

/// `tiling` with the numbers of the last line for a device of this name, or, if there is no such
/// line, for this architecture, or the last of those before it (device::architecture_age()). Lines
/// that cannot be read, and numbers that Tiling does not have or does not allow, have no effect.
codegen::Tiling tiling_from(std::string_view lines, const std::string& device,
                            const std::string& architecture, codegen::Tiling tiling);

/// The same with the lines that Treadle carries (kernels/tilings).
codegen::Tiling carried_tiling(const std::string& device, const std::string& architecture,
                               codegen::Tiling tiling);

/// The user's file: settings().cache_dir / "tilings.jsonl", or the same name in the user's cache
/// folder; empty if there is no such folder. A device reads the file when it is first asked for its
/// tiling.
std::filesystem::path tilings_file();
/// The initial tiling of a device: default_tiling(), then Treadle's lines for it, then the user's
/// file.
codegen::Tiling known_tiling(const device::Device& device, Schedule schedule,
                             const std::filesystem::path& file = tilings_file());

}  // namespace treadle::kernel
