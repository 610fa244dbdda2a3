// SPDX-License-Identifier: MIT
#include "treadle/memory/options.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::memory {
namespace {

TEST(PoolOptions, DefaultsAreValid) { EXPECT_NO_THROW(check_options({})); }

TEST(PoolOptions, TooManyLeadingBitsAreRefusedByNameAndNumber) {
  try {
    check_options({.bins = {.leading_bits = 11}});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(), "leading_bits is 11; a pool takes at most 10");
    EXPECT_FALSE(error.hint().empty());
  }
}

}  // namespace
}  // namespace treadle::memory
