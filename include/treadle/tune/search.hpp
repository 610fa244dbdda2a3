// SPDX-License-Identifier: MIT
// The best configuration of a space, by as few measurements as possible.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/tune/space.hpp"

namespace treadle::tune {

/// A configuration that was measured.
struct Trial {
  std::uint64_t number;  ///< of the configuration in its space
  double value;          ///< what is minimised, seconds say; infinity if it failed
  std::string error;     ///< why it failed; empty otherwise
};

/// What a search tries next.
enum class Strategy : std::uint8_t {
  automatic,               ///< exhaustive where the budget allows, else hill_climbing
  exhaustive,              ///< all, in their order
  random,                  ///< any, each once
  hill_climbing,           ///< neighbours of the best, with new starts (iterated local search)
  annealing,               ///< random walks that take worse steps less and less often
  genetic,                 ///< children of good configurations
  differential_evolution,  ///< differences of some configurations added to others
  guided,                  ///< what SearchOptions::guide names
};
/// "automatic", "exhaustive" and so on.
std::string_view strategy_name(Strategy strategy) noexcept;
/// Throws InvalidArgument naming the nearest there are.
Strategy strategy_of(std::string_view name);

/// When a search is over. Several: the first that is reached. None: when all were tried.
struct Budget {
  std::optional<std::uint64_t> evaluations = {};  ///< so many configurations
  std::optional<double> seconds = {};             ///< of the clock, from the first question on
  /// As many as random ones would need to have, with this probability, one of the best `fraction`
  /// of the space among them.
  std::optional<double> probability = {};
  double fraction = 0.01;  ///< with `probability`: what counts as best
};

/// A strategy of one's own.
struct Guide {
  /// The number of the next to try. One that was tried before is learned again, at once.
  std::function<std::uint64_t()> next;
  /// What came of one of next(), or of one that somebody else tried; infinity: it failed.
  std::function<void(std::uint64_t number, double value)> learn;
};

/// How a space is searched.
struct SearchOptions {
  Strategy strategy = Strategy::automatic;  ///< what is tried next
  Budget budget = {};                       ///< when it is over
  std::uint64_t seed = 0;                   ///< the same answers to the same questions
  /// Tried first: what is used without a search, or won for a similar problem.
  std::vector<Configuration> start = {};
  /// For Strategy::guided: is asked once, for the space that is searched, and with the seed.
  std::function<Guide(const Space& space, std::uint64_t seed)> guide = {};
};

/// A search that is asked what to try and told how good that was: for callers who measure in their
/// own way, several at a time, say. The space must outlive it. From one thread at a time.
class Search {
 public:
  /// Throws InvalidArgument for a budget that is not positive and for a start that is not in the
  /// space, and what Space::size() throws.
  Search(const Space& space, SearchOptions options = {});
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;

  /// Up to `count` configurations to try, which were not given before. None if the search is over
  /// or, where is_over() is false, needs results of earlier ones first.
  std::vector<std::uint64_t> ask(std::size_t count = 1);
  /// What came of one; infinity or NaN: it failed. Configurations that were not asked for are
  /// taken, too. Throws IndexError for a number that is not in the space, InvalidState for one that
  /// was told before.
  void tell(std::uint64_t number, double value, std::string error = {});

  bool is_over() const;                               ///< nothing more to try within the budget
  const std::vector<Trial>& trials() const noexcept;  ///< as they were told
  const Trial* best() const noexcept;                 ///< null: none that did not fail
  const Space& space() const noexcept;
  /// The one that is used: what Strategy::automatic chose.
  Strategy strategy() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a search found.
struct Found {
  Configuration configuration;  ///< the best
  double value;                 ///< of it
  std::vector<Trial> trials;    ///< all, in the order of measuring
};

/// The configuration for which `measure` is least. What `measure` throws of treadle::Error fails
/// that configuration; other exceptions end the search. Blocking. Throws InvalidState if all fail,
/// with the first failure's text.
Found minimize(const Space& space, const std::function<double(const Configuration&)>& measure,
               SearchOptions options = {});

/// How configurations are thinned out.
struct HalvingOptions {
  std::size_t first =
      0;  ///< configurations of the first round; 0: as many as one of the last needs
  std::size_t rounds = 4;  ///< the last one measures what is wanted
  double keep = 1.0 / 3;   ///< of a round's configurations in the next
  std::uint64_t seed = 0;  ///< draws those of the first
};
/// The same where small problems are cheaper and tell something of large ones: `measure` is called
/// with a round, from 0 to rounds - 1, and takes a larger problem in each. Only the last round's
/// values are in Found. (K. Jamieson, A. Talwalkar: Non-stochastic best arm identification and
/// hyperparameter optimization. AISTATS 2016.)
Found successive_halving(const Space& space,
                         const std::function<double(const Configuration&, std::size_t)>& measure,
                         const HalvingOptions& options = {});

}  // namespace treadle::tune
