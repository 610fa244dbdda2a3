// SPDX-License-Identifier: MIT
#include "treadle/library/cusolver.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::library {
namespace {

using testing::HasSubstr;

TEST(Cusolver, a_status_is_an_error_in_words) {
  Cusolver::check(0, "cusolverDnXgetrf");
  try {
    Cusolver::check(3, "cusolverDnXgetrf", [] { return std::string("argument 4"); });
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cusolverDnXgetrf failed: a wrong argument "
                                        "(CUSOLVER_STATUS_INVALID_VALUE) - argument 4\n  try: "));
  }
  EXPECT_THROW(Cusolver::check(2, "cusolverDnCreate"), OutOfMemory);
}

TEST(Cusolver, the_processor_has_none) {
  EXPECT_EQ(CusolverHandle::open(cuda::Context::primary(cuda::Driver::cpu().device(0))), nullptr);
}

TEST(Cusolver, a_library_without_its_entry_points_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    Cusolver(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_THAT(error.tried(), testing::Contains(HasSubstr("does not export cusolverDnCungqr")));
    EXPECT_THAT(error.tried(), testing::Contains(HasSubstr("does not export cusolverDnDsyevd")));
    EXPECT_EQ(error.tried().size(), 8u + 4u * 19u);
  }
}

TEST(Cusolver, that_of_this_machine_has_every_entry_point) {
  try {
    const auto library = Cusolver::load(0);
    EXPECT_THAT(library->version(), testing::ContainsRegex("^1[0-9]\\.[0-9]+\\.[0-9]+$"));
    EXPECT_NE(library->routines<std::complex<double>>().syevd, nullptr);
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace treadle::library
