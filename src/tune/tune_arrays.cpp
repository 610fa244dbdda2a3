// SPDX-License-Identifier: MIT
#include "treadle/tune/tune_arrays.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"
#include "treadle/kernel/known_tilings.hpp"
#include "treadle/kernel/tiling.hpp"
#include "tune/array_workloads.hpp"
#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

using ArrayClock = std::chrono::steady_clock;
using codegen::Tiling;

constexpr const char* key_prefix = "treadle.arrays.";
constexpr unsigned turns = 5, final_turns = 15;

/// A family, and its numbers, wide and narrow. Where a schedule does not use one it is left out.
struct ArrayFamily {
  std::string name;
  std::vector<std::string_view> numbers;
};
const std::vector<ArrayFamily>& families() {
  static const std::vector<ArrayFamily> all = {
      {"elementwise",
       {"group_size", "operand_bytes", "register_words", "strided_items", "lone_rounds",
        "most_rounds", "rows_extent", "chunk_bytes", "chunk_length"}},
      {"transpose", {"tile_side", "short_row_squares", "local_bytes"}},
      {"fold",
       {"groups_per_unit", "columns_per_unit", "column_depth", "column_elements", "lone_row",
        "short_row", "short_row_depth", "middle_row", "middle_row_depth", "accumulators"}},
      {"scan",
       {"scan_rows", "scan_row_items", "scan_items", "scan_residents", "anchored_tiles",
        "loads_in_flight", "scan_lanes", "interval_length", "least_interval"}},
      {"sort",
       {"intervals_per_unit", "digit_bits", "ranked_items", "sweep_warps", "sweep_groups",
        "sweep_items", "sweep_bits", "words_in_flight", "row_warps", "sort_tile", "keys_at_once",
        "counter_copies", "line_bytes", "gathered_bytes", "lone_sort", "cached_row"}},
      {"product",
       {"product_side", "product_stretch", "product_groups", "product_depth", "product_quad",
        "product_rows", "product_row_bytes", "product_steps"}}};
  return all;
}
const ArrayFamily& family_of(const std::string& name) {
  for (const ArrayFamily& each : families())
    if (each.name == name) return each;
  std::string names;
  for (const ArrayFamily& each : families()) names += (names.empty() ? "" : ", ") + each.name;
  throw InvalidArgument("family is '" + name + "'", "there are " + names);
}
const codegen::TilingNumber& number_of_tiling(std::string_view name) {
  const auto all = codegen::tiling_numbers();
  return *std::ranges::find(all, name, [](const codegen::TilingNumber& each) { return each.name; });
}

Space space_around(const Tiling& tiling, const ArrayFamily& family) {
  Space made;
  for (const std::string_view name : family.numbers) {
    const codegen::TilingNumber& number = number_of_tiling(name);
    const std::uint64_t now = number.get(tiling);
    if (now < number.least) continue;  // the schedule has no use for it, or but one
    std::set<std::uint64_t> values = {now};
    for (const std::uint64_t factor : {2, 4})
      values.insert({now * factor, std::max<std::uint64_t>(now / factor, 1)});
    std::vector<Value> kept;
    for (const std::uint64_t each : values)
      if (each >= number.least && each <= number.most)
        kept.emplace_back(static_cast<std::int64_t>(each));
    made.add(std::string(name), kept, {.order = Order::ordered});
  }
  return made;
}

std::map<std::string, Value> values_of_tiling(const Space& space, const Tiling& tiling) {
  std::map<std::string, Value> made;
  for (const std::string& name : space.names())
    made.emplace(name, static_cast<std::int64_t>(number_of_tiling(name).get(tiling)));
  return made;
}
/// Also one that is not in the space: of numbers that were the device's once.
Configuration configuration_of(const std::map<std::string, Value>& values) {
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<Value> listed;
  for (const auto& [name, value] : values) {
    names->push_back(name);
    listed.push_back(value);
  }
  return {std::move(names), std::move(listed)};
}
Tiling with_configuration(Tiling tiling, const Configuration& configuration) {
  for (std::size_t k = 0; k < configuration.names().size(); ++k)
    number_of_tiling(configuration.names()[k])
        .set(tiling, static_cast<std::uint64_t>(std::get<std::int64_t>(configuration.values()[k])));
  return tiling;
}

/// One family of a device.
class FamilyTuning {
 public:
  FamilyTuning(const std::shared_ptr<device::Device>& device, const ArrayFamily& family,
               const std::shared_ptr<device::Stream>& stream, const ArrayTuneOptions& options)
      : device_(*device),
        stream_(*stream),
        family_(family),
        options_(options),
        before_(kernel::tiling_of(*device)),
        space_(space_around(before_, family)),
        workloads_(array_workloads(family.name, stream, options.size)),
        key_{key_prefix + family.name,
             {{"schedule", std::string(schedule_name(before_.schedule))}},
             environment_of(*device)} {
    made_.family = family.name;
  }

  ArrayTuned run(ArrayClock::time_point start, double seconds) {
    seconds_before_ = seconds_of(before_);
    for (const ArrayWorkload& each : workloads_) expected_.push_back(each.results());
    Search search(space_, {.strategy = Strategy::hill_climbing,
                           .budget = {.seconds = seconds},
                           .seed = options_.seed,
                           .start = {space_.make(values_of_tiling(space_, before_))}});
    while (!search.is_over() && !(options_.stop && options_.stop())) {
      const auto asked = search.ask();
      if (asked.empty()) break;
      const Measured& measured = tried(asked.front());
      search.tell(asked.front(), measured.is_right() ? measured.seconds : never, measured.error);
      if (options_.progress)
        options_.progress(
            {.family = family_.name,
             .tried = made_.attempts,
             .best = best_seconds_ / seconds_before_,
             .seconds = std::chrono::duration<double>(ArrayClock::now() - start).count()});
    }
    finish();
    return made_;
  }

 private:
  /// One run of all workloads: the product of their times, of equal weight each.
  double seconds_of(const Tiling& tiling) {
    kernel::set_tiling(device_, tiling);
    double logarithms = 0;
    for (const ArrayWorkload& each : workloads_) {
      stream_.synchronize();
      const auto start = ArrayClock::now();
      each.queue();
      stream_.synchronize();
      const std::chrono::duration<double> taken = ArrayClock::now() - start;
      logarithms += std::log(std::max(taken.count(), 1e-9));
    }
    return std::exp(logarithms / static_cast<double>(workloads_.size()));
  }
  std::string difference_of_results() const {
    for (std::size_t k = 0; k < workloads_.size(); ++k) {
      const std::vector<double> found = workloads_[k].results();
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double wanted = expected_[k][i];
        if (!(std::abs(found[i] - wanted) <= 1e-4 * std::abs(wanted) + 1e-6))
          return workloads_[k].name + ": number " + std::to_string(i) + " is " +
                 std::to_string(found[i]) + ", expected " + std::to_string(wanted);
      }
    }
    return {};
  }
  /// The median of its times divided by those of the numbers before, in turn: both drift together.
  std::vector<double> ratios(const Tiling& tiling, unsigned count) {
    std::vector<double> made;
    for (unsigned k = 0; k < count; ++k) {
      const double without = seconds_of(before_);
      made.push_back(seconds_of(tiling) / without);
    }
    return made;
  }

  const Measured& tried(std::uint64_t number) {
    ++made_.attempts;
    const Configuration configuration = space_.at(number);
    const Tiling tiling = with_configuration(before_, configuration);
    last_ = {};
    try {
      seconds_of(tiling);  // compiles
      last_.error = difference_of_results();
      if (last_.error.empty() && tiling == before_) {
        last_.seconds = seconds_before_;
      } else if (last_.error.empty()) {
        for (const double ratio : ratios(tiling, turns))
          last_.samples.push_back(ratio * seconds_before_);
        last_.seconds = median_of(last_.samples);
      } else {
        last_.outcome = Outcome::wrong_result;
      }
    } catch (const Error& error) {
      last_.outcome = Outcome::launch_refused;
      last_.error = error.what();
    }
    if (!last_.is_right()) {
      last_.seconds = never;
      ++made_.failed;
    }
    if (last_.seconds < best_seconds_) {
      best_seconds_ = last_.seconds;
      best_ = configuration;
    }
    options_.store->add(key_, configuration, last_);
    return last_;
  }

  // Twice measured, and by more than clocks wander: what is hardly better stays as it is.
  void finish() {
    if (best_) {
      const Tiling tiling = with_configuration(before_, *best_);
      std::vector<double> measured = {1};
      if (tiling != before_) measured = ratios(tiling, final_turns);
      std::ranges::sort(measured);
      made_.ratio = median_of(measured);
      // On a busy machine a median alone is luck.
      const double upper = measured[measured.size() * 3 / 4];
      if (made_.ratio < options_.worth && upper < std::max(1.0, options_.worth)) {
        keep_winner(*best_, made_.ratio);
        for (const std::string& name : space_.names()) {
          const codegen::TilingNumber& number = number_of_tiling(name);
          if (number.get(tiling) != number.get(before_)) made_.numbers[name] = number.get(tiling);
        }
        return kernel::set_tiling(device_, tiling);
      }
      keep_winner(space_.make(values_of_tiling(space_, before_)), 1);
    }
    made_.ratio = 1;
    kernel::set_tiling(device_, before_);
  }
  void keep_winner(const Configuration& configuration, double ratio) {
    for (const KeptAttempt& each : options_.store->attempts(key_))
      if (each.measured.won) {
        Measured lost = each.measured;
        lost.won = false;
        options_.store->add(key_, configuration_of(each.values), lost);
      }
    Measured won{.seconds = ratio * seconds_before_, .samples = {ratio * seconds_before_}};
    won.won = true;
    options_.store->add(key_, configuration, won);
  }

  device::Device& device_;
  device::Stream& stream_;
  const ArrayFamily& family_;
  const ArrayTuneOptions& options_;
  const Tiling before_;
  Space space_;
  std::vector<ArrayWorkload> workloads_;
  StoreKey key_;
  std::vector<std::vector<double>> expected_;
  double seconds_before_ = never, best_seconds_ = never;
  std::optional<Configuration> best_;
  Measured last_;
  ArrayTuned made_;
};

}  // namespace

const std::vector<std::string>& array_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const ArrayFamily& each : families()) made.push_back(each.name);
    return made;
  }();
  return names;
}

Space array_space(const device::Device& device, const std::string& family) {
  const ArrayFamily& found = family_of(family);
  return space_around(kernel::default_tiling(device.info().limits, device.info().traits.schedule),
                      found);
}

std::vector<ArrayTuned> tune_arrays(const std::shared_ptr<device::Device>& device,
                                    const ArrayTuneOptions& given) {
  if (device == nullptr) throw InvalidArgument("device is null", "pass a device");
  if (!device->info().traits.runs_kernels)
    throw InvalidArgument(device->info().id + " runs no kernels, so that none can be measured",
                          "take another of devices()");
  ArrayTuneOptions options = given;
  if (options.families.empty()) options.families = array_families();
  if (options.store == nullptr) options.store = Store::of_user();
  for (const std::string& each : options.families) family_of(each);
  const Tiling at_first = kernel::tiling_of(*device);
  const auto stream = device->make_stream();
  const device::StreamScope scope(stream);
  const auto start = ArrayClock::now();
  std::vector<ArrayTuned> made;
  try {
    for (std::size_t k = 0; k < options.families.size(); ++k) {
      if (options.stop && options.stop()) break;
      const double passed = std::chrono::duration<double>(ArrayClock::now() - start).count();
      const double left = (options.seconds - passed) / double(options.families.size() - k);
      made.push_back(FamilyTuning(device, family_of(options.families[k]), stream, options)
                         .run(start, std::max(left, 0.1)));
    }
  } catch (...) {
    kernel::set_tiling(*device, at_first);
    throw;
  }
  if (options.file.empty()) options.file = kernel::tilings_file();
  if (!options.file.empty()) write_tilings(*options.store, options.file);
  return made;
}

std::size_t write_tilings(Store& store, const std::filesystem::path& file) {
  std::map<std::pair<std::string, std::string>, kernel::KnownTiling> known;
  if (std::ifstream before(file); before)
    for (std::string line; std::getline(before, line);)
      if (auto each = kernel::tiling_of_line(line))
        known[{each->device, std::string(schedule_name(each->schedule))}] = std::move(*each);
  std::set<std::pair<std::string, std::string>> fresh;
  for (const StoreKey& key : store.keys()) {
    if (!key.kernel.starts_with(key_prefix) || !key.problem.contains("schedule")) continue;
    const auto attempts = store.attempts(key);
    if (attempts.empty() || !attempts.front().measured.won) continue;
    const std::string schedule = std::get<std::string>(key.problem.at("schedule"));
    const std::pair name(key.environment.device, schedule);
    kernel::KnownTiling& tiling = known[name];
    if (fresh.insert(name).second) tiling.numbers.clear();
    tiling.device = key.environment.device;
    tiling.architecture = key.environment.architecture;
    tiling.schedule = schedule == "wide" ? Schedule::wide : Schedule::narrow;
    // All numbers of the family: those that it had at first may be others in a later version.
    for (const codegen::TilingNumber& number : codegen::tiling_numbers()) {
      const auto found = attempts.front().values.find(std::string(number.name));
      if (found == attempts.front().values.end()) continue;
      const auto* whole = std::get_if<std::int64_t>(&found->second);
      if (whole != nullptr) tiling.numbers[found->first] = static_cast<std::uint64_t>(*whole);
    }
  }
  if (fresh.empty()) return 0;
  // By renaming: who reads it now reads the old one or the new one.
  const std::string part = file.string() + ".part";
  std::error_code failure;
  std::filesystem::create_directories(file.parent_path(), failure);
  {
    std::ofstream made(part, std::ios::trunc);
    for (const auto& [name, tiling] : known) made << kernel::tiling_line(tiling) << '\n';
    made.close();
    if (!made) throw FileError(errno, part, "the tilings cannot be written to " + part);
  }
  std::filesystem::rename(part, file, failure);
  if (failure) throw FileError(failure.value(), file, part + " cannot be renamed");
  return known.size();
}

}  // namespace treadle::tune
