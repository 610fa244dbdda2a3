// SPDX-License-Identifier: MIT
#include "treadle/compile/toolchain.hpp"

#include <gmock/gmock.h>

#include "compile/nvcc.hpp"
#include "compile/process.hpp"
#include "scratch.hpp"
#include "treadle/base/error.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Toolchain, status_names_every_compiler_and_every_place) {
  has_nvrtc();
  const auto all = compiler_status();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "NVRTC");
  EXPECT_EQ(all[1].name, "CPU compiler");
  EXPECT_EQ(all[2].name, "nvcc");
  for (const CompilerStatus& status : all) {
    EXPECT_THAT(status.tried, Not(IsEmpty())) << status.name;
    if (status.path.empty()) {
      EXPECT_NE(status.problem, "") << status.name;
      EXPECT_NE(status.hint, "") << status.name;
    } else {
      EXPECT_NE(status.identity, "") << status.name;
    }
  }
}

TEST(Toolchain, that_of_a_target_is_one_of_them) {
  const auto all = compiler_status();
  EXPECT_EQ(compiler_status(Target::parse("sm_90")).identity, all[0].identity);
  EXPECT_EQ(compiler_status(Target::host_cpu()).identity, all[1].identity);
}

TEST(Toolchain, the_driver_decides_what_fits) {
  TREADLE_NEEDS_NVRTC();
  set_driver_version(11080);
  EXPECT_EQ(driver_version(), 11080);
  EXPECT_THAT(compiler_status()[0].problem, HasSubstr("driver"));
  set_driver_version(0);
  EXPECT_EQ(compiler_status()[0].problem, "");
}

TEST(Process, output_and_status_come_back) {
  const ScratchFolder dir;
  const ProcessResult result =
      run_process({"sh", "-c", "echo out; echo err >&2; pwd; exit 3"}, dir.path());
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.output, "out\nerr\n" + std::filesystem::canonical(dir.path()).string() + "\n");
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, dir.path()).exit_status, 128 + 9);
  EXPECT_THROW(run_process({"/nowhere/nvcc"}, dir.path()), LibraryNotFound);
}

TEST(Process, temporary_folders_are_private_and_go_away) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Nvcc, make_rules_are_read) {
  EXPECT_THAT(files_of_make_rule("k.cubin : kernel.cu \\\n  /usr/a.h \\\n /b\\ c.h /d$$.h\n"),
              ElementsAre("kernel.cu", "/usr/a.h", "/b c.h", "/d$.h"));
  EXPECT_THAT(files_of_make_rule("nothing"), IsEmpty());
}

}  // namespace
}  // namespace treadle::compile
