// SPDX-License-Identifier: MIT
#include "treadle/cuda/nvml.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "cuda/providers.hpp"

namespace treadle::cuda {
namespace {

TEST(UuidText, IsWrittenAsNvidiaSmiDoes) {
  const std::array<std::uint8_t, 16> uuid = {0x8f, 0x6a, 0xe6, 0xf5, 0x00, 0x01, 0x23, 0x45,
                                             0x67, 0x89, 0xab, 0xcd, 0xef, 0x10, 0x20, 0x30};
  EXPECT_EQ(uuid_text(uuid), "GPU-8f6ae6f5-0001-2345-6789-abcdef102030");
}

class InNvml : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, InNvml, each_provider, provider_name);

TEST_P(InNvml, IsTheSameDevice) {
  const auto identity = nvml_identity(device());
  if (GetParam() == Provider::cpu) {
    EXPECT_EQ(identity, std::nullopt);
    return;
  }
  if (!identity) GTEST_SKIP() << "libnvidia-ml is not there";
  if (identity->uuid.starts_with("GPU-")) {
    EXPECT_EQ(identity->uuid, uuid_text(device().uuid()));
  }
  EXPECT_EQ(identity->name, device().name());
  // NVML writes eight digits of the domain, the driver four.
  std::string ours = device().pci_bus_id(), theirs = identity->bus_id;
  for (std::string* text : {&ours, &theirs})
    std::ranges::transform(*text, text->begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_TRUE(theirs.ends_with(ours)) << theirs << " and " << ours;
}

}  // namespace
}  // namespace treadle::cuda
