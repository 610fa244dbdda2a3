// SPDX-License-Identifier: MIT
// Elements of memory as real numbers, and how far two rows of them are apart.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"

namespace treadle::tune {

/// The elements in `bytes`; two numbers for a complex one, none for structures.
std::vector<double> numbers_in(std::span<const std::byte> bytes, Scalar dtype);
/// The reverse: as a cast of C's does it, and without it for numbers that an integer cannot hold.
std::vector<std::byte> bytes_of(std::span<const double> numbers, Scalar dtype);
/// Of types whose results depend on the order of sums; 0: they have to be equal.
double default_tolerance(Scalar dtype);
/// "; 3 of 8 are wrong".
std::string of_count(std::size_t wrong, std::size_t all);
/// The first number that differs by more than `tolerance` of itself and of the root of the mean
/// square of all; empty: none.
std::string difference_of_numbers(const std::vector<double>& found,
                                  const std::vector<double>& expected, double tolerance);
/// The largest distance in units of the last place of `dtype`, among numbers that are finite in
/// both; 0 for integers that are equal.
double greatest_ulp(const std::vector<double>& found, const std::vector<double>& expected,
                    Scalar dtype);
/// What does not fit into `dtype` becomes infinite, as the one nearest result would be.
void round_to_infinity(std::vector<double>& numbers, Scalar dtype);

}  // namespace treadle::tune
