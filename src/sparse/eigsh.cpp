// SPDX-License-Identifier: MIT
#include "treadle/sparse/eigsh.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <string>
#include <utility>

#include "sparse/iteration.hpp"
#include "sparse/orthonormal_basis.hpp"
#include "sparse/small_eigen.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/random.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

/// Places of rising values, those that are wanted first.
std::vector<std::size_t> by_preference(const std::vector<double>& values, EigenChoice choice) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sort_by = [&](auto key) { std::ranges::stable_sort(order, std::less{}, key); };
  switch (choice) {
    case EigenChoice::smallest:
      break;
    case EigenChoice::largest:
      std::ranges::reverse(order);
      break;
    case EigenChoice::largest_magnitude:
      sort_by([&](std::size_t k) { return -std::abs(values[k]); });
      break;
    case EigenChoice::smallest_magnitude:
      sort_by([&](std::size_t k) { return std::abs(values[k]); });
      break;
    case EigenChoice::both_ends:
      for (std::size_t k = 0; k < order.size(); ++k)
        order[k] = k % 2 == 0 ? values.size() - 1 - k / 2 : k / 2;
      break;
  }
  return order;
}

class Lanczos {
 public:
  Lanczos(const LinearOperator& a, std::int64_t size, std::int64_t count, Scalar dtype,
          const EigshOptions& options);
  EigshSolution run();

 private:
  /// Adds vectors until the basis is full, or spans all there is.
  void extend();
  /// Reads what extend() left on the device; an invariant space is left by another vector.
  bool read_columns(std::vector<std::pair<std::size_t, Array>>& columns);
  /// Whether a value of small_ has converged.
  bool is_good(std::size_t which) const;
  /// How many of the wanted values have.
  std::size_t converged() const;
  EigshSolution solution(std::size_t found) const;
  /// Puts a vector of small_ behind others.
  void append(std::vector<double>& weights, std::size_t which) const;

  const LinearOperator& a_;
  const EigshOptions& options_;
  Scalar dtype_;
  std::size_t size_, count_, width_;
  double eps_;
  OrthonormalBasis basis_;
  std::vector<double> projected_;  ///< the matrix in the basis, width by width
  std::size_t used_ = 0;           ///< columns of it that are known
  double left_ = 0;                ///< norm of what the last product has outside of the basis
  std::int64_t products_ = 0, restarts_ = 0;
  std::uint64_t seed_ = 1;
  SmallEigen small_;
  std::vector<std::size_t> order_;  ///< of small_, those that are wanted first
};

std::size_t width_of(std::int64_t size, std::int64_t count, const EigshOptions& options) {
  const std::int64_t basis =
      options.basis > 0 ? options.basis : std::max<std::int64_t>(2 * count + 1, 20);
  return static_cast<std::size_t>(std::min(basis, size));
}

Array drawn_vector(std::int64_t size, Scalar dtype, std::uint64_t seed) {
  array::Generator random(seed);
  const DType real = DType(dtype).real_type();
  const Array first = random.standard_normal({size}, real.scalar());
  if (DType(dtype).kind() != ScalarKind::complex) return first;
  return make_complex(first, random.standard_normal({size}, real.scalar()));
}

Array first_vector(std::int64_t size, Scalar dtype, const EigshOptions& options) {
  if (!options.start) return drawn_vector(size, dtype, 0);
  if (options.start->rank() != 1 || options.start->size() != size)
    throw ShapeError("a start of shape " + shape_text(options.start->shape()) +
                         " of a matrix with " + std::to_string(size) + " rows",
                     "pass a vector");
  return array::in_dtype(*options.start, dtype);
}

Lanczos::Lanczos(const LinearOperator& a, std::int64_t size, std::int64_t count, Scalar dtype,
                 const EigshOptions& options)
    : a_(a),
      options_(options),
      dtype_(dtype),
      size_(static_cast<std::size_t>(size)),
      count_(static_cast<std::size_t>(count)),
      width_(width_of(size, count, options)),
      eps_(precision_of(dtype)),
      basis_(first_vector(size, dtype, options), static_cast<std::int64_t>(width_) + 1),
      projected_(width_ * width_, 0) {}

void Lanczos::extend() {
  while (used_ < width_) {
    std::vector<std::pair<std::size_t, Array>> columns;
    for (std::size_t k = used_; k < width_; ++k) {
      const Array w =
          array::in_dtype(a_.apply(basis_.vector(static_cast<std::int64_t>(k))), dtype_);
      columns.emplace_back(k, basis_.add(w).coefficients);
      ++products_;
    }
    if (!read_columns(columns)) return;
  }
}

bool Lanczos::read_columns(std::vector<std::pair<std::size_t, Array>>& columns) {
  for (const auto& [k, column] : columns) {
    const std::vector<double> numbers = reals_of(column);
    const double size = numbers[k + 2];
    if (!std::isfinite(size))
      throw InvalidArgument("eigsh: a product with A has elements that are not finite",
                            "look for NaN and infinities in A");
    for (std::size_t i = 0; i <= k; ++i)
      projected_[i * width_ + k] = projected_[k * width_ + i] = numbers[i];
    left_ = numbers[k + 1];
    used_ = k + 1;
    if (left_ > OrthonormalBasis::least * eps_ * size) continue;
    left_ = 0;
    if (used_ == size_) return false;
    if (used_ == width_) continue;
    basis_.keep(static_cast<std::int64_t>(used_));
    basis_.add(drawn_vector(static_cast<std::int64_t>(size_), dtype_, seed_++));
    return true;  // later columns are of a vector that is 0
  }
  return true;
}

bool Lanczos::is_good(std::size_t which) const {
  const double tolerance = options_.tolerance > 0 ? options_.tolerance : eps_;
  const double size = std::abs(small_.values[which]);
  // No residual is known more exactly than to the rounding of the largest value.
  const double largest = std::max(std::abs(small_.values.front()), std::abs(small_.values.back()));
  const double residual = left_ * std::abs(small_.vectors[which * used_ + used_ - 1]);
  return residual <=
         std::max(tolerance * std::max(std::pow(eps_, 2.0 / 3), size), 2 * eps_ * largest);
}

std::size_t Lanczos::converged() const {
  std::size_t found = 0;
  for (std::size_t k = 0; k < std::min(count_, used_); ++k) found += is_good(order_[k]) ? 1 : 0;
  return found;
}

EigshSolution Lanczos::solution(std::size_t found) const {
  std::vector<std::pair<double, std::size_t>> chosen;
  for (std::size_t k = 0; k < std::min(count_, used_); ++k) {
    const std::size_t which = order_[k];
    const double value = small_.values[which];
    if (!is_good(which)) continue;
    chosen.emplace_back(options_.shift ? *options_.shift + 1 / value : value, which);
  }
  std::ranges::sort(chosen);
  EigshSolution made{.values = {},
                     .vectors = {},
                     .products = products_,
                     .restarts = restarts_,
                     .has_all = found == count_};
  std::vector<double> weights;
  for (const auto& [value, which] : chosen) {
    made.values.push_back(value);
    append(weights, which);
  }
  made.vectors = array::transpose(basis_.sums(weights, static_cast<std::int64_t>(chosen.size()),
                                              static_cast<std::int64_t>(used_)));
  return made;
}

void Lanczos::append(std::vector<double>& weights, std::size_t which) const {
  const auto row = small_.vectors.begin() + static_cast<std::ptrdiff_t>(which * used_);
  weights.insert(weights.end(), row, row + static_cast<std::ptrdiff_t>(used_));
}

EigshSolution Lanczos::run() {
  const std::int64_t most =
      options_.most_restarts > 0 ? options_.most_restarts : static_cast<std::int64_t>(10 * size_);
  for (;;) {
    extend();
    std::vector<double> square(used_ * used_);
    for (std::size_t i = 0; i < used_; ++i)
      for (std::size_t k = 0; k < used_; ++k) square[i * used_ + k] = projected_[i * width_ + k];
    small_ = small_eigen(std::move(square), used_);
    order_ = by_preference(small_.values, options_.choice);
    const std::size_t found = converged();
    if (found >= count_ || left_ == 0 || ++restarts_ >= most) return solution(found);
    std::size_t kept = count_ + std::min(found, (width_ - count_) / 2);
    if (kept == 1 && width_ > 3) kept = width_ / 2;
    kept = std::min(kept, width_ - 1);
    std::vector<double> weights;
    for (std::size_t k = 0; k < kept; ++k) append(weights, order_[k]);
    basis_.recombine(weights, static_cast<std::int64_t>(kept));
    std::ranges::fill(projected_, 0);
    for (std::size_t k = 0; k < kept; ++k) projected_[k * width_ + k] = small_.values[order_[k]];
    used_ = kept;
  }
}

}  // namespace

EigshSolution eigsh(const LinearOperator& a, std::int64_t size, std::int64_t count, Scalar dtype,
                    const EigshOptions& options) {
  if (!a) throw InvalidArgument("eigsh of no matrix", "pass one, or a function");
  if (a.size() && (a.size()->rows != size || a.size()->columns != size))
    throw ShapeError("eigsh of a matrix of " + std::to_string(a.size()->rows) + " x " +
                         std::to_string(a.size()->columns),
                     "pass a square one of the size that is named");
  if (count < 1 || count >= size)
    throw InvalidArgument("eigsh for " + std::to_string(count) + " eigenvalues of a matrix with " +
                              std::to_string(size) + " rows",
                          "ask for 1 or more, and fewer than rows; else take a dense matrix");
  if (options.basis != 0 && (options.basis <= count || options.basis > size))
    throw InvalidArgument("eigsh with a basis of " + std::to_string(options.basis) + " for " +
                              std::to_string(count) + " eigenvalues",
                          "pass more vectors than eigenvalues, and at most the size");
  if (!(options.tolerance >= 0) || options.most_restarts < 0)
    throw InvalidArgument("eigsh with a tolerance or a number of restarts below 0",
                          "pass 0 or more");
  const ScalarKind kind = DType(dtype).kind();
  const bool is_taken =
      (kind == ScalarKind::floating && dtype != Scalar::float16) || kind == ScalarKind::complex;
  if (!is_taken)
    throw DTypeError("eigsh in " + DType(dtype).name(),
                     "pass float32, float64, complex64 or complex128");
  return Lanczos(a, size, count, dtype, options).run();
}

}  // namespace treadle::sparse
