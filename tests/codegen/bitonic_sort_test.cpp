// SPDX-License-Identifier: MIT
#include "treadle/codegen/bitonic_sort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

BitonicText text_of(const BitonicForm& form, Schedule schedule = Schedule::wide,
                    Language language = Language::cuda_c) {
  return generate_bitonic(form, tiling_of(schedule), dialect_of(language));
}

TEST(BitonicText, GoldenTexts) {
  const std::pair<std::string, BitonicForm> forms[] = {
      {"tile", {BitonicStep::tile, Scalar::float32, Scalar::int32, true}},
      {"pass", {BitonicStep::pass, Scalar::float16, Scalar::int64, false}}};
  for (const auto& [name, form] : forms)
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const Language language : {Language::cuda_c, Language::opencl_c})
        expect_golden("bitonic",
                      name + "_" + std::string(schedule_name(schedule)) +
                          (language == Language::cuda_c ? ".cu" : ".cl"),
                      text_of(form, schedule, language).text);
}

TEST(BitonicText, ATileOfAWideGroupIsTwoElementsOfEachWorkItem) {
  const BitonicForm form{BitonicStep::tile, Scalar::int32, {}, true};
  EXPECT_EQ(text_of(form).tile_length, 2u * text_of(form).group_size);
  EXPECT_THAT(text_of(form).text, HasSubstr("__shared__ int x_tile[512]"));
  EXPECT_EQ(text_of(form, Schedule::narrow).group_size, 1u);
  EXPECT_THAT(text_of(form, Schedule::narrow).text, Not(HasSubstr("__shared__")));
}

TEST(BitonicText, OnlyFloatingNumbersMayBeNan) {
  EXPECT_THAT(text_of({BitonicStep::pass, Scalar::float32, {}, true}).text, HasSubstr("!="));
  EXPECT_THAT(text_of({BitonicStep::pass, Scalar::uint8, {}, true}).text, Not(HasSubstr("!=")));
}

TEST(BitonicText, RefusesWhatHasNoOrder) {
  for (const Scalar dtype : {Scalar::complex64, Scalar::complex128, Scalar::structure})
    EXPECT_THROW((void)text_of({BitonicStep::tile, dtype, {}, true}), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen
