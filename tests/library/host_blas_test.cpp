// SPDX-License-Identifier: MIT
#include "treadle/library/host_blas.hpp"

#include <gmock/gmock.h>

#include <array>
#include <optional>

#include "library/packages.hpp"
#include "treadle/base/error.hpp"

namespace treadle::library {
namespace {

template <class T>
class HostBlasOf : public testing::Test {};
using Dtypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(HostBlasOf, Dtypes);

template <class T>
Factor<T> factor(const T& value) {
  if constexpr (std::is_floating_point_v<T>)
    return value;
  else
    return &value;
}

TYPED_TEST(HostBlasOf, multiplies_and_solves) {
  using T = TypeParam;
  const auto blas = blas_of_this_machine();
  if (blas == nullptr) GTEST_SKIP() << "no BLAS on this machine";
  ASSERT_TRUE(blas->integer_bytes() == 4 || blas->integer_bytes() == 8);
  const std::array<T, 6> a = {T(1), T(2), T(3), T(4), T(5), T(6)};  // 2 x 3
  std::array<T, 4> product{};
  blas->call<T>([&](const auto& routines) {
    const T one(1), zero(0);
    routines.gemm(Cblas::row_major, Cblas::plain, Cblas::transposed, 2, 2, 3, factor(one), a.data(),
                  3, a.data(), 3, factor(zero), product.data(), 2);
  });
  EXPECT_THAT(product, testing::ElementsAre(T(14), T(32), T(32), T(77)));
  if (!blas->has_lapack()) GTEST_SKIP() << blas->path() << " has no LAPACK";
  std::array<T, 4> matrix = {T(2), T(0), T(1), T(4)};  // column by column
  std::array<T, 2> right = {T(4), T(8)};
  const bool is_solved = blas->call<T>([&]<class Int>(const HostRoutines<T, Int>& routines) {
    const Int n = 2, count = 1;
    Int info = -1;
    std::array<Int, 2> pivots{};
    routines.gesv(&n, &count, matrix.data(), &n, pivots.data(), right.data(), &n, &info);
    return info == 0;
  });
  EXPECT_TRUE(is_solved);
  EXPECT_THAT(right, testing::ElementsAre(T(1), T(2)));
}

TEST(HostBlas, has_every_entry_point) {
  const auto blas = blas_of_this_machine();
  if (blas == nullptr || !blas->has_lapack()) GTEST_SKIP() << "no BLAS with LAPACK here";
  blas->call<double>([](const auto& r) {
    for (const bool is_there : {r.gemm != nullptr, r.gemv != nullptr, r.trsm != nullptr,
                                r.orgqr != nullptr, r.gesdd != nullptr, r.syevd != nullptr,
                                r.geev != nullptr, r.gelsd != nullptr, r.potrf != nullptr})
      EXPECT_TRUE(is_there);
  });
  blas->call<std::complex<float>>([](const auto& r) {
    for (const bool is_there : {r.orgqr != nullptr, r.gesdd_complex != nullptr, r.heevd != nullptr,
                                r.geev_complex != nullptr, r.gelsd_complex != nullptr})
      EXPECT_TRUE(is_there);
    EXPECT_EQ(r.gesdd, nullptr);
  });
}

TEST(HostBlas, finds_functions_by_their_plain_names) {
  const auto blas = blas_of_this_machine();
  if (blas == nullptr || !blas->has_lapack()) GTEST_SKIP() << "no BLAS with LAPACK here";
  for (const char* name : {"cblas_zhemv", "srotmg_", "dgesvd_"})
    EXPECT_NE(blas->symbol(name), nullptr) << name;
  EXPECT_EQ(blas->symbol("cblas_nonsense"), nullptr);
}

TEST(HostBlas, threads_are_set_for_a_time) {
  const auto blas = blas_of_this_machine();
  if (blas == nullptr || blas->threads() == 0) GTEST_SKIP() << "no BLAS that tells";
  const int before = blas->threads();
  {
    const BlasThreads one(*blas, 1);
    EXPECT_EQ(blas->threads(), 1);
  }
  EXPECT_EQ(blas->threads(), before);
}

TEST(HostBlas, times_with_other_threads_may_overlap) {
  const auto blas = blas_of_this_machine();
  if (blas == nullptr || blas->threads() == 0) GTEST_SKIP() << "no BLAS that tells";
  const int before = blas->threads();
  std::optional<BlasThreads> first(std::in_place, *blas, 1);
  std::optional<BlasThreads> second(std::in_place, *blas, before + 1);
  first.reset();
  EXPECT_NE(blas->threads(), before);
  std::optional<BlasThreads> third(std::in_place, *blas, 1);
  second.reset();
  EXPECT_EQ(blas->threads(), 1);
  third.reset();
  EXPECT_EQ(blas->threads(), before);
}

TEST(HostBlas, a_library_that_is_none_is_refused) {
  const std::array candidates = {std::string("libm.so.6")};
  try {
    HostBlas(SharedLibrary("libm", candidates, ""));
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.library(), "a CBLAS");
    EXPECT_THAT(error.tried().front(), testing::HasSubstr("does not export cblas_dgemm"));
  }
}

}  // namespace
}  // namespace treadle::library
