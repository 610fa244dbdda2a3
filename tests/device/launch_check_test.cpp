// SPDX-License-Identifier: MIT
#include "device/launch_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/device/null.hpp"

namespace treadle::device {
namespace {

using testing::HasSubstr;

class LaunchCheckTest : public testing::Test {
 protected:
  Kernel kernel_with(std::vector<Parameter> parameters, bool known = true) const {
    auto state = std::make_shared<KernelState>();
    state->device = device_;
    state->name = std::string("k");
    state->parameters = std::move(parameters);
    state->parameters_known = known;
    state->max_group_items = 512;
    state->group_limit_reason = "it uses 96 registers";
    return Kernel(state);
  }
  std::string refusal(const Kernel& kernel, const LaunchShape& shape,
                      const std::vector<Argument>& arguments) const {
    try {
      check_launch(kernel, shape, arguments, *device_);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return {};
  }
  std::shared_ptr<Device> device_ = make_null_device();
};

TEST_F(LaunchCheckTest, UnknownParametersTakeAnything) {
  EXPECT_EQ(refusal(kernel_with({}, false), {}, {1, 2.0, Location{1, 0}}), "");
}

TEST_F(LaunchCheckTest, UnknownKindsAreCheckedBySize) {
  const Kernel kernel = kernel_with({{.size_bytes = 8}, {.size_bytes = 4}});
  EXPECT_EQ(refusal(kernel, {}, {Location{1, 0}, 1.0f}), "");
  EXPECT_EQ(refusal(kernel, {}, {std::uint64_t{1}, 1}), "");
  EXPECT_THAT(refusal(kernel, {}, {Location{1, 0}, 1.0}), HasSubstr("8 bytes"));
  EXPECT_THAT(refusal(kernel, {}, {Location{1, 0}, Location{}}), HasSubstr("device memory"));
}

TEST_F(LaunchCheckTest, RefusalsNameParameterAndType) {
  const Kernel kernel =
      kernel_with({{.name = "n", .type = "int", .kind = ParameterKind::integer, .size_bytes = 4}});
  EXPECT_THAT(refusal(kernel, {}, {1.0f}),
              HasSubstr("kernel \"k\": argument 0 is a floating-point number of 4 bytes, parameter "
                        "0 (int n) takes an integer"));
  EXPECT_THAT(refusal(kernel, {}, {}), HasSubstr("the first missing one is parameter 0 (int n)"));
}

TEST_F(LaunchCheckTest, LimitOfTheKernelSaysWhy) {
  EXPECT_THAT(refusal(kernel_with({}), {.group_size = {32, 32}}, {}),
              HasSubstr("a group of 32x32x1 = 1024 work-items, the kernel allows 512 (it uses 96 "
                        "registers)"));
  EXPECT_THAT(refusal(kernel_with({}), {.groups = {1, 70000}}, {}),
              HasSubstr("groups.y is 70000, the device allows 65535"));
}

TEST_F(LaunchCheckTest, HugeGroupsDoNotOverflowTheCheck) {
  EXPECT_THAT(refusal(kernel_with({}), {.group_size = {0x10000, 0x10000, 2}}, {}),
              HasSubstr("work-items"));
}

TEST_F(LaunchCheckTest, UnknownKernelNamesTheNearestOrAll) {
  const auto text = [](const std::vector<std::string>& names) {
    try {
      raise_unknown_kernel("twise", names);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(text({"twice", "other"}), "the module has no kernel \"twise\"; near it: \"twice\"");
  EXPECT_EQ(text({"a", "b"}), "the module has no kernel \"twise\"; it has \"a\", \"b\"");
  EXPECT_EQ(text({}), "the module has no kernel \"twise\"");
}

}  // namespace
}  // namespace treadle::device
