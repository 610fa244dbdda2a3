// SPDX-License-Identifier: MIT
#include "treadle/base/language.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Language, NamesAreThoseOfTheStandards) {
  EXPECT_EQ(language_name(Language::cuda_c), "CUDA C");
  EXPECT_EQ(language_name(Language::opencl_c), "OpenCL C");
}

}  // namespace
}  // namespace treadle
