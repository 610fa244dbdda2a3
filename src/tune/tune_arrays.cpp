// SPDX-License-Identifier: MIT
#include "treadle/tune/tune_arrays.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"
#include "treadle/kernel/known_tilings.hpp"
#include "treadle/kernel/tiling.hpp"
#include "tune/array_contest.hpp"
#include "tune/array_workloads.hpp"
#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

using ArrayClock = std::chrono::steady_clock;
using codegen::Tiling;

constexpr const char* key_prefix = "treadle.arrays.";
constexpr unsigned turns = 5, final_turns = 15;
constexpr std::size_t finalists = 3;
/// So much of a family's seconds is for the search; the rest measures the best again.
constexpr double search_share = 0.7;
/// One run of all problems takes at most this part of the seconds: a size for which they would take
/// longer is left out.
constexpr double run_share = 1.0 / 150;
/// Problems that take less are queued several times, or waiting would be what is measured.
constexpr double least_seconds = 200e-6;

/// A family, and its numbers, wide and narrow. Where a schedule does not use one it is left out.
struct ArrayFamily {
  std::string name;
  std::vector<std::string_view> numbers;
};
const std::vector<ArrayFamily>& families() {
  static const std::vector<ArrayFamily> all = {
      {"elementwise",
       {"group_size", "access_bytes", "operand_bytes", "register_words", "strided_items",
        "lone_rounds", "most_rounds", "rows_extent", "random_blocks", "chunk_bytes",
        "chunk_length"}},
      {"transpose", {"tile_side", "short_row_squares", "local_bytes"}},
      {"fold", {"groups_per_unit",  "columns_per_unit", "places_per_unit", "costly_per_unit",
                "costly_map",       "column_depth",     "fewest_columns",  "column_elements",
                "lone_row",         "short_row",        "short_row_depth", "middle_row",
                "middle_row_depth", "group_turns",      "accumulators",    "fold_bytes",
                "parts_in_order",   "part_bytes",       "strip_bytes",     "most_chunks"}},
      {"scan",
       {"scan_bytes", "scan_rows", "scan_row_items", "scan_items", "scan_residents",
        "anchored_tiles", "loads_in_flight", "scan_lanes", "interval_length", "least_interval"}},
      {"sort",
       {"intervals_per_unit", "digit_bits", "ranked_items", "sweep_warps", "sweep_groups",
        "sweep_items", "sweep_bytes", "sweep_bits", "words_in_flight", "row_warps", "sort_tile",
        "keys_at_once", "counter_copies", "line_bytes", "gathered_bytes", "ranked_row", "lone_sort",
        "cached_row"}},
      {"selection", {"select_bits", "kept_elements", "least_piece"}},
      {"counting", {"bin_bytes"}},
      {"product",
       {"product_side", "product_stretch", "product_groups", "product_depth", "product_quad",
        "product_rows", "product_row_bytes", "product_steps"}},
      {"sparse",
       {"sparse_lone_row", "sparse_short_row", "sparse_middle_row", "sparse_long_row",
        "sparse_entries", "sparse_diagonals"}},
      {"conjugate",
       {"conjugate_lone_items", "conjugate_least_items", "conjugate_kept_rows", "conjugate_rows",
        "conjugate_entries", "conjugate_lone_rows", "conjugate_lone_entries",
        "conjugate_meeting_items", "conjugate_meeting_rows", "conjugate_lone_work"}}};
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
        stream_(stream),
        family_(family),
        options_(options),
        before_(kernel::tiling_of(*device)),
        space_(space_around(before_, family)),
        key_{key_prefix + family.name,
             {{"schedule", std::string(schedule_name(before_.schedule))}},
             environment_of(*device)} {
    made_.family = family.name;
  }

  ArrayTuned run(ArrayClock::time_point start, double seconds) {
    begin_ = ArrayClock::now();
    seconds_ = seconds;
    add_problems();
    contest_.emplace(problems_.size(), before_, [this](std::size_t problem, const Tiling& tiling) {
      return seconds_of(problems_[problem], tiling);
    });
    Search search(space_, {.strategy = Strategy::hill_climbing,
                           .budget = {.seconds = std::max(seconds * search_share - passed(), 0.05)},
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
             .best = best_.empty() ? 1 : best_.front().seconds / seconds_before_,
             .seconds = std::chrono::duration<double>(ArrayClock::now() - start).count()});
    }
    finish();
    return made_;
  }

 private:
  struct Problem {
    ArrayWorkload workload;
    ArrayProblemSize size;
    std::vector<double> expected = {};
    unsigned runs = 1;  ///< of a measurement
  };
  struct Finalist {
    Configuration configuration;
    double seconds;
  };

  double passed() const {
    return std::chrono::duration<double>(ArrayClock::now() - begin_).count();
  }

  // By ascending size, as long as a run of all takes little of the time and there is memory.
  void add_problems() {
    std::vector<std::uint64_t> sizes = options_.sizes;
    if (sizes.empty()) {
      sizes = array_sizes(family_.name, device_.info().kind);
      const auto most = static_cast<std::uint64_t>(double(sizes.back()) * options_.size);
      for (std::uint64_t& each : sizes) each = std::min(each, std::max<std::uint64_t>(most, 4096));
      sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    }
    double logarithms = 0, all = 0;
    for (const std::uint64_t size : sizes) {
      try {
        std::vector<Problem> made;
        double taken = 0;
        for (ArrayWorkload& each : array_workloads(family_.name, stream_, size)) {
          made.push_back({each, {family_.name, each.name, each.elements}});
          const double seconds = prepared(made.back());
          taken += seconds;
          logarithms += std::log(seconds);
        }
        all += taken;
        if (options_.sizes.empty() && !problems_.empty() && all > seconds_ * run_share) return;
        problems_.insert(problems_.end(), made.begin(), made.end());
        seconds_before_ = std::exp(logarithms / double(problems_.size()));
      } catch (const OutOfMemory&) {
        if (problems_.empty()) throw;
        return;
      }
    }
  }
  /// How long it takes with the numbers before.
  double prepared(Problem& problem) {
    if (options_.model) return std::max(options_.model(problem.size, before_), 1e-9);
    seconds_of(problem, before_);  // compiles
    problem.expected = problem.workload.results();
    const double seconds = seconds_of(problem, before_);
    problem.runs = static_cast<unsigned>(std::clamp(least_seconds / seconds, 1.0, 32.0));
    return seconds;
  }
  double seconds_of(const Problem& problem, const Tiling& tiling) {
    if (options_.model) return options_.model(problem.size, tiling);
    kernel::set_tiling(device_, tiling);
    stream_->synchronize();
    const double start = now();
    for (unsigned k = 0; k < problem.runs; ++k) problem.workload.queue();
    stream_->synchronize();
    return std::max(now() - start, 1e-9) / problem.runs;
  }
  double now() const {
    if (options_.is_processor_time) return double(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(ArrayClock::now().time_since_epoch()).count();
  }
  std::string difference_of_results(const Problem& problem) const {
    const std::vector<double> found = problem.workload.results();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double wanted = problem.expected[i];
      if (!(std::abs(found[i] - wanted) <= 1e-4 * std::abs(wanted) + 1e-6))
        return problem.size.name + " of " + std::to_string(problem.size.elements) + ": number " +
               std::to_string(i) + " is " + std::to_string(found[i]) + ", expected " +
               std::to_string(wanted);
    }
    return {};
  }
  std::string first_difference(const Tiling& tiling) {
    if (options_.model) return {};
    for (const Problem& each : problems_) {
      seconds_of(each, tiling);  // compiles
      if (std::string wrong = difference_of_results(each); !wrong.empty()) return wrong;
    }
    return {};
  }

  const Measured& tried(std::uint64_t number) {
    ++made_.attempts;
    const Configuration configuration = space_.at(number);
    const Tiling tiling = with_configuration(before_, configuration);
    last_ = {};
    try {
      last_.error = first_difference(tiling);
      if (!last_.error.empty())
        last_.outcome = Outcome::wrong_result;
      else if (tiling == before_)
        last_.seconds = seconds_before_;
      else
        put_standing(contest_->measure(tiling, turns));
    } catch (const Error& error) {
      last_.outcome = Outcome::launch_refused;
      last_.error = error.what();
    }
    if (!last_.is_right()) {
      last_.seconds = never;
      ++made_.failed;
    } else if (last_.outcome == Outcome::measured) {
      const auto place = std::ranges::upper_bound(best_, last_.seconds, {}, &Finalist::seconds);
      best_.insert(place, {configuration, last_.seconds});
      if (best_.size() > finalists) best_.pop_back();
    }
    options_.store->add(key_, configuration, last_);
    return last_;
  }
  // The search is led away from what is slow somewhere, by how slow that is.
  void put_standing(const Standing& standing) {
    const bool is_slower = standing.worst > options_.slowest;
    if (is_slower) last_.outcome = Outcome::overtaken;
    last_.seconds =
        seconds_before_ * (is_slower ? std::max(standing.mean, standing.worst) : standing.mean);
    for (const double ratio : standing.ratios) last_.samples.push_back(ratio * seconds_before_);
  }

  // Twice measured, and by more than clocks wander: what is hardly better stays as it is.
  void finish() {
    for (std::size_t k = 0; k < best_.size() && (k == 0 || passed() < seconds_); ++k) {
      const Configuration& configuration = best_[k].configuration;
      const Tiling tiling = with_configuration(before_, configuration);
      if (tiling == before_) break;  // those behind it are slower
      const Standing standing = contest_->confirm(tiling, final_turns, options_.slowest);
      if (made_.ratios.empty() && standing.ratios.size() == problems_.size())
        for (std::size_t i = 0; i < problems_.size(); ++i)
          made_.ratios.push_back({problems_[i].size, standing.ratios[i]});
      // On a busy machine a median alone is luck.
      if (standing.worst > options_.slowest || standing.mean >= options_.worth ||
          standing.upper >= std::max(1.0, options_.worth))
        continue;
      made_.ratio = standing.mean;
      keep_winner(configuration, made_.ratio);
      for (const std::string& name : space_.names()) {
        const codegen::TilingNumber& number = number_of_tiling(name);
        if (number.get(tiling) != number.get(before_)) made_.numbers[name] = number.get(tiling);
      }
      return kernel::set_tiling(device_, tiling);
    }
    if (made_.ratios.empty())
      for (const Problem& each : problems_) made_.ratios.push_back({each.size, 1});
    if (!best_.empty()) keep_winner(space_.make(values_of_tiling(space_, before_)), 1);
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
  std::shared_ptr<device::Stream> stream_;
  const ArrayFamily& family_;
  const ArrayTuneOptions& options_;
  const Tiling before_;
  Space space_;
  StoreKey key_;
  ArrayClock::time_point begin_ = {};
  double seconds_ = 0;
  std::vector<Problem> problems_;
  std::optional<ArrayContest> contest_;
  double seconds_before_ = never;
  std::vector<Finalist> best_;  // the best first
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

std::vector<std::string> array_numbers(const std::string& family) {
  const ArrayFamily& found = family_of(family);
  return {found.numbers.begin(), found.numbers.end()};
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
  // Steps of conjugate gradients keep numbers of float64.
  const bool has_steps = device->info().traits.fp64;
  if (options.families.empty()) {
    options.families = array_families();
    if (!has_steps) std::erase(options.families, "conjugate");
  }
  if (options.store == nullptr) options.store = Store::of_user();
  for (const std::string& each : options.families) {
    family_of(each);
    if (each == "conjugate" && !has_steps)
      throw InvalidArgument(device->info().id + " has no float64, which family 'conjugate' needs",
                            "tune other families");
  }
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
