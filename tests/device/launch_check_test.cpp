// SPDX-License-Identifier: MIT
#include "device/launch_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "treadle/base/error.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {
namespace {

using testing::HasSubstr;

struct PlainKernel final : KernelState {
  unsigned resident_groups(unsigned group_items, std::size_t) const override {
    return 1024 / group_items;
  }
};

class LaunchCheckTest : public testing::Test {
 protected:
  Kernel kernel_with(std::vector<Parameter> parameters, bool known = true) const {
    auto state = std::make_shared<PlainKernel>();
    state->device = device_;
    state->name = std::string("k");
    state->parameters = std::move(parameters);
    state->parameters_known = known;
    state->resources.max_group_items = 512;
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

TEST_F(LaunchCheckTest, EachKindOfParameterTakesItsArguments) {
  using enum ParameterKind;
  static const std::int64_t number = 0;
  const auto value = [](ParameterKind kind) { return Argument(&number, 8, kind); };
  const std::pair<std::string, Argument> arguments[] = {
      {"unknown", value(unknown)},     {"integer", value(integer)}, {"floating", value(floating)},
      {"structure", value(structure)}, {"memory", Location{1, 0}},  {"local", Local{8}}};
  const std::pair<ParameterKind, std::set<std::string>> taken[] = {
      {unknown, {"unknown", "integer", "floating", "structure", "memory"}},
      {integer, {"unknown", "integer", "structure"}},
      {floating, {"unknown", "floating", "structure"}},
      {structure, {"unknown", "integer", "floating", "structure"}},
      {memory, {"memory"}},
      {local, {"local"}}};
  for (const auto& [kind, names] : taken)
    for (const auto& [name, argument] : arguments) {
      const std::size_t size = kind == local ? 0 : 8;
      const Kernel kernel = kernel_with({{.kind = kind, .size_bytes = size}});
      EXPECT_EQ(refusal(kernel, {}, {argument}).empty(), names.contains(name))
          << name << " for a parameter of kind " << static_cast<int>(kind);
    }
}

TEST_F(LaunchCheckTest, WhatOneArgumentMayBeAnotherMayNot) {
  const Kernel kernel = kernel_with({{.kind = ParameterKind::memory, .size_bytes = 8},
                                     {.kind = ParameterKind::integer, .size_bytes = 4}});
  EXPECT_EQ(refusal(kernel, {}, {Location{1, 0}, 1}), "");
  EXPECT_THAT(refusal(kernel, {}, {Location{1, 0}, std::int64_t{1}}), HasSubstr("argument 1"));
  EXPECT_THAT(refusal(kernel, {}, {1, 1}), HasSubstr("argument 0"));
}

TEST_F(LaunchCheckTest, MemoryBeginsWhereTheDeviceAllows) {
  class Aligned final : public Device {
   public:
    Aligned() : Device(aligned_info(), false, nullptr) {}
    ~Aligned() override { end(); }

   private:
    static DeviceInfo aligned_info() {
      DeviceInfo info = make_null_device()->info();
      info.limits.offset_alignment = 64;
      return info;
    }
    Allocated allocate_memory(MemoryKind, std::size_t) override { return {}; }
    void free_memory(MemoryKind, Location) override {}
    MemoryInfo query_memory() override { return {}; }
    AddressInfo query_address(std::uint64_t) override { return {}; }
    std::unique_ptr<Stream> create_stream(const StreamSource&) override { return nullptr; }
    std::shared_ptr<Event> create_event(Timing, std::uint64_t) override { return nullptr; }
    std::shared_ptr<Module> load_module(const ModuleImage&) override { return nullptr; }
    BuildResult build_text(const BuildRequest&) override { return {}; }
  };
  device_ = std::make_shared<Aligned>();
  const Kernel kernel = kernel_with({{.kind = ParameterKind::memory, .size_bytes = 8}});
  EXPECT_EQ(refusal(kernel, {}, {Location{1, 128}}), "");
  EXPECT_THAT(refusal(kernel, {}, {Location{1, 96}}), HasSubstr("begins at byte 96"));
}

TEST_F(LaunchCheckTest, AKernelOfAnotherDeviceIsRefused) {
  const Kernel kernel = kernel_with({});
  const auto other = make_null_device();
  EXPECT_THROW(check_launch(kernel, {}, {}, *other), InvalidArgument);
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
