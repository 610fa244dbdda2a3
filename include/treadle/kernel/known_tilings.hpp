// SPDX-License-Identifier: MIT
// Numbers for a device's kernels that were measured to be better than those its limits allow: lines
// of a file of the user's, which tune_arrays() (treadle/tune/tune_arrays.hpp) writes, and lines
// that Treadle carries (kernels/tilings).
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

/// What is better on a kind of device.
struct KnownTiling {
  std::string device = {};        ///< the vendor's name of it; empty: all of the architecture
  std::string architecture = {};  ///< "sm_90", "cpu"
  Schedule schedule = Schedule::wide;
  std::map<std::string, std::uint64_t> numbers = {};  ///< those that differ from the default
  bool operator==(const KnownTiling&) const = default;
};

/// As JSON, a line without its end.
std::string tiling_line(const KnownTiling& tiling);
/// What a line says; none: it is no such line.
std::optional<KnownTiling> tiling_of_line(std::string_view line);

/// `tiling` with the numbers of those lines that are for a device of this name, else of this
/// architecture; of several the last. Lines that cannot be read, and numbers that Tiling does not
/// have or that may not be so, change nothing.
codegen::Tiling tiling_from(std::string_view lines, const std::string& device,
                            const std::string& architecture, codegen::Tiling tiling);

/// The user's: settings().cache_dir / "tilings.jsonl", or in the user's cache folder; empty: there
/// is no such folder. It is read when a device is first asked for its tiling.
std::filesystem::path tilings_file();
/// What a device begins with: default_tiling() with what Treadle carries for it, and then with what
/// the user's file has.
codegen::Tiling known_tiling(const device::Device& device, Schedule schedule,
                             const std::filesystem::path& file = tilings_file());

}  // namespace treadle::kernel
