// SPDX-License-Identifier: MIT
#include "treadle/tune/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "treadle/base/error.hpp"
#include "treadle/base/half.hpp"

namespace treadle::tune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::string difference_of(const std::vector<T>& found, const std::vector<T>& expected,
                          std::optional<Scalar> dtype) {
  return difference(bytes_of(found), {.bytes = bytes_of(expected), .dtype = dtype});
}

TEST(DifferenceTest, RealNumbersMayDifferByRounding) {
  EXPECT_THAT(difference_of<float>({1, 2, 1e-6f}, {1.00001f, 2, 0}, Scalar::float32), IsEmpty());
  EXPECT_THAT(difference_of<float>({1, 2.1f}, {1, 2}, Scalar::float32),
              HasSubstr("number 1 is 2.0999999, expected 2; 1 of 2 are wrong"));
  EXPECT_THAT(difference_of<double>({1, 2 + 1e-7}, {1, 2}, Scalar::float64), HasSubstr("number 1"));
  EXPECT_THAT(difference_of<std::uint16_t>({half_from(1.001)}, {half_from(1)}, Scalar::float16),
              IsEmpty());
}

TEST(DifferenceTest, NaNIsNaNAndInfinityIsInfinity) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(difference_of<float>({nan, infinity, 1}, {nan, infinity, 1}, Scalar::float32),
              IsEmpty());
  EXPECT_THAT(difference_of<float>({1, 1}, {nan, 1}, Scalar::float32), HasSubstr("number 0"));
  EXPECT_THAT(difference_of<float>({1, nan}, {1, 1}, Scalar::float32), HasSubstr("is nan"));
  EXPECT_THAT(difference_of<float>({-infinity, 1}, {infinity, 1}, Scalar::float32),
              HasSubstr("expected inf"));
}

TEST(DifferenceTest, NumbersAreNearByThemselvesAndByTheirMean) {
  std::vector<double> expected(1001);
  for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = static_cast<double>(k % 7) - 3;
  // The root of the mean square is 2, the number itself 3.
  for (const auto& [by, is_near] : {std::pair(4.9e-10, true), std::pair(5.1e-10, false)}) {
    std::vector<double> found = expected;
    found[1000 / 7 * 7 - 1] += by;
    EXPECT_EQ(difference_of(found, expected, Scalar::float64).empty(), is_near) << by;
    EXPECT_EQ(difference_of(found, expected, Scalar::complex128).empty(), is_near) << by;
  }
}

TEST(DifferenceTest, OtherElementsAreEqualByteForByte) {
  EXPECT_THAT(difference_of<int>({1, 2}, {1, 2}, Scalar::int32), IsEmpty());
  EXPECT_THAT(difference_of<int>({1, 3}, {1, 2}, Scalar::int32),
              HasSubstr("byte 4 is 3, expected 2; 1 of 8 are wrong"));
  EXPECT_THAT(difference_of<int>({1, 3}, {1, 2}, {}), HasSubstr("byte 4"));
  EXPECT_THAT(difference_of<int>({1}, {1, 2}, {}), HasSubstr("it has 4 bytes, expected 8"));
}

TEST(DifferenceTest, ACheckOfOnesOwnDecides) {
  const Expected expected{
      .check = [](std::span<const std::byte> found) { return found.empty() ? "nothing" : ""; }};
  EXPECT_EQ(difference({}, expected), "nothing");
}

TEST(OutcomeTest, HasNames) {
  for (const Outcome each :
       {Outcome::measured, Outcome::overtaken, Outcome::excluded, Outcome::compile_error,
        Outcome::launch_refused, Outcome::wrong_result, Outcome::timeout, Outcome::crash})
    EXPECT_EQ(outcome_of(outcome_name(each)), each);
  EXPECT_THROW(outcome_of("fine"), InvalidArgument);
}

}  // namespace
}  // namespace treadle::tune
