// SPDX-License-Identifier: MIT
#include "linalg/blas_product.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace treadle::linalg {
namespace {

std::optional<BlasMatrix> blas_matrix(const kernel::ProductOperand& operand, std::uint64_t rows,
                                      std::uint64_t columns) {
  const auto height = static_cast<std::int64_t>(rows), width = static_cast<std::int64_t>(columns);
  const std::int64_t row = rows <= 1 ? std::max<std::int64_t>(width, 1) : operand.row;
  const std::int64_t column = columns <= 1 ? 1 : operand.column;
  if (column == 1 && row >= std::max<std::int64_t>(width, 1))
    return BlasMatrix{width, height, row, false};
  const std::int64_t own = rows <= 1 ? 1 : operand.row;
  if (own == 1 && column >= std::max<std::int64_t>(height, 1))
    return BlasMatrix{height, width, column, true};
  return std::nullopt;
}

}  // namespace

bool is_blas_dtype(Scalar dtype) noexcept {
  return dtype == Scalar::float32 || dtype == Scalar::float64 || dtype == Scalar::complex64 ||
         dtype == Scalar::complex128;
}

bool BlasProduct::fits_int() const noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  return std::max({product.m, product.n, product.k, static_cast<std::uint64_t>(x.distance),
                   static_cast<std::uint64_t>(y.distance)}) <= most;
}

std::optional<BlasProduct> blas_product(const kernel::Product& product) {
  const auto x = blas_matrix(product.x, product.m, product.k);
  const auto y = blas_matrix(product.y, product.k, product.n);
  if (!x || !y) return std::nullopt;
  return BlasProduct{product, *x, *y};
}

std::optional<BlasCalls> blas_calls(const kernel::Product& product) {
  constexpr std::uint64_t most_calls = 32;
  const auto size = static_cast<std::int64_t>(product.m * product.n);
  BlasRow call{product.outer, product.x.outer, product.y.outer,
               size * static_cast<std::int64_t>(product.inner)};
  BlasRow each{product.inner, product.x.inner, product.y.inner, size};
  if (call.count > each.count) std::swap(call, each);
  if (call.count > most_calls || each.count > std::numeric_limits<std::int32_t>::max() ||
      (each.count > 1 && (each.x < 0 || each.y < 0)))
    return std::nullopt;
  return BlasCalls{call, each};
}

std::string product_words(const kernel::Product& product, std::uint64_t matrices) {
  const auto matrix = [](std::uint64_t rows, std::uint64_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
  };
  return "a product of " + std::to_string(matrices) + " matrices of " +
         DType(product.dtype).name() + ", " + matrix(product.m, product.k) + " by " +
         matrix(product.k, product.n);
}

kernel::KernelNote product_note(const kernel::Product& product, const std::string& name,
                                const std::string& text) {
  const std::uint64_t size = DType(product.dtype).size_bytes();
  const std::uint64_t matrices = product.outer * product.inner;
  return {.name = &name,
          .text = &text,
          .bytes_read = matrices * (product.m + product.n) * product.k * size,
          .bytes_written = matrices * product.m * product.n * size,
          .instructions = 2 * matrices * product.m * product.n * product.k};
}

}  // namespace treadle::linalg
