// SPDX-License-Identifier: MIT
// Treadle tunes itself: the numbers that shape the kernels of arrays (treadle/codegen/tiling.def),
// for the device at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/tune/space.hpp"
#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// "elementwise", "transpose", "fold", "scan", "sort", "product".
const std::vector<std::string>& array_families();
/// The space of a family's numbers on a device, by their names in Tiling: the default times a
/// quarter to four. Numbers that decide what is rounded are in none. Throws InvalidArgument listing
/// the families there are.
Space array_space(const device::Device& device, const std::string& family);

/// How far it is.
struct ArrayProgress {
  std::string family;     ///< that is tuned
  std::size_t tried = 0;  ///< of its configurations
  double best = 1;        ///< time of the best, of that of what the device has now
  double seconds = 0;     ///< since the call
};

/// How the kernels of arrays are tuned.
struct ArrayTuneOptions {
  std::vector<std::string> families = {};  ///< none: all
  double seconds = 60;                     ///< of all together
  double size = 1;  ///< of the problems, of those that fit the kind of device
  /// A configuration is better if it takes less than this part of the time, at the median, and less
  /// than all of it in three of four turns.
  double worth = 0.97;
  std::uint64_t seed = 0;                                   ///< of the searches
  std::shared_ptr<Store> store = {};                        ///< null: Store::of_user()
  std::filesystem::path file = {};                          ///< empty: kernel::tilings_file()
  std::function<void(const ArrayProgress&)> progress = {};  ///< called after each configuration
  std::function<bool()> stop = {};                          ///< asked before each: true ends it
};

/// What was found for a family.
struct ArrayTuned {
  std::string family;                            ///< of array_families()
  std::map<std::string, std::uint64_t> numbers;  ///< that are better; empty: nothing is
  double ratio = 1;                              ///< time with them, of that without
  std::size_t attempts = 0, failed = 0;          ///< configurations
};

/// Tunes families of kernels, one after the other: each configuration is compiled, its results are
/// compared with those of the numbers before, and it is measured in turn with these. What is better
/// is the device's tiling from now on, is kept in the store, and is written for later processes
/// (write_tilings()). Blocking, on the calling thread; nobody else should use the device.
std::vector<ArrayTuned> tune_arrays(const std::shared_ptr<device::Device>& device,
                                    const ArrayTuneOptions& options = {});

/// Writes what a store knows of arrays' kernels as the lines that kernel::known_tiling() reads, of
/// every device of the store. Returns how many lines there are; lines of devices that it does not
/// know stay. Throws FileError.
std::size_t write_tilings(Store& store, const std::filesystem::path& file);

}  // namespace treadle::tune
