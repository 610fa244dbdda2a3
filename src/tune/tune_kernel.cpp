// SPDX-License-Identifier: MIT
#include "treadle/tune/tune_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "treadle/base/error.hpp"
#include "tune/compile_pool.hpp"
#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

using TuneClock = std::chrono::steady_clock;

// So often the best variant is measured again: clocks of GPUs drift.
constexpr std::size_t attempts_between_checks = 32;
constexpr double finalist_margin = 1.1;  // times the best
constexpr unsigned final_rounds = 5, most_finals = 3;
constexpr double finals_share = 0.1;  // of the budget that may be added for them

/// What a compiled kernel is, for formulas.
std::map<std::string, Value> facts_of(const device::Kernel& kernel,
                                      const device::LaunchShape& shape) {
  const device::KernelResources& needs = kernel.resources();
  const auto items = static_cast<unsigned>(shape.group_size.count());
  const unsigned groups = kernel.groups_per_compute_unit(items, shape.local_bytes).value_or(0);
  const auto whole = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  return {{"kernel.registers", whole(needs.registers)},
          {"kernel.private_bytes", whole(needs.private_bytes)},
          {"kernel.local_bytes", whole(needs.static_local_bytes + shape.local_bytes)},
          {"kernel.max_group_items", whole(needs.max_group_items)},
          {"kernel.groups_per_compute_unit", whole(groups)},
          {"kernel.items_per_compute_unit", whole(std::uint64_t{groups} * items)}};
}

Measured failed(Outcome outcome, std::string error) {
  return {.outcome = outcome, .seconds = never, .error = std::move(error)};
}

/// Which outcome an exception of compiling, loading or writing a text is.
Measured failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CompileError& refused) {
    return failed(Outcome::compile_error, refused.what());
  } catch (const OutOfMemory& refused) {
    return failed(Outcome::launch_refused, refused.what());
  } catch (const LibraryNotFound&) {
    throw;  // no variant would be compiled
  } catch (const Error& refused) {
    return failed(Outcome::compile_error, refused.what());
  }
}

double seconds_of_the_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A variant for people: its flags, and its text.
std::string text_of(const Variant& variant) {
  std::string made;
  for (const std::string& flag : variant.options.flags) made += (made.empty() ? "" : " ") + flag;
  return made + (made.empty() ? "" : "\n\n") + variant.source;
}

/// One call of tune_kernel().
class Tuning {
 public:
  Tuning(const std::shared_ptr<device::Device>& device, const Space& space,
         const KernelTemplate& kernel, std::vector<ProblemArgument> arguments,
         const TuneOptions& options)
      : device_(device),
        space_(space),
        options_(options),
        write_(kernel, space),
        search_(space, options.search) {
    if (!options.measure_with) measurer_.emplace(device, std::move(arguments), options.measure);
  }

  Tuned run() {
    pool_.emplace(device_, options_.compile_threads, options_.compile_with, measurer_.has_value());
    ahead_ = options_.ahead != 0 ? options_.ahead : std::size_t{4} * pool_->threads();
    if (measurer_ ? measurer_->needs_reference() : bool(options_.set_reference)) take_reference();
    const bool overlaps =
        options_.overlap.value_or(device_->info().kind != device::DeviceKind::cpu);
    while (is_going_on()) {
      fill();
      if (pool_->size() == 0) break;
      if (!overlaps) pool_->wait(deadline());
      // Where they take turns all that is compiled is measured before more is compiled.
      do {
        measure_next();
      } while (is_going_on() && !overlaps && pool_->size() != 0);
    }
    pool_.reset();
    finish();
    return std::move(made_);
  }

 private:
  double wall_seconds() const {
    return std::chrono::duration<double>(TuneClock::now() - start_).count();
  }
  bool is_going_on() {
    if (made_.ending == Ending::search_over && options_.stop && options_.stop())
      made_.ending = Ending::stopped;
    return made_.ending == Ending::search_over && !(best_ && seconds_left() <= 0);
  }
  // Of the budget; infinity without one.
  double seconds_left() const {
    return options_.search.budget.seconds.value_or(never) - wall_seconds();
  }
  std::optional<double> left_for_one() const {
    if (!options_.search.budget.seconds) return {};
    return std::max(0.0, seconds_left());
  }
  std::optional<TuneClock::time_point> deadline() const {
    if (!options_.search.budget.seconds) return {};
    constexpr double most_seconds = 1e8;  // that clocks can add
    const double seconds = std::min(*options_.search.budget.seconds, most_seconds);
    return start_ +
           std::chrono::duration_cast<TuneClock::duration>(std::chrono::duration<double>(seconds));
  }

  // The first configuration tells what the others have to write.
  void take_reference() {
    const Configuration first =
        options_.search.start.empty() ? space_.at(0) : options_.search.start.front();
    try {
      const Variant variant = write_(first);
      if (!measurer_) return options_.set_reference(variant);
      const kernel::Program program = variant.program_to_try(device_);
      measurer_->set_reference(program.kernel(variant.kernel), variant.shape);
    } catch (const LibraryNotFound&) {
      throw;
    } catch (const Error& error) {
      throw InvalidState("the reference, " + first.text() + ", failed: " + error.what(),
                         "begin with a configuration that is right (start), or pass what outputs "
                         "have to be");
    }
  }

  void fill() {
    while (pool_->size() < ahead_ && is_going_on()) {
      const auto asked = search_.ask(ahead_ - pool_->size());
      if (asked.empty()) return;
      for (const std::uint64_t number : asked) put(number);
    }
  }
  void put(std::uint64_t number) {
    const Configuration configuration = space_.at(number);
    if (options_.known)
      if (auto known = options_.known(configuration)) {
        ++made_.known;
        return note(number, std::move(*known), false);
      }
    try {
      pool_->put(number, write_(configuration));
    } catch (const Error&) {
      note(number, failure_of(std::current_exception()), true);
    }
  }

  void measure_next() {
    std::optional<CompiledVariant> next = pool_->take();
    if (!next) return;
    made_.compile_seconds += next->seconds;
    Measured measured = next->error     ? failure_of(next->error)
                        : next->failure ? *next->failure
                                        : measured_of(*next);
    measured.compile_seconds = next->seconds;
    if (measured.outcome == Outcome::timeout || measured.outcome == Outcome::crash)
      if (measurer_ && !measurer_->is_usable()) made_.ending = Ending::device_failed;
    note(next->number, std::move(measured), true);
    if (measurer_ && ++since_check_ >= attempts_between_checks) check_best();
  }
  Measured measured_of(CompiledVariant& item) {
    const Variant& variant = item.variant;
    const std::optional<double> best =
        best_ ? std::optional(made_.attempts[*best_].measured.seconds) : std::nullopt;
    if (!measurer_) return options_.measure_with(variant, best, left_for_one());
    try {
      const kernel::Program program =
          item.program ? *item.program : variant.program_to_try(device_);
      const device::Kernel kernel = program.kernel(variant.kernel);
      const auto facts = facts_of(kernel, variant.shape);
      for (const Formula& late : space_.late_constraints())
        if (!is_true(space_.evaluate(late, space_.at(item.number), facts))) {
          Measured made = failed(Outcome::excluded, "'" + late.text() + "' is false");
          made.resources = kernel.resources();
          return made;
        }
      Measured made = measurer_->measure(kernel, variant.shape, best, left_for_one());
      if (made.outcome == Outcome::measured && made.seconds < best.value_or(never))
        best_kernel_ = {kernel, variant.shape};
      return made;
    } catch (const Error&) {
      return failure_of(std::current_exception());
    }
  }

  void note(std::uint64_t number, Measured measured, bool is_new) {
    search_.tell(number, measured.is_right() ? measured.seconds : never, measured.error);
    if (!measured.is_right()) ++failed_;
    if (is_new) measured.measured_at = seconds_of_the_clock();
    made_.attempts.push_back({space_.at(number), std::move(measured)});
    const std::size_t last = made_.attempts.size() - 1;
    const Measured& told = made_.attempts[last].measured;
    if (told.outcome == Outcome::measured &&
        (!best_ || told.seconds < made_.attempts[*best_].measured.seconds)) {
      best_ = last;
      if (!is_new) best_kernel_.reset();
    }
    if (is_new) keep(last);
    if (options_.progress)
      options_.progress({.tried = made_.attempts.size(),
                         .failed = failed_,
                         .compiled_ahead = pool_ ? pool_->ready() : 0,
                         .seconds = wall_seconds(),
                         .best = best_ ? &made_.attempts[*best_] : nullptr,
                         .last = &made_.attempts[last]});
  }

  void keep(std::size_t k) {
    if (options_.keep) options_.keep(made_.attempts[k]);
  }

  // Others are compared with what the best one takes now, not with what it took long ago.
  void check_best() {
    since_check_ = 0;
    if (!best_ || !best_kernel_ || made_.ending != Ending::search_over) return;
    const auto& [kernel, shape] = *best_kernel_;
    std::vector<double> samples;
    for (unsigned k = 0; k < 3; ++k) samples.push_back(measurer_->sample(kernel, shape));
    made_.attempts[*best_].measured.seconds = median_of(samples);
    keep(*best_);
  }

  bool is_measured(std::size_t k) const {
    return made_.attempts[k].measured.outcome == Outcome::measured;
  }
  double seconds_of(std::size_t k) const { return made_.attempts[k].measured.seconds; }
  bool has_won(std::size_t k) const { return made_.attempts[k].measured.won; }
  // The best few, the best first, and whoever won before.
  std::vector<std::size_t> finalists() const {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < made_.attempts.size(); ++k)
      if (is_measured(k) && seconds_of(k) <= finalist_margin * seconds_of(*best_))
        order.push_back(k);
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return seconds_of(k); });
    order.resize(std::min<std::size_t>(order.size(), options_.finalists));
    for (std::size_t k = 0; options_.finalists > 1 && k < made_.attempts.size(); ++k)
      if (is_measured(k) && has_won(k) && std::ranges::find(order, k) == order.end())
        order.push_back(k);
    return order;
  }
  // Of an attempt, compiled once for all finals.
  const std::pair<device::Kernel, device::LaunchShape>& finalist(std::size_t k) {
    auto found = finalists_.find(k);
    if (found == finalists_.end()) {
      const Variant variant = write_(made_.attempts[k].configuration);
      const kernel::Program program = variant.program_to_try(device_);
      found = finalists_.emplace(k, std::pair(program.kernel(variant.kernel), variant.shape)).first;
    }
    return found->second;
  }
  // In turn, so that what drifts drifts for all; false if there is no time for one turn.
  bool measure_in_turn(const std::vector<std::size_t>& order) {
    double turn = 0;
    for (const std::size_t k : order) turn += 2 * seconds_of(k) + options_.measure.sample_seconds;
    const auto has_time = [&] {
      return seconds_left() + finals_share * options_.search.budget.seconds.value_or(0) > turn;
    };
    if (!has_time()) return false;
    std::vector<std::pair<device::Kernel, device::LaunchShape>> kernels;
    for (const std::size_t k : order) kernels.push_back(finalist(k));
    std::vector<std::vector<double>> samples(order.size());
    for (unsigned round = 0; round < final_rounds && (round == 0 || has_time()); ++round)
      for (std::size_t k = 0; k < order.size(); ++k)
        samples[k].push_back(measurer_->sample(kernels[k].first, kernels[k].second));
    for (std::size_t k = 0; k < order.size(); ++k) {
      Measured& measured = made_.attempts[order[k]].measured;
      measured.samples = samples[k];
      measured.seconds = median_of(samples[k]);
      keep(order[k]);
    }
    return true;
  }
  // One that was lucky once does not win: whoever is best was measured twice.
  void hold_finals() {
    std::set<std::size_t> twice;
    for (unsigned round = 0; round < most_finals; ++round) {
      const auto order = finalists();
      if (order.size() < 2 || twice.contains(*best_) || !measure_in_turn(order)) return;
      twice.insert(order.begin(), order.end());
      for (std::size_t k = 0; k < made_.attempts.size(); ++k)
        if (is_measured(k) && seconds_of(k) < seconds_of(*best_)) best_ = k;
    }
    best_ = *std::ranges::min_element(twice, {}, [&](std::size_t k) { return seconds_of(k); });
  }

  // Where nothing was measured, who won still does: others may have fewer seconds by luck.
  void take_known_winner() {
    for (std::size_t k = 0; k < made_.attempts.size(); ++k)
      if (is_measured(k) && has_won(k) && (!has_won(*best_) || seconds_of(k) < seconds_of(*best_)))
        best_ = k;
  }
  // The one binary that others will ask for. Whoever asks is told what is wrong with it: what was
  // measured stays.
  void keep_binary_of_winner() {
    const bool is_known = made_.known == made_.attempts.size();
    if (is_known || made_.ending == Ending::device_failed || !device_->info().traits.builds_text)
      return;
    const Variant variant = write_(made_.attempts[*best_].configuration);
    if (variant.options.cache != compile::CacheUse::enabled) return;
    try {
      kernel::Program(device_, variant.source, variant.options);
    } catch (const Error&) {
    }
  }
  // For whoever looks into the store later.
  void mark_winner() {
    for (std::size_t k = 0; k < made_.attempts.size(); ++k) {
      Measured& measured = made_.attempts[k].measured;
      const bool is_told = k != *best_ || !measured.text.empty();
      if (measured.won == (k == *best_) && is_told) continue;
      measured.won = k == *best_;
      measured.text = measured.won ? text_of(write_(made_.attempts[k].configuration)) : "";
      keep(k);
    }
  }

  void finish() {
    if (best_ && made_.known == made_.attempts.size())
      take_known_winner();
    else if (best_ && measurer_ && made_.ending != Ending::device_failed)
      hold_finals();
    if (best_) {
      mark_winner();
      keep_binary_of_winner();
    }
    made_.wall_seconds = wall_seconds();
    if (measurer_) made_.busy_seconds = measurer_->busy_seconds();
    if (best_) {
      made_.configuration = made_.attempts[*best_].configuration;
      made_.seconds = made_.attempts[*best_].measured.seconds;
      return;
    }
    if (made_.attempts.empty())
      throw InvalidState("tuning was stopped before a variant was measured", "let it go on");
    const Attempt& first = made_.attempts.front();
    throw InvalidState("none of " + std::to_string(made_.attempts.size()) +
                           " variants is right; the first, " + first.configuration.text() + ": " +
                           std::string(outcome_name(first.measured.outcome)) + ": " +
                           first.measured.error,
                       "make one of them work without tuning");
  }

  std::shared_ptr<device::Device> device_;
  const Space& space_;
  const TuneOptions& options_;
  VariantWriter write_;
  Search search_;
  std::optional<Measurer> measurer_;
  std::optional<CompilePool> pool_;
  std::size_t ahead_ = 0, failed_ = 0, since_check_ = 0;
  TuneClock::time_point start_ = TuneClock::now();
  std::optional<std::size_t> best_;
  std::optional<std::pair<device::Kernel, device::LaunchShape>> best_kernel_;
  std::map<std::size_t, std::pair<device::Kernel, device::LaunchShape>> finalists_;
  Tuned made_;
};

}  // namespace

std::string_view ending_name(Ending ending) noexcept {
  constexpr std::string_view names[] = {"search over", "stopped", "device failed"};
  return names[static_cast<std::size_t>(ending)];
}

Tuned tune_kernel(const std::shared_ptr<device::Device>& device, const Space& space,
                  const KernelTemplate& kernel, std::vector<ProblemArgument> arguments,
                  const TuneOptions& options) {
  if (device == nullptr) throw InvalidArgument("device is null", "pass a device");
  return Tuning(device, space, kernel, std::move(arguments), options).run();
}

}  // namespace treadle::tune
