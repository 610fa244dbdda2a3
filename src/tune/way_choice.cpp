// SPDX-License-Identifier: MIT
#include "treadle/tune/way_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace treadle::tune {
namespace {

/// What is remembered of so many classes is forgotten, and looked for in the store again.
constexpr std::size_t most_classes = 1024;

/// Ways are values of one parameter.
Configuration configuration_of(const std::string& way) {
  static const auto names =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"way"});
  return {names, {way}};
}

/// One thread at a time measures on a device: two would be in each other's times.
class Turn {
 public:
  explicit Turn(const device::Device& device) : device_(&device) {
    const std::lock_guard lock(mutex());
    is_mine_ = measuring().insert(device_).second;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock(mutex());
    if (is_mine_) measuring().erase(device_);
  }
  bool is_mine() const { return is_mine_; }

 private:
  static std::mutex& mutex() {
    static std::mutex& own = *new std::mutex;
    return own;
  }
  static std::set<const device::Device*>& measuring() {
    static auto& all = *new std::set<const device::Device*>;
    return all;
  }
  const device::Device* device_;
  bool is_mine_ = false;
};

FastestWay fastest_of(std::vector<WayTime> times, double gain) {
  const WayTime* best = &times.front();
  for (const WayTime& time : times)
    if (time.seconds * (best == &times.front() ? gain : 1) < best->seconds) best = &time;
  FastestWay made{.way = best->way};
  std::ranges::stable_sort(times, {}, &WayTime::seconds);
  made.times = std::move(times);
  return made;
}

}  // namespace

std::string FastestWay::text() const {
  std::string text;
  for (const WayTime& time : times) {
    char figure[32];
    std::snprintf(figure, sizeof figure, " %.4g us, ", time.seconds * 1e6);
    text += time.way + figure;
  }
  return text + (times.empty() ? "not measured" : is_known ? "measured before" : "measured here");
}

WayChoice::WayChoice(std::string kernel, const device::Device& device, std::shared_ptr<Store> store)
    : kernel_(std::move(kernel)), device_(device), store_(std::move(store)) {}

StoreKey WayChoice::key_of(const ProblemSignature& problem) const {
  return {.kernel = kernel_, .problem = problem, .environment = environment_of(device_)};
}

std::optional<FastestWay> WayChoice::kept(const ProblemSignature& problem) {
  if (const auto known = known_.find(problem); known != known_.end()) return known->second;
  if (store_ == nullptr) store_ = Store::of_user();
  FastestWay found{.way = {}, .is_known = true};
  for (const KeptAttempt& attempt : store_->attempts(key_of(problem))) {
    const auto way = attempt.values.find("way");
    if (way == attempt.values.end()) continue;
    found.times.push_back({std::get<std::string>(way->second), attempt.measured.seconds});
    if (attempt.measured.won) found.way = found.times.back().way;
  }
  if (found.way.empty()) return std::nullopt;
  keep(problem, found);
  return found;
}

void WayChoice::keep(const ProblemSignature& problem, const FastestWay& fastest) {
  if (known_.size() >= most_classes) known_.clear();
  known_.insert_or_assign(problem, fastest);
}

std::optional<FastestWay> WayChoice::find(const ProblemSignature& problem) {
  const std::lock_guard lock(mutex_);
  return kept(problem);
}

std::optional<FastestWay> WayChoice::choose(const ProblemSignature& problem,
                                            const std::function<std::vector<WayTime>()>& measure,
                                            double gain) {
  if (auto known = find(problem)) return known;
  const Turn turn(device_);
  if (auto known = find(problem)) return known;  // whose turn has just ended
  if (!turn.is_mine()) return std::nullopt;
  FastestWay made = fastest_of(measure(), gain);
  const StoreKey key = key_of(problem);
  const std::lock_guard lock(mutex_);
  for (const WayTime& time : made.times)
    store_->add(key, configuration_of(time.way),
                {.seconds = time.seconds, .samples = {time.seconds}, .won = time.way == made.way});
  keep(problem, made);
  return made;
}

void WayChoice::settle(const ProblemSignature& problem, std::string_view way) {
  const std::lock_guard lock(mutex_);
  keep(problem, {.way = std::string(way)});
}

}  // namespace treadle::tune
