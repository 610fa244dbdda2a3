// SPDX-License-Identifier: MIT
#include "treadle/codegen/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

RandomText text_of(RandomForm form, Schedule schedule = Schedule::wide,
                   Language language = Language::cuda_c) {
  return generate_random(form, tiling_of(schedule), dialect_of(language));
}

constexpr RandomGenerator philox = RandomGenerator::philox, threefry = RandomGenerator::threefry;

TEST(RandomText, GoldenTexts) {
  const std::pair<std::string, RandomForm> forms[] = {
      {"words", {philox, RandomKind::words, Scalar::uint32, true}},
      {"words_threefry", {threefry, RandomKind::words, Scalar::int64, true}},
      {"integers", {philox, RandomKind::integers, Scalar::int32, true}},
      {"integers_int8", {philox, RandomKind::integers, Scalar::int8, true}},
      {"uniform", {philox, RandomKind::uniform, Scalar::float32, true}},
      {"unit", {philox, RandomKind::uniform, Scalar::float32, true, false, true}},
      {"uniform_unaligned", {philox, RandomKind::uniform, Scalar::float64, false}},
      {"normal", {philox, RandomKind::normal, Scalar::float32, true}},
      {"normal_float64", {threefry, RandomKind::normal, Scalar::float64, true}},
      {"poisson", {philox, RandomKind::poisson, Scalar::uint32, true}},
      {"poisson_of_elements", {threefry, RandomKind::poisson_of_elements, Scalar::float64, true}},
      {"gamma", {philox, RandomKind::gamma, Scalar::float32, true}},
      {"binomial", {philox, RandomKind::binomial, Scalar::int64, true}},
      {"triangular", {threefry, RandomKind::triangular, Scalar::float64, true, true}}};
  for (const auto& [name, form] : forms)
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const Language language : {Language::cuda_c, Language::opencl_c})
        expect_golden("random",
                      name + "_" + std::string(schedule_name(schedule)) +
                          (language == Language::cuda_c ? ".cu" : ".cl"),
                      text_of(form, schedule, language));
}

TEST(RandomText, BlocksAreStoredByOneAccessWhereTheyAreAligned) {
  RandomForm form{philox, RandomKind::uniform, Scalar::float32, true};
  EXPECT_THAT(text_of(form).text, HasSubstr("*(float4 *)(x + start) ="));
  form.has_vectors = false;
  EXPECT_THAT(text_of(form).text, Not(HasSubstr("float4")));
  form = {philox, RandomKind::words, Scalar::int64, true};
  EXPECT_THAT(text_of(form).text, HasSubstr("*(longlong2 *)(x + start) ="));
}

TEST(RandomText, GroupsMakeWhatTheScheduleSays) {
  const RandomForm form{philox, RandomKind::normal, Scalar::float64, true};
  EXPECT_EQ(text_of(form).group_blocks, 2048u);
  EXPECT_EQ(text_of(form).group_size, 256u);
  EXPECT_EQ(text_of(form, Schedule::narrow).group_blocks, 16384u);
  EXPECT_EQ(text_of(form, Schedule::narrow).group_size, 1u);
}

TEST(RandomText, SinglePrecisionNeedsNoDouble) {
  for (const RandomKind kind : {RandomKind::uniform, RandomKind::normal})
    EXPECT_THAT(
        text_of({philox, kind, Scalar::float32, true}, Schedule::wide, Language::opencl_c).text,
        Not(HasSubstr("double")));
}

TEST(RandomText, RefusesDtypesThatAKindDoesNotHave) {
  for (const auto& [kind, dtype] : std::initializer_list<std::pair<RandomKind, Scalar>>{
           {RandomKind::words, Scalar::int8},
           {RandomKind::words, Scalar::float32},
           {RandomKind::integers, Scalar::float64},
           {RandomKind::integers, Scalar::structure},
           {RandomKind::uniform, Scalar::int32},
           {RandomKind::uniform, Scalar::float16},
           {RandomKind::gamma, Scalar::int32},
           {RandomKind::zipf, Scalar::int16},
           {RandomKind::normal, Scalar::complex64}}) {
    EXPECT_THROW((void)block_length(kind, dtype), DTypeError);
    EXPECT_THROW((void)text_of({philox, kind, dtype, true}), DTypeError);
  }
}

}  // namespace
}  // namespace treadle::codegen
