// SPDX-License-Identifier: MIT
#include "treadle/tune/variant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Space tiles() {
  Space space;
  space.add("tile", {std::int64_t{8}, std::int64_t{16}}).add("pad", {true, false});
  space.add("scale", {0.5}).add("name", {std::string("float")});
  space.let("n", std::int64_t{100});
  return space;
}

TEST(VariantTest, ParametersAreMacros) {
  const Space space = tiles();
  const VariantWriter write({.text = "text",
                             .kernel = "f",
                             .groups = {"ceil_div(n, tile)", "2"},
                             .group_size = {"tile", "tile"},
                             .local_bytes = "4 * tile if pad else 0",
                             .options = {.flags = {"-O1"}}},
                            space);
  const Variant first = write(space.at(0));
  EXPECT_EQ(first.source, "text");
  EXPECT_EQ(first.kernel, "f");
  EXPECT_THAT(first.options.flags,
              ElementsAre("-O1", "-Dtile=8", "-Dpad=1", "-Dscale=0.5", "-Dname=float"));
  EXPECT_EQ(first.shape.groups, device::Extent(13, 2));
  EXPECT_EQ(first.shape.group_size, device::Extent(8, 8));
  EXPECT_EQ(first.shape.local_bytes, 32u);
  EXPECT_EQ(write(space.at(1)).shape.local_bytes, 0u);
}

TEST(VariantTest, ParametersTakeThePlaceOfKeys) {
  const Space space = tiles();
  KernelTemplate written{.text = "%(name)s x[%(tile)s]; %(pad)s",
                         .kernel = "f",
                         .writing = Writing::keys,
                         .groups = {"1"},
                         .group_size = {"1"}};
  EXPECT_EQ(VariantWriter(written, space)(space.at(0)).source, "float x[8]; 1");
  written.text = "%(other)s";
  EXPECT_THROW(VariantWriter(written, space)(space.at(0)), InvalidArgument);
  written.text = "{{tile}} $tile";
  written.key_style = codegen::KeyStyle::braces;
  EXPECT_EQ(VariantWriter(written, space)(space.at(0)).source, "8 $tile");
}

TEST(VariantTest, FunctionsWriteTextsAndShapes) {
  const Space space = tiles();
  const VariantWriter write({.kernel = "f",
                             .write = [](const Configuration& c) { return c.text(); },
                             .shape = [](const Configuration& c) -> device::LaunchShape {
                               return {.groups = 3,
                                       .group_size = unsigned(c.get<std::int64_t>("tile"))};
                             }},
                            space);
  EXPECT_EQ(write(space.at(0)).source, space.at(0).text());
  EXPECT_TRUE(write(space.at(0)).options.flags.empty());
  EXPECT_EQ(write(space.at(2)).shape.group_size.x, 16u);
}

TEST(VariantTest, ShapesArePositiveIntegers) {
  const Space space = tiles();
  const auto refusal = [&](const std::string& formula) {
    try {
      VariantWriter({.text = "x", .kernel = "f", .groups = {formula}, .group_size = {"1"}},
                    space)(space.at(0));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("n / tile"), HasSubstr("groups is 'n / tile', 12.5 for tile=8"));
  EXPECT_THAT(refusal("n - 200"), HasSubstr("expected an integer from 1 on"));
  EXPECT_THAT(refusal("'x'"), HasSubstr("groups is ''x''"));
  EXPECT_EQ(refusal("n / 4"), "");
}

}  // namespace
}  // namespace treadle::tune
