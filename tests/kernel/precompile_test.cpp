// SPDX-License-Identifier: MIT
#include "treadle/kernel/precompile.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "device/each_device.hpp"
#include "treadle/compile/cache.hpp"

namespace treadle::kernel {
namespace {

class PrecompileTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, PrecompileTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(PrecompileTest, AProgramOfTheSameIsFoundCompiled) {
  const auto device = device::find_device(GetParam());
  const auto folder =
      std::filesystem::temp_directory_path() / ("treadle-precompile-" + std::to_string(getpid()));
  const ProgramOptions options{.flags = {"-DSTEP=3"}, .cache_dir = folder};
  const std::string text =
      "#include <treadle/dialect.h>\n"
      "TREADLE_KERNEL f(TREADLE_GLOBAL int *x) { x[treadle_global_id(0)] += STEP; }\n";
  if (device->info().traits.builds_text) {
    EXPECT_THROW(precompile(device->info(), text, options), NotSupported);
    return;
  }
  EXPECT_EQ(precompile(device->info(), text, options).origin, compile::Origin::compiled);
  const Program program(device, text, options);
  EXPECT_NE(program.origin(), compile::Origin::compiled);
  EXPECT_EQ(program.kernel("f").name(), "f");
  compile::clear_memory_cache();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace treadle::kernel
