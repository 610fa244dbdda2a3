// SPDX-License-Identifier: MIT
// Which arrays are refused for the pointers that a user's kernel declares.
#include "treadle/kernel/declared_vectors.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::kernel {
namespace {

DeclaredVector floats(std::int64_t size) {
  return {.position = 0,
          .name = "x",
          .declared = Scalar::float32,
          .given = Scalar::float32,
          .size = size,
          .uses_every_element = true};
}

void check(const DeclaredVector& vector, std::int64_t low, std::int64_t high) {
  check_vectors("kernel k", std::span(&vector, 1), low, high);
}

TEST(DeclaredVectorsTest, PointersMeanTheirElementsAndWhatProgramsSeeAsThem) {
  EXPECT_TRUE(may_point_to(Scalar::float32, Scalar::float32));
  EXPECT_TRUE(may_point_to(Scalar::float32, Scalar::complex64));  // pairs
  EXPECT_TRUE(may_point_to(Scalar::uint32, Scalar::float32));     // bits
  EXPECT_TRUE(may_point_to(Scalar::uint8, Scalar::complex128));   // bytes
  EXPECT_TRUE(may_point_to(Scalar::int32, Scalar::uint32));
  EXPECT_TRUE(may_point_to(Scalar::uint16, Scalar::float16));
  EXPECT_TRUE(may_point_to(Scalar::int16, Scalar::float16));
  EXPECT_FALSE(may_point_to(Scalar::float32, Scalar::float64));
  EXPECT_FALSE(may_point_to(Scalar::float32, Scalar::int32));
  EXPECT_FALSE(may_point_to(Scalar::int32, Scalar::float32));
  EXPECT_FALSE(may_point_to(Scalar::complex64, Scalar::complex128));
  EXPECT_FALSE(may_point_to(Scalar::complex64, Scalar::float64));
}

TEST(DeclaredVectorsTest, ArraysAreAsLongAsTheIndices) {
  EXPECT_NO_THROW(check(floats(10), 0, 9));
  EXPECT_THROW(check(floats(10), 0, 10), InvalidArgument);
  EXPECT_THROW(check(floats(10), -1, 9), InvalidArgument);
  DeclaredVector unused = floats(10);
  unused.uses_every_element = false;
  EXPECT_NO_THROW(check(unused, 0, 100));
  DeclaredVector pairs = floats(5);
  pairs.given = Scalar::complex64;
  EXPECT_NO_THROW(check(pairs, 0, 9));
  EXPECT_THROW(check(pairs, 0, 10), InvalidArgument);
}

TEST(DeclaredVectorsTest, WhatIsMadeOneForOneHasElementsOfTheSize) {
  DeclaredVector pairs = floats(5);
  pairs.given = Scalar::complex64;
  pairs.is_counted = true;
  EXPECT_THROW(check(pairs, 0, 4), DTypeError);
}

TEST(DeclaredVectorsTest, OrdersOfMemoryAreOne) {
  DeclaredVector rows = floats(4), columns = floats(4);
  rows.in_fortran_order = columns.in_c_order = false;
  const DeclaredVector both[] = {rows, columns};
  EXPECT_THROW(check_vectors("kernel k", both, 0, 3), InvalidArgument);
  const DeclaredVector same[] = {rows, rows, floats(4)};
  EXPECT_NO_THROW(check_vectors("kernel k", same, 0, 3));
}

}  // namespace
}  // namespace treadle::kernel
