// SPDX-License-Identifier: MIT
#include "treadle/device/module.hpp"

#include <gmock/gmock.h>

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class ModuleTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ModuleTest, each_device(), device_test_name);

TEST_P(ModuleTest, KernelIsFoundByItsName) {
  const kernel::Program program = compile(kernels_text);
  EXPECT_EQ(program.kernel("scale").name(), "scale");
  EXPECT_EQ(&program.kernel("scale").device(), device().get());
}

TEST_P(ModuleTest, NamesAreThoseThatKernelTakes) {
  const kernel::Program program = compile(kernels_text);
  const auto names = program.kernel_names();
  if (names.empty()) GTEST_SKIP() << info().runtime << " does not list kernels";
  EXPECT_THAT(names, testing::UnorderedElementsAre("scale", "add_to", "set_all", "store_wide",
                                                   "wait_then_set", "no_parameters"));
  for (const std::string& name : names) EXPECT_EQ(program.kernel(name).name(), name);
}

TEST_P(ModuleTest, UnknownNameGivesTheNearest) {
  const kernel::Program program = compile(kernels_text);
  expect_error<InvalidArgument>([&] { program.kernel("scael"); }, {"no kernel \"scael\""});
  if (!program.kernel_names().empty())
    expect_error<InvalidArgument>([&] { program.kernel("scael"); }, {"\"scale\""});
  EXPECT_THROW(program.kernel(""), InvalidArgument);
}

TEST_P(ModuleTest, KernelKeepsTheModule) {
  const Kernel scale = compile(kernels_text).kernel("scale");
  const Buffer buffer(device(), std::vector<float>{1, 2, 3});
  stream().launch(scale, shape_for(3), buffer, 2.0f, 3);
  stream().synchronize();
  std::vector<float> values(3);
  buffer.copy_to(values);
  if (runs_kernels()) {
    EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
  }
}

TEST_P(ModuleTest, LaunchedModuleMayGoBeforeItHasRun) {
  const Buffer buffer = buffer_of({0});
  {
    const Kernel slow = compile(kernels_text).kernel("wait_then_set");
    stream().launch(slow, {.groups = 1}, buffer, 2000000, 9);
  }
  stream().synchronize();
  if (runs_kernels()) {
    EXPECT_EQ(contents(buffer), std::vector<int>{9});
  }
}

TEST_P(ModuleTest, TwoLoadsAreTwoModules) {
  const kernel::Program a = compile(kernels_text), b = compile(kernels_text);
  EXPECT_NE(&a.module(), &b.module());
  EXPECT_EQ(a.kernel("scale").parameters().size(), b.kernel("scale").parameters().size());
}

TEST_P(ModuleTest, ThreadsMayAskForKernelsAtOnce) {
  const kernel::Program program = compile(kernels_text);
  on_threads(4, [&](int) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(program.kernel("add_to").name(), "add_to");
  });
}

}  // namespace
}  // namespace treadle::device
