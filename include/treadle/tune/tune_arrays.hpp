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

#include "treadle/codegen/schedule.hpp"
#include "treadle/device/device.hpp"
#include "treadle/tune/space.hpp"
#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// "elementwise", "transpose", "fold", "scan", "sort", "selection", "counting", "product",
/// "sparse" (products with vectors), "conjugate" (conjugate gradients; devices with float64).
const std::vector<std::string>& array_families();
/// The names in Tiling of all numbers of a family, those of both schedules. Throws InvalidArgument.
std::vector<std::string> array_numbers(const std::string& family);
/// The space of a family's numbers on a device, by their names in Tiling: the default times a
/// quarter to four. Numbers that decide what is rounded are in none. Throws InvalidArgument listing
/// the families there are.
Space array_space(const device::Device& device, const std::string& family);

/// How far it is.
struct ArrayProgress {
  std::string family;     ///< that is tuned
  std::size_t tried = 0;  ///< of its configurations
  double best = 1;        ///< time of the best, of that of what the device has now, in the mean
  double seconds = 0;     ///< since the call
};

/// A problem by which a family is measured.
struct ArrayProblemSize {
  std::string family;          ///< of array_families()
  std::string name;            ///< "rows", "by transposed"
  std::uint64_t elements = 0;  ///< of the arrays that it reads
};

/// How the kernels of arrays are tuned.
struct ArrayTuneOptions {
  std::vector<std::string> families = {};  ///< none: all
  double seconds = 60;                     ///< of all together
  double size = 1;  ///< of the largest problem, of that which fits the kind of device
  /// Elements of the problems, from the smallest on. None: some that caches hold and some that none
  /// does, up to what the device has memory for and the seconds allow.
  std::vector<std::uint64_t> sizes = {};
  /// Numbers are better if they take less than this part of the time, in the geometric mean over
  /// all problems of all sizes, and less than all of it in three of four turns,
  double worth = 0.97;
  /// and for no problem more than so many times as long. Both hold again in a second measurement.
  double slowest = 1.03;
  /// Times are those of this process's processors, not of the clock: for kernels that run on them
  /// while other programs do, too. It does not tell how well they share the work.
  bool is_processor_time = false;
  std::uint64_t seed = 0;                                   ///< of the searches
  std::shared_ptr<Store> store = {};                        ///< null: Store::of_user()
  std::filesystem::path file = {};                          ///< empty: kernel::tilings_file()
  std::function<void(const ArrayProgress&)> progress = {};  ///< called after each configuration
  std::function<bool()> stop = {};                          ///< asked before each: true ends it
  /// Seconds of a problem with these numbers, in the place of running it: a model of a device.
  std::function<double(const ArrayProblemSize&, const codegen::Tiling&)> model = {};
};

/// How the best numbers of a family do for one problem.
struct ArrayRatio {
  ArrayProblemSize problem;  ///< which
  double ratio = 1;          ///< time with the best numbers, of that without
};

/// What was found for a family.
struct ArrayTuned {
  std::string family;                            ///< of array_families()
  std::map<std::string, std::uint64_t> numbers;  ///< that are better; empty: nothing is
  double ratio = 1;                              ///< time with them, of that without, in the mean
  /// Of the best that was found, whether it is better everywhere or not: measured a second time.
  std::vector<ArrayRatio> ratios = {};
  std::size_t attempts = 0, failed = 0;  ///< configurations
};

/// Tunes families of kernels, one after the other: each configuration is compiled, its results are
/// compared with those of the numbers before, and it is measured in turn with these, by problems of
/// several sizes. The best few are measured again. What is better then, and slower nowhere, is the
/// device's tiling from now on, is kept in the store, and is written for later processes
/// (write_tilings()). Blocking, on the calling thread; nobody else should use the device.
std::vector<ArrayTuned> tune_arrays(const std::shared_ptr<device::Device>& device,
                                    const ArrayTuneOptions& options = {});

/// Writes what a store knows of arrays' kernels as the lines that kernel::known_tiling() reads, of
/// every device of the store. Returns how many lines there are; lines of devices that it does not
/// know stay. Throws FileError.
std::size_t write_tilings(Store& store, const std::filesystem::path& file);

}  // namespace treadle::tune
