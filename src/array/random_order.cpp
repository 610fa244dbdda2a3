// SPDX-License-Identifier: MIT
// Random orders: positions are sorted by random words. Among n positions two have the same word
// with a probability below n^2 / 2^65; positions with the same word keep their order.
#include <cmath>
#include <string>

#include "array/access.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/random.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"

namespace treadle::array {
namespace {

/// Checks the probabilities of choice() and returns them as float64.
Array checked_probabilities(const Array& given, std::int64_t count, std::int64_t chosen,
                            bool replaces) {
  const auto require = [](bool holds, const std::string& what, const char* hint) {
    if (!holds) throw InvalidArgument("choice(): " + what, hint);
  };
  if (given.rank() != 1 || given.size() != count)
    throw ShapeError("choice(): p has " + std::to_string(given.size()) + " elements and " +
                         std::to_string(given.rank()) + " axes",
                     "give one axis of " + std::to_string(count));
  const Array p = in_dtype(given, Scalar::float64);
  require(all(p >= 0).item().as_bool(), "p has elements that are below 0 or NaN",
          "give probabilities");
  const double total = sum(p).item().as_double();
  require(std::abs(total - 1) <= 1.5e-8, "the sum of p is " + std::to_string(total),
          "divide p by its sum");
  require(replaces || count_nonzero(p).item().as_int64() >= chosen,
          "fewer elements of p are above 0 than are chosen without putting back",
          "choose fewer, or let replaces be true");
  return p;
}

}  // namespace

Array Generator::choice(std::int64_t count, const Shape& shape, const ChoiceOptions& options) {
  const std::int64_t chosen = element_count(shape);
  if (count < 0 || (count == 0 && chosen != 0))
    throw InvalidArgument("choice() of " + std::to_string(count) + " elements",
                          "let there be one or more");
  if (!options.replaces && chosen > count)
    throw InvalidArgument("choice() of " + std::to_string(chosen) + " from " +
                              std::to_string(count) + " elements without putting back",
                          "choose fewer, or let replaces be true");
  if (chosen == 0) return draw(RandomDraw::integers<std::int64_t>(0, 1), shape);
  if (!options.probabilities.has_value()) {
    if (options.replaces) return integers<std::int64_t>(0, count, shape);
    return reshape(permutation(count).at({{.start = 0, .stop = chosen}}), shape);
  }
  const Array p = checked_probabilities(options.probabilities, count, chosen, options.replaces);
  if (options.replaces) {
    const Array sums = cumulative_sum(p);
    const Array total = sums.at({Index::at(-1)});
    return searchsorted(sums / total, random(shape), SearchSide::right);
  }
  // P. S. Efraimidis, P. G. Spirakis: Weighted random sampling with a reservoir, Information
  // Processing Letters 97 (2006): the first arrivals, where element i arrives at the rate p[i].
  const Array arrivals = exponential(1.0, {count}) / p;
  return reshape(argsort(arrivals).at({{.start = 0, .stop = chosen}}), shape);
}

Array Generator::choice(const Array& x, const Shape& shape, const ChoiceOptions& options) {
  if (x.rank() == 0) throw ShapeError("choice() of an array without axes", "give one with an axis");
  const std::size_t axis = counted_axis(x, options.axis);
  return take(x, choice(x.shape()[axis], shape, options), static_cast<int>(axis));
}

Array Generator::permutation(std::int64_t count) {
  if (count < 0)
    throw InvalidArgument("permutation() of " + std::to_string(count) + " positions",
                          "give 0 or more");
  return argsort(draw(RandomDraw::words(Scalar::uint64), {count}));
}

Array Generator::permutation(const Array& x, int axis) {
  if (x.rank() == 0)
    throw ShapeError("permutation() of an array without axes", "give one with an axis");
  return take(x, permutation(x.shape()[counted_axis(x, axis)]), axis);
}

Array Generator::permuted(const Array& x, std::optional<int> axis) {
  const Shape shape(x.shape().begin(), x.shape().end());
  if (!axis) return reshape(permutation(ravel(x)), shape);
  (void)counted_axis(x, *axis);
  return take_along_axis(x, argsort(draw(RandomDraw::words(Scalar::uint64), shape), {.axis = axis}),
                         *axis);
}

}  // namespace treadle::array
