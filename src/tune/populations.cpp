// SPDX-License-Identifier: MIT
// Strategies that keep a population of good configurations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tune/proposer.hpp"

namespace treadle::tune {
namespace {

struct Member {
  std::uint64_t number;
  double value;
};

constexpr std::size_t population = 16;

// Steady state: each child takes the place of the worst, if it is better.
class Genetic final : public Proposer {
 public:
  using Proposer::Proposer;

  std::optional<std::uint64_t> next() override {
    if (proposed_ < population) {
      ++proposed_;
      return any();
    }
    if (members_.size() < 2) return waiting() ? std::nullopt : std::optional(any());
    const Member &mother = chosen(), &father = chosen();
    std::vector<std::uint32_t> child = space_.positions(mother.number);
    const std::vector<std::uint32_t> other = space_.positions(father.number);
    for (std::size_t k = 0; k < child.size(); ++k)
      if (dice_.below(2) == 0) child[k] = other[k];
    std::uint64_t number = repaired(std::move(child), mother.number);
    if (number == mother.number || number == father.number || dice_.number() < 0.5)
      number = random_neighbour(number).value_or(any());
    return number;
  }

  void learn(std::uint64_t number, double value) override {
    ++learned_;
    const bool is_there =
        std::ranges::any_of(members_, [&](const Member& each) { return each.number == number; });
    if (is_there || value == std::numeric_limits<double>::infinity()) return;
    members_.push_back({number, value});
    if (members_.size() > population)
      members_.erase(std::ranges::max_element(members_, {}, &Member::value));
  }

 private:
  bool waiting() const { return learned_ < proposed_; }
  // The better of two.
  const Member& chosen() {
    const Member &a = members_[dice_.below(members_.size())],
                 &b = members_[dice_.below(members_.size())];
    return a.value < b.value ? a : b;
  }

  std::vector<Member> members_;
  std::size_t proposed_ = 0, learned_ = 0;
};

// R. Storn, K. Price: Differential evolution. J. Global Optimization 11, 1997 (rand/1/bin), of
// positions; a parameter that is not ordered is taken from one of the three.
class DifferentialEvolution final : public Proposer {
 public:
  using Proposer::Proposer;

  std::optional<std::uint64_t> next() override {
    if (started_ < population) {
      ++started_;
      return any();
    }
    if (members_.size() < 4)
      return asked_.empty() && learned_ >= started_ ? std::optional(any()) : std::nullopt;
    const std::size_t target = turn_++ % members_.size();
    const std::uint64_t number = mutant(target);
    asked_.emplace(number, target);
    return number;
  }

  void learn(std::uint64_t number, double value) override {
    ++learned_;
    const auto asked = asked_.find(number);
    if (asked == asked_.end()) {
      if (members_.size() < population && value < std::numeric_limits<double>::infinity())
        members_.push_back({number, value});
      return;
    }
    Member& target = members_[asked->second];
    if (value <= target.value) target = {number, value};
    asked_.erase(asked);
  }

 private:
  std::uint64_t mutant(std::size_t target) {
    const auto some = [&] {
      return space_.positions(members_[dice_.below(members_.size())].number);
    };
    const auto a = some(), b = some(), c = some();
    std::vector<std::uint32_t> made = space_.positions(members_[target].number);
    const std::size_t certain = dice_.below(made.size());
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (k != certain && dice_.number() > 0.7) continue;
      const std::string& name = space_.names()[k];
      if (space_.is_ordered(name)) {
        const double moved = a[k] + 0.8 * (static_cast<double>(b[k]) - static_cast<double>(c[k]));
        const auto last = static_cast<double>(space_.values(name).size() - 1);
        made[k] = static_cast<std::uint32_t>(std::clamp(std::round(moved), 0.0, last));
      } else {
        made[k] = b[k] == c[k] ? a[k] : (dice_.below(2) == 0 ? b : c)[k];
      }
    }
    const std::uint64_t number = repaired(std::move(made), members_[target].number);
    if (number != members_[target].number) return number;
    return random_neighbour(number).value_or(number);
  }

  std::vector<Member> members_;
  std::multimap<std::uint64_t, std::size_t> asked_;  // number -> whose place it may take
  std::size_t started_ = 0, learned_ = 0, turn_ = 0;
};

}  // namespace

std::unique_ptr<Proposer> make_genetic(const Space& space, Dice& dice) {
  return std::make_unique<Genetic>(space, dice);
}
std::unique_ptr<Proposer> make_differential_evolution(const Space& space, Dice& dice) {
  return std::make_unique<DifferentialEvolution>(space, dice);
}

}  // namespace treadle::tune
