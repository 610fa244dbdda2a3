// SPDX-License-Identifier: MIT
#include "treadle/tune/foreign_wisdom.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "treadle/base/error.hpp"

namespace treadle::tune {
namespace {

using testing::HasSubstr;

// As version 1.5 writes it, shortened; it closes the two braces at the end of a run only.
constexpr const char* kernel_tuner_cache = R"({
"device_name": "GPU 1",
"kernel_name": "vector_add",
"problem_size": [4096, 512],
"tune_params_keys": [
"block_size_x",
"kind"
],
"tune_params": {
"block_size_x": [
32,
64
],
"kind": [
"a \"b\""
]
},
"objective": [
"time"
],
"cache": {
"32,a": {"block_size_x": 32, "kind": "a \"b\"", "time": 0.7, "times": [0.5, 0.4, 1.2], "compile_time": 100.2, "timestamp": "2026-11-30 00:09:00.321215+00:00"},
"64,a": {"block_size_x": 64, "kind": "a \"b\"", "time": "CompilationFailedConfig", "compile_time": 5},
"96,a": {"block_size_x": 96, "kind": "a \"b\"", "time": 2.5},)";

constexpr const char* launcher_wisdom = R"(# a comment
{"version":  "1.0", "objective":  "time", "tunable_parameters": ["block_size_x", "unroll"], "key": "f"}
{"config":  [32, true], "problem_size":  [100], "environment": {"device_name":  "GPU 1"}, "time":  0.5}

{"config":  [64, false], "problem_size":  [200], "environment": {"device_name":  "GPU 2"}, "time":  4}
)";

StoreKey key(const std::string& kernel, ProblemSignature problem, const std::string& device) {
  return {kernel, std::move(problem), {.device = device}};
}
std::string refusal(const std::string& text) {
  try {
    foreign_wisdom(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ForeignWisdomTest, ACacheOfKernelTunerIsReadBeforeAndAfterItsRunEnded) {
  for (const std::string end : {"", "\n}\n}", "\n", "}}"}) {
    std::string text = kernel_tuner_cache;
    if (end.find('}') != std::string::npos) text.pop_back();  // the last comma
    Store store({});
    ASSERT_EQ(store.import_lines(foreign_wisdom(text + end)), 3u);
    const StoreKey known =
        key("vector_add", {{"x", std::int64_t{4096}}, {"y", std::int64_t{512}}}, "GPU 1");
    const auto kept = store.attempts(known);
    ASSERT_EQ(kept.size(), 3u);
    EXPECT_DOUBLE_EQ(kept[0].measured.seconds, 0.5e-3);  // the median, without the first run
    EXPECT_EQ(kept[0].measured.samples.size(), 3u);
    EXPECT_EQ(kept[0].values.at("block_size_x"), Value(std::int64_t{32}));
    EXPECT_EQ(kept[0].values.at("kind"), Value(std::string("a \"b\"")));
    EXPECT_EQ(kept[0].values.size(), 2u);
    EXPECT_DOUBLE_EQ(kept[1].measured.seconds, 2.5e-3);
    EXPECT_EQ(kept[2].measured.outcome, Outcome::compile_error);
    EXPECT_EQ(kept[2].measured.error, "CompilationFailedConfig");
    EXPECT_EQ(store.choose(known).match, Match::exact);
  }
}

TEST(ForeignWisdomTest, AProblemOfOneNumberIsX) {
  std::string text = kernel_tuner_cache;
  text.replace(text.find("[4096, 512]"), 11, "100000");
  Store store({});
  store.import_lines(foreign_wisdom(text));
  EXPECT_EQ(store.choose(key("vector_add", {{"x", std::int64_t{100000}}}, "GPU 1")).match,
            Match::exact);
}

TEST(ForeignWisdomTest, WisdomOfKernelLauncherIsRead) {
  Store store({});
  ASSERT_EQ(store.import_lines(foreign_wisdom(launcher_wisdom)), 2u);
  const Choice found = store.choose(key("f", {{"x", std::int64_t{90}}}, "GPU 1"));
  EXPECT_EQ(found.match, Match::near_problem);
  EXPECT_DOUBLE_EQ(found.seconds, 0.5e-3);
  EXPECT_EQ(found.values.at("unroll"), Value(true));
  EXPECT_EQ(store.choose(key("f", {{"x", std::int64_t{200}}}, "GPU 2")).match, Match::exact);
}

// So that a kernel of this program is launched by it.
TEST(ForeignWisdomTest, NamesOfTheCallerStandInThePlaceOfTheFiles) {
  const StoreKey mine{"mine-1", {{"n", std::int64_t{7}}}, {"GPU 9", "sm_1", "d", "c", "t"}};
  Store store({});
  store.import_lines(foreign_wisdom(
      kernel_tuner_cache,
      {.kernel = mine.kernel, .problem = mine.problem, .environment = mine.environment}));
  EXPECT_EQ(store.choose(mine).match, Match::exact);
}

TEST(ForeignWisdomTest, WisdomOfAStoreStaysAsItIs) {
  Store store({});
  store.import_lines(foreign_wisdom(launcher_wisdom));
  EXPECT_EQ(foreign_wisdom(store.export_lines()), store.export_lines());
}

TEST(ForeignWisdomTest, SaysWhatIsWrong) {
  for (const char* text : {"", "hello", "{}", "[1]", "{\"cache\": {}}"})
    EXPECT_THAT(refusal(text), HasSubstr("no wisdom that Treadle knows")) << text;
  EXPECT_THAT(refusal(std::string(launcher_wisdom) + "{\"config\": [1]}"),
              HasSubstr("line 6 of the wisdom of Kernel Launcher lacks time"));
  EXPECT_THAT(refusal(std::string(launcher_wisdom) + "{\"config"),
              HasSubstr("line 6 of the wisdom of Kernel Launcher is no JSON"));
  EXPECT_THAT(refusal("{\"tune_params_keys\": [], \"cache\": {\"1\": 3}}"), HasSubstr("'1'"));
}

}  // namespace
}  // namespace treadle::tune
