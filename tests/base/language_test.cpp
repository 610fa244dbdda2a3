// SPDX-License-Identifier: MIT
#include "treadle/base/language.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

TEST(Language, NamesAreThoseOfTheStandards) {
  EXPECT_EQ(language_name(Language::cuda_c), "CUDA C");
  EXPECT_EQ(language_name(Language::opencl_c), "OpenCL C");
}

TEST(Language, IsFoundByItsName) {
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    EXPECT_EQ(language_named(language_name(language)), language);
  EXPECT_THROW(language_named("cuda"), InvalidArgument);
}

}  // namespace
}  // namespace treadle
