// SPDX-License-Identifier: MIT
// The table of the passes is their order, and the options say which of them run.
#include "cuda_cpu/compiler/passes/pass_table.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names_of_all_passes() {
  std::vector<std::string> names;
  for (const Pass& pass : pass_table()) names.emplace_back(pass.name);
  return names;
}

/// The log of a compile that prints the module after each pass.
std::string printed_log(const std::string& text, BackendOptions options) {
  options.passes.printed = names_of_all_passes();
  IrModule module(text);
  std::string log;
  build_module_image(module.take(), options, &log);
  return log;
}

/// The passes that a log shows, in its order; marked where they did not run.
std::vector<std::string> passes_in(const std::string& log) {
  std::vector<std::string> names;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("; ")) continue;
    const std::string name = line.substr(2, line.find(',') - 2);
    if (find_pass(name)) names.push_back(line.substr(2));
  }
  return names;
}

TEST(PassTable, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Pass& pass : pass_table()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_EQ(find_pass(pass.name), &pass);
    EXPECT_EQ(pass.name.find_first_of(" ,"), std::string_view::npos) << pass.name;
  }
  EXPECT_EQ(find_pass("nothing"), nullptr);
}

TEST(PassTable, IsTheOrderInWhichPassesRun) {
  const std::string log = printed_log(strided_sum("load"), {});
  EXPECT_EQ(passes_in(log), names_of_all_passes());
  const auto after = [&](const std::string& pass, const std::string& next) {
    const std::size_t from = log.find("; " + pass + "\n");
    return log.substr(from, log.find("; " + next + "\n") - from);
  };
  EXPECT_THAT(after("check-supported", "kernel-checks"), HasSubstr("@__treadle_thread_index"));
  EXPECT_THAT(after("kernel-bodies", "thread-functions"), HasSubstr("@body.k("));
  EXPECT_THAT(after("region-functions", "block-rows"), HasSubstr("@region.1.body.k("));
  EXPECT_THAT(after("thread-loops", "join-regions"), Not(HasSubstr("@region.1.body.k(")));
  EXPECT_THAT(after("optimize", "scalar-addresses"), HasSubstr("fadd <"));
}

TEST(PassTable, SpeedPassesAreOffWithoutOptimisation) {
  BackendOptions options;
  options.optimization = 0;
  std::vector<std::string> expected;
  for (const Pass& pass : pass_table())
    expected.push_back(std::string(pass.name) +
                       (pass.kind == PassKind::speed ? ", which is off" : ""));
  EXPECT_EQ(passes_in(printed_log(strided_sum("load"), options)), expected);
}

TEST(PassTable, EachSpeedPassCanBeDisabledAlone) {
  for (const Pass& pass : pass_table()) {
    if (pass.kind != PassKind::speed) continue;
    BackendOptions options;
    options.passes.disabled = {std::string(pass.name)};
    for (const std::string& text :
         {strided_sum("load"), std::string(walking_kernel), std::string(indexed_kernel)}) {
      const std::vector<std::string> shown = passes_in(printed_log(text, options));
      EXPECT_THAT(shown, testing::Contains(std::string(pass.name) + ", which is off"));
      EXPECT_EQ(std::ranges::count_if(
                    shown, [](const std::string& name) { return name.ends_with("which is off"); }),
                1);
    }
  }
}

TEST(PassTable, DocsShowTheTable) {
  const char* root = std::getenv("TREADLE_SOURCE_DIR");
  const auto page = std::filesystem::path(root ? root : ".") / "docs/internals/cuda_cpu_passes.md";
  if (!std::filesystem::exists(page)) GTEST_SKIP() << "no source tree on this machine";
  std::string expected;
  for (const Pass& pass : pass_table())
    expected += "| `" + std::string(pass.name) + "` | " +
                (pass.kind == PassKind::speed ? "speed" : "required") + " | " +
                std::string(pass.purpose) + " |\n";
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_NE(text.str().find(expected), std::string::npos)
      << page << " differs from pass_table.cpp; its rows are to be:\n"
      << expected;
}

}  // namespace
}  // namespace treadle::cuda_cpu
