// SPDX-License-Identifier: MIT
#include "treadle/process/coverage.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "process/coverage_file.hpp"
#include "process/coverage_map.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A text of five lines: the second is reached by counter 0, the third by 1, the fourth by the
/// difference; whether it is the third or the fourth is a branch.
CoverageMap map_of_ways(const std::string& name) {
  CoverageMap map;
  map.texts.push_back({name, "void f() {\n  if (a)\n    b();\n  else c(); // &\n}\n"});
  const CounterSum all{{{0, false}}}, some{{{1, false}}}, others{{{0, false}, {1, true}}};
  map.lines = {{0, 2, {all}}, {0, 3, {some}}, {0, 4, {others}}};
  map.branches = {{0, 2, 7, some, others}};
  map.functions = {{"f() with spaces", 0, 1, all}};
  return map;
}

class CoverageTest : public ::testing::Test {
 protected:
  CoverageTest() {
    std::string name = (fs::temp_directory_path() / "treadle-coverage-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~CoverageTest() override { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "kernels.cov"; }

  fs::path folder_;
};

TEST_F(CoverageTest, ProcessesAddToTheSameCounters) {
  const std::string map = map_of_ways("a.cu").encoded();
  const pid_t child = fork();
  std::uint64_t* const counters = coverage_counters(file(), map, 2);
  for (int i = 0; i < 1000; ++i) __atomic_fetch_add(&counters[0], 1, __ATOMIC_RELAXED);
  if (child == 0) _exit(0);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(counters[0], 2000u);
  EXPECT_EQ(coverage_counters(file(), map, 2), counters);
  const auto texts = read_coverage(file());
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].lines.at(0).count, 2000u);
  EXPECT_EQ(texts[0].lines.at(2).count, 2000u);
  EXPECT_EQ(texts[0].missed_lines(), 1u);
  EXPECT_EQ(texts[0].missed_ways(), 1u);
  EXPECT_EQ(texts[0].functions.at(0).name, "f() with spaces");
  reset_coverage(file());
  EXPECT_EQ(counters[0], 0u);
}

TEST_F(CoverageTest, SameTextsAreSummedAndOthersOfTheNameStandApart) {
  coverage_counters(file(), map_of_ways("b.cu").encoded(), 2)[0] = 3;
  CoverageMap other = map_of_ways("b.cu");
  other.functions.clear();  // another module of the same text
  coverage_counters(file(), other.encoded(), 2)[0] = 4;
  other.texts[0].text += "// more";
  coverage_counters(file(), other.encoded(), 2)[1] = 1;
  const auto texts = read_coverage(file());
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].name, "b.cu");
  EXPECT_EQ(texts[0].lines.at(0).count, 7u);
  EXPECT_EQ(texts[1].name, "b.cu (2)");
  EXPECT_EQ(texts[1].lines.at(2).count, 0u) << "a difference below zero is nobody";
}

TEST_F(CoverageTest, ReportsSayWhatIsMissing) {
  coverage_counters(file(), map_of_ways("c.cu").encoded(), 2)[0] = 5;
  const auto texts = read_coverage(file());
  EXPECT_THAT(coverage_table(texts), HasSubstr("   2 never true, 3\n"));
  EXPECT_THAT(coverage_page(texts), HasSubstr("  else c(); // &amp;</span>"));
  EXPECT_THAT(coverage_lcov(texts), HasSubstr("BRDA:2,0,0,0\nBRDA:2,0,1,5\n"));
  EXPECT_THAT(coverage_xml(texts), HasSubstr("condition-coverage=\"50% (1/2)\""));
  const fs::path written = write_coverage_report(texts, "lcov:" + (folder_ / "x.info").string());
  EXPECT_TRUE(fs::exists(folder_ / "x.info.texts" / "c.cu"));
  EXPECT_EQ(written, folder_ / "x.info");
  EXPECT_THROW(write_coverage_report(texts, "html"), InvalidArgument);
}

TEST_F(CoverageTest, OtherFilesAndDamagedOnesAreRefused) {
  std::ofstream(file()) << "something else";
  EXPECT_THROW(read_coverage(file()), InvalidArgument);
  EXPECT_THROW(coverage_counters(file(), "map of another test", 1), InvalidArgument);
  EXPECT_THROW(CoverageMap::decode("line 0 1 +0\n"), InvalidArgument);
  EXPECT_THROW(CoverageMap::decode("text 5 999\nname\n"), InvalidArgument);
  EXPECT_THROW(coverage_counters(folder_ / "absent" / "x", "map", 1), FileError);
}

}  // namespace
}  // namespace treadle
