// SPDX-License-Identifier: MIT
#include "treadle/array/creation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// 0, 1, 2, ... in C's order of positions, as int64.
Array positions(const Shape& shape, const Placement& placement) {
  return Access::array(
      make_positions(Layout::contiguous(shape, sizeof(std::int64_t)), stream_of(placement)));
}

/// An integer or truth value as a type that holds both int64 and uint64.
__int128 exact(const Number& number) {
  if (number.kind() == ScalarKind::unsigned_integer) return number.as_uint64();
  return number.as_int64();
}

bool is_exact(const Number& number) {
  return number.is_integer() || number.kind() == ScalarKind::boolean;
}

/// The dtype of an array that is made of numbers and names none, as NumPy chooses it.
Scalar dtype_for(std::initializer_list<Number> numbers) {
  const auto has = [&](ScalarKind kind) {
    return std::ranges::find(numbers, kind, &Number::kind) != numbers.end();
  };
  if (has(ScalarKind::complex)) return Scalar::complex128;
  if (has(ScalarKind::floating)) return Scalar::float64;
  const auto is_large = [](const Number& number) {
    return number.kind() == ScalarKind::unsigned_integer && number.as_int64() < 0;
  };
  if (std::ranges::any_of(numbers, is_large)) return Scalar::uint64;
  return std::ranges::all_of(
             numbers, [](const Number& number) { return number.kind() == ScalarKind::boolean; })
             ? Scalar::boolean
             : Scalar::int64;
}

/// Counts the numbers start, start + step, ... that come before stop.
std::int64_t count_between(const Number& start, const Number& stop, const Number& step) {
  if (!step.as_bool()) throw InvalidArgument("arange with a step of 0");
  if (is_exact(start) && is_exact(stop) && is_exact(step)) {
    const __int128 distance = exact(stop) - exact(start), by = exact(step);
    const __int128 count = (distance + by - (by > 0 ? 1 : -1)) / by;
    if (count <= 0) return 0;
    if (count < static_cast<__int128>(1) << 62) return static_cast<std::int64_t>(count);
  } else {
    const double count = std::ceil((stop.as_double() - start.as_double()) / step.as_double());
    if (count <= 0) return 0;
    if (count < 0x1p62) return static_cast<std::int64_t>(count);
  }
  throw InvalidArgument("arange from " + start.text() + " to " + stop.text() + " by " +
                        step.text() + " has more elements than 63 bits count");
}

/// Returns start + step, rounded to a floating number beyond 64 bits.
Number sum_of(const Number& start, const Number& step) {
  if (!is_exact(start) || !is_exact(step)) return start.as_double() + step.as_double();
  const __int128 sum = exact(start) + exact(step);
  if (sum == static_cast<std::int64_t>(sum)) return static_cast<std::int64_t>(sum);
  if (sum == static_cast<std::uint64_t>(sum)) return static_cast<std::uint64_t>(sum);
  return static_cast<double>(sum);
}

/// Throws as NumPy does: NumPy stores the first two elements, and computes the others from these
/// two.
void require_first_two(const Number& first, const Number& second, std::int64_t count,
                       Scalar dtype) {
  const auto require = [&](const Number& number) {
    require_number_of(Operand::weak(number), dtype);
    require_fit(number, dtype);
  };
  if (count > 0) require(first);
  if (count > 1) require(second);
}

/// The step that NumPy uses: the difference of the first two elements as they are stored.
Number stored_step(const Number& first, const Number& second, Scalar dtype) {
  const auto stored = [&](const Number& number) {
    return Number::stored(dtype, number.as(dtype).data());
  };
  if (DType(dtype).kind() == ScalarKind::complex)
    return stored(stored(second).as_complex() - stored(first).as_complex());
  if (is_exact(stored(first)))
    return static_cast<std::int64_t>(exact(stored(second)) - exact(stored(first)));
  const double distance = stored(second).as_double() - stored(first).as_double();
  // Halves are added as float32.
  return dtype == Scalar::float16 ? Number(static_cast<float>(distance)) : stored(distance);
}

}  // namespace

Array empty(const Shape& shape, const DType& dtype, const Placement& placement) {
  const Layout layout = Layout::contiguous(shape, dtype.size_bytes(), placement.order);
  return Access::array(
      make_leaf(Storage::dense(stream_of(placement), layout, dtype), layout, dtype));
}

Array full(const Shape& shape, const Number& value, std::optional<Scalar> given,
           const Placement& placement) {
  const Scalar dtype = given.value_or(dtype_for({value}));
  if (dtype == Scalar::structure)  // the scalar does not name the fields
    throw DTypeError("an array of records or of text cannot be filled with a number",
                     "copy NumPy's: treadle.numpy.asarray(numpy.zeros(shape, dtype))");
  require_number_of(Operand::weak(value), dtype);
  require_fit(value, dtype);
  return Access::array(
      make_fill(value, dtype, Layout::contiguous(shape, DType(dtype).size_bytes(), placement.order),
                stream_of(placement)));
}
Array zeros(const Shape& shape, Scalar dtype, const Placement& placement) {
  return full(shape, 0, dtype, placement);
}
Array ones(const Shape& shape, Scalar dtype, const Placement& placement) {
  return full(shape, 1, dtype, placement);
}

Array arange(const Number& stop, std::optional<Scalar> dtype, const Placement& placement) {
  return arange(0, stop, dtype, placement);
}
Array arange(const Number& start, const Number& stop, std::optional<Scalar> dtype,
             const Placement& placement) {
  return arange(start, stop, 1, dtype, placement);
}
Array arange(const Number& start, const Number& stop, const Number& step,
             std::optional<Scalar> given, const Placement& placement) {
  const Scalar dtype = given.value_or(dtype_for({start, stop, step}));
  const bool is_complex = start.kind() == ScalarKind::complex || step.kind() == ScalarKind::complex;
  const Number second =
      is_complex ? Number(start.as_complex() + step.as_complex()) : sum_of(start, step);
  return progression(start, second, count_between(start, stop, step), dtype, placement);
}

Array progression(const Number& first, const Number& second, std::int64_t count, Scalar dtype,
                  const Placement& placement) {
  if (dtype == Scalar::boolean && count > 2)
    throw DTypeError("arange of bool with " + std::to_string(count) + " elements",
                     "it has two values");
  require_first_two(first, second, count, dtype);
  const bool is_integer = DType(dtype).is_integer() || dtype == Scalar::boolean;
  const Scalar computed = is_integer                 ? Scalar::int64
                          : dtype == Scalar::float16 ? Scalar::float32
                                                     : dtype;
  const Array index = in_dtype(positions({count}, placement), computed);
  const Number by = count > 1 ? stored_step(first, second, dtype) : Number(0);
  const Operand start = Operand::typed(Number::stored(dtype, first.as(dtype).data()), computed);
  Array elements = index * Operand::typed(by, computed) + start;
  const std::complex<double> distance = by.as_complex();
  if (!std::isfinite(distance.real()) || !std::isfinite(distance.imag())) {
    // The first two elements are stored as given, even if their distance is not finite.
    const Operand next = Operand::typed(Number::stored(dtype, second.as(dtype).data()), computed);
    elements = where(equal(positions({count}, placement), 1), next, elements);
    elements = where(equal(positions({count}, placement), 0), start, elements);
  }
  return in_dtype(elements, dtype);
}

Array linspace(double start, double stop, std::int64_t count, bool endpoint, Scalar dtype,
               const Placement& placement) {
  if (count < 0)
    throw InvalidArgument("linspace of " + std::to_string(count) + " elements", "give 0 or more");
  const std::int64_t steps = endpoint ? count - 1 : count;
  // NumPy's rule: a single element is start, but NaN where stop is infinite.
  const double step = (stop - start) / static_cast<double>(std::max<std::int64_t>(steps, 1));
  const Array index = in_dtype(positions({count}, placement), Scalar::float64);
  Array elements = index * step + start;
  // The last element is exactly stop: rounding must not move it.
  if (endpoint && count > 1)
    elements = where(index == static_cast<double>(count - 1), Operand::typed(stop, Scalar::float64),
                     elements);
  return in_dtype(DType(dtype).is_integer() ? floor(elements) : elements, dtype);
}

Array linspace(std::complex<double> start, std::complex<double> stop, std::int64_t count,
               bool endpoint, Scalar dtype, const Placement& placement) {
  const auto part = [&](double from, double to) {
    return linspace(from, to, count, endpoint, Scalar::float64, placement);
  };
  const Array elements =
      make_complex(part(start.real(), stop.real()), part(start.imag(), stop.imag()));
  return in_dtype(elements, dtype);
}

Array linspace(const Array& start, const Array& stop, std::int64_t count, bool endpoint) {
  if (count < 0)
    throw InvalidArgument("linspace of " + std::to_string(count) + " elements", "give 0 or more");
  const bool is_complex =
      start.dtype().kind() == ScalarKind::complex || stop.dtype().kind() == ScalarKind::complex;
  const Scalar dtype = is_complex ? Scalar::complex128 : Scalar::float64;
  const Array first = in_dtype(start, dtype), last = in_dtype(stop, dtype);
  const Array distance = last - first;
  Shape shape(static_cast<std::size_t>(distance.rank()) + 1, 1);
  shape.front() = count;
  const Array index = reshape(positions({count}, {.stream = start.stream()}), shape);
  const std::int64_t steps = endpoint ? count - 1 : count;
  const Array step = distance / static_cast<double>(std::max<std::int64_t>(steps, 1));
  const Array elements = in_dtype(index, Scalar::float64) * step + first;
  // The last element is exact: rounding must not move it.
  return endpoint && count > 1 ? where(equal(index, count - 1), last, elements) : elements;
}

Array logspace(double start, double stop, std::int64_t count, bool endpoint, double base,
               const Placement& placement) {
  return power(Operand::typed(base, Scalar::float64),
               linspace(start, stop, count, endpoint, Scalar::float64, placement));
}

Array geomspace(double start, double stop, std::int64_t count, bool endpoint,
                const Placement& placement) {
  if (start == 0 || stop == 0 || (start < 0) != (stop < 0))
    throw InvalidArgument("geomspace from " + std::to_string(start) + " to " +
                              std::to_string(stop) + " has no constant factor",
                          "both ends are above 0, or both below");
  const Array elements =
      start * logspace(0, std::log10(stop / start), count, endpoint, 10, placement);
  if (!endpoint || count < 2) return elements;
  // The last element is exactly stop: rounding must not move it.
  return where(positions({count}, placement) == count - 1, Operand::typed(stop, Scalar::float64),
               elements);
}

Array eye(std::int64_t rows, std::int64_t columns, std::int64_t offset, Scalar dtype,
          const Placement& placement) {
  const Array made = zeros({rows, columns}, dtype, placement);
  fill_diagonal(made, 1, offset);
  return made;
}

Array eye(std::int64_t rows, Scalar dtype, const Placement& placement) {
  return eye(rows, rows, 0, dtype, placement);
}

Array full_like(const Array& x, const Number& value, std::optional<Scalar> dtype) {
  return full({x.shape().begin(), x.shape().end()}, value, dtype.value_or(x.dtype().scalar()),
              {.stream = x.stream()});
}
Array zeros_like(const Array& x, std::optional<Scalar> dtype) { return full_like(x, 0, dtype); }
Array ones_like(const Array& x, std::optional<Scalar> dtype) { return full_like(x, 1, dtype); }
Array empty_like(const Array& x) {
  return empty({x.shape().begin(), x.shape().end()}, x.dtype(), {.stream = x.stream()});
}

Array identity(std::int64_t rows, Scalar dtype, const Placement& placement) {
  return eye(rows, dtype, placement);
}

Array tri(std::int64_t rows, std::int64_t columns, std::int64_t offset, Scalar dtype,
          const Placement& placement) {
  return tril(ones({rows, columns}, dtype, placement), offset);
}

Array indices(const Shape& shape, const Placement& placement) {
  if (shape.empty())
    throw ShapeError("indices: a shape without axes has no indices", "give it an axis");
  std::vector<Array> places;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Shape along(shape.size(), 1);
    along[axis] = shape[axis];
    const Array place = arange(0, shape[axis], 1, Scalar::int64, placement);
    places.push_back(broadcast_to(reshape(place, along), shape));
  }
  return stack(places);
}

Array diag(const Array& x, std::int64_t offset) {
  if (x.rank() == 2) return diagonal(x, offset);
  if (x.rank() != 1)
    throw ShapeError("diag: an array of " + std::to_string(x.rank()) + " axes",
                     "it has one axis, or two");
  const std::int64_t rows = x.size() + std::abs(offset);
  Array made = zeros({rows, rows}, x.dtype().scalar(), {.stream = x.stream()});
  if (x.size() > 0) fill_diagonal(made, x, offset);
  return made;
}

}  // namespace treadle::array
