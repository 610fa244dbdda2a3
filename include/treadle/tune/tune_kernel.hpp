// SPDX-License-Identifier: MIT
// The best variant of a kernel: all cores compile while the device measures what is compiled.
//
//   tune::Space space;
//   space.let(device->info()).let("n", n);
//   space.add_powers_of_two("TILE", 8, 64).add("PADDING", {0, 1}).require("n % TILE == 0");
//   const auto tuned = tune::tune_kernel(
//       device, space,
//       {.text = text, .kernel = "transpose", .groups = {"n // TILE", "n // TILE"},
//        .group_size = {"TILE", "TILE"}},
//       {tune::ProblemArgument::output(out), in, n}, {.search = {.budget = {.seconds = 20}}});
//   tuned.configuration.get<std::int64_t>("TILE");
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/tune/measure.hpp"
#include "treadle/tune/search.hpp"
#include "treadle/tune/space.hpp"
#include "treadle/tune/variant.hpp"

namespace treadle::tune {

/// A configuration that was tried, and what came of it.
struct Attempt {
  Configuration configuration;  ///< which
  Measured measured;            ///< what came of it
};

/// How far it is.
struct TuneProgress {
  std::size_t tried = 0, failed = 0;  ///< configurations
  std::size_t compiled_ahead = 0;     ///< that wait for the device
  double seconds = 0;                 ///< since the call
  const Attempt* best = nullptr;      ///< null: none is right yet; for the call only
  const Attempt* last = nullptr;      ///< that was tried; for the call only
};

/// How a kernel is tuned.
struct TuneOptions {
  SearchOptions search = {};     ///< what is tried, and for how long
  MeasureOptions measure = {};   ///< how long and how often each is measured
  unsigned compile_threads = 0;  ///< 0: one for each core of the process
  /// Variants that are compiled, or being compiled, and not measured yet, at most; 0: four for each
  /// of those threads.
  std::size_t ahead = 0;
  /// Whether the device measures while cores compile. None: unless it is made of the same cores.
  std::optional<bool> overlap = {};
  /// How many of the best are measured again, in turn, at the end; 0 or 1: none.
  unsigned finalists = 4;
  /// Called after each configuration, on the thread that tunes.
  std::function<void(const TuneProgress&)> progress = {};
  /// Asked between configurations: true ends the search, with what was found.
  std::function<bool()> stop = {};
  /// Measures in another way, in a process of its own, say, in the place of a Measurer, whose
  /// `best` and `left` it gets. The variant was compiled into the cache, and
  /// Measured::compile_seconds is filled in.
  std::function<Measured(const Variant& variant, std::optional<double> best,
                         std::optional<double> left)>
      measure_with = {};
  /// Compiles into the cache in another way, in processes of their own, say, which may crash: is
  /// called on several threads at a time. What it returns is right if the variant was compiled.
  std::function<Measured(const Variant& variant)> compile_with = {};
  /// Beside measure_with, where outputs have to be what the first configuration writes: is given
  /// that first.
  std::function<void(const Variant& variant)> set_reference = {};
  /// What was measured before, by the text of a configuration: it is not measured again.
  std::function<std::optional<Measured>(const Configuration&)> known = {};
  /// Is given each attempt that was made here, to keep it, and again when it was measured again,
  /// won the search, or lost what it had won before: the last one counts.
  std::function<void(const Attempt&)> keep = {};
};

/// Why a search ended.
enum class Ending : std::uint8_t {
  search_over,   ///< all were tried, or the budget is used up
  stopped,       ///< TuneOptions::stop
  device_failed  ///< a variant left the device unusable in this process
};
/// "search over", "stopped" or "device failed".
std::string_view ending_name(Ending ending) noexcept;

/// What tuning found.
struct Tuned {
  Configuration configuration;          ///< the best
  double seconds = 0;                   ///< that it takes
  std::vector<Attempt> attempts;        ///< all, in the order of measuring
  Ending ending = Ending::search_over;  ///< why it ended
  std::size_t known = 0;                ///< attempts that were known before
  double wall_seconds = 0;              ///< of the call
  double compile_seconds = 0;           ///< of all threads together
  double busy_seconds = 0;              ///< that the device ran kernels
};

/// Finds the variant that takes least. Every variant's outputs are compared with what they have to
/// be, or with those of the first configuration (SearchOptions::start, or the space's first),
/// before it may win. Blocking. A budget of seconds is exceeded by what was begun: the compiling
/// and the run of one variant for each core, MeasureOptions::limit_seconds at most where a run can
/// be ended, and by a tenth for the finals. Throws InvalidState if no variant is right, with the
/// first failure; InvalidArgument for arguments, formulas and spaces that cannot be; what functions
/// of the options throw.
Tuned tune_kernel(const std::shared_ptr<device::Device>& device, const Space& space,
                  const KernelTemplate& kernel, std::vector<ProblemArgument> arguments,
                  const TuneOptions& options = {});

}  // namespace treadle::tune
