// SPDX-License-Identifier: MIT
#include "treadle/array/signal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/padding.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

/// The places of a window's numbers, from -1 to 1.
Array places_of_window(std::int64_t count, const Placement& placement) {
  const auto last = static_cast<double>(count - 1);
  return arange(1 - count, count, 2, Scalar::float64, placement) / last;
}

/// The window if it has fewer than two numbers; otherwise none, and the caller computes the window.
std::optional<Array> short_window(std::int64_t count, const Placement& placement) {
  if (count < 1) return zeros({0}, Scalar::float64, placement);
  if (count == 1) return ones({1}, Scalar::float64, placement);
  return std::nullopt;
}

Array cosine_window(std::int64_t count, double mean, double first, const Placement& placement) {
  if (auto window = short_window(count, placement)) return *window;
  return mean + first * cos(std::numbers::pi * places_of_window(count, placement));
}

bool is_kind(const Array& x, ScalarKind kind) { return x.dtype().kind() == kind; }
bool has_fractions(const Array& x) {
  return is_kind(x, ScalarKind::floating) || is_kind(x, ScalarKind::complex);
}

void require_signal(const char* who, const Array& x) {
  if (x.rank() != 1 || x.size() == 0)
    throw ShapeError(std::string(who) + ": an array of shape " + shape_text(x.shape()),
                     "it takes arrays with one axis and one element at least");
}

/// A view whose row k is the `count` elements of x from k on.
Array windows(const Array& x, std::int64_t count) {
  const std::int64_t steps = x.size() - count + 1, stride = x.strides()[0];
  const std::int64_t shape[] = {steps, count}, strides[] = {stride, stride};
  return x.viewed(Layout(shape, strides, x.layout().offset_bytes()), x.dtype());
}

/// Sums x[k + j] * y[j] over j. y is no longer than x.
Array slid(const Array& x, const Array& y, Overlap overlap) {
  const std::int64_t count = y.size();
  std::int64_t before = 0, behind = 0;
  if (overlap == Overlap::full) before = behind = count - 1;
  if (overlap == Overlap::same) before = count / 2, behind = count - 1 - before;
  const PadWidth widths[] = {{before, behind}};
  const bool is_padded = count > 1 && overlap != Overlap::valid;
  Array products = windows(is_padded ? pad(x, widths) : x, count) * y;
  if (products.dtype() == Scalar::boolean) return any(products, {.axes = -1});
  // Places beyond the ends must not count, not even as 0 * infinity, which is NaN.
  if (is_padded && has_fractions(products)) {
    const Array within = pad(ones({x.size()}, Scalar::boolean, {.stream = x.stream()}), widths);
    products = where(windows(within, count), products, 0);
  }
  return sum(products, {.axes = -1, .dtype = products.dtype().scalar()});
}

/// Samples of an array whose axis is the last one.
Array samples(const Array& x, std::optional<std::int64_t> start,
              std::optional<std::int64_t> stop = {}) {
  return x.at({Index::ellipsis(), Index{.start = start, .stop = stop}});
}
/// The sample at `number` as an axis of length 1. `last()` counts from the end, from 1 on.
Array first(const Array& x, std::int64_t number) { return samples(x, number, number + 1); }
Array last(const Array& x, std::int64_t from_end) {
  return from_end == 1 ? samples(x, -1) : samples(x, -from_end, 1 - from_end);
}

/// Casts integers and bool to float64.
Array with_fractions(const Array& x) { return has_fractions(x) ? x : in_dtype(x, Scalar::float64); }

/// Casts unsigned integers and bool to int64.
Array with_sign(const Array& x) {
  const bool has_sign =
      !is_kind(x, ScalarKind::unsigned_integer) && !(x.dtype() == Scalar::boolean);
  return has_sign ? x : in_dtype(x, Scalar::int64);
}

/// Moves the axis of the samples to the end, in a dtype that can hold slopes.
Array sampled(const Array& x, int axis, int edge_order) {
  if (edge_order != 1 && edge_order != 2)
    throw InvalidArgument("gradient: edge_order=" + std::to_string(edge_order), "it is 1 or 2");
  const Array moved = moveaxis(x, axis, -1);
  if (moved.shape().back() <= edge_order)
    throw ShapeError("gradient: shape " + shape_text(x.shape()) +
                         " has too few samples along axis " + std::to_string(axis),
                     "edge_order=" + std::to_string(edge_order) + " takes " +
                         std::to_string(edge_order + 1) + " at least");
  return with_fractions(moved);
}

Array joined_slopes(const Array& begin, const Array& inner, const Array& end, int axis) {
  const Array parts[] = {begin, inner, end};
  return moveaxis(concatenate(parts, -1), -1, axis);
}

}  // namespace

Array bartlett(std::int64_t count, const Placement& placement) {
  if (auto window = short_window(count, placement)) return *window;
  return 1.0 - absolute(places_of_window(count, placement));
}
Array blackman(std::int64_t count, const Placement& placement) {
  if (auto window = short_window(count, placement)) return *window;
  const Array angles = std::numbers::pi * places_of_window(count, placement);
  return 0.42 + 0.5 * cos(angles) + 0.08 * cos(2.0 * angles);
}
Array hamming(std::int64_t count, const Placement& placement) {
  return cosine_window(count, 0.54, 0.46, placement);
}
Array hanning(std::int64_t count, const Placement& placement) {
  return cosine_window(count, 0.5, 0.5, placement);
}

Array i0(const Array& x) {
  if (is_kind(x, ScalarKind::complex))
    throw DTypeError("i0 of " + x.dtype().name(), "it takes real numbers");
  const Array given = absolute(with_fractions(x));
  const Array size = in_dtype(given, Scalar::float64);
  constexpr double limit = 30;
  // The coefficients of t**k / (k!)**2 for t = (x/2)**2. No term is negative, so nothing cancels.
  std::vector<Operand> series{Operand(1.0)};
  for (double k = 1, term = 1; k < 64; ++k) series.emplace_back(term /= k * k);
  // The coefficients 1, 1/8, 9/(2*8**2), ... of the powers of 1/x.
  std::vector<Operand> asymptotic{Operand(1.0)};
  for (double k = 1, term = 1; k < 20; ++k)
    asymptotic.emplace_back(term *= (2 * k - 1) * (2 * k - 1) / (8 * k));
  std::ranges::reverse(series);
  std::ranges::reverse(asymptotic);
  const Array near = polyval(series, square(minimum(size, limit) * 0.5));
  const Array inverse = 1.0 / maximum(size, limit);
  // Multiply by exp(x/2) twice: exp(x) may overflow although the result does not.
  const Array root = exp(size * 0.5);
  const Array far =
      root * (polyval(asymptotic, inverse) * sqrt(inverse * (0.5 / std::numbers::pi)) * root);
  return in_dtype(where(size < limit, near, far), given.dtype());
}

Array kaiser(std::int64_t count, double beta, const Placement& placement) {
  if (auto window = short_window(count, placement)) return *window;
  const Array heights = sqrt(1.0 - square(places_of_window(count, placement)));
  const Array top = full({}, beta, Scalar::float64, placement);
  return i0(beta * heights) / i0(top);
}

Array convolve(const Array& x, const Array& y, Overlap overlap) {
  require_signal("convolve", x);
  require_signal("convolve", y);
  const bool is_shorter = x.size() < y.size();
  return slid(is_shorter ? y : x, flip(is_shorter ? x : y, 0), overlap);
}

Array correlate(const Array& x, const Array& y, Overlap overlap) {
  require_signal("correlate", x);
  require_signal("correlate", y);
  const Array kept = is_kind(y, ScalarKind::complex) ? conjugate(y) : y;
  if (x.size() < y.size()) return flip(slid(kept, x, overlap), 0);
  return slid(x, kept, overlap);
}

Array gradient(const Array& x, const Operand& distance, int axis, int edge_order) {
  const Array f = sampled(x, axis, edge_order);
  const auto slope = [&](const Array& rise) { return apply(Op::divide, {rise, distance}); };
  const Array inner = slope(0.5 * (samples(f, 2) - samples(f, 0, -2)));
  if (edge_order == 1)
    return joined_slopes(slope(first(f, 1) - first(f, 0)), inner, slope(last(f, 1) - last(f, 2)),
                         axis);
  return joined_slopes(slope(2.0 * first(f, 1) - 1.5 * first(f, 0) - 0.5 * first(f, 2)), inner,
                       slope(1.5 * last(f, 1) - 2.0 * last(f, 2) + 0.5 * last(f, 3)), axis);
}

Array gradient_at(const Array& x, const Array& places, int axis, int edge_order) {
  const Array f = sampled(x, axis, edge_order);
  if (places.rank() != 1 || places.size() != f.shape().back())
    throw ShapeError("gradient: places of shape " + shape_text(places.shape()) + " for " +
                         std::to_string(f.shape().back()) + " samples along axis " +
                         std::to_string(axis),
                     "there is one place for each sample, or one distance for all");
  const Array steps = diff(with_fractions(places));
  // The slope at the middle of the parabola through three samples. The steps are p and q.
  const Array p = samples(steps, 0, -1), q = samples(steps, 1);
  const auto joined = [&](const Array& begin, const Array& middle, const Array& end) {
    return in_dtype(joined_slopes(begin, middle, end, axis), f.dtype());
  };
  const Array inner = samples(f, 0, -2) * (-q / (p * (p + q))) +
                      samples(f, 1, -1) * ((q - p) / (p * q)) + samples(f, 2) * (p / (q * (p + q)));
  if (edge_order == 1)
    return joined((first(f, 1) - first(f, 0)) / first(steps, 0), inner,
                  (last(f, 1) - last(f, 2)) / last(steps, 1));
  const auto at_end = [](const Array& near, const Array& middle, const Array& far, const Array& s,
                         const Array& t) {  // s: the step at the end, t: the step next to it
    return near * ((2.0 * s + t) / (s * (s + t))) - middle * ((s + t) / (s * t)) +
           far * (s / (t * (s + t)));
  };
  return joined(-at_end(first(f, 0), first(f, 1), first(f, 2), first(steps, 0), first(steps, 1)),
                inner, at_end(last(f, 1), last(f, 2), last(f, 3), last(steps, 1), last(steps, 2)));
}

Array unwrap(const Array& x, const UnwrapOptions& options) {
  if (is_kind(x, ScalarKind::complex))
    throw DTypeError("unwrap of " + x.dtype().name(), "angles are real numbers");
  const bool is_whole =
      !is_kind(x, ScalarKind::floating) && options.period == std::floor(options.period);
  const auto number = [is_whole](double value) {
    return is_whole ? Operand(static_cast<std::int64_t>(value)) : Operand(value);
  };
  const double half = is_whole ? std::floor(options.period / 2) : options.period / 2;
  const Array moved = moveaxis(x, options.axis, -1);
  const Array steps = diff(with_sign(moved));
  const Array turned =
      subtract(remainder(add(steps, number(half)), number(options.period)), number(half));
  Array change = turned - steps;
  // A step of half a period keeps its sign.
  if (!is_whole || half * 2 == options.period)
    change = where(logical_and(equal(turned, number(-half)), steps > 0),
                   subtract(number(half), steps), change);
  const double jump = options.discontinuity.value_or(options.period / 2);
  change = where(absolute(steps) < jump, number(0), change);
  const Array parts[] = {
      samples(moved, 0, 1),
      samples(moved, 1) + cumulative_sum(change, {.axes = -1, .dtype = change.dtype().scalar()})};
  return moveaxis(concatenate(parts, -1), -1, options.axis);
}

}  // namespace treadle::array
