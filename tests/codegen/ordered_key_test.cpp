// SPDX-License-Identifier: MIT
// What keys do is checked by tests/kernel/row_sort_test.cpp and others that run them.
#include "treadle/codegen/ordered_key.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"

namespace treadle::codegen {
namespace {

TEST(OrderedKey, HasTheBitsOfItsElement) {
  EXPECT_EQ(unsigned_of(1), Scalar::uint8);
  EXPECT_EQ(unsigned_of(2), Scalar::uint16);
  EXPECT_EQ(unsigned_of(8), Scalar::uint64);
  EXPECT_EQ(key_of(Scalar::int16), Scalar::uint32);
  EXPECT_EQ(key_of(Scalar::float64), Scalar::uint64);
  EXPECT_EQ(element_bits(Scalar::float16), 16u);
  EXPECT_EQ(all_key_bits(Scalar::int16), 0xffffu);
  EXPECT_EQ(all_key_bits(Scalar::uint64), ~std::uint64_t{0});
}

TEST(OrderedKey, IsAFunctionOfEachLanguage) {
  EXPECT_EQ(key_function(Scalar::int32, opencl, "uint"),
            "static inline __attribute__((always_inline)) uint treadle_ordered(uint bits) {\n"
            "  return bits ^ ((uint)1 << 31);\n}\n");
  tree::BlockBuilder code;
  write_element_function(code, Scalar::uint32, "unsigned int");
  const std::string text = tree::print(code.take(), Language::cuda_c);
  EXPECT_NE(text.find("__device__"), std::string::npos) << text;
  EXPECT_NE(text.find("unsigned int treadle_element("), std::string::npos) << text;
}

}  // namespace
}  // namespace treadle::codegen
