// SPDX-License-Identifier: MIT
// Windows, convolutions, slopes, products of vectors and covariances, for treadle.numpy.
#include "treadle/array/signal.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "caller.hpp"
#include "native/array.hpp"
#include "native/overlap.hpp"
#include "treadle/array/linear_algebra.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {

array::Overlap overlap_named(const std::string& mode) {
  if (mode == "full") return array::Overlap::full;
  if (mode == "same") return array::Overlap::same;
  if (mode == "valid") return array::Overlap::valid;
  throw InvalidArgument("mode='" + mode + "'", "there are 'full', 'same' and 'valid'");
}

namespace {

using Window = Array (*)(std::int64_t, const array::Placement&);

void bind_window(nb::module_& m, const char* name, Window window, const char* doc) {
  m.def(
      name,
      [window](std::int64_t count, nb::handle device) {
        return window(count, placement_on(device));
      },
      nb::arg("count"), nb::arg("device").none(), doc);
}

array::CovarianceOptions covariance_options(bool has_rows, double correction, const Array& counts,
                                            const Array& weights, nb::handle dtype) {
  return {.has_rows = has_rows,
          .correction = correction,
          .counts = counts.has_value() ? &counts : nullptr,
          .weights = weights.has_value() ? &weights : nullptr,
          .dtype = dtype_from(dtype).scalar()};
}

using Covariance = Array (*)(const Array&, const array::CovarianceOptions&);

void bind_covariance(nb::module_& m, const char* name, Covariance covariance, const char* doc) {
  m.def(
      name,
      [covariance](const Array& x, bool has_rows, double correction, nb::handle counts,
                   nb::handle weights, nb::handle dtype) {
        note_launch_site();
        const Array own = x, counted = out_array(counts), weighted = out_array(weights);
        return covariance(own, covariance_options(has_rows, correction, counted, weighted, dtype));
      },
      nb::arg("x"), nb::arg("has_rows"), nb::arg("correction"), nb::arg("counts").none(),
      nb::arg("weights").none(), nb::arg("dtype"), doc);
}

}  // namespace

void bind_array_signal(nb::module_& m) {
  bind_window(m, "bartlett", &array::bartlett, "A triangle.");
  bind_window(m, "blackman", &array::blackman, "A window of two cosines.");
  bind_window(m, "hamming", &array::hamming, "A window of one cosine, not 0 at its ends.");
  bind_window(m, "hanning", &array::hanning, "A window of one cosine.");
  m.def("i0", recorded(&array::i0), nb::arg("x"), "The modified Bessel function of order 0.");
  m.def(
      "kaiser",
      [](std::int64_t count, double beta, nb::handle device) {
        return array::kaiser(count, beta, placement_on(device));
      },
      nb::arg("count"), nb::arg("beta"), nb::arg("device").none(),
      "A window of a Bessel function of a half circle.");
  m.def("convolve", recorded(+[](const Array& x, const Array& y, const std::string& mode) {
          return array::convolve(x, y, overlap_named(mode));
        }),
        nb::arg("x"), nb::arg("y"), nb::arg("mode"), "Sums of x[k - j] * y[j].");
  m.def("correlate", recorded(+[](const Array& x, const Array& y, const std::string& mode) {
          return array::correlate(x, y, overlap_named(mode));
        }),
        nb::arg("x"), nb::arg("y"), nb::arg("mode"), "Sums of x[k + j] * conj(y[j]).");
  m.def("gradient", recorded(+[](const Array& x, double distance, int axis, int edge_order) {
          return array::gradient(x, distance, axis, edge_order);
        }),
        nb::arg("x"), nb::arg("distance"), nb::arg("axis"), nb::arg("edge_order"),
        "Slopes of samples so far apart.");
  m.def("gradient_at", recorded(&array::gradient_at), nb::arg("x"), nb::arg("places"),
        nb::arg("axis"), nb::arg("edge_order"), "Slopes of samples at places.");
  m.def("unwrap",
        recorded(+[](const Array& x, std::optional<double> discontinuity, int axis, double period) {
          return array::unwrap(x, {.discontinuity = discontinuity, .axis = axis, .period = period});
        }),
        nb::arg("x"), nb::arg("discontinuity").none(), nb::arg("axis"), nb::arg("period"),
        "Angles whose steps are at most half a period.");
  m.def("cross", recorded(+[](const Array& x, const Array& y, int of_x, int of_y, int of_result) {
          return array::cross(x, y, {of_x, of_y, of_result});
        }),
        nb::arg("x"), nb::arg("y"), nb::arg("of_x"), nb::arg("of_y"), nb::arg("of_result"),
        "Cross products of vectors of 3 elements or 2.");
  m.def("kron", recorded(&array::kron), nb::arg("x"), nb::arg("y"),
        "Each element of x times the whole of y.");
  m.def("vander", recorded(&array::vander), nb::arg("x"), nb::arg("n"), nb::arg("is_increasing"),
        "Powers of each element in columns.");
  bind_covariance(m, "covariance", &array::covariance, "Mean products of distances from means.");
  bind_covariance(m, "correlation", &array::correlation, "Covariances from -1 to 1.");
}

}  // namespace treadle::bindings
