// SPDX-License-Identifier: MIT
#include "treadle/cuda/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

ParameterLayout layout_of(std::vector<KernelParameter> parameters) {
  ParameterLayout layout{std::move(parameters), 0, true};
  if (!layout.parameters.empty())
    layout.buffer_bytes = layout.parameters.back().offset + layout.parameters.back().size;
  return layout;
}

template <class T>
T read(void* pointer) {
  T value;
  std::memcpy(&value, pointer, sizeof value);
  return value;
}

TEST(Arguments, GoToTheirParametersOffsets) {
  const auto layout = layout_of({{0, 1}, {8, 8}, {16, 4}});
  ArgumentBuffer buffer(layout, "k");
  buffer.add(std::int8_t{-3});
  EXPECT_EQ(buffer.next()->offset, 8u);
  buffer.add_pointer(0x1234);
  buffer.add(2.5f);
  void** arguments = buffer.finish();
  EXPECT_EQ(read<std::int8_t>(arguments[0]), -3);
  EXPECT_EQ(read<DevicePointer>(arguments[1]), 0x1234u);
  EXPECT_EQ(read<float>(arguments[2]), 2.5f);
  EXPECT_EQ(static_cast<std::byte*>(arguments[1]) - static_cast<std::byte*>(arguments[0]), 8);
}

TEST(Arguments, AWrongSizeNamesParameterIndexAndBothSizes) {
  const auto layout = layout_of({{0, 8}, {8, 4, ParameterKind::integer, "n", "int"}});
  ArgumentBuffer buffer(layout, "scale");
  buffer.add_pointer(1);
  try {
    buffer.add(std::int64_t{5});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(),
              "kernel \"scale\": argument 1 has 8 bytes, parameter 1 (int n) takes 4 bytes");
  }
}

TEST(Arguments, AWrongCountNamesBothAndTheFirstMissing) {
  const auto layout = layout_of({{0, 8, ParameterKind::pointer, "out", "float*"}});
  ArgumentBuffer buffer(layout, "k");
  try {
    buffer.finish();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(),
              "kernel \"k\": 0 arguments for 1 parameter; the first missing one is parameter 0 "
              "(float* out) of 8 bytes");
  }
  buffer.add_pointer(1);
  try {
    buffer.add(1);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(), "kernel \"k\": 2 arguments for 1 parameter");
  }
}

TEST(Arguments, WithoutALayoutTheyFollowTheirAlignment) {
  const ParameterLayout unknown;
  ArgumentBuffer buffer(unknown, "k");
  EXPECT_EQ(buffer.next(), nullptr);
  buffer.add(std::int8_t{1});
  buffer.add(2.0);
  buffer.add(std::int16_t{3});
  void** arguments = buffer.finish();
  EXPECT_EQ(static_cast<std::byte*>(arguments[1]) - static_cast<std::byte*>(arguments[0]), 8);
  EXPECT_EQ(static_cast<std::byte*>(arguments[2]) - static_cast<std::byte*>(arguments[0]), 16);
  EXPECT_EQ(read<double>(arguments[1]), 2.0);
}

TEST(Arguments, P17_NegativeSizesAreRefused) {
  const ParameterLayout unknown;
  ArgumentBuffer buffer(unknown, "k");
  buffer.add(1);
  for (const std::ptrdiff_t negative : {-1, -4, -4096})
    EXPECT_THROW(buffer.reserve(static_cast<std::size_t>(negative)), InvalidArgument);
  EXPECT_EQ(buffer.count(), 1u);
}

TEST(Arguments, MoreThanFitOnTheStackMoveWithTheirValues) {
  const ParameterLayout unknown;
  ArgumentBuffer buffer(unknown, "k");
  for (int i = 0; i < 1000; ++i) buffer.add(i);
  EXPECT_EQ(buffer.count(), 1000u);
  void** arguments = buffer.finish();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(read<int>(arguments[i]), i);

  std::vector<KernelParameter> parameters;
  for (std::size_t i = 0; i < 200; ++i) parameters.push_back({i * 16, 16});
  const auto layout = layout_of(std::move(parameters));
  ArgumentBuffer known(layout, "k");
  const std::array<int, 4> value = {1, 2, 3, 4};
  for (int i = 0; i < 200; ++i) known.add(value);
  EXPECT_EQ((read<std::array<int, 4>>(known.finish()[199])), value);
}

}  // namespace
}  // namespace treadle::cuda
