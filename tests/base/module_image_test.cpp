// SPDX-License-Identifier: MIT
#include "treadle/base/module_image.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(ModuleImage, IsAPlainValue) {
  const ModuleImage image{{std::byte{1}, std::byte{2}}, {{"scale<float, 4>", "_Z5scale"}}};
  const ModuleImage copy = image;
  EXPECT_EQ(copy.code, image.code);
  EXPECT_EQ(copy.lowered_names.at("scale<float, 4>"), "_Z5scale");
  EXPECT_TRUE(ModuleImage().code.empty());
  EXPECT_FALSE(image.remake);
}

TEST(ModuleImage, CarriesTheWayToMakeItAnew) {
  ModuleImage image;
  image.remake = [] { return ModuleImage{{std::byte{3}}, {}}; };
  const ModuleImage copy = image;
  EXPECT_EQ(copy.remake().code, std::vector{std::byte{3}});
}

}  // namespace
}  // namespace treadle
