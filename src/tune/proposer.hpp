// SPDX-License-Identifier: MIT
// What each strategy is: it names configurations, and learns what came of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/tune/search.hpp"
#include "tune/dice.hpp"

namespace treadle::tune {

class Proposer {
 public:
  Proposer(const Space& space, Dice& dice) : space_(space), dice_(dice) {}
  virtual ~Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;

  /// The next to try, which may have been tried before: then learn() follows at once. None: results
  /// are needed first.
  virtual std::optional<std::uint64_t> next() = 0;
  /// What came of one of next(), or of one that somebody else tried; infinity: it failed.
  virtual void learn([[maybe_unused]] std::uint64_t number, [[maybe_unused]] double value) {}

 protected:
  std::uint64_t any() { return dice_.below(space_.size()); }
  /// One parameter changed, to a next value if it is ordered, sometimes to any; none if there is no
  /// such configuration.
  std::optional<std::uint64_t> random_neighbour(std::uint64_t number);
  /// The configuration of these positions, or one near them: parameters are taken from `base` until
  /// it belongs to the space.
  std::uint64_t repaired(std::vector<std::uint32_t> positions, std::uint64_t base);

  const Space& space_;
  Dice& dice_;
};

std::unique_ptr<Proposer> make_exhaustive(const Space& space, Dice& dice);
std::unique_ptr<Proposer> make_random(const Space& space, Dice& dice);
std::unique_ptr<Proposer> make_hill_climbing(const Space& space, Dice& dice);
std::unique_ptr<Proposer> make_annealing(const Space& space, Dice& dice);
std::unique_ptr<Proposer> make_genetic(const Space& space, Dice& dice);
std::unique_ptr<Proposer> make_differential_evolution(const Space& space, Dice& dice);

}  // namespace treadle::tune
