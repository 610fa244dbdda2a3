// SPDX-License-Identifier: MIT
#include "treadle/library/cublaslt.hpp"

#include <gmock/gmock.h>

#include <array>

#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::library {
namespace {

TEST(CublasLt, the_processor_has_none) {
  EXPECT_EQ(CublasLtHandle::open(cuda::Context::primary(cuda::Driver::cpu().device(0))), nullptr);
}

TEST(CublasLt, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    CublasLt(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.tried().size(), 13u);
    EXPECT_THAT(error.tried().front(), testing::HasSubstr("does not export cublasLtCreate"));
  }
}

TEST(CublasLt, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = CublasLt::load(0);
    EXPECT_THAT(library->version(), testing::ContainsRegex("^1[0-9]\\.[0-9]+\\.[0-9]+$"));
    EXPECT_EQ(CublasLt::load(0), library);
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
