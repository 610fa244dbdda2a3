// SPDX-License-Identifier: MIT
#include "treadle/cuda/printing.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

std::string sunk;
void sink_text(const char* text, std::size_t size_bytes) { sunk.append(text, size_bytes); }

class Printing : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    sunk.clear();
  }
  void TearDown() override {
    set_print_sink(nullptr);
    OnEachProvider::TearDown();
  }
  void say(int number) {
    if (!module_)
      module_.emplace(compile::compile_cuda(
                          R"(#include <stdio.h>
                           extern "C" __global__ void say(int x) { printf("%d;", x); })",
                          compile::Target::parse(device().target()), {})
                          .image);
    module_->function("say").launch({.grid = {1}, .block = {2}}, number);
  }
  std::optional<Module> module_;
};
INSTANTIATE_TEST_SUITE_P(Providers, Printing, each_provider, provider_name);

TEST_P(Printing, ACaptureTellsWhatWasPrintedInIt) {
  testing::internal::CaptureStdout();
  say(1);
  PrintCapture capture(context());
  say(2);
  EXPECT_THROW(PrintCapture{context()}, InvalidState);
  say(3);
  const std::string first = capture.end(), second = capture.end();
  say(4);
  context().synchronize();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1;1;4;4;");
  EXPECT_EQ(first, "2;2;3;3;");
  EXPECT_EQ(second, "");
}

TEST_P(Printing, GoesToTheSinkOnTheCpuDevice) {
  if (GetParam() != Provider::cpu) GTEST_SKIP() << "NVIDIA's driver writes to descriptor 1";
  testing::internal::CaptureStdout();
  set_print_sink(sink_text);
  say(2);
  context().synchronize();
  PrintCapture capture(context());
  say(3);
  const std::string captured = capture.end();
  say(4);
  context().synchronize();
  set_print_sink(nullptr);
  say(5);
  context().synchronize();
  const std::string written = testing::internal::GetCapturedStdout();
  EXPECT_EQ(sunk, "2;2;4;4;");
  EXPECT_EQ(captured, "3;3;");
  EXPECT_EQ(written, "5;5;");
}

TEST_P(Printing, ACaptureThatIsLeftPutsItBack) {
  {
    const PrintCapture capture(context());
  }
  const PrintCapture another(context());
}

}  // namespace
}  // namespace treadle::cuda
