// SPDX-License-Identifier: MIT
#include "treadle/tune/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "treadle/base/error.hpp"
#include "tune/models.hpp"

namespace treadle::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Strategy all_strategies[] = {Strategy::automatic,
                                       Strategy::exhaustive,
                                       Strategy::random,
                                       Strategy::hill_climbing,
                                       Strategy::annealing,
                                       Strategy::genetic,
                                       Strategy::differential_evolution};

Space small_space() {
  Space space;
  space.add_powers_of_two("x", 1, 64).add_powers_of_two("y", 1, 64).require("x * y <= 512");
  return space;
}
double small_seconds(const Configuration& c) {
  return 1 + std::abs(c.get<double>("x") - 16) + std::abs(c.get<double>("y") - 8);
}

TEST(SearchTest, TriesEachConfigurationOnceUntilAllWereTried) {
  const Space space = small_space();
  for (const Strategy strategy : all_strategies) {
    for (const std::size_t at_a_time : {1, 3, 100}) {
      Search search(space, {.strategy = strategy, .seed = 5});
      std::set<std::uint64_t> seen;
      while (!search.is_over()) {
        const auto asked = search.ask(at_a_time);
        ASSERT_FALSE(asked.empty()) << strategy_name(strategy);
        for (const std::uint64_t number : asked) {
          EXPECT_TRUE(seen.insert(number).second);
          search.tell(number, small_seconds(space.at(number)));
        }
      }
      EXPECT_EQ(seen.size(), space.size());
      ASSERT_NE(search.best(), nullptr);
      EXPECT_EQ(space.at(search.best()->number).text(), "x=16, y=8");
    }
  }
}

// Where several are measured at the same time, results come late and in another order.
TEST(SearchTest, TakesResultsInAnyOrder) {
  const Space space = product_space();
  for (const Strategy strategy : all_strategies) {
    Search search(space, {.strategy = strategy, .budget = {.evaluations = 300}, .seed = 1});
    std::vector<std::uint64_t> waiting;
    while (!search.is_over() || !waiting.empty()) {
      for (const std::uint64_t number : search.ask(8 - waiting.size())) waiting.push_back(number);
      ASSERT_FALSE(waiting.empty()) << strategy_name(strategy);
      const std::uint64_t number = waiting[waiting.size() / 2];
      std::erase(waiting, number);
      search.tell(number, product_seconds(space.at(number)));
    }
    EXPECT_EQ(search.trials().size(), 300u);
  }
}

// Median of ten seeds within 2 % of the best by 5 % of the evaluations.
TEST(SearchTest, FindsTheBestOfALargeSpaceByFewEvaluations) {
  const Space space = product_space();
  std::vector<double> seconds;
  for (std::uint64_t number = 0; number < space.size(); ++number)
    seconds.push_back(product_seconds(space.at(number)));
  const double best = *std::ranges::min_element(seconds);
  const auto measure = [&](const Configuration& c) { return seconds[*space.find(c)]; };
  for (const Strategy strategy : {Strategy::automatic, Strategy::annealing, Strategy::genetic,
                                  Strategy::differential_evolution}) {
    std::vector<double> found;
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      found.push_back(
          minimize(
              space, measure,
              {.strategy = strategy, .budget = {.evaluations = space.size() / 20}, .seed = seed})
              .value);
    std::ranges::sort(found);
    EXPECT_LT((found[4] + found[5]) / 2, 1.02 * best) << strategy_name(strategy);
  }
}

TEST(SearchTest, GoesOnPastFailures) {
  const Space space = small_space();
  for (const Strategy strategy : all_strategies) {
    const Found found = minimize(space,
                                 [](const Configuration& c) {
                                   if (c.get<double>("x") > 16) throw NotSupported("too wide");
                                   if (c.get<double>("y") > 8)
                                     return std::numeric_limits<double>::quiet_NaN();
                                   return small_seconds(c);
                                 },
                                 {.strategy = strategy});
    EXPECT_EQ(found.configuration.text(), "x=16, y=8");
    EXPECT_EQ(found.trials.size(), space.size());
    std::set<std::string> errors;
    for (const Trial& trial : found.trials) errors.insert(trial.error);
    EXPECT_THAT(errors, ElementsAre("", "the value is NaN", "too wide"));
  }
  try {
    minimize(space, [](const Configuration&) -> double { throw NotSupported("no device"); });
    ADD_FAILURE();
  } catch (const InvalidState& error) {
    EXPECT_THAT(error.message(), HasSubstr("configurations failed, the first: no device"));
  }
  EXPECT_THROW(minimize(space, [](const Configuration&) -> double { throw 7; }), int);
}

TEST(SearchTest, KeepsToItsBudget) {
  const Space space = product_space();
  const auto count = [&](const Budget& budget) {
    return minimize(space, product_seconds, {.budget = budget}).trials.size();
  };
  EXPECT_EQ(count({.evaluations = 17}), 17u);
  EXPECT_EQ(count({.probability = 0.95, .fraction = 0.02}), 149u);
  EXPECT_EQ(count({.evaluations = 40, .probability = 0.95}), 40u);
  EXPECT_LT(count({.seconds = 1e-3}), space.size());
  EXPECT_THROW(count({.evaluations = 0}), InvalidArgument);
  EXPECT_THROW(count({.seconds = -1.0}), InvalidArgument);
  EXPECT_THROW(count({.probability = 1.0}), InvalidArgument);
  EXPECT_THROW(count({.probability = 0.5, .fraction = 2}), InvalidArgument);
}

TEST(SearchTest, BeginsWithWhatIsKnownToBeGood) {
  const Space space = product_space();
  const Configuration first = space.make({{"depth", std::int64_t{32}}});
  Search search(space, {.start = {first, space.at(3), first}});
  EXPECT_THAT(search.ask(2), ElementsAre(*space.find(first), 3u));
  const Space other = small_space();
  EXPECT_THROW(Search(other, {.start = {first}}), InvalidArgument);
}

TEST(SearchTest, ChoosesByTheSizeOfTheSpace) {
  const Space small = small_space(), large = product_space();
  EXPECT_EQ(Search(small).strategy(), Strategy::exhaustive);
  EXPECT_EQ(Search(large).strategy(), Strategy::hill_climbing);
  EXPECT_EQ(Search(small, {.budget = {.evaluations = 10}}).strategy(), Strategy::hill_climbing);
  EXPECT_EQ(strategy_of("genetic"), Strategy::genetic);
  EXPECT_THROW(strategy_of("genetics"), InvalidArgument);
}

TEST(SearchTest, AGuideNamesWhatIsTried) {
  const Space space = small_space();
  std::uint64_t last = 0;
  std::vector<std::uint64_t> learned;
  SearchOptions options{.strategy = Strategy::guided, .budget = {.evaluations = 3}, .seed = 7};
  EXPECT_THROW(Search(space, options), InvalidArgument);
  options.guide = [&](const Space& searched, std::uint64_t seed) {
    EXPECT_EQ(&searched, &space);
    EXPECT_EQ(seed, 7u);
    return Guide{.next = [&] { return last++ / 2; },  // each twice
                 .learn = [&](std::uint64_t number, double) { learned.push_back(number); }};
  };
  const Found found = minimize(space, small_seconds, options);
  EXPECT_THAT(learned, ElementsAre(0u, 0u, 1u, 1u, 2u));
  EXPECT_EQ(found.trials.size(), 3u);
  last = 2 * space.size();
  EXPECT_THROW(minimize(space, small_seconds, options), IndexError);
}

TEST(SearchTest, RefusesResultsOfNothing) {
  const Space space = small_space();
  Search search(space);
  const std::uint64_t number = search.ask().front();
  EXPECT_THROW(search.tell(space.size(), 1), IndexError);
  search.tell(number, 1);
  EXPECT_THROW(search.tell(number, 1), InvalidState);
}

TEST(SearchTest, ThinsOutByLargerProblems) {
  const Space space = product_space();
  std::vector<std::size_t> counts(3);
  const Found found = successive_halving(space,
                                         [&](const Configuration& c, std::size_t round) {
                                           ++counts[round];
                                           return product_seconds(c) *
                                                  (1 + 0.2 / static_cast<double>(1 << 2 * round) *
                                                           static_cast<double>(*space.find(c) % 7));
                                         },
                                         {.first = 900, .rounds = 3, .keep = 0.1});
  EXPECT_THAT(counts, ElementsAre(900u, 90u, 9u));
  EXPECT_EQ(found.trials.size(), 9u);
  EXPECT_LT(found.value, 2.2);  // a hundredth of all is below 1.94
  EXPECT_THROW(successive_halving(space, {}, {.rounds = 0}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::tune
