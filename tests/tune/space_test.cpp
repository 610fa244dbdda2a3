// SPDX-License-Identifier: MIT
#include "treadle/tune/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "treadle/base/error.hpp"
#include "treadle/device/registry.hpp"
#include "tune/models.hpp"

namespace treadle::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Value> integers(std::int64_t first, std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t value = first; value <= last; ++value) values.emplace_back(value);
  return values;
}
std::vector<std::string> texts(const Space& space) {
  std::vector<std::string> made;
  for (std::uint64_t number = 0; number < space.size(); ++number)
    made.push_back(space.at(number).text());
  return made;
}
std::map<std::string, Value> values_of(const Configuration& configuration) {
  std::map<std::string, Value> made;
  for (const std::string& name : configuration.names()) made.emplace(name, configuration[name]);
  return made;
}
template <class Action>
void expect_refusal(const Action& action, const std::string& part) {
  try {
    action();
    ADD_FAILURE() << "expected: " << part;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(SpaceTest, NumbersWhatFulfilsTheConstraints) {
  Space space;
  space.add("a", integers(1, 3)).add("b", {true, false}).require("a != 2 or b");
  EXPECT_EQ(space.cartesian_size(), 6u);
  EXPECT_THAT(texts(space), ElementsAre("a=1, b=True", "a=1, b=False", "a=2, b=True", "a=3, b=True",
                                        "a=3, b=False"));
  for (std::uint64_t number = 0; number < space.size(); ++number)
    EXPECT_EQ(space.find(space.at(number)), number);
  EXPECT_EQ(space.find(std::vector<std::uint32_t>{1, 1}), std::nullopt);
  EXPECT_EQ(space.at(0).get<std::int64_t>("a"), 1);
  EXPECT_EQ(space.at(0).get<double>("a"), 1.0);
  EXPECT_TRUE(space.at(0).get<bool>("b"));
  expect_refusal([&] { space.at(5); }, "number is 5, expected less than size(), 5");
  expect_refusal([&] { space.at(0)["c"]; }, "no parameter 'c'");
  expect_refusal([&] { space.at(0).get<std::string>("a"); }, "of another type");
}

// A random space beside what nested loops find.
TEST(SpaceTest, HasWhatNestedLoopsFind) {
  std::uint32_t state = 1;
  const auto below = [&](std::uint32_t end) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % end;
  };
  const char* const names[] = {"a", "b", "c", "d", "e"};
  for (int round = 0; round < 200; ++round) {
    Space space;
    for (const char* name : names) space.add(name, integers(1, 1 + below(4)));
    std::vector<Formula> formulas;
    for (std::uint32_t k = below(4); k > 0; --k) {
      const std::string x = names[below(5)], y = names[below(5)], z = names[below(5)];
      const std::string all[] = {x + " + " + y + " <= " + z + " * 2", x + " != " + y,
                                 x + " * " + y + " % 3 != 1", x + " <= " + y + " or " + z + " > 1"};
      formulas.emplace_back(all[below(4)]);
      space.require(formulas.back().text());
    }
    Space plain;
    for (const char* name : names) plain.add(name, space.values(name));
    std::vector<std::string> expected;
    for (std::uint64_t number = 0; number < plain.size(); ++number) {
      const Configuration each = plain.at(number);
      bool fulfils = true;
      for (const Formula& formula : formulas)
        fulfils = fulfils && is_true(plain.evaluate(formula, each));
      if (fulfils) {
        expected.push_back(each.text());
        EXPECT_EQ(space.make(values_of(each)), each);
      } else {
        EXPECT_THROW(space.make(values_of(each)), InvalidArgument);
      }
    }
    if (expected.empty())
      EXPECT_THROW(space.size(), InvalidArgument);
    else
      EXPECT_EQ(texts(space), expected);
  }
}

TEST(SpaceTest, GivesOneValueToParametersThatMeanNothing) {
  Space space;
  space.add("local", {false, true});
  space.add("padding", integers(0, 2), {.when = "local"});
  space.add("stages", integers(2, 3), {.when = "local", .otherwise = Value(std::int64_t{1})});
  EXPECT_EQ(space.size(), 1u + 3 * 2);
  EXPECT_EQ(space.at(0).text(), "local=False, padding=0, stages=1");
  EXPECT_EQ(space.at(1).text(), "local=True, padding=0, stages=2");
  for (std::uint64_t number = 0; number < space.size(); ++number)
    EXPECT_EQ(space.make(values_of(space.at(number))), space.at(number));
  expect_refusal([&] { space.make({{"local", false}, {"padding", std::int64_t{1}}}); },
                 "no configuration of the space has local=False, padding=1");
  auto other = values_of(space.at(0));
  other["stages"] = std::int64_t{2};
  expect_refusal([&] { space.make(other); }, "no configuration of the space has local=False");
}

TEST(SpaceTest, CountsAndDrawsFromTenMillionPoints) {
  Space space;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) space.add(name, integers(1, 10));
  for (const char* formula : {"a * b <= 50", "c * d <= a * 20", "e % 2 == 0 or f > 3", "g <= a + b",
                              "b != c", "f * g * e <= 300"})
    space.require(formula);
  EXPECT_EQ(space.cartesian_size(), 10'000'000u);
  EXPECT_EQ(space.size(), 3'924'954u);
  const auto drawn = space.sample(1000, 7);
  EXPECT_EQ(drawn, space.sample(1000, 7));
  EXPECT_NE(drawn, space.sample(1000, 8));
  EXPECT_EQ(std::set<std::uint64_t>(drawn.begin(), drawn.end()).size(), 1000u);
  for (const std::uint64_t number : drawn) EXPECT_EQ(space.find(space.at(number)), number);
}

TEST(SpaceTest, DrawsEachConfigurationEquallyOften) {
  Space space;
  space.add("a", integers(1, 6)).add("b", integers(1, 6)).require("a + b <= 8");
  std::vector<int> counts(space.size());
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    for (const std::uint64_t number : space.sample(3, seed)) ++counts[number];
  const double expected = 9000.0 / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_square, 49.7);  // of 26 values more than this in 0.1 % of cases, less by far here
  EXPECT_EQ(space.sample(1000).size(), space.size());
}

TEST(SpaceTest, KnowsTheDeviceAndTheProblem) {
  Space space;
  space.add_powers_of_two("x", 1, 4096).let("n", std::int64_t{100});
  space.let(device::find_device("null")->info());
  space.require("x <= device.max_group_x and x <= n");
  EXPECT_EQ(space.values("x").size(), 13u);
  EXPECT_EQ(space.at(space.size() - 1).text(), "x=64");
  EXPECT_EQ(space.evaluate(Formula("ceil_div(n, x) * rows"), space.at(3), {{"rows", Value(2.0)}}),
            Value(26.0));
}

TEST(SpaceTest, KeepsWhatOnlyACompilerKnows) {
  Space space;
  space.add("x", integers(1, 3)).require("x > 1").require("kernel.registers <= 255 // x");
  EXPECT_EQ(space.size(), 2u);
  ASSERT_EQ(space.late_constraints().size(), 1u);
  const auto& late = space.late_constraints().front();
  EXPECT_EQ(space.evaluate(late, space.at(0), {{"kernel.registers", std::int64_t{128}}}),
            Value(false));
}

TEST(SpaceTest, AsksFunctionsOnce) {
  Space space;
  std::multiset<std::string> asked;
  space.add("a", integers(1, 3)).add("b", integers(1, 4)).add("c", integers(1, 5));
  space.require("a < 3").require({"c", "a"}, [&](std::span<const Value> values) {
    asked.insert(value_text(values[0]) + value_text(values[1]));
    return values[0] != values[1];
  });
  EXPECT_EQ(space.size(), 2u * 4 * 4);
  EXPECT_EQ(asked.size(), 10u);
  for (const std::string& each : asked) EXPECT_EQ(asked.count(each), 1u);
}

TEST(SpaceTest, FindsNeighbours) {
  Space space;
  space.add("a", integers(1, 5))
      .add("kind", {std::string("x"), std::string("y"), std::string("z")});
  space.require("a != 4 or kind == 'x'");
  const std::uint64_t number = *space.find(space.make({{"a", std::int64_t{3}}, {"kind", "y"}}));
  const auto named = [&](Neighbourhood neighbourhood) {
    std::vector<std::string> made;
    for (const std::uint64_t each : space.neighbours(number, neighbourhood))
      made.push_back(space.at(each).text());
    return made;
  };
  EXPECT_THAT(named(Neighbourhood::hamming),
              ElementsAre("a=1, kind='y'", "a=2, kind='y'", "a=5, kind='y'", "a=3, kind='x'",
                          "a=3, kind='z'"));
  EXPECT_THAT(named(Neighbourhood::adjacent),
              ElementsAre("a=2, kind='y'", "a=3, kind='x'", "a=3, kind='z'"));
}

TEST(SpaceTest, MakesConfigurationsOfSomeValues) {
  Space space = product_space();
  const Configuration made = space.make({{"group_y", std::int64_t{32}}, {"stage", "local"}});
  EXPECT_EQ(made["group_y"], Value(std::int64_t{32}));
  EXPECT_TRUE(space.find(made));
  expect_refusal([&] { space.make({{"group_y", std::int64_t{33}}}); },
                 "'group_y' is 33, expected one of 1, 2, 4, 8, 16, 32");
  expect_refusal([&] { space.make({{"groupy", std::int64_t{32}}}); }, "use 'group_y'");
  expect_refusal(
      [&] { space.make({{"items_x", std::int64_t{16}}, {"items_y", std::int64_t{16}}}); },
      "no configuration of the space has items_x=16, items_y=16");
}

TEST(SpaceTest, RefusesWhatCannotBe) {
  Space space;
  expect_refusal([&] { space.size(); }, "the space has no parameters");
  expect_refusal([&] { space.add("a", {}); }, "values of 'a' is empty");
  expect_refusal([&] { space.add("a b", {true}); }, "name is 'a b'");
  expect_refusal([&] { space.add("a", {std::int64_t{1}, 1.0}); }, "has 1.0 twice");
  expect_refusal([&] { space.add_powers_of_two("a", 3, 8); }, "expected powers of two");
  space.add("alpha", integers(1, 4)).add("beta", integers(1, 4));
  expect_refusal([&] { space.add("alpha", {true}); }, "has 'alpha' already");
  expect_refusal([&] { space.let("alpha", true); }, "no parameter");
  expect_refusal([&] { space.require({"gamma"}, [](auto) { return true; }); }, "parameter 'gamma'");
  expect_refusal([&] { space.require({"alpha"}, {}); }, "function is empty");
  space.require("alpha > 1").require("alpha + beta < 3");
  expect_refusal([&] { space.size(); },
                 "fulfils 'alpha > 1', without which there are 1\n  try: correct that");
  Space other;
  other.add("alpha", integers(1, 4)).require("alphas > 1");
  expect_refusal([&] { other.size(); }, "use 'alpha'");
  Space third;
  third.add("a", integers(0, 4)).require("8 % a == 0");
  expect_refusal([&] { third.size(); }, "divides by zero for a = 0");
}

}  // namespace
}  // namespace treadle::tune
