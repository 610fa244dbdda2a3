// SPDX-License-Identifier: MIT
// Histograms, medians and quantiles, for treadle.numpy.
#include "native/array_counting.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "native/choice.hpp"
#include "native/promotion.hpp"
#include "treadle/array/counting.hpp"
#include "treadle/array/order_statistics.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using MaybeArray = std::optional<Array>;
using MaybeRange = std::optional<array::HistogramRange>;

array::BinRule rule_from(const std::string& name) {
  static constexpr const char* names[] = {"auto", "fd",    "sturges", "sqrt",
                                          "rice", "scott", "doane",   "stone"};
  return chosen_by_name<array::BinRule>(names, name, "a histogram with bins='");
}

array::QuantileMethod method_from(const std::string& name) {
  static constexpr const char* names[] = {"inverted_cdf",
                                          "averaged_inverted_cdf",
                                          "closest_observation",
                                          "interpolated_inverted_cdf",
                                          "hazen",
                                          "weibull",
                                          "linear",
                                          "median_unbiased",
                                          "normal_unbiased",
                                          "lower",
                                          "higher",
                                          "midpoint",
                                          "nearest"};
  return chosen_by_name<array::QuantileMethod>(names, name, "a quantile with method='");
}

Array quantile(const Array& x, const std::vector<double>& fractions, nb::handle axes,
               bool keeps_axes,
               const std::tuple<std::string, nb::object, MaybeArray>& method_dtype_weights,
               bool ignores_nan) {
  const auto& [method, dtype, weights] = method_dtype_weights;
  array::QuantileOptions options{axes_from(axes), keeps_axes, ignores_nan, method_from(method)};
  if (!dtype.is_none()) options.dtype = scalar_from(dtype);
  options.weights = weights.value_or(Array());
  return array::quantile(x, fractions, options);
}
Array median(const Array& x, nb::handle axes, bool keeps_axes, bool ignores_nan) {
  return array::median(x, {axes_from(axes), keeps_axes, ignores_nan});
}

using Histogram = std::pair<Array, std::vector<Array>>;

Histogram histogram(const std::vector<Array>& coordinates, const std::vector<std::int64_t>& counts,
                    const std::vector<MaybeRange>& ranges, const std::vector<MaybeArray>& edges,
                    std::pair<MaybeArray, bool> options) {
  std::vector<array::HistogramBins> bins;
  for (std::size_t axis = 0; axis < counts.size(); ++axis)
    bins.push_back({counts[axis], ranges[axis], edges[axis].value_or(Array())});
  array::Histogram made =
      array::histogramdd(coordinates, bins, {options.first.value_or(Array()), options.second});
  return {std::move(made.counts), std::move(made.edges)};
}

}  // namespace

void bind_array_counting(nb::module_& m) {
  m.def("bincount",
        recorded(+[](const Array& x, const MaybeArray& weights, std::int64_t least_length) {
          return array::bincount(x, weights.value_or(Array()), least_length);
        }),
        nb::arg("x"), nb::arg("weights").none(), nb::arg("least_length"),
        "How often each number is there, or the sums of weights.");
  m.def("histogram_bin_edges",
        recorded(+[](const Array& x, std::int64_t count, const MaybeRange& range) {
          return array::histogram_bin_edges(x, count, range);
        }),
        nb::arg("x"), nb::arg("count"), nb::arg("range").none(), "Edges of bins of one width.");
  m.def("bin_count",
        recorded(+[](const Array& x, const std::string& rule, const MaybeRange& range) {
          return array::bin_count(x, rule_from(rule), range);
        }),
        nb::arg("x"), nb::arg("rule"), nb::arg("range").none(), "How many bins by a rule.");
  m.def("histogram", recorded(&histogram), nb::arg("coordinates"), nb::arg("counts"),
        nb::arg("ranges"), nb::arg("edges"), nb::arg("weights_and_density"),
        "How many points are in each bin, and the bins' edges for each axis.");
  m.def("quantile", recorded(&quantile), nb::arg("x"), nb::arg("fractions"), nb::arg("axes").none(),
        nb::arg("keeps_axes"), nb::arg("method_dtype_weights"), nb::arg("ignores_nan"),
        nb::sig("def quantile(x: Array, fractions: collections.abc.Sequence[float], axes: "
                "typing.Any, keeps_axes: bool, method_dtype_weights: tuple[str, "
                "typing.Any, Array | None], ignores_nan: bool) -> Array"),
        "Quantiles along axes, for each fraction one, along a new first axis.");
  m.def("median", recorded(&median), nb::arg("x"), nb::arg("axes").none(), nb::arg("keeps_axes"),
        nb::arg("ignores_nan"),
        nb::sig("def median(x: Array, axes: typing.Any, keeps_axes: bool, ignores_nan: bool) -> "
                "Array"),
        "The numbers in the middle along axes.");
}

}  // namespace treadle::bindings
