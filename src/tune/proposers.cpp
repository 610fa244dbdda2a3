// SPDX-License-Identifier: MIT
// One configuration after the other, and walks from neighbour to neighbour.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tune/proposer.hpp"

namespace treadle::tune {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class Exhaustive final : public Proposer {
 public:
  using Proposer::Proposer;
  std::optional<std::uint64_t> next() override {
    if (next_ == space_.size()) return {};
    return next_++;
  }

 private:
  std::uint64_t next_ = 0;
};

class Random final : public Proposer {
 public:
  using Proposer::Proposer;
  std::optional<std::uint64_t> next() override { return any(); }
};

// From the best of some random configurations to neighbours that are better; where there are none,
// on from the best of all with some parameters changed.
class HillClimbing final : public Proposer {
 public:
  using Proposer::Proposer;

  std::optional<std::uint64_t> next() override {
    if (starts_ > 0) {
      --starts_;
      ++waiting_;
      return any();
    }
    while (queue_.empty()) {
      if (waiting_ > 0) return {};  // one of them may be better
      restart();
    }
    const std::uint64_t number = queue_.back();
    queue_.pop_back();
    ++waiting_;
    return number;
  }

  void learn(std::uint64_t number, double value) override {
    if (waiting_ > 0) --waiting_;
    if (value < best_value_) best_ = number, best_value_ = value;
    if (value < here_value_ || (restarted_ && *restarted_ == number)) {
      here_ = number, here_value_ = value;
      restarted_.reset();
      if (starts_ == 0) surround();
    } else if (starts_ == 0 && waiting_ == 0 && queue_.empty() && !is_surrounded_) {
      surround();
    }
  }

 private:
  void surround() {
    queue_ = space_.neighbours(here_);
    dice_.shuffle(queue_);
    is_surrounded_ = true;
  }
  void restart() {
    if (!is_surrounded_ && here_value_ < infinite) return surround();
    // Two to four parameters of the best; every third time somewhere else.
    std::uint64_t number = any();
    if (best_value_ < infinite && ++restarts_ % 3 != 0) {
      number = best_;
      for (std::uint64_t steps = 2 + dice_.below(3); steps > 0; --steps)
        number = random_neighbour(number).value_or(number);
    }
    restarted_ = number;
    here_value_ = infinite;
    queue_ = {number};
  }

  int starts_ = 10, restarts_ = 0;
  std::size_t waiting_ = 0;  // proposed, and not learned
  bool is_surrounded_ = false;
  std::uint64_t here_ = 0, best_ = 0;
  double here_value_ = infinite, best_value_ = infinite;
  std::optional<std::uint64_t> restarted_;
  std::vector<std::uint64_t> queue_;  // neighbours of `here_`, the next one last
};

// S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi: Optimization by simulated annealing. Science 220,
// 1983; of the logarithm of the value, so that a temperature is a ratio of values. Four walks.
class Annealing final : public Proposer {
 public:
  using Proposer::Proposer;

  std::optional<std::uint64_t> next() override {
    Walk& walk = walks_[turn_];
    if (walk.asked) return {};
    turn_ = (turn_ + 1) % std::size(walks_);
    walk.asked = walk.value < infinite ? random_neighbour(walk.here).value_or(any()) : any();
    return walk.asked;
  }

  void learn(std::uint64_t number, double value) override {
    for (Walk& walk : walks_) {
      if (walk.asked != number) continue;
      walk.asked.reset();
      const bool is_taken =
          value <= walk.value ||
          dice_.number() < std::exp((std::log(walk.value) - std::log(value)) / temperature_);
      if (is_taken) walk.here = number, walk.value = value;
      temperature_ = std::max(0.005, temperature_ * 0.98);
      return;
    }
  }

 private:
  struct Walk {
    std::uint64_t here = 0;
    double value = infinite;
    std::optional<std::uint64_t> asked = {};
  };
  Walk walks_[4];
  std::size_t turn_ = 0;
  double temperature_ = 0.5;
};

}  // namespace

std::optional<std::uint64_t> Proposer::random_neighbour(std::uint64_t number) {
  std::vector<std::uint32_t> where = space_.positions(number);
  // Drawn before all are listed: most of them exist.
  for (int k = 0; k < 8; ++k) {
    const std::size_t parameter = dice_.below(where.size());
    const std::string& name = space_.names()[parameter];
    const std::uint32_t here = where[parameter];
    const auto count = static_cast<std::uint32_t>(space_.values(name).size());
    if (count == 1) continue;
    if (space_.is_ordered(name) && dice_.number() < 0.7)
      where[parameter] = dice_.below(2) == 0 ? here - 1 : here + 1;
    else
      where[parameter] = static_cast<std::uint32_t>(dice_.below(count));
    if (where[parameter] != here)
      if (const auto found = space_.find(where)) return found;
    where[parameter] = here;
  }
  const auto all = space_.neighbours(number);
  if (all.empty()) return {};
  return all[dice_.below(all.size())];
}

std::uint64_t Proposer::repaired(std::vector<std::uint32_t> positions, std::uint64_t base) {
  const std::vector<std::uint32_t> from = space_.positions(base);
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  dice_.shuffle(order);
  for (const std::size_t parameter : order) {
    if (const auto found = space_.find(positions)) return *found;
    positions[parameter] = from[parameter];
  }
  return base;
}

std::unique_ptr<Proposer> make_exhaustive(const Space& space, Dice& dice) {
  return std::make_unique<Exhaustive>(space, dice);
}
std::unique_ptr<Proposer> make_random(const Space& space, Dice& dice) {
  return std::make_unique<Random>(space, dice);
}
std::unique_ptr<Proposer> make_hill_climbing(const Space& space, Dice& dice) {
  return std::make_unique<HillClimbing>(space, dice);
}
std::unique_ptr<Proposer> make_annealing(const Space& space, Dice& dice) {
  return std::make_unique<Annealing>(space, dice);
}

}  // namespace treadle::tune
