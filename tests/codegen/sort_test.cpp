// SPDX-License-Identifier: MIT
#include "treadle/codegen/sort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

SortText text_of(const SortForm& form, Schedule schedule = Schedule::wide,
                 Language language = Language::cuda_c) {
  return generate_sort(form, tiling_of(schedule), dialect_of(language));
}

TEST(SortText, GoldenTexts) {
  const std::pair<std::string, SortForm> forms[] = {
      {"tile", {SortStep::tile, Scalar::float32, Scalar::int32, true}},
      {"pass", {SortStep::pass, Scalar::float16, Scalar::int64, false}}};
  for (const auto& [name, form] : forms)
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const Language language : {Language::cuda_c, Language::opencl_c})
        expect_golden("sort",
                      name + "_" + std::string(schedule_name(schedule)) +
                          (language == Language::cuda_c ? ".cu" : ".cl"),
                      text_of(form, schedule, language));
}

TEST(SortText, ATileOfAWideGroupIsTwoElementsOfEachWorkItem) {
  const SortForm form{SortStep::tile, Scalar::int32, {}, true};
  EXPECT_EQ(text_of(form).tile_length, 2u * text_of(form).group_size);
  EXPECT_THAT(text_of(form).text, HasSubstr("__shared__ int x_tile[512]"));
  EXPECT_EQ(text_of(form, Schedule::narrow).group_size, 1u);
  EXPECT_THAT(text_of(form, Schedule::narrow).text, Not(HasSubstr("__shared__")));
}

TEST(SortText, OnlyFloatingNumbersMayBeNan) {
  EXPECT_THAT(text_of({SortStep::pass, Scalar::float32, {}, true}).text, HasSubstr("!="));
  EXPECT_THAT(text_of({SortStep::pass, Scalar::uint8, {}, true}).text, Not(HasSubstr("!=")));
}

TEST(SortText, RefusesWhatHasNoOrder) {
  for (const Scalar dtype : {Scalar::complex64, Scalar::complex128, Scalar::structure})
    EXPECT_THROW((void)text_of({SortStep::tile, dtype, {}, true}), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen
