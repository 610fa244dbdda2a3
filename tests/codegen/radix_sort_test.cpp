// SPDX-License-Identifier: MIT
#include "treadle/codegen/radix_sort.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

RadixSortText radix_sort_text(RadixSortSnippet snippet, Schedule schedule, Language language,
                              const std::string& arguments = "const uint *keys, const float *x") {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  snippet.parameters =
      parse_parameters(arguments, types, dialect.has_addresses ? Offsets::none : Offsets::passed);
  return generate_radix_sort(snippet, tiling_of(schedule), dialect, types);
}

RadixSortSnippet by_key() { return {.parameters = {}, .key = "keys[i]", .sorted = {"keys", "x"}}; }

TEST(RadixSort, GoldenTexts) {
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
    for (const Language language : {Language::cuda_c, Language::opencl_c}) {
      std::string name(schedule_name(schedule));
      name += language == Language::cuda_c ? ".cu" : ".cl";
      expect_golden("radix_sort", "pass_" + name, radix_sort_text(by_key(), schedule, language));
    }
}

TEST(RadixSort, SweepsWhereSubGroupsVote) {
  RadixSortSnippet snippet = by_key();
  snippet.sweeps = true;
  const RadixSortText made = radix_sort_text(snippet, Schedule::wide, Language::cuda_c);
  expect_golden("radix_sort", "sweep_wide.cu", made);
  EXPECT_EQ(made.passes, 4u);
  const SweepRoom room = sweep_room(made, 10);
  EXPECT_EQ(room.zeros, 4u * 256 + 4);
  EXPECT_EQ(room.words, room.zeros + 2 * 10 * 256);
  EXPECT_THROW(radix_sort_text(snippet, Schedule::wide, Language::opencl_c), NotSupported);
  EXPECT_THROW(radix_sort_text(snippet, Schedule::narrow, Language::cuda_c), NotSupported);
}

TEST(RadixSort, TargetsAreWhatIsSorted) {
  const RadixSortText made = radix_sort_text(by_key(), Schedule::wide, Language::opencl_c);
  ASSERT_EQ(made.targets.size(), 2u);
  EXPECT_EQ(made.targets[1].dtype, DType(Scalar::float32));
  EXPECT_EQ(made.targets[1].kind, ParameterSpec::Kind::vector_with_offset);
}

TEST(RadixSort, RefusesWhatItCannotSort) {
  const auto refuses = [](const RadixSortSnippet& snippet, const std::string& arguments) {
    EXPECT_THROW(radix_sort_text(snippet, Schedule::wide, Language::cuda_c, arguments),
                 InvalidArgument)
        << arguments;
  };
  refuses(by_key(), "const uint *keys");
  refuses(by_key(), "const uint *keys, float x");
  refuses(by_key(), "const uint *keys, const float *x, int N");
  RadixSortSnippet snippet = by_key();
  snippet.sorted = {};
  refuses(snippet, "const uint *keys");
  for (const Scalar dtype : {Scalar::int32, Scalar::float32}) {
    snippet = by_key();
    snippet.key_dtype = dtype;
    EXPECT_THROW(radix_sort_text(snippet, Schedule::wide, Language::cuda_c), DTypeError);
  }
  snippet = by_key();
  snippet.index_dtype = Scalar::uint32;
  EXPECT_THROW(radix_sort_text(snippet, Schedule::wide, Language::cuda_c), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen
