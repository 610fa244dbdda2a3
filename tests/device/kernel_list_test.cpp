// SPDX-License-Identifier: MIT
#include "device/opencl/kernel_list.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::device {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(KernelList, ComesBackAsItWent) {
  const KernelList kernels = {
      {"none", {}},
      {"some",
       {{.name = "a", .type = "const float*", .kind = ParameterKind::memory, .size_bytes = 8},
        {.name = "", .type = "", .kind = ParameterKind::unknown, .size_bytes = 0},
        {.name = "n", .type = "unsigned int", .kind = ParameterKind::integer, .size_bytes = 4}}}};
  const auto binary = bytes_of("any\nbinary\nat all");
  const auto image = with_kernel_list(kernels, binary);
  const ListedBinary listed = split_kernel_list(image);
  EXPECT_EQ(text_of(listed.binary), text_of(binary));
  ASSERT_EQ(listed.kernels.size(), 2u);
  EXPECT_TRUE(listed.kernels.at("none").empty());
  const auto& some = listed.kernels.at("some");
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[0].type, "const float*");
  EXPECT_EQ(some[0].kind, ParameterKind::memory);
  EXPECT_EQ(some[1].name, "");
  EXPECT_EQ(some[2].name, "n");
  EXPECT_EQ(some[2].type, "unsigned int");
  EXPECT_EQ(some[2].size_bytes, 4u);
}

TEST(KernelList, BinaryWithoutOneIsTakenWhole) {
  for (const char* text : {"",
                           "\x7f"
                           "ELF and so on",
                           "treadle kernel"}) {
    const auto binary = bytes_of(text);
    EXPECT_TRUE(split_kernel_list(binary).kernels.empty());
    EXPECT_EQ(split_kernel_list(binary).binary.size(), binary.size());
  }
}

TEST(KernelList, DamagedOneIsRefused) {
  const auto good = with_kernel_list(
      {{"k", {{.name = "a", .type = "int", .kind = ParameterKind::integer, .size_bytes = 4}}}}, {});
  for (std::size_t length = 18; length < good.size(); ++length)
    EXPECT_THROW(split_kernel_list(std::span(good).first(length)), InvalidArgument) << length;
  for (const char* line : {"parameter 1 4 a int", "kernel k\nparameter x 4 a int",
                           "kernel k\nparameter 99 4 a int", "kernel k\nparameter 1", "other"})
    EXPECT_THROW(
        split_kernel_list(bytes_of(std::string("treadle kernels 1\n") + line + "\nbinary\n")),
        InvalidArgument)
        << line;
}

}  // namespace
}  // namespace treadle::device
