// SPDX-License-Identifier: MIT
#include "treadle/tune/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/device/cancel.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/tune/value.hpp"
#include "tune/run_limit.hpp"
#include "tune/samples.hpp"

namespace treadle::tune {
namespace {

using MeasureClock = std::chrono::steady_clock;
using device::Argument;
using device::Kernel;
using device::LaunchShape;
using memory::Buffer;

constexpr double most_launches = 1000;  // of one sample
// What is so much slower than the best is not worth a second run, and where it can be ended not the
// whole first one. A first run may wait for what is loaded then: a short one is not believed alone.
constexpr double hopeless_above = 4, hopeless_seconds = 1e-3, short_seconds = 0.05;
constexpr double ended_above = 20, ended_seconds = 0.1;
constexpr double share_of_one = 0.25;  // of the seconds that are left

constexpr std::string_view outcome_names[] = {"measured",      "overtaken",      "excluded",
                                              "compile error", "launch refused", "wrong result",
                                              "timeout",       "crash"};

double seconds_from(MeasureClock::time_point start) {
  return std::chrono::duration<double>(MeasureClock::now() - start).count();
}

/// A run that did not end in time.
class TimedOut : public Error {
  using Error::Error;
};

/// What a variant is measured against.
struct Rival {
  std::optional<double> best;  ///< seconds of the best so far
  std::optional<double> left;  ///< seconds that remain for all
};

}  // namespace

std::string_view outcome_name(Outcome outcome) noexcept {
  return outcome_names[static_cast<std::size_t>(outcome)];
}
Outcome outcome_of(std::string_view name) {
  const auto found = std::ranges::find(outcome_names, name);
  if (found == std::end(outcome_names))
    throw InvalidArgument("outcome is '" + std::string(name) + "', which there is not",
                          "use 'measured', 'wrong result' or another of outcome_name()");
  return static_cast<Outcome>(found - std::begin(outcome_names));
}

ProblemArgument::ProblemArgument(const void* data, std::size_t size_bytes,
                                 device::ParameterKind kind)
    : value_(size_bytes), kind_(kind) {
  std::memcpy(value_.data(), data, size_bytes);
}
ProblemArgument ProblemArgument::output(Buffer written, Expected expected) {
  ProblemArgument made;
  made.buffer_ = std::move(written);
  made.use_ = Use::output;
  made.expected_ = std::move(expected);
  return made;
}
ProblemArgument ProblemArgument::updated(Buffer changed, Expected expected) {
  ProblemArgument made = output(std::move(changed), std::move(expected));
  made.use_ = Use::updated;
  return made;
}
ProblemArgument ProblemArgument::local(std::size_t size_bytes) {
  ProblemArgument made;
  made.use_ = Use::local;
  made.local_bytes_ = size_bytes;
  return made;
}

struct Measurer::State {
  std::shared_ptr<device::Device> device;
  std::vector<ProblemArgument> given;
  MeasureOptions options;
  std::shared_ptr<device::Stream> stream;
  std::shared_ptr<device::Event> start, end;
  std::vector<Argument> arguments = {};
  std::vector<Buffer> before = {};   ///< by argument: what an output is filled with, before a run
  std::vector<std::byte> host = {};  ///< of one output; its pages are there already
  Buffer flushed = {};
  /// Of the CPU device, which can end a run.
  std::optional<RunLimit> run_limit = {};
  bool restores_each_run = false, is_usable = true, ends_runs = false;
  double busy_seconds = 0;

  // Every byte of an output is wrong before a run, so that one that was not written is seen, be
  // it zero or what the variant before has written.
  void poison(std::size_t k, std::span<const std::byte> expected) {
    std::vector<std::byte> wrong(expected.begin(), expected.end());
    for (std::byte& each : wrong) each = ~each;
    before[k] = Buffer(device, wrong);
  }
  void take(std::size_t k) {
    ProblemArgument& argument = given[k];
    using Use = ProblemArgument::Use;
    if (argument.use_ == Use::value || argument.use_ == Use::local) return;
    const std::string what = "argument " + std::to_string(k);
    if (argument.buffer_.is_freed())
      throw InvalidArgument(what + " has no memory", "pass a Buffer of the device");
    if (&argument.buffer_.device() != device.get())
      throw InvalidArgument(what + " is memory of " + argument.buffer_.device().info().id +
                                ", expected " + device->info().id,
                            "allocate it on the device that is tuned for");
    if (argument.use_ == Use::input) return;
    const std::size_t size = argument.buffer_.size_bytes();
    const Expected& expected = argument.expected_;
    if (!expected.bytes.empty() && expected.bytes.size() != size)
      throw InvalidArgument(what + " has " + std::to_string(size) + " bytes, and expected has " +
                                std::to_string(expected.bytes.size()),
                            "pass the whole output");
    if (argument.use_ == Use::updated) {
      std::vector<std::byte> now(size);
      argument.buffer_.copy_to(now);
      before[k] = Buffer(device, now);
      restores_each_run = true;
    } else if (!expected.bytes.empty()) {
      poison(k, expected.bytes);
    } else {
      before[k] = Buffer(device, std::vector<std::byte>(size, std::byte{0xA5}));
    }
  }
  bool is_written(std::size_t k) const { return !before[k].is_freed(); }

  void restore(bool all) {
    for (std::size_t k = 0; k < given.size(); ++k)
      if (is_written(k) && (all || given[k].use_ == ProblemArgument::Use::updated))
        stream->copy(given[k].buffer_, before[k], before[k].size_bytes());
  }
  void launch(const Kernel& kernel, const LaunchShape& shape) {
    stream->launch_arguments(kernel, shape, arguments);
  }
  double limit_beside(std::optional<double> best) const {
    const double limit = options.limit_seconds > 0 ? options.limit_seconds : never;
    return ends_runs && best ? std::min(limit, ended_above * *best + ended_seconds) : limit;
  }
  [[noreturn]] static void time_out(double limit, const char* hint) {
    throw TimedOut("it ran for more than " + value_text(Value(limit)) + " seconds", hint);
  }
  void wait(double limit) {
    if (limit == never) return end->synchronize();
    if (ends_runs) {
      const RunLimit::Run run(*run_limit, limit);
      end->synchronize();
      if (run.was_ended()) time_out(limit, "raise limit_seconds");
      return;
    }
    const auto began = MeasureClock::now();
    for (unsigned round = 0; !end->is_done(); ++round) {
      if (seconds_from(began) > limit) {
        is_usable = false;
        time_out(limit, "raise limit_seconds, or measure in a process of its own");
      }
      if (round > 1000) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    end->synchronize();
  }
  // `queue` between the events that take the time, and behind memory that is restored.
  template <class Queue>
  double seconds_of(double limit, Queue&& queue) {
    stream->record(*start);
    queue();
    stream->record(*end);
    wait(limit);
    const double seconds = end->seconds_since(*start);
    busy_seconds += seconds;
    return seconds;
  }
  double timed(const Kernel& kernel, const LaunchShape& shape, unsigned launches, double limit) {
    if (restores_each_run) restore(false);
    if (!flushed.is_freed()) {
      const std::byte zero[4] = {};
      stream->fill(flushed, zero, flushed.size_bytes() / sizeof zero);
    }
    const double seconds = seconds_of(limit, [&] {
      for (unsigned k = 0; k < launches; ++k) launch(kernel, shape);
    });
    return seconds / launches;
  }
  // One run from restored memory; how long it took.
  double run_restored(const Kernel& kernel, const LaunchShape& shape, double limit) {
    restore(true);
    return seconds_of(limit, [&] { launch(kernel, shape); });
  }
  /// Until the next call.
  std::span<const std::byte> fetched(std::size_t k) {
    host.resize(given[k].buffer_.size_bytes());
    stream->copy_out(host.data(), given[k].buffer_, host.size());
    stream->synchronize();
    return host;
  }
  std::string wrong() {
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (!is_written(k)) continue;
      const Expected& expected = given[k].expected_;
      if (expected.bytes.empty() && !expected.check) continue;
      if (const std::string said = difference(fetched(k), expected); !said.empty())
        return "argument " + std::to_string(k) + ": " + said;
    }
    return {};
  }
  unsigned launches_of(double seconds) const {
    if (restores_each_run || !flushed.is_freed() || seconds <= 0) return 1;
    return static_cast<unsigned>(
        std::clamp(std::ceil(options.sample_seconds / seconds), 1.0, most_launches));
  }

  void run(const Kernel& kernel, const LaunchShape& shape, const Rival& rival, Measured& made) {
    const auto began = MeasureClock::now();
    const double limit = limit_beside(rival.best);
    const double first = run_restored(kernel, shape, limit);
    if (std::string said = wrong(); !said.empty()) {
      made.outcome = Outcome::wrong_result;
      made.error = std::move(said);
      return;
    }
    const double beaten =
        rival.best && options.overtaken_above > 0 ? options.overtaken_above * *rival.best : never;
    const auto fits = [&](double seconds) {
      return !rival.left || seconds_from(began) + seconds < share_of_one * *rival.left;
    };
    double warm = first;
    const auto is_far_off = [&] { return warm > hopeless_above * beaten + hopeless_seconds; };
    if (is_far_off() && first < short_seconds) warm = timed(kernel, shape, 1, limit);
    const bool is_hopeless = is_far_off();
    for (unsigned k = 0; k < options.warm_up && !is_hopeless && fits(warm); ++k)
      warm = timed(kernel, shape, 1, limit);
    const unsigned launches = launches_of(warm);
    while (made.samples.size() < std::max(options.repeats, 1u) && !is_hopeless &&
           fits(launches * warm)) {
      made.samples.push_back(timed(kernel, shape, launches, limit));
      if (made.samples.size() == options.first_repeats && std::ranges::min(made.samples) > beaten)
        break;
    }
    if (made.samples.empty()) made.samples.push_back(warm);
    made.seconds = median_of(made.samples);
    if (std::ranges::min(made.samples) > beaten) made.outcome = Outcome::overtaken;
  }
  void fail(Measured& made, Outcome outcome, const std::exception& error) {
    made.outcome = outcome;
    made.error = error.what();
  }
  // After a fault CUDA's contexts refuse everything.
  void look_whether_usable() noexcept {
    try {
      stream->synchronize();
      const std::byte zero[4] = {};
      for (std::size_t k = 0; k < given.size(); ++k)
        if (is_written(k) && given[k].buffer_.size_bytes() >= sizeof zero)
          stream->fill(given[k].buffer_, zero, 1);
      stream->synchronize();
    } catch (...) {
      is_usable = false;
    }
  }
};

Measurer::Measurer(std::shared_ptr<device::Device> device, std::vector<ProblemArgument> arguments,
                   MeasureOptions options)
    : state_(std::make_unique<State>()) {
  if (device == nullptr) throw InvalidArgument("device is null", "pass a device");
  if (!device->info().traits.runs_kernels)
    throw InvalidArgument(device->info().id + " runs no kernels, so that none can be measured",
                          "take another of devices()");
  State& s = *state_;
  s.device = std::move(device);
  s.given = std::move(arguments);
  s.options = options;
  s.stream = s.device->make_stream();
  s.start = s.device->make_event();
  s.end = s.device->make_event();
  s.ends_runs = device::cancel_kernels(*s.stream);
  if (s.ends_runs) s.run_limit.emplace(*s.stream);
  s.before.resize(s.given.size());
  for (std::size_t k = 0; k < s.given.size(); ++k) {
    s.take(k);
    const ProblemArgument& argument = s.given[k];
    if (argument.use_ == ProblemArgument::Use::value)
      s.arguments.emplace_back(argument.value_.data(), argument.value_.size(), argument.kind_);
    else if (argument.use_ == ProblemArgument::Use::local)
      s.arguments.emplace_back(device::Local{argument.local_bytes_});
    else
      s.arguments.emplace_back(argument.buffer_);
  }
  if (options.flush_cache)
    s.flushed = Buffer(s.device, std::max<std::uint64_t>(2 * s.device->info().limits.l2_bytes,
                                                         std::uint64_t{8} << 20));
}
Measurer::~Measurer() = default;
Measurer::Measurer(Measurer&&) noexcept = default;

bool Measurer::needs_reference() const noexcept {
  for (std::size_t k = 0; k < state_->given.size(); ++k) {
    const Expected& expected = state_->given[k].expected_;
    if (state_->is_written(k) && expected.bytes.empty() && !expected.check) return true;
  }
  return false;
}

void Measurer::set_reference(const Kernel& kernel, const LaunchShape& shape) {
  State& s = *state_;
  std::vector<std::vector<std::byte>> first(s.given.size());
  s.run_restored(kernel, shape, s.limit_beside({}));
  const auto is_missing = [&](std::size_t k) {
    return s.is_written(k) && s.given[k].expected_.bytes.empty() && !s.given[k].expected_.check;
  };
  for (std::size_t k = 0; k < s.given.size(); ++k) {
    if (!is_missing(k)) continue;
    const auto bytes = s.fetched(k);
    first[k].assign(bytes.begin(), bytes.end());
    if (s.given[k].use_ == ProblemArgument::Use::output) s.poison(k, first[k]);
  }
  s.run_restored(kernel, shape, s.limit_beside({}));
  for (std::size_t k = 0; k < s.given.size(); ++k) {
    if (!is_missing(k)) continue;
    Expected all = s.given[k].expected_;
    all.bytes = first[k];
    if (const std::string said = difference(s.fetched(k), all); !said.empty())
      throw InvalidState(
          "argument " + std::to_string(k) +
              " is another in each run of the reference, or is not all written: " + said,
          "pass what it has to be, or say that it is updated");
    s.given[k].expected_ = std::move(all);
  }
}

Measured Measurer::measure(const Kernel& kernel, const LaunchShape& shape,
                           std::optional<double> best, std::optional<double> left) {
  Measured made{.seconds = never, .resources = kernel.resources()};
  State& s = *state_;
  try {
    s.run(kernel, shape, {best, left}, made);
  } catch (const TimedOut& error) {
    s.fail(made, Outcome::timeout, error);
  } catch (const InvalidArgument& error) {
    s.fail(made, Outcome::launch_refused, error);
  } catch (const NotSupported& error) {
    s.fail(made, Outcome::launch_refused, error);
  } catch (const Error& error) {
    s.look_whether_usable();
    s.fail(made, s.is_usable ? Outcome::launch_refused : Outcome::crash, error);
  }
  if (!made.is_right()) {
    made.seconds = never;
    made.samples.clear();
  }
  return made;
}

double Measurer::sample(const Kernel& kernel, const LaunchShape& shape) {
  const double limit = state_->limit_beside({});
  const double once = state_->timed(kernel, shape, 1, limit);
  return state_->timed(kernel, shape, state_->launches_of(once), limit);
}
bool Measurer::is_usable() const noexcept { return state_->is_usable; }
double Measurer::busy_seconds() const noexcept { return state_->busy_seconds; }
device::Device& Measurer::device() const noexcept { return *state_->device; }

}  // namespace treadle::tune
