// SPDX-License-Identifier: MIT
#include "treadle/codegen/scan.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

ScanText scan_text(ScanSnippet snippet, Schedule schedule, Language language,
                   const std::string& arguments = "const float *x, float *y") {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  snippet.parameters =
      parse_parameters(arguments, types, dialect.has_addresses ? Offsets::none : Offsets::passed);
  return generate_scan(snippet, tiling_of(schedule), dialect, types);
}

ScanSnippet cumulative() {
  return {.parameters = {},
          .dtype = Scalar::float32,
          .input = "x[i]",
          .scan = "a + b",
          .neutral = "",
          .output = "y[i] = item"};
}

ScanSnippet segmented() {
  return {.parameters = {},
          .dtype = Scalar::int32,
          .input = "x[i] != before",
          .scan = "across_seg_boundary ? b : a + b",
          .neutral = "0",
          .output = "y[i] = prev_item + last_item",
          .segment_start = "a == 1",
          .fetches = {{"before", "x", -1}},
          .index_dtype = Scalar::int32,
          .name = "runs"};
}

constexpr const char* selection_arguments =
    "const unsigned char *mask, const float *x, float *chosen, unsigned int *count, long room";

ScanSnippet selection(Language language) {
  ScanSnippet snippet{.parameters = {},
                      .dtype = Scalar::uint32,
                      .input = "mask[i] != 0",
                      .scan = "a + b",
                      .neutral = "0",
                      .output = "",
                      .name = "select",
                      .compactions = {{"chosen", "x[i]", "room"}},
                      .total = "count",
                      .looks_back = true};
  snippet.output = compacting_output(snippet.compactions, snippet.total, dialect_of(language));
  return snippet;
}

TEST(Scan, GoldenTexts) {
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
    for (const Language language : {Language::cuda_c, Language::opencl_c}) {
      std::string name(schedule_name(schedule));
      name += language == Language::cuda_c ? ".cu" : ".cl";
      expect_golden("scan", "cumulative_" + name, scan_text(cumulative(), schedule, language));
      expect_golden("scan", "segmented_" + name, scan_text(segmented(), schedule, language));
      for (ScanSnippet snippet : {cumulative(), segmented()}) {
        snippet.looks_back = true;
        if (!snippet.segment_start.empty()) snippet.output = "y[i] = prev_item";
        expect_golden(
            "scan",
            std::string(snippet.segment_start.empty() ? "one_pass_" : "one_pass_runs_") + name,
            scan_text(snippet, schedule, language));
      }
      ScanSnippet snippet = selection(language);
      expect_golden("scan", "one_pass_selection_" + name,
                    scan_text(snippet, schedule, language, selection_arguments));
    }
}

TEST(Scan, IsInOnePassWhereThatIsPossible) {
  const Dialect &cuda = dialect_of(Language::cuda_c), &opencl = dialect_of(Language::opencl_c);
  ScanSnippet snippet = cumulative();
  EXPECT_TRUE(can_look_back(snippet, cuda) && can_look_back(snippet, opencl));
  snippet.dtype = Scalar::complex64;
  EXPECT_TRUE(can_look_back(snippet, cuda));
  EXPECT_FALSE(can_look_back(snippet, opencl)) << "fences do not reach other groups";
  snippet = segmented();
  EXPECT_FALSE(can_look_back(snippet, cuda)) << "last_item";
  snippet.looks_back = true;
  EXPECT_THROW(scan_text(snippet, Schedule::wide, Language::cuda_c), InvalidArgument);
  snippet.output = "y[i] = item";
  snippet.dtype = Scalar::float64;
  const ScanText made = scan_text(snippet, Schedule::wide, Language::cuda_c);
  EXPECT_EQ(made.slot_words, 2u);
  EXPECT_EQ(scan_room(made, 1000).slots, 1003u);
  EXPECT_EQ(scan_room(made, 1000).words, 2008u);
  EXPECT_EQ(scan_room(scan_text(snippet, Schedule::narrow, Language::cuda_c), 1000).slots, 999u);
}

TEST(Scan, TellsWhatItDoesWithElements) {
  const auto of = [](ScanSnippet snippet, const std::string& arguments) {
    const Dialect& dialect = dialect_of(Language::cuda_c);
    snippet.parameters = parse_parameters(arguments, TypeNames(dialect));
    return scan_accesses(snippet);
  };
  const auto simple = of(cumulative(), "const float *x, float *y");
  EXPECT_TRUE(simple[0].is_read && simple[0].is_read_at_i && !simple[0].may_be_written);
  EXPECT_TRUE(!simple[1].is_read && simple[1].may_be_written && simple[1].is_written_at_i);
  EXPECT_FALSE(of(segmented(), "const float *x, int *y")[0].is_read_at_i) << "its left neighbour";
  ScanSnippet snippet = cumulative();
  snippet.output = "if (item > x[i]) y[(int)item] = x[i]; z[i].part = 1; f(&w[i]); v[i]++";
  const auto all = of(snippet, "const float *x, float *y, float *z, float *w, float *v, float *u");
  EXPECT_FALSE(all[0].may_be_written);
  EXPECT_TRUE(all[1].may_be_written && !all[1].is_written_at_i);
  for (const int i : {2, 3, 4}) EXPECT_TRUE(all[static_cast<std::size_t>(i)].may_be_written) << i;
  EXPECT_FALSE(all[5].may_be_written);
  snippet.preamble = "#define here u[i]";
  EXPECT_TRUE(of(snippet, "float *u")[0].may_be_written) << "macros may use any name";
}

TEST(Scan, KeepsStartsForWhatIsBeforeThem) {
  ScanSnippet snippet = segmented();
  EXPECT_TRUE(scan_text(snippet, Schedule::wide, Language::cuda_c).keeps_starts);
  snippet.output = "y[i] = item";
  const ScanText made = scan_text(snippet, Schedule::wide, Language::cuda_c);
  EXPECT_TRUE(made.is_segmented);
  EXPECT_FALSE(made.keeps_starts);
  EXPECT_FALSE(scan_text(cumulative(), Schedule::wide, Language::cuda_c).is_segmented);
}

TEST(Scan, LargeItemsHaveSmallerTiles) {
  ScanSnippet snippet = cumulative();
  const auto tile_of = [&](std::size_t size) {
    const Dialect& dialect = dialect_of(Language::cuda_c);
    TypeNames types(dialect);
    snippet.dtype = DType::structure(
        "item", {Field{"bytes", Scalar::uint8, 0, {static_cast<std::int64_t>(size)}}}, size, 1);
    types.add("item", snippet.dtype);
    const ScanText made = generate_scan(snippet, tiling_of(Schedule::wide), dialect, types);
    EXPECT_EQ(made.tile % made.group_size, 0u);
    return made.tile;
  };
  EXPECT_EQ(tile_of(4), 256u * 31);
  EXPECT_EQ(tile_of(16), 256u * 7);
  EXPECT_EQ(tile_of(200), 128u);
  EXPECT_EQ(tile_of(10'000), 2u);
  EXPECT_EQ(tile_of(100'000), 1u);
}

TEST(Scan, RefusesWhatItCannotWrite) {
  const auto refuses = [](const ScanSnippet& snippet, const std::string& arguments) {
    EXPECT_THROW(scan_text(snippet, Schedule::wide, Language::cuda_c, arguments), InvalidArgument)
        << arguments;
  };
  for (const char* name : {"i", "N", "item", "prev_item", "last_item"})
    refuses(cumulative(), std::string("const float *x, float *y, int ") + name);
  ScanSnippet snippet = cumulative();
  snippet.output = "y[i] = prev_item";
  refuses(snippet, "const float *x, float *y");
  snippet = segmented();
  refuses(snippet, "int x, int *y");
  refuses(snippet, "int *y");
  snippet.fetches[0].offset = 1;
  refuses(snippet, "int *x, int *y");
  snippet = cumulative();
  snippet.index_dtype = Scalar::uint32;
  EXPECT_THROW(scan_text(snippet, Schedule::wide, Language::cuda_c), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen
