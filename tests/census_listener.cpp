// SPDX-License-Identifier: MIT
// P14 in every test program: a test that leaves objects of a run-time system behind fails, and says
// of which kind. Linked in by treadle_test().
#include <gtest/gtest.h>

#include "holds_devices.hpp"
#include "treadle/process/census.hpp"

namespace treadle {
namespace {

class CensusListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { before_ = live_objects(); }
  void OnTestEnd(const testing::TestInfo&) override {
    if (holds_devices()) return;
    for (const auto& [kind, count] : live_objects()) {
      const auto known = before_.find(kind);
      const long was = known == before_.end() ? 0 : known->second;
      EXPECT_EQ(count, was) << "P14: this test leaves objects of kind \"" << kind << "\" behind";
    }
  }
  std::map<std::string, long> before_;
};

// A suite's objects, made in SetUpTestSuite, are there before its first test and after its last.
[[maybe_unused]] const bool is_listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new CensusListener);
  return true;
}();

}  // namespace
}  // namespace treadle
