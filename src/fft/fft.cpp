// SPDX-License-Identifier: MIT
#include "treadle/fft/fft.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fft/transform.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/padding.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/host_code.hpp"

namespace treadle::fft {
namespace {

using array::Shape;

/// What a call asks for, checked: axes from 0 on.
struct Asked {
  std::vector<std::uint8_t> axes;
  std::vector<std::int64_t> lengths;  ///< of the real side; as many
};

/// Axes and lengths. A length that is not given is that of the array; of a half spectrum (which the
/// last axis has if `is_halved`) twice as long.
Asked asked_of(const char* who, const Array& x, const Options& options, bool is_halved) {
  const int rank = x.rank();
  if (rank == 0)
    throw ShapeError(std::string(who) + ": the array has no axes",
                     "reshape it to one axis: reshape(x, {1})");
  if (!options.lengths.empty() && options.lengths.size() != options.axes.size())
    throw InvalidArgument(std::string(who) + ": " + std::to_string(options.lengths.size()) +
                              " lengths for " + std::to_string(options.axes.size()) + " axes",
                          "give one length for each axis");
  Asked asked;
  for (std::size_t k = 0; k < options.axes.size(); ++k) {
    const int axis = options.axes[k];
    const int counted = checked_axis(axis, rank, who);
    const bool halves = is_halved && k + 1 == options.axes.size();
    const std::int64_t extent = x.shape()[static_cast<std::size_t>(counted)];
    const std::int64_t length =
        !options.lengths.empty() ? options.lengths[k] : (halves ? 2 * (extent - 1) : extent);
    if (length < 1)
      throw ShapeError(std::string(who) + ": invalid number of data points (" +
                           std::to_string(length) + ") along axis " + std::to_string(axis) +
                           " of an array of shape " + shape_text(x.shape()),
                       "transform at least one element, or give a length: n=1");
    asked.axes.push_back(static_cast<std::uint8_t>(counted));
    asked.lengths.push_back(length);
  }
  return asked;
}

double factor_of(Norm norm, bool is_forward, const std::vector<std::int64_t>& lengths) {
  double count = 1;
  for (const std::int64_t length : lengths) count *= static_cast<double>(length);
  return result_factor(norm, is_forward, count);
}

/// The elements up to these lengths along axes, and zeros where there are none.
Array fitted(const Array& x, const std::vector<std::uint8_t>& axes,
             const std::vector<std::int64_t>& lengths) {
  const auto is_whole = [&](std::size_t k) { return lengths[k] == x.shape()[axes[k]]; };
  std::size_t whole = 0;
  while (whole < axes.size() && is_whole(whole)) ++whole;
  if (whole == axes.size()) return x;  // as usual, and without a look at all axes
  std::vector<Index> cut(static_cast<std::size_t>(x.rank()));
  std::vector<array::PadWidth> widths(cut.size());
  bool is_cut = false, is_padded = false;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::int64_t extent = x.shape()[axes[k]], length = lengths[k];
    if (length < extent) cut[axes[k]] = {.stop = length}, is_cut = true;
    if (length > extent) widths[axes[k]] = {0, length - extent}, is_padded = true;
  }
  const Array part = is_cut ? x.at(cut) : x;
  return is_padded ? array::pad(part, widths) : part;
}

bool is_complex(const Array& x) { return x.dtype().kind() == ScalarKind::complex; }

void require_number(const char* who, const Array& x) {
  if (x.dtype().scalar() == Scalar::structure)
    throw DTypeError(std::string(who) + " of " + x.dtype().name(),
                     is_bfloat16(x.dtype()) ? "cast it to float32" : "transform one of its fields");
}

/// float32 for what is transformed in it, else float64.
Scalar part_dtype(const DType& dtype) {
  const DType part = dtype.real_type();
  return part == Scalar::float16 || part == Scalar::float32 ? Scalar::float32 : Scalar::float64;
}
Scalar complex_of(Scalar part) {
  return part == Scalar::float32 ? Scalar::complex64 : Scalar::complex128;
}

/// The elements in a dtype, at whole multiples of its size; dense where host code cannot reach
/// them.
Array readable(const Array& x, Scalar dtype) {
  if (!(x.dtype() == dtype)) return array::cast(x, dtype);
  if (x.is_pending()) return x;
  const auto size = static_cast<std::int64_t>(x.dtype().size_bytes());
  const bool is_whole =
      x.layout().offset_bytes() % static_cast<std::int64_t>(x.dtype().real_type().size_bytes()) ==
          0 &&
      std::ranges::all_of(x.strides(), [&](std::int64_t stride) { return stride % size == 0; });
  const bool is_dense = x.layout().is_contiguous(x.dtype().size_bytes());
  return is_whole && (is_dense || kernel::runs_host_code(x.device())) ? x : array::copy(x);
}

/// Records a transform, whose result has this shape and dtype.
Array recorded(Transform transform, const Array& x, Shape shape, Scalar dtype) {
  const array::ResultSpec result[] = {{std::move(shape), dtype}};
  return array::pending_results(std::make_shared<const Transform>(std::move(transform)),
                                std::span(&x, 1), result)[0];
}

bool has_repeats(std::vector<std::uint8_t> axes) {
  std::ranges::sort(axes);
  return std::ranges::adjacent_find(axes) != axes.end();
}

/// A complex transform along axes that are all different, or one after the other, the last first.
Array complex_transform(const Array& x, Asked asked, bool is_forward, double factor) {
  if (asked.axes.empty()) return x;
  if (has_repeats(asked.axes)) {
    Array z = x;
    for (std::size_t k = asked.axes.size(); k-- > 0;)
      z = complex_transform(z, {{asked.axes[k]}, {asked.lengths[k]}}, is_forward,
                            k == 0 ? factor : 1);
    return z;
  }
  const Scalar dtype = complex_of(part_dtype(x.dtype()));
  const Array input = readable(fitted(x, asked.axes, asked.lengths), dtype);
  return recorded({TransformKind::complex, std::move(asked.axes), is_forward, factor}, input,
                  shape_of(input), dtype);
}

Array transformed(const char* who, const Array& x, const Options& options, bool is_forward) {
  require_number(who, x);
  Asked asked = asked_of(who, x, options, false);
  if (asked.axes.empty()) return array::cast(x, complex_of(part_dtype(x.dtype())));
  const double factor = factor_of(options.norm, is_forward, asked.lengths);
  return complex_transform(x, std::move(asked), is_forward, factor);
}

void require_axes(const char* who, const Options& options) {
  if (options.axes.empty())
    throw InvalidArgument(std::string(who) + ": no axes", "name at least one axis");
}

/// Real elements to a half spectrum.
Array halved(const char* who, const Array& x, const Options& options, bool is_forward) {
  require_number(who, x);
  require_axes(who, options);
  if (is_complex(x))
    throw DTypeError(std::string(who) + " of " + x.dtype().name() + ": it takes real elements",
                     is_forward ? "transform them by fft()" : "transform them by ifft()");
  const Asked asked = asked_of(who, x, options, false);
  const double factor = factor_of(options.norm, is_forward, asked.lengths);
  const Scalar part = part_dtype(x.dtype());
  const bool one_by_one = has_repeats(asked.axes);
  Asked first = asked;  // the one that halves
  if (one_by_one) first = {{asked.axes.back()}, {asked.lengths.back()}};
  const Array input = readable(fitted(x, first.axes, first.lengths), part);
  Shape shape = shape_of(input);
  shape[first.axes.back()] = shape[first.axes.back()] / 2 + 1;
  const Array half =
      recorded({TransformKind::real_to_complex, first.axes, is_forward, one_by_one ? 1 : factor},
               input, shape, complex_of(part));
  if (!one_by_one) return half;
  Asked others = asked;
  others.axes.pop_back(), others.lengths.pop_back();
  return complex_transform(half, std::move(others), is_forward, factor);
}

/// A half spectrum to real elements.
Array doubled(const char* who, const Array& x, const Options& options, bool is_forward) {
  require_number(who, x);
  require_axes(who, options);
  Asked others = asked_of(who, x, options, true);
  const double factor = factor_of(options.norm, is_forward, others.lengths);
  const std::uint8_t axis = others.axes.back();
  const std::int64_t length = others.lengths.back();
  others.axes.pop_back(), others.lengths.pop_back();
  const Array half = complex_transform(x, std::move(others), is_forward, 1);
  const Scalar part = part_dtype(x.dtype());
  const Array input = readable(fitted(half, {axis}, {length / 2 + 1}), complex_of(part));
  Shape shape = shape_of(input);
  shape[axis] = length;
  const Array z = recorded({TransformKind::complex_to_real, {axis}, is_forward, factor}, input,
                           std::move(shape), part);
  return x.dtype() == Scalar::float16 ? array::cast(z, Scalar::float16) : z;
}

void require_one_axis(const char* who, const Options& options) {
  if (options.axes.size() != 1)
    throw InvalidArgument(std::string(who) + ": " + std::to_string(options.axes.size()) + " axes",
                          "it transforms along one axis");
}

/// Some steps of 1 / (n * spacing).
struct Steps {
  std::int64_t first, count, n;
  double spacing;
};
Array frequencies(const char* who, const Steps& steps, Scalar dtype,
                  const array::Placement& placement) {
  if (steps.n < 1)
    throw InvalidArgument(std::string(who) + ": n=" + std::to_string(steps.n),
                          "give the number of samples, at least 1");
  if (DType(dtype).kind() != ScalarKind::floating)
    throw DTypeError(std::string(who) + " in " + DType(dtype).name(), "name a floating dtype");
  const double step = 1 / (static_cast<double>(steps.n) * steps.spacing);
  const Array made =
      array::arange(steps.first, steps.first + steps.count, 1, Scalar::float64, placement) * step;
  return dtype == Scalar::float64 ? made : array::cast(made, dtype);
}

std::vector<int> all_axes(const Array& x) {
  std::vector<int> axes(static_cast<std::size_t>(x.rank()));
  for (int axis = 0; axis < x.rank(); ++axis) axes[static_cast<std::size_t>(axis)] = axis;
  return axes;
}

Array shifted(const char* who, const Array& x, std::span<const int> axes, bool is_forward) {
  std::vector<std::int64_t> shifts;
  for (const int axis : axes) {
    const int counted = checked_axis(axis, x.rank(), who);
    const std::int64_t half = x.shape()[static_cast<std::size_t>(counted)] / 2;
    shifts.push_back(is_forward ? half : -half);
  }
  return array::roll(x, shifts, axes);
}

}  // namespace

double result_factor(Norm norm, bool is_forward, double count) {
  if (norm == Norm::ortho) return 1 / std::sqrt(count);
  return (norm == Norm::forward) == is_forward ? 1 / count : 1;
}
Array in_working_dtype(const char* who, const Array& x) {
  require_number(who, x);
  const Scalar part = part_dtype(x.dtype());
  const Scalar dtype = is_complex(x) ? complex_of(part) : part;
  return x.dtype() == dtype ? x : array::cast(x, dtype);
}

Array fft(const Array& x, const Options& options) { return transformed("fft", x, options, true); }
Array ifft(const Array& x, const Options& options) {
  return transformed("ifft", x, options, false);
}
Array rfft(const Array& x, const Options& options) { return halved("rfft", x, options, true); }
Array irfft(const Array& x, const Options& options) { return doubled("irfft", x, options, false); }
Array hfft(const Array& x, const Options& options) {
  require_one_axis("hfft", options);
  return doubled("hfft", x, options, true);
}
Array ihfft(const Array& x, const Options& options) {
  require_one_axis("ihfft", options);
  return halved("ihfft", x, options, false);
}

Array fftfreq(std::int64_t n, double spacing, Scalar dtype, const array::Placement& placement) {
  const Array steps = frequencies("fftfreq", {-(n / 2), n, n, spacing}, dtype, placement);
  return ifftshift(steps);
}
Array rfftfreq(std::int64_t n, double spacing, Scalar dtype, const array::Placement& placement) {
  return frequencies("rfftfreq", {0, n / 2 + 1, n, spacing}, dtype, placement);
}

Array fftshift(const Array& x, List<int> axes) { return shifted("fftshift", x, axes, true); }
Array fftshift(const Array& x) { return fftshift(x, all_axes(x)); }
Array ifftshift(const Array& x, List<int> axes) { return shifted("ifftshift", x, axes, false); }
Array ifftshift(const Array& x) { return ifftshift(x, all_axes(x)); }

}  // namespace treadle::fft
