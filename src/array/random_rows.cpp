// SPDX-License-Identifier: MIT
// Random vectors, made of random numbers. multinomial() and similar functions draw counts with a
// given sum by halving: first how many trials fall into the first half of the categories, then how
// many of those fall into the first half of each half, and so on. One draw serves all rows and all
// halves of a step.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/padding.hpp"
#include "treadle/array/random.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

Shape with_axis(const Shape& shape, std::int64_t length) {
  Shape longer = shape;
  longer.push_back(length);
  return longer;
}
std::int64_t signed_size(std::size_t size) { return static_cast<std::int64_t>(size); }

/// Interleaves two arrays along the last axis: a[0], b[0], a[1], ...
Array interleaved(const Array& a, const Array& b) {
  Shape shape(a.shape().begin(), a.shape().end());
  shape.back() *= 2;
  const Array both[] = {a, b};
  return reshape(stack(both, -1), shape);
}

/// Sums each `width` neighbours along the last axis.
Array sums_of(const Array& x, std::int64_t width) {
  Shape shape(x.shape().begin(), x.shape().end());
  shape.back() /= width;
  return sum(reshape(x, with_axis(shape, width)), {.axes = -1});
}
/// Every second element along the last axis, from element `first` on.
Array alternate(const Array& x, std::int64_t first) {
  return x.at({Index::ellipsis(), {.start = first, .step = 2}});
}
std::int64_t power_of_two_from(std::int64_t count) {
  std::int64_t power = 1;
  while (power < count) power *= 2;
  return power;
}
Array first_columns(const Array& x, std::int64_t count) {
  return x.at({Index::ellipsis(), {.stop = count}});
}
Array with_zeros_behind(const Array& x, std::int64_t count) {
  std::vector<PadWidth> widths(static_cast<std::size_t>(x.rank()));
  widths.back().second = count;
  return pad(x, widths);
}

/// Computes a factor F with F F' = the covariance, column by column. Cholesky's algorithm takes the
/// largest pivot first, and so also factors semidefinite matrices.
class CovarianceFactor {
 public:
  CovarianceFactor(std::span<const double> covariance, std::size_t n)
      : n_(n), rest_(covariance.begin(), covariance.end()), factor_(n * n) {
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(at(rest_, i, i)));
      for (std::size_t j = 0; j < i; ++j)
        error_ = std::max(error_, std::abs(at(rest_, i, j) - at(rest_, j, i)));
    }
    for (std::size_t column = 0; column < n && take_column(column, largest); ++column) continue;
    for (const double left : rest_) error_ = std::max(error_, std::abs(left));
    if (largest > 0) error_ /= largest;
  }
  const std::vector<double>& factor() const noexcept { return factor_; }
  /// The largest element of the covariance minus F F', divided by the largest variance.
  double error() const noexcept { return error_; }

 private:
  double& at(std::vector<double>& matrix, std::size_t i, std::size_t j) {
    return matrix[i * n_ + j];
  }
  bool take_column(std::size_t column, double largest) {
    std::size_t pivot = 0;
    for (std::size_t i = 1; i < n_; ++i)
      if (at(rest_, i, i) > at(rest_, pivot, pivot)) pivot = i;
    const double variance = at(rest_, pivot, pivot);
    if (!(variance > 1e-15 * largest)) return false;
    for (std::size_t i = 0; i < n_; ++i)
      at(factor_, i, column) = at(rest_, i, pivot) / std::sqrt(variance);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        at(rest_, i, j) -= at(factor_, i, column) * at(factor_, j, column);
    for (std::size_t i = 0; i < n_; ++i) at(rest_, i, pivot) = at(rest_, pivot, i) = 0;
    return true;
  }

  std::size_t n_;
  std::vector<double> rest_, factor_;
  double error_ = 0;
};

}  // namespace

Array Generator::dirichlet(List<double> alpha, const Shape& shape) {
  if (alpha.empty()) throw ShapeError("dirichlet(): alpha has no elements", "give one or more");
  kernel::require_parameters(RandomKind::standard_gamma, 0, alpha);
  if (std::ranges::all_of(alpha, [](double a) { return a == 0; }))
    throw InvalidArgument("dirichlet(): alpha is 0 everywhere", "let one be above 0");
  Placement here;
  if (device() != nullptr) here.stream = device()->default_stream();
  const Array shapes = Array::from(alpha, here);
  // Use logarithms: for small alphas all gamma numbers of a row may be below the smallest double.
  const Array logs =
      draw(RandomKind::log_gamma, {shapes}, with_axis(shape, signed_size(alpha.size())));
  const Array shares = exp(logs - max(logs, {.axes = -1, .keeps_axes = true}));
  return shares / sum(shares, {.axes = -1, .keeps_axes = true});
}

Array Generator::multinomial(const Operand& trials, const Array& probabilities,
                             const Shape& shape) {
  const Array given = in_dtype(probabilities, Scalar::float64);
  if (given.rank() == 0 || given.shape().back() == 0)
    throw ShapeError("multinomial(): pvals has no probabilities", "give one or more");
  const std::int64_t count = given.shape().back();
  const Array others = sum(first_columns(given, count - 1), {.axes = -1, .keeps_axes = true});
  if (given.size() != 0 && min(logical_and(given >= 0, given <= 1)).item().as_bool() == false)
    throw InvalidArgument("multinomial(): pvals has elements that are not from 0 to 1",
                          "give probabilities");
  if (given.size() != 0 && max(others).item().as_double() > 1 + 1e-12)
    throw InvalidArgument("multinomial(): the sum of pvals[..., :-1] is above 1",
                          "give probabilities whose sum is 1");
  if (trials.array() == nullptr) {
    const double number = trials.number().as_double();
    kernel::require_parameters(RandomKind::binomial, 0, std::span(&number, 1));
  }
  const Array last = maximum(1.0 - others, 0.0);
  const Array all[] = {first_columns(given, count - 1), last};
  const std::int64_t leaves = power_of_two_from(count);
  const Array tree = with_zeros_behind(concatenate(all, -1), leaves - count);
  Array counts =
      trials.array() == nullptr
          ? full(with_axis(shape, 1), trials.number(), Scalar::float64, {.stream = given.stream()})
          : reshape(in_dtype(broadcast_to(*trials.array(), shape), Scalar::float64),
                    with_axis(shape, 1));
  for (std::int64_t width = leaves / 2; width > 0; width /= 2) {
    const Array halves = sums_of(tree, width);
    const Array left = alternate(halves, 0), both = left + alternate(halves, 1);
    const Array share = where(both > 0, left / maximum(both, 1e-300), 0.0);
    const Shape own(counts.shape().begin(), counts.shape().end());
    const Array first =
        draw(RandomKind::binomial, {counts, broadcast_to(share, own)}, own, Scalar::float64);
    counts = interleaved(first, counts - first);
  }
  return in_dtype(first_columns(counts, count), Scalar::int64);
}

Array Generator::multivariate_hypergeometric(List<std::int64_t> colors, std::int64_t sample,
                                             const Shape& shape) {
  const auto require = [](bool holds, const std::string& what, const char* hint) {
    if (!holds) throw InvalidArgument("multivariate_hypergeometric(): " + what, hint);
  };
  require(!colors.empty(), "there are no colors", "give one or more");
  std::int64_t total = 0;
  for (const std::int64_t count : colors) {
    require(count >= 0 && count < 1000000000, "colors has " + std::to_string(count),
            "give numbers from 0 to below 10^9");
    total += count;
  }
  require(total < 1000000000, "the sum of colors is " + std::to_string(total),
          "let it be below 10^9");
  require(sample >= 0 && sample <= total,
          "nsample is " + std::to_string(sample) + " of " + std::to_string(total) + " balls",
          "draw no more than there are");
  std::vector<double> tree(colors.begin(), colors.end());
  tree.resize(static_cast<std::size_t>(power_of_two_from(signed_size(colors.size()))));
  Placement here;
  if (device() != nullptr) here.stream = device()->default_stream();
  Array counts = full(with_axis(shape, 1), sample, Scalar::float64, here);
  for (std::size_t width = tree.size() / 2; width > 0; width /= 2) {
    std::vector<double> left, right;
    for (std::size_t at = 0; at < tree.size(); at += 2 * width) {
      const auto begin = tree.begin() + signed_size(at), middle = begin + signed_size(width);
      left.push_back(std::accumulate(begin, middle, 0.0));
      right.push_back(std::accumulate(middle, middle + signed_size(width), 0.0));
    }
    const Shape own(counts.shape().begin(), counts.shape().end());
    const Array first =
        draw(RandomKind::hypergeometric,
             {Array::from(left, here), Array::from(right, here), counts}, own, Scalar::float64);
    counts = interleaved(first, counts - first);
  }
  return in_dtype(first_columns(counts, signed_size(colors.size())), Scalar::int64);
}

Array Generator::multivariate_normal(List<double> mean, List<double> covariance, const Shape& shape,
                                     double tolerance) {
  const std::size_t n = mean.size();
  if (n == 0 || covariance.size() != n * n)
    throw ShapeError("multivariate_normal(): " + std::to_string(n) + " means and " +
                         std::to_string(covariance.size()) + " covariances",
                     "give n means and n x n covariances");
  const CovarianceFactor factor(covariance, n);
  if (!(factor.error() <= tolerance))
    throw InvalidArgument(
        "multivariate_normal(): the covariance is not symmetric positive "
        "semidefinite: it is wrong by " +
            std::to_string(factor.error()) + " of the largest variance",
        "give that of random numbers, or a larger tolerance");
  Placement here;
  if (device() != nullptr) here.stream = device()->default_stream();
  const std::int64_t columns = signed_size(n);
  const Array normal = standard_normal(with_axis(shape, columns));
  Shape rows = shape;
  rows.push_back(1);
  const Array matrix =
      Array::from(factor.factor().data(), {columns, columns}, Scalar::float64, here);
  return Array::from(mean, here) +
         sum(reshape(normal, with_axis(rows, columns)) * matrix, {.axes = -1});
}

}  // namespace treadle::array
