// SPDX-License-Identifier: MIT
#include "treadle/array/cumulative.hpp"

#include <string>

#include "array/access.hpp"
#include "array/axes.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/kernel/array_scan.hpp"

namespace treadle::array {
namespace {

/// The operation that combines each element with all elements before it.
enum class Cumulation : std::uint8_t { sum, product };

std::string name_of(Cumulation cumulation) {
  return cumulation == Cumulation::sum ? "cumulative_sum" : "cumulative_prod";
}

/// The named axis; none: cumulate all elements in C's order.
std::optional<int> one_axis(const Array& x, const ReduceOptions& options, const std::string& who) {
  const auto refuse = [&](bool is_given, const char* option) {
    if (is_given) throw InvalidArgument(who + " takes no option `" + option + "`", "leave it out");
  };
  refuse(options.keeps_axes, "keeps_axes");
  refuse(options.where != nullptr, "where");
  refuse(options.correction != 0, "correction");
  if (!options.axes.named()) return std::nullopt;
  if (options.axes.named()->size() != 1)
    throw InvalidArgument(who + " along " + std::to_string(options.axes.named()->size()) + " axes",
                          "name one axis, or none for all elements in C's order");
  const int axis = options.axes.named()->front();
  // NumPy's rule: an array without axes may be cumulated along axis 0, and has one element there.
  if (x.rank() == 0 && (axis == 0 || axis == -1)) return std::nullopt;
  return static_cast<int>(counted_axis(x, axis));
}

/// The dtype in which elements are added for a result of the dtype `result`. A sum of truth values
/// counts the true ones.
Scalar accumulator_of(Scalar result) {
  if (result == Scalar::float16) return Scalar::float32;
  return result == Scalar::boolean ? Scalar::int64 : result;
}

/// Whether the scan's own kernel reads the elements as what it adds up.
bool is_widened(const DType& given, const DType& dtype) {
  return (given.is_integer() || given == Scalar::boolean) && dtype.is_integer() &&
         given.size_bytes() < dtype.size_bytes();
}

/// Cumulates along the last axis. The result is dense and has memory of its own.
Array cumulated(Cumulation cumulation, const Array& x, Scalar dtype) {
  const bool widens = is_widened(x.dtype(), dtype);
  // An operand that is not dense is copied, and the scan then writes the result over the copy.
  const bool is_dense =
      (widens || x.dtype() == dtype) && x.layout().is_contiguous(x.dtype().size_bytes());
  const Array result =
      is_dense ? empty(shape_of(x), dtype, {.stream = x.stream()}) : dense_copy(in_dtype(x, dtype));
  const auto length =
      static_cast<std::uint64_t>(x.shape().empty() ? 1 : x.shape()[x.shape().size() - 1]);
  const auto size = static_cast<std::uint64_t>(x.size());
  if (size == 0) return result;
  const StreamRef stream = Access::node(result).context->stream({});
  const WithoutHostLock released;
  const Array& from = is_dense ? x : result;
  kernel::launch_array_scan(
      *stream,
      {.operation = {.op = cumulation == Cumulation::sum ? Op::add : Op::multiply},
       .dtype = dtype,
       .element_dtype = is_dense && widens ? std::optional(x.dtype().scalar()) : std::nullopt,
       .segments = size > length ? kernel::ScanSegments::rows : kernel::ScanSegments::none,
       .rows = size / length,
       .length = length},
      {from, result, from});
  return result;
}

Array cumulative(Cumulation cumulation, const Array& x, const ReduceOptions& options) {
  const std::string who = name_of(cumulation);
  const bool is_sum = cumulation == Cumulation::sum;
  if (x.dtype().scalar() == Scalar::structure)
    throw DTypeError(who + " of records of " + x.dtype().name(), "take one of their fields");
  const std::optional<int> axis = one_axis(x, options, who);
  const Reduction reduction = is_sum ? Reduction::cumulative_sum : Reduction::cumulative_product;
  const Scalar dtype =
      options.dtype.value_or(reduction_dtypes(reduction, x.dtype().scalar()).result);
  const int last = static_cast<int>(x.rank()) - 1;
  const bool is_moved = axis && *axis != last;
  Array rows = !axis ? ravel(x) : is_moved ? moveaxis(x, *axis, -1) : x;
  if (options.ignores_nan) rows = where(isnan(rows), is_sum ? 0 : 1, rows);
  // For a result of bool each element is compared with 0 first: a cast to an integer would make 0.5
  // false.
  const bool is_truth = dtype == Scalar::boolean && !(rows.dtype() == dtype);
  Array made =
      cumulated(cumulation, is_truth ? in_dtype(rows, dtype) : rows, accumulator_of(dtype));
  made = in_dtype(made, dtype);
  if (is_moved) made = dense_copy(moveaxis(made, -1, *axis));
  if (options.initial) {
    const int along = axis.value_or(0);
    Shape shape = shape_of(made);
    shape[static_cast<std::size_t>(along)] = 1;
    require_number_of(Operand::weak(*options.initial), dtype);
    require_fit(*options.initial, dtype);
    const Array first = full(shape, *options.initial, dtype, {.stream = made.stream()});
    made = in_dtype(is_sum ? add(made, first) : multiply(made, first), dtype);
    const Array parts[] = {first, made};
    made = concatenate(parts, along);
  }
  if (options.out == nullptr) return made;
  const NodeRef node(&Access::node(made));
  store(who, *node, Access::node(*options.out));
  return *options.out;
}

/// The array without the first element of its last axis, and without the last one.
Array without_first(const Array& x) { return x.at({Index::ellipsis(), Index{.start = 1}}); }
Array without_last(const Array& x) { return x.at({Index::ellipsis(), Index{.stop = -1}}); }

}  // namespace

Array cumulative_sum(const Array& x, const ReduceOptions& options) {
  return cumulative(Cumulation::sum, x, options);
}
Array cumulative_prod(const Array& x, const ReduceOptions& options) {
  return cumulative(Cumulation::product, x, options);
}

Array diff(const Array& x, int times, int axis) {
  if (times < 0)
    throw InvalidArgument("diff: n is how many times, " + std::to_string(times), "it is 0 or more");
  const Array last = moveaxis(x, axis, -1);
  if (times == 0) return x;
  const Op op = x.dtype() == Scalar::boolean ? Op::not_equal : Op::subtract;
  Array value = last;
  for (int i = 0; i < times; ++i) value = apply(op, {without_first(value), without_last(value)});
  return moveaxis(value, -1, axis);
}

Array trapezoid(const Array& y, const Operand& distance, int axis) {
  const Array last = moveaxis(y, axis, -1);
  return sum(multiply(distance, without_first(last) + without_last(last)) / 2.0, {.axes = -1});
}

Array trapezoid_at(const Array& y, const Array& x, int axis) {
  return trapezoid(y, diff(x.rank() == 1 ? x : moveaxis(x, axis, -1)), axis);
}

}  // namespace treadle::array
