// SPDX-License-Identifier: MIT
#include "treadle/library/clblast.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>

#include "treadle/base/error.hpp"

namespace treadle::library {
namespace {

using testing::HasSubstr;

TEST(Clblast, a_status_is_an_error_in_words) {
  Clblast::check(0, "CLBlastSgemm");
  try {
    Clblast::check(-11, "CLBlastSgemm", [] { return std::string("3 x 4 by 4 x 5"); });
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CLBlastOpenCLBuildProgramFailure");
    EXPECT_THAT(error.what(), HasSubstr("3 x 4 by 4 x 5\n  try: TREADLE_LIBRARIES=clblast=off"));
  }
  EXPECT_THROW(Clblast::check(-4, "CLBlastSgemm"), OutOfMemory);
}

TEST(Clblast, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    Clblast(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.tried().size(), 12u);
    EXPECT_THAT(error.tried(),
                testing::Contains(HasSubstr("does not export CLBlastZgemmStridedBatched")));
    EXPECT_THAT(error.hint(), HasSubstr("apt install libclblast1"));
  }
}

TEST(Clblast, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = Clblast::load();
    EXPECT_NE(library->routines<float>().gemm, nullptr);
    EXPECT_EQ(Clblast::load(), library);
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
