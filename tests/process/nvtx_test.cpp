// SPDX-License-Identifier: MIT
#include "process/nvtx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

std::filesystem::path fake_profiler() {
  return std::filesystem::canonical("/proc/self/exe").parent_path() / "libtreadle_fake_profiler.so";
}

class Profilers : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/treadle-nvtx-test-XXXXXX";
    const int file = ::mkstemp(name.data());
    ASSERT_GE(file, 0);
    ::close(file);
    log_ = name;
    ::setenv("TREADLE_FAKE_PROFILER_LOG", name.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TREADLE_FAKE_PROFILER_LOG");
    std::filesystem::remove(log_);
  }
  std::string seen() const {
    std::stringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path log_;
};

TEST_F(Profilers, SeeRangesOfEachThread) {
  const std::optional<Nvtx> nvtx = Nvtx::load(fake_profiler());
  ASSERT_TRUE(nvtx);
  {
    const NvtxRange outer(&*nvtx, "outer");
    const NvtxRange inner(&*nvtx, "inner");
    std::thread([&] { const NvtxRange other(&*nvtx, "other"); }).join();
  }
  EXPECT_EQ(seen(), "1 push outer\n1 push inner\n2 push other\n2 pop\n1 pop\n1 pop\n");
  const NvtxRange none(nullptr, "nobody listens");
}

TEST_F(Profilers, MayWantNothing) {
  ::unsetenv("TREADLE_FAKE_PROFILER_LOG");
  EXPECT_FALSE(Nvtx::load(fake_profiler()));
  EXPECT_FALSE(Nvtx::load("libm.so.6")) << "a library that is no profiler's";
}

TEST_F(Profilers, ThatAreNotThereAreNamed) {
  try {
    Nvtx::load("/nowhere/profiler.so");
    FAIL() << "it was loaded";
  } catch (const LibraryNotFound& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("/nowhere/profiler.so"),
                                             testing::HasSubstr("NVTX_INJECTION64_PATH")));
  }
}

}  // namespace
}  // namespace treadle
