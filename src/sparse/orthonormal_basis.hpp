// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::sparse {

/// Orthonormal vectors as the rows of one array, as Krylov methods make them one by one.
class OrthonormalBasis {
 public:
  /// The first is that vector, scaled; there will be at most `count`.
  OrthonormalBasis(const Array& first, std::int64_t count);

  Array vector(std::int64_t k) const { return rows_.at({Index::at(k)}); }
  std::int64_t size() const noexcept { return size_; }

  /// What is left of a vector counts as nothing below so many units of rounding of its norm.
  static constexpr double least = 10;

  /// What add() found.
  struct Step {
    Array coefficients;  ///< w by each vector, the norm of what is left, and that of w
  };
  /// Takes from w what it has of the vectors, twice (Giraud and others 2005: that is enough), and
  /// adds the rest, scaled; zeros where rounding alone is left.
  Step add(const Array& w);
  /// The sum of the first vectors with these weights.
  Array combined(const std::vector<std::complex<double>>& weights) const;
  /// Sums of the first `width` vectors as rows, one for each row of real weights.
  Array sums(const std::vector<double>& weights, std::int64_t count, std::int64_t width) const;
  /// Forgets all vectors but the first.
  void keep(std::int64_t count) noexcept { size_ = count; }
  /// Replaces all vectors by sums of them, one for each row of real weights, and the last one,
  /// which stays.
  void recombine(const std::vector<double>& weights, std::int64_t count);

 private:
  Array projected(const Array& rows, const Array& w) const;

  Array rows_;
  std::int64_t size_ = 1;
};

}  // namespace treadle::sparse
