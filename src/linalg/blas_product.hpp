// SPDX-License-Identifier: MIT
// A product in the words of BLAS, for every library that has a gemm.
//
// BLAS counts column by column. What lies in memory as z, row by row, is to it the transposed of z;
// so it is asked for z^T = y^T x^T: y comes first, and nothing is copied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "treadle/kernel/product.hpp"

namespace treadle::linalg {

/// A factor as it lies in memory, column by column.
struct BlasMatrix {
  std::int64_t rows, columns;
  std::int64_t distance;  ///< from column to column, in elements: BLAS's leading dimension
  bool is_transposed;     ///< whether gemm has to transpose it, for z^T = y^T x^T
};

/// Whether every BLAS multiplies it: float32, float64 and complex numbers of these.
bool is_blas_dtype(Scalar dtype) noexcept;

/// A product that gemm can read.
struct BlasProduct {
  kernel::Product product;
  BlasMatrix x, y;
  /// Whether lengths and distances are numbers of 32 bits.
  bool fits_int() const noexcept;
};
/// None where neither the rows nor the columns of a factor are dense.
std::optional<BlasProduct> blas_product(const kernel::Product& product);

/// Matrices at equal distances, in elements: those that one call multiplies, or the calls.
struct BlasRow {
  std::uint64_t count;
  std::int64_t x, y, z;
};
/// A product in calls that multiply many matrices each, along the longer axis of the batch.
struct BlasCalls {
  BlasRow call, each;  ///< the calls, and the matrices of one
};
/// None where these are so many that one launch of a generated kernel costs less, or one call would
/// have to read matrices backwards.
std::optional<BlasCalls> blas_calls(const kernel::Product& product);

/// "a product of 3 matrices of float32, 2 x 3 by 3 x 4", for errors.
std::string product_words(const kernel::Product& product, std::uint64_t matrices = 1);
/// What a library's call was, for explain(). The texts live as long as the device.
kernel::KernelNote product_note(const kernel::Product& product, const std::string& name,
                                const std::string& text);

}  // namespace treadle::linalg
