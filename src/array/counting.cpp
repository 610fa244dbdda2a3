// SPDX-License-Identifier: MIT
#include "treadle/array/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/order_statistics.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/counting.hpp"

namespace treadle::array {
namespace {

/// The most elements of one launch: kernels count in 32 bits.
constexpr std::int64_t most_counted = std::int64_t{1} << 31;

/// Counts the elements in each bin, as int64. The array has one axis and is dense.
Array counts_of(const Array& x, std::int64_t length,
                const std::optional<kernel::EvenBins>& even = {}, const Array& edges = {}) {
  const Placement beside{.stream = x.stream()};
  Array all;
  for (std::int64_t from = 0; from < std::max<std::int64_t>(x.size(), 1); from += most_counted) {
    const std::int64_t stop = std::min(from + most_counted, x.size());
    const Array part = x.at({Index{.start = from, .stop = stop}});
    const Array counts = zeros({length}, Scalar::uint32, beside);
    compute(Access::node(counts));
    if (part.size() > 0 && length > 0) {
      kernel::CountArguments arguments{part, counts, {}};
      if (even) arguments.edges = edges;
      const StreamRef stream = Access::node(counts).context->stream({});
      const WithoutHostLock released;
      kernel::launch_count(*stream,
                           {.n = static_cast<std::uint64_t>(part.size()),
                            .bin_count = static_cast<std::uint64_t>(length),
                            .dtype = x.dtype().scalar(),
                            .even = even},
                           arguments);
    }
    const Array wide = in_dtype(counts, Scalar::int64);
    all = all.has_value() ? all + wide : wide;
  }
  return all;
}

/// Sums the weights of each number below `length`, as float64.
Array sums_of(const Array& bins, const Array& weights, std::int64_t length) {
  const Array sums = zeros({length}, Scalar::float64, {.stream = bins.stream()});
  compute(Access::node(sums));
  if (bins.size() == 0 || length == 0) return sums;
  const Array order = argsort(bins);
  const Array in_order = dense(take(bins, IndexArray(order), 0));
  const Array sorted_weights = dense(take(weights, IndexArray(order), 0));
  const StreamRef stream = Access::node(sums).context->stream({});
  const WithoutHostLock released;
  kernel::launch_weighted(*stream, static_cast<std::uint64_t>(bins.size()),
                          static_cast<std::uint64_t>(length), {in_order, sorted_weights, sums});
  return sums;
}

void require_few(std::int64_t bins) {
  if (bins >= std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument(std::to_string(bins) + " bins", "let there be less than 2^32");
}

Array weights_for(const Array& x, const Array& weights) {
  require_one_context("weights", *Access::node(x).context, *Access::node(weights).context);
  if (weights.dtype().kind() == ScalarKind::complex ||
      weights.dtype().kind() == ScalarKind::structure)
    throw DTypeError("weights of " + weights.dtype().name(), "pass real numbers");
  if (weights.size() != x.size())
    throw ShapeError(
        std::to_string(weights.size()) + " weights of " + std::to_string(x.size()) + " elements",
        "pass one for each");
  return ravel(in_dtype(weights, Scalar::float64));
}

void require_real(const char* function, const Array& x) {
  if (x.dtype().kind() == ScalarKind::complex || x.dtype().kind() == ScalarKind::structure)
    throw DTypeError(std::string(function) + " of " + x.dtype().name(), "it takes real numbers");
}

/// The ends of the range. An empty range is widened as NumPy widens it.
HistogramRange range_of(const Array& x, const std::optional<HistogramRange>& range) {
  HistogramRange ends = range.value_or(HistogramRange{0, 1});
  if (!range && x.size() > 0) {
    const Array least = in_dtype(min(x), Scalar::float64), most = in_dtype(max(x), Scalar::float64);
    evaluate({least, most});
    ends = {least.as<double>().front(), most.as<double>().front()};
  }
  const std::string text =
      "range=(" + std::to_string(ends.first) + ", " + std::to_string(ends.second) + ")";
  if (!std::isfinite(ends.first) || !std::isfinite(ends.second))
    throw InvalidArgument(range ? text : "elements that are not finite, " + text,
                          "pass a range of finite numbers");
  if (ends.first > ends.second)
    throw InvalidArgument(text + " goes down", "begin with the lower end");
  if (ends.first == ends.second) return {ends.first - 0.5, ends.second + 0.5};
  return ends;
}

/// Edges of the dtype of x if that is floating. Edges between the extrema of x are also computed in
/// that dtype, as in NumPy.
Array edges_of(const Array& x, std::int64_t count, const HistogramRange& ends, bool are_extrema) {
  if (count < 1)
    throw InvalidArgument("a histogram of " + std::to_string(count) + " bins",
                          "pass 1 bin or more");
  const Placement beside{.stream = x.stream()};
  const bool is_floating = x.dtype().kind() == ScalarKind::floating;
  const Scalar dtype = is_floating ? x.dtype().scalar() : Scalar::float64;
  if (dtype != Scalar::float32 || !are_extrema)
    return linspace(ends.first, ends.second, count + 1, true, dtype, beside);
  const auto first = static_cast<float>(ends.first), last = static_cast<float>(ends.second);
  const float step = (last - first) / static_cast<float>(count);
  const Array number = arange(0, count + 1, 1, Scalar::float32, beside);
  return where(number == static_cast<float>(count), last, number * step + first);
}

/// The edges, and the bin of each element of one axis; `count` stands for elements beyond the
/// edges.
struct Binned {
  Array edges, bins;
  std::int64_t count;
};

/// The number of bins in a range of length 1.
double scale_of(std::int64_t count, const HistogramRange& ends) {
  return static_cast<double>(count) / (ends.second - ends.first);
}

/// A product gives a bin near the element's bin; comparing with the edges then gives the right bin.
Array bins_of_one_width(const Array& x, const Array& edges, const HistogramRange& ends) {
  const std::int64_t count = edges.size() - 1;
  const Array value = in_dtype(x, edges.dtype());
  const auto edge = [&](const Array& place) { return take(edges, IndexArray(place), 0); };
  const Array is_within =
      (value >= edges.at({Index::at(0)})) & (value <= edges.at({Index::at(-1)}));
  const Array near = (in_dtype(where(is_within, value, ends.first), Scalar::float64) - ends.first) *
                     scale_of(count, ends);
  Array bin = minimum(maximum(in_dtype(near, Scalar::int64), 0), count - 1);
  bin = where((value < edge(bin)) & (bin > 0), bin - 1, bin);
  bin = where((value >= edge(bin + 1)) & (bin < count - 1), bin + 1, bin);
  return where(is_within, bin, count);
}

Array bins_between(const Array& x, const Array& edges) {
  const std::int64_t count = edges.size() - 1;
  const Array first = edges.at({Index::at(0)}), last = edges.at({Index::at(-1)});
  const Array bin = minimum(searchsorted(edges, x, SearchSide::right) - 1, count - 1);
  return where((x >= first) & (x <= last), bin, count);
}

Binned binned(const Array& x, const HistogramBins& wanted) {
  if (!wanted.edges.has_value()) {
    const HistogramRange ends = range_of(x, wanted.range);
    const Array edges = edges_of(x, wanted.count, ends, !wanted.range);
    return {edges, bins_of_one_width(x, edges, ends), wanted.count};
  }
  const Array& edges = wanted.edges;
  if (edges.rank() != 1 || edges.size() < 1)
    throw ShapeError("edges of bins of shape " + shape_text(edges.shape()),
                     "pass one axis with at least one edge");
  require_one_context("edges of bins", *Access::node(x).context, *Access::node(edges).context);
  const Array steps = edges.at({Index{.stop = -1}}) <= edges.at({Index{.start = 1}});
  if (edges.size() > 1 && !all(steps).as<bool>().front())
    throw InvalidArgument("edges of bins that go down", "sort them");
  return {edges, bins_between(x, edges), edges.size() - 1};
}

Array density_of(const Array& counts, const std::vector<Array>& edges) {
  const bool is_complex = counts.dtype().kind() == ScalarKind::complex;
  Array made = counts / in_dtype(sum(counts), is_complex ? Scalar::complex128 : Scalar::float64);
  for (std::size_t axis = 0; axis < edges.size(); ++axis) {
    Shape shape(edges.size(), 1);
    shape[axis] = -1;
    made = made / reshape(in_dtype(diff(edges[axis]), Scalar::float64), shape);
  }
  return made;
}

/// Whether one kernel can count the values without storing the bin of each value.
bool is_one_kernel(std::span<const Array> coordinates, std::span<const HistogramBins> bins,
                   const HistogramOptions& options) {
  const DType dtype = coordinates.front().dtype();
  return bins.size() == 1 && !bins.front().edges.has_value() && !options.weights.has_value() &&
         coordinates.front().rank() == 1 && dtype != Scalar::float16 && dtype != Scalar::boolean;
}

Histogram histogram_in_one_kernel(const Array& x, const HistogramBins& bins, bool is_density) {
  require_real("a histogram", x);
  const HistogramRange ends = range_of(x, bins.range);
  require_few(bins.count);
  Histogram made{{}, {dense(edges_of(x, bins.count, ends, !bins.range))}};
  const kernel::EvenBins even{ends.first, scale_of(bins.count, ends)};
  made.counts = counts_of(dense(x), bins.count, even, made.edges.front());
  if (is_density) made.counts = density_of(made.counts, made.edges);
  return made;
}

}  // namespace

Array bincount(const Array& x, const Array& weights, std::int64_t least_length) {
  if (x.rank() != 1) throw ShapeError("bincount of shape " + shape_text(x.shape()), "ravel() it");
  if (!x.dtype().is_integer() && x.dtype() != Scalar::boolean)
    throw DTypeError("bincount of " + x.dtype().name(), "it counts integers");
  if (least_length < 0)
    throw InvalidArgument("bincount with minlength=" + std::to_string(least_length),
                          "pass 0 or more");
  const Array given = weights.has_value() ? weights_for(x, weights) : Array();
  std::int64_t length = least_length;
  if (x.size() > 0) {
    const Array numbers = in_dtype(x, Scalar::int64);
    const Array least = min(numbers), most = max(numbers);
    evaluate({least, most});
    if (const std::int64_t low = least.as<std::int64_t>().front(); low < 0)
      throw InvalidArgument("bincount of a negative number, " + std::to_string(low),
                            "subtract the least element before");
    length = std::max(length, most.as<std::int64_t>().front() + 1);
  }
  require_few(length);
  if (given.has_value()) return sums_of(dense(in_dtype(x, Scalar::uint32)), given, length);
  return counts_of(dense(x.dtype() == Scalar::boolean ? in_dtype(x, Scalar::uint8) : x), length);
}

Array histogram_bin_edges(const Array& x, std::int64_t count,
                          const std::optional<HistogramRange>& range) {
  require_real("a histogram", x);
  return edges_of(x, count, range_of(x, range), !range);
}

namespace {

double as_double(const Array& x) { return x.item().as_double(); }

/// The width of bins for n samples in a range of length `extent`; 0 puts all samples into one bin.
double width_of_bins(const Array& x, BinRule rule, double extent,
                     const std::optional<HistogramRange>& range = {}) {
  const double n = static_cast<double>(x.size());
  switch (rule) {
    case BinRule::square_root:
      return extent / std::sqrt(n);
    case BinRule::sturges:
      return extent / (std::log2(n) + 1);
    case BinRule::rice:
      return extent / (2 * std::pow(n, 1.0 / 3));
    case BinRule::scott:
      return std::pow(24 * std::sqrt(std::numbers::pi) / n, 1.0 / 3) *
             as_double(standard_deviation(x));
    case BinRule::freedman_diaconis: {
      const double fractions[] = {0.25, 0.75};
      const Array ends = in_dtype(quantile(x, fractions), Scalar::float64);
      return 2 * as_double(diff(ends)) * std::pow(n, -1.0 / 3);
    }
    case BinRule::automatic: {
      const double fine = width_of_bins(x, BinRule::freedman_diaconis, extent);
      const double least = width_of_bins(x, BinRule::square_root, extent) / 2;
      return std::min(std::max(fine, least), width_of_bins(x, BinRule::sturges, extent));
    }
    case BinRule::doane: {
      const double deviation = n > 2 ? as_double(standard_deviation(x)) : 0;
      if (!(deviation > 0)) return 0;
      const Array distance = (in_dtype(x, Scalar::float64) - mean(x)) / deviation;
      const double skewness = as_double(mean(distance * distance * distance));
      const double scale = std::sqrt(6 * (n - 2) / ((n + 1) * (n + 3)));
      return extent / (1 + std::log2(n) + std::log2(1 + std::abs(skewness) / scale));
    }
    default:
      break;
  }
  if (n <= 1 || extent == 0) return 0;
  // Stone 1984: choose the number of bins with the least estimate of the squared error.
  const auto most = static_cast<std::int64_t>(std::max(100.0, std::sqrt(n)));
  double best = std::numeric_limits<double>::infinity(), width = extent;
  for (std::int64_t count = 1; count <= most; ++count) {
    const Array share =
        in_dtype(histogram(x, {.count = count, .range = range}).counts, Scalar::float64) / n;
    const double own = extent / static_cast<double>(count);
    const double error = (2 - (n + 1) * as_double(sum(share * share))) / own;
    if (error < best) best = error, width = own;
  }
  return width;
}

}  // namespace

std::int64_t bin_count(const Array& x, BinRule rule, const std::optional<HistogramRange>& range) {
  require_real("a histogram", x);
  const HistogramRange ends = range_of(x, range);
  Array counted = ravel(x);
  if (range) counted = selected(counted, (counted >= ends.first) & (counted <= ends.second));
  if (counted.size() == 0) return 1;
  const double extent = as_double(in_dtype(max(counted), Scalar::float64)) -
                        as_double(in_dtype(min(counted), Scalar::float64));
  double width = width_of_bins(counted, rule, extent, range);
  const ScalarKind kind = x.dtype().kind();
  if (width != 0 && kind != ScalarKind::floating) width = std::max(width, 1.0);
  if (!(width > 0)) return 1;
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil((ends.second - ends.first) / width)));
}

Histogram histogram(const Array& x, const HistogramBins& bins, const HistogramOptions& options) {
  return histogramdd({ravel(x)}, {bins}, options);
}

Histogram histogramdd(List<Array> coordinates, List<HistogramBins> bins,
                      const HistogramOptions& options) {
  if (coordinates.empty() || bins.size() != coordinates.size())
    throw InvalidArgument("bins for " + std::to_string(bins.size()) + " axes of " +
                              std::to_string(coordinates.size()) + " coordinates",
                          "pass bins for each");
  if (is_one_kernel(coordinates, bins, options))
    return histogram_in_one_kernel(coordinates.front(), bins.front(), options.is_density);
  Histogram made;
  Shape shape;
  Array place, is_within;
  std::int64_t total = 1;
  for (std::size_t axis = 0; axis < bins.size(); ++axis) {
    const Array& x = coordinates[axis];
    require_real("a histogram", x);
    if (x.rank() != 1 || x.size() != coordinates.front().size())
      throw ShapeError("coordinates of shape " + shape_text(x.shape()),
                       "pass one axis of one length for all");
    const Binned one = binned(x, bins[axis]);
    const Array inside = one.bins < one.count;
    place = place.has_value() ? place * one.count + one.bins : one.bins;
    is_within = is_within.has_value() ? is_within & inside : inside;
    total *= one.count;
    require_few(total);
    shape.push_back(one.count);
    made.edges.push_back(one.edges);
  }
  const Array numbers = dense(in_dtype(where(is_within, place, total), Scalar::uint32));
  const auto weighed = [&](const Array& weights) {
    return sums_of(numbers, weights_for(numbers, weights), total);
  };
  const bool is_complex =
      options.weights.has_value() && options.weights.dtype().kind() == ScalarKind::complex;
  const Array counts =
      !options.weights.has_value() ? counts_of(numbers, total)
      : is_complex ? make_complex(weighed(real(options.weights)), weighed(imag(options.weights)))
                   : weighed(options.weights);
  made.counts = reshape(counts, shape);
  if (options.is_density) made.counts = density_of(made.counts, made.edges);
  return made;
}

}  // namespace treadle::array
