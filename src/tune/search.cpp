// SPDX-License-Identifier: MIT
#include "treadle/tune/search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "treadle/base/error.hpp"
#include "tune/proposer.hpp"
#include "tune/refused_name.hpp"

namespace treadle::tune {
namespace {

struct StrategyRow {
  Strategy strategy;
  std::string_view name;
  std::unique_ptr<Proposer> (*make)(const Space&, Dice&);
};
/// By a Guide.
class Guided final : public Proposer {
 public:
  Guided(const Space& space, Dice& dice, Guide guide)
      : Proposer(space, dice), guide_(std::move(guide)) {}
  std::optional<std::uint64_t> next() override {
    const std::uint64_t number = guide_.next();
    if (number >= space_.size())
      throw IndexError("a guide names configuration " + std::to_string(number) +
                           ", expected less than the size of the space, " +
                           std::to_string(space_.size()),
                       "name those of the space that it was given");
    return number;
  }
  void learn(std::uint64_t number, double value) override { guide_.learn(number, value); }

 private:
  Guide guide_;
};

constexpr StrategyRow strategies[] = {
    {Strategy::automatic, "automatic", nullptr},
    {Strategy::exhaustive, "exhaustive", make_exhaustive},
    {Strategy::random, "random", make_random},
    {Strategy::hill_climbing, "hill_climbing", make_hill_climbing},
    {Strategy::annealing, "annealing", make_annealing},
    {Strategy::genetic, "genetic", make_genetic},
    {Strategy::differential_evolution, "differential_evolution", make_differential_evolution},
    {Strategy::guided, "guided", nullptr},
};

// Of a search without a budget: a space of so many is measured as a whole.
constexpr std::uint64_t small_space = 1000;
// A strategy that names only what is known gets something new after so many.
constexpr int most_known = 50;

std::optional<std::uint64_t> evaluations_of(const Budget& budget) {
  const auto refuse = [](const char* name, double value, const char* expected) {
    throw InvalidArgument(std::string("budget.") + name + " is " + value_text(Value(value)) +
                              ", expected " + expected,
                          "leave it out for no limit");
  };
  if (budget.evaluations == 0) refuse("evaluations", 0, "a positive number");
  if (budget.seconds && !(*budget.seconds > 0)) refuse("seconds", *budget.seconds, "more than 0");
  std::optional<std::uint64_t> most = budget.evaluations;
  if (budget.probability) {
    if (!(*budget.probability > 0 && *budget.probability < 1))
      refuse("probability", *budget.probability, "a number between 0 and 1");
    if (!(budget.fraction > 0 && budget.fraction < 1))
      refuse("fraction", budget.fraction, "a number between 0 and 1");
    const double needed =
        std::ceil(std::log1p(-*budget.probability) / std::log1p(-budget.fraction));
    most = std::min(most.value_or(~std::uint64_t{0}),
                    static_cast<std::uint64_t>(std::min(needed, 1e18)));
  }
  return most;
}

}  // namespace

std::string_view strategy_name(Strategy strategy) noexcept {
  for (const StrategyRow& row : strategies)
    if (row.strategy == strategy) return row.name;
  return "?";
}

Strategy strategy_of(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyRow& row : strategies) {
    if (row.name == name) return row.strategy;
    names.emplace_back(row.name);
  }
  refuse_name("there is no strategy '" + std::string(name) + "'", name, names, "use 'automatic'");
}

struct Search::State {
  const Space& space;
  SearchOptions options;
  Dice dice;
  std::uint64_t size, most;
  std::unique_ptr<Proposer> proposer;
  std::vector<std::uint64_t> start;  // to be given, the next one last
  std::unordered_set<std::uint64_t> waiting;
  std::unordered_map<std::uint64_t, double> known;
  std::vector<Trial> trials;
  std::optional<std::size_t> best;
  std::optional<std::chrono::steady_clock::time_point> begun;

  State(const Space& searched, SearchOptions wanted)
      : space(searched), options(std::move(wanted)), dice(options.seed), size(searched.size()) {
    const auto limit = evaluations_of(options.budget);
    most = std::min(size, limit.value_or(size));
    if (options.strategy == Strategy::automatic) {
      const bool is_small = limit ? *limit >= size : size <= small_space;
      options.strategy = is_small ? Strategy::exhaustive : Strategy::hill_climbing;
    }
    if (options.strategy == Strategy::guided) {
      if (!options.guide)
        throw InvalidArgument("guide is empty, and strategy is guided",
                              "pass a function that makes a Guide, or take another strategy");
      proposer = std::make_unique<Guided>(space, dice, options.guide(space, options.seed));
    }
    for (const StrategyRow& row : strategies)
      if (row.strategy == options.strategy && row.make != nullptr) proposer = row.make(space, dice);
    for (auto each = options.start.rbegin(); each != options.start.rend(); ++each) {
      const auto number = space.find(*each);
      if (!number)
        throw InvalidArgument("start has " + each->text() + ", which is not in the space",
                              "make it by make() of the space");
      start.push_back(*number);
    }
  }

  bool is_over() const {
    if (known.size() + waiting.size() >= most) return true;
    if (!options.budget.seconds || !begun) return false;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *begun;
    return passed.count() >= *options.budget.seconds;
  }
  bool is_new(std::uint64_t number) const {
    return !known.contains(number) && !waiting.contains(number);
  }

  std::optional<std::uint64_t> next() {
    while (!start.empty()) {
      const std::uint64_t number = start.back();
      start.pop_back();
      if (is_new(number)) return number;
    }
    for (int k = 0; k < most_known; ++k) {
      const auto number = proposer->next();
      if (!number) {
        if (!waiting.empty()) return {};
        break;
      }
      if (is_new(*number)) return number;
      if (const auto there = known.find(*number); there != known.end())
        proposer->learn(*number, there->second);
    }
    return something_new();
  }
  // From a random place on.
  std::uint64_t something_new() {
    std::uint64_t number = dice.below(size);
    while (!is_new(number)) number = (number + 1) % size;
    return number;
  }
};

Search::Search(const Space& space, SearchOptions options)
    : state_(std::make_unique<State>(space, std::move(options))) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

std::vector<std::uint64_t> Search::ask(std::size_t count) {
  State& state = *state_;
  if (!state.begun) state.begun = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> given;
  while (given.size() < count && !state.is_over()) {
    const auto number = state.next();
    if (!number) break;
    state.waiting.insert(*number);
    given.push_back(*number);
  }
  return given;
}

void Search::tell(std::uint64_t number, double value, std::string error) {
  State& state = *state_;
  if (number >= state.size)
    throw IndexError("number is " + std::to_string(number) +
                         ", expected less than the size of the space, " +
                         std::to_string(state.size),
                     "tell what ask() gave");
  if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  if (!state.known.emplace(number, value).second)
    throw InvalidState("configuration " + std::to_string(number) + " was told before",
                       "tell each once");
  state.waiting.erase(number);
  state.trials.push_back({number, value, std::move(error)});
  if (std::isfinite(value) && (!state.best || value < state.trials[*state.best].value))
    state.best = state.trials.size() - 1;
  state.proposer->learn(number, value);
}

bool Search::is_over() const { return state_->is_over(); }
const std::vector<Trial>& Search::trials() const noexcept { return state_->trials; }
const Trial* Search::best() const noexcept {
  return state_->best ? &state_->trials[*state_->best] : nullptr;
}
const Space& Search::space() const noexcept { return state_->space; }
Strategy Search::strategy() const noexcept { return state_->options.strategy; }

namespace {

Found found_of(const Space& space, const std::vector<Trial>& trials) {
  const auto best = std::ranges::min_element(trials, {}, &Trial::value);
  if (best == trials.end() || !std::isfinite(best->value))
    throw InvalidState("all " + std::to_string(trials.size()) + " configurations failed" +
                           (trials.empty() || trials.front().error.empty()
                                ? ""
                                : ", the first: " + trials.front().error),
                       "try one of them alone");
  return {space.at(best->number), best->value, trials};
}

template <class Measure>
Trial measured(const Space& space, std::uint64_t number, const Measure& measure) {
  try {
    const double value = measure(space.at(number));
    if (!std::isnan(value)) return {number, value, {}};
    return {number, std::numeric_limits<double>::infinity(), "the value is NaN"};
  } catch (const Error& failure) {
    return {number, std::numeric_limits<double>::infinity(), failure.message()};
  }
}

}  // namespace

Found minimize(const Space& space, const std::function<double(const Configuration&)>& measure,
               SearchOptions options) {
  Search search(space, std::move(options));
  for (;;) {
    const auto asked = search.ask();
    if (asked.empty()) return found_of(space, search.trials());
    Trial trial = measured(space, asked.front(), measure);
    search.tell(trial.number, trial.value, std::move(trial.error));
  }
}

Found successive_halving(const Space& space,
                         const std::function<double(const Configuration&, std::size_t)>& measure,
                         const HalvingOptions& options) {
  if (options.rounds == 0 || !(options.keep > 0 && options.keep < 1))
    throw InvalidArgument("rounds is " + std::to_string(options.rounds) + " and keep " +
                              value_text(Value(options.keep)) +
                              ", expected at least 1 and a number between 0 and 1",
                          "leave them out");
  const double last = static_cast<double>(options.rounds - 1);
  const std::size_t first =
      options.first != 0 ? options.first
                         : static_cast<std::size_t>(std::ceil(std::pow(options.keep, -last)));
  std::vector<std::uint64_t> left = space.sample(first, options.seed);
  for (std::size_t round = 0;; ++round) {
    std::vector<Trial> trials;
    for (const std::uint64_t number : left)
      trials.push_back(
          measured(space, number, [&](const Configuration& each) { return measure(each, round); }));
    if (round + 1 == options.rounds) return found_of(space, trials);
    std::ranges::stable_sort(trials, {}, &Trial::value);
    const double kept = std::ceil(static_cast<double>(trials.size()) * options.keep);
    trials.resize(static_cast<std::size_t>(std::max(1.0, kept)));
    left.clear();
    for (const Trial& trial : trials) left.push_back(trial.number);
  }
}

}  // namespace treadle::tune
