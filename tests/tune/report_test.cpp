// SPDX-License-Identifier: MIT
#include "treadle/tune/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace treadle::tune {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t made = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++made;
  return made;
}

class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    space_.add_powers_of_two("tile", 8, 64).add("kind", {std::string("a<b"), std::string("c")});
    for (std::size_t k = 0; k < space_.size(); ++k)
      store_.add(key(), space_.at(k),
                 {.seconds = 1e-3 * double(1 + k), .measured_at = 100 + double(k)});
  }
  static StoreKey key(const std::string& kernel = "f-1") {
    return {kernel, {{"n", std::int64_t{7}}}, {.device = "GPU \"1\" & 2", .architecture = "sm_1"}};
  }
  Space space_;
  Store store_{{}};
};

TEST_F(ReportTest, ShowsEveryAttemptTheBestAndHowItIsWritten) {
  store_.add(key(), space_.at(3),
             {.outcome = Outcome::wrong_result, .seconds = HUGE_VAL, .error = "x < 3 & y"});
  store_.add(
      key(), space_.at(4),
      {.seconds = 2e-3, .won = true, .text = "if (a < b && c) f<int>();", .measured_at = 104});
  const std::string page = report_page(store_);
  EXPECT_EQ(count(page, "<circle class=\"measured\""), 6u + 2 + 4);  // attempts, and least by value
  EXPECT_EQ(count(page, "<circle class=\"won\""), 1u);
  EXPECT_EQ(count(page, "<line class=\"failed\""), 1u);
  EXPECT_EQ(count(page, "<polyline class=\"attempt\""), 6u);
  EXPECT_EQ(count(page, "<polyline class=\"first\""), 1u);
  EXPECT_EQ(count(page, "<svg"), 4u);
  EXPECT_THAT(page, HasSubstr("Best: <strong>2 ms</strong> by <code>kind='a&lt;b'</code> "
                              "<code>tile=32</code>"));
  EXPECT_THAT(page, HasSubstr("if (a &lt; b &amp;&amp; c) f&lt;int&gt;();"));
  EXPECT_THAT(page, HasSubstr("x &lt; 3 &amp; y"));
  EXPECT_THAT(page, HasSubstr("GPU &quot;1&quot; &amp; 2, sm_1"));
  for (const char* outside : {"<script", "<link", "src=", "url(", "@import"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST_F(ReportTest, TellsWhichParameterMatters) {
  const std::string page = report_page(store_);
  const auto at = page.find("<figcaption>tile: 9");  // of 100 %
  EXPECT_NE(at, std::string::npos);
  EXPECT_LT(at, page.find("<figcaption>kind: "));
}

TEST_F(ReportTest, OneKernelOrAll) {
  store_.add(key("g-1"), space_.at(0), {.seconds = 3});
  EXPECT_EQ(count(report_page(store_), "<section"), 2u);
  EXPECT_EQ(count(report_page(store_), "<a href=\"#tuned"), 2u);
  EXPECT_EQ(count(report_page(store_, "g-1"), "<section"), 1u);
  EXPECT_THAT(report_page(store_, "h"), HasSubstr("Nothing was tuned yet"));
}

TEST_F(ReportTest, WithoutARightVariantItShowsWhatFailed) {
  Store store({});
  store.add(key(), space_.at(0),
            {.outcome = Outcome::compile_error, .seconds = HUGE_VAL, .error = "no such name"});
  EXPECT_THAT(report_page(store),
              testing::AllOf(HasSubstr("No variant is right"), HasSubstr("no such name")));
}

TEST_F(ReportTest, ManyVariantsAndEqualTimes) {
  Space large;
  large.add_powers_of_two("a", 1, 1 << 20).add_powers_of_two("b", 1, 1 << 20).add("c", {true});
  Store store({});
  for (std::size_t k = 0; k < large.size(); ++k) store.add(key(), large.at(k), {.seconds = 1e-6});
  const std::string page = report_page(store);
  EXPECT_EQ(count(page, "<polyline class=\"attempt\""), 399u);
  EXPECT_EQ(count(page, "nan"), 0u);
  EXPECT_EQ(count(page, "inf"), 0u);
}

TEST_F(ReportTest, DurationsAreRead) {
  EXPECT_EQ(duration_text(1.25e-5), "12.5 us");
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(3.4e-10), "0.34 ns");
  EXPECT_EQ(duration_text(1), "1 s");
  EXPECT_EQ(duration_text(4321), "4321 s");
  EXPECT_EQ(duration_text(HUGE_VAL), "never");
}

}  // namespace
}  // namespace treadle::tune
