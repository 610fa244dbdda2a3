// SPDX-License-Identifier: MIT
#include "treadle/opencl/program_binary.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "opencl/each_platform.hpp"
#include "treadle/opencl/error.hpp"
#include "treadle/opencl/platform.hpp"

namespace treadle::opencl {
namespace {

class ProgramBinaryTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(Platforms, ProgramBinaryTest, each_platform, platform_test_name);

constexpr const char* set_value =
    "__kernel void set(__global int* a) { a[get_global_id(0)] = VALUE; }";

TEST_P(ProgramBinaryTest, ABinaryIsAProgramAgain) {
  const ProgramBinary binary = compile_binary(context(), device(), set_value, "-DVALUE=7");
  const auto program =
      Program::from_binaries(context(), std::span(&device(), 1), std::span(&binary.code, 1));
  program.build();
  EXPECT_THAT(program.kernel_names(), testing::ElementsAre("set"));
}

TEST_P(ProgramBinaryTest, AFailingBuildShowsItsLog) {
  try {
    compile_binary(context(), device(), set_value);
    FAIL() << "nothing was thrown";
  } catch (const BuildError& error) {
    EXPECT_THAT(error.log(), testing::HasSubstr("VALUE"));
  }
}

TEST_P(ProgramBinaryTest, P3_TheIdentityNamesEachPartOnceAndIsTheSameEachTime) {
  const auto identity = binary_identity(device());
  std::set<std::string> names;
  for (const auto& [name, value] : identity) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(value.empty()) << name;
  }
  EXPECT_EQ(names.count("driver version"), 1u);
  EXPECT_EQ(identity, binary_identity(device()));
}

TEST_P(ProgramBinaryTest, ManyKernelsAreCostlyWhereEachIsCompiledForTheBinary) {
  const bool is_pocl = device().platform().name() == "Portable Computing Language";
  std::string text = "// kernels, my__kernel\n";
  for (int i = 0; i < 4; ++i)
    text += i % 2 == 0 ? "kernel void f() {}\n" : "__kernel void g() {}\n";
  EXPECT_FALSE(is_costly_as_binary(device(), text));
  EXPECT_EQ(is_costly_as_binary(device(), text + "kernel"), is_pocl);
}

}  // namespace
}  // namespace treadle::opencl
