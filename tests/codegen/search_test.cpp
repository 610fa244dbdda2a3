// SPDX-License-Identifier: MIT
#include "treadle/codegen/search.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"

namespace treadle::codegen {
namespace {

TEST(Search, HalvesWhatIsSorted) {
  const SearchText real = generate_search(Scalar::float32, opencl);
  EXPECT_EQ(real.arguments,
            "const uint *sorted, const uint *wanted, long *places, long length, uint behind");
  EXPECT_EQ(real.operation,
            "const treadle_key wanted_key = treadle_ordered(wanted[i]);\n"
            "long low = 0;\nlong high = length;\nwhile (low < high) {\n"
            "  const long middle = low + (high - low) / 2;\n"
            "  const treadle_key key = treadle_ordered(sorted[middle]);\n"
            "  if (key < wanted_key || (behind != 0 && key == wanted_key)) {\n"
            "    low = middle + 1;\n  } else {\n    high = middle;\n  }\n}\nplaces[i] = low");
  EXPECT_NE(real.preamble.find("typedef uint treadle_key;"), std::string::npos);
  EXPECT_EQ(real.preamble.find("treadle_nans"), std::string::npos);
}

TEST(Search, OfComplexNumbersComparesTwoKeysAndWhatIsNaN) {
  const SearchText text = generate_search(Scalar::complex64, cuda);
  EXPECT_NE(text.preamble.find("treadle_nans"), std::string::npos);
  EXPECT_NE(text.operation.find("treadle_ordered(sorted[2 * middle + 1])"), std::string::npos);
}

TEST(Search, OfNumbersFindsWhereEachBegins) {
  const SearchText text = generate_search_of_numbers("int", "short", cuda);
  EXPECT_EQ(text.arguments, "int *starts, const short *keys, long n_keys");
  EXPECT_TRUE(text.operation.ends_with("starts[i] = low")) << text.operation;
}

}  // namespace
}  // namespace treadle::codegen
