// SPDX-License-Identifier: MIT
#include "treadle/codegen/row_sort.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

RowSortSnippet rows_with_places(const Dialect& dialect, const TypeNames& types) {
  return {.parameters = parse_parameters(
              "const uint *elements, uint *sorted, uint *scratch, const uint *places, uint "
              "*sorted_places, uint *scratch_places, long rows, long length, long together, uint "
              "flip",
              types, dialect.has_addresses ? Offsets::none : Offsets::passed),
          .key_dtype = Scalar::uint32,
          .key_bits = 32,
          .has_places = true,
          .is_long = false,
          .name = "sort_rows",
          .preamble = "#define treadle_ordered(bits) (bits)\n"};
}

TEST(RowSort, GoldenTexts) {
  for (const Language language : {Language::cuda_c, Language::opencl_c}) {
    const Dialect& dialect = dialect_of(language);
    const TypeNames types(dialect);
    expect_golden("row_sort", language == Language::cuda_c ? "places.cu" : "places.cl",
                  generate_row_sort(rows_with_places(dialect, types), tiling_of(Schedule::narrow),
                                    dialect, types));
  }
}

TEST(RowSort, OfGroups) {
  const Dialect& dialect = dialect_of(Language::cuda_c);
  const TypeNames types(dialect);
  RowSortSnippet snippet = rows_with_places(dialect, types);
  snippet.parameters = parse_parameters(
      "const uint *elements, uint *sorted, const uint *places, uint *sorted_places, long length, "
      "uint flip",
      types, Offsets::none);
  const Tiling& tiling = tiling_of(Schedule::wide);
  snippet.items = row_items(4096, 4, tiling, dialect);
  expect_golden("row_sort", "places_wide.cu", generate_row_sort(snippet, tiling, dialect, types));
  EXPECT_EQ(snippet.items, 8u);
  EXPECT_EQ(row_items(5000, 4, tiling, dialect), 12u);
  EXPECT_EQ(row_items(1, 4, tiling, dialect), 1u);
  EXPECT_EQ(row_items(11'264, 4, tiling, dialect), 22u);
  EXPECT_EQ(row_items(11'265, 4, tiling, dialect), 0u);
  EXPECT_EQ(row_items(0, 4, tiling, dialect), 0u);
  EXPECT_EQ(row_items(10, 4, tiling, dialect_of(Language::opencl_c)), 0u);
  EXPECT_EQ(row_items(10, 4, tiling_of(Schedule::narrow), dialect), 0u);
}

TEST(RowSort, RefusesKeysThatAreNotCompared) {
  const Dialect& dialect = dialect_of(Language::cuda_c);
  const TypeNames types(dialect);
  RowSortSnippet snippet = rows_with_places(dialect, types);
  snippet.key_dtype = Scalar::float32;
  EXPECT_THROW(generate_row_sort(snippet, tiling_of(Schedule::narrow), dialect, types), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen
