// SPDX-License-Identifier: MIT
#include "treadle/array/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "array/access.hpp"
#include "array/axes.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

using codegen::Fold;

/// Sums of at most so many elements are folded in twice the precision and rounded once. For so few
/// elements the launch takes most of the time, so that the fold in twice the precision takes no
/// longer.
constexpr std::int64_t few_elements = 16384;

/// The dtype in which sums and products are accumulated on the device of `x`.
Scalar precise(Scalar dtype, const Array& x, Fold fold) {
  const bool is_few = x.size() <= few_elements;
  if (!x.device().info().traits.fp64) return dtype;
  // Rounding errors of equal factors do not cancel: they are the same in all parallel accumulators.
  if (dtype == Scalar::float32 && (fold == Fold::product || (fold == Fold::sum && is_few)))
    return Scalar::float64;
  const bool is_sum = fold == Fold::sum || fold == Fold::product;
  return dtype == Scalar::complex64 && is_sum && is_few ? Scalar::complex128 : dtype;
}

/// Tells which options a function takes beside axes, keeps_axes and out.
struct Takes {
  bool dtype = false, initial = false, where = false, ignores_nan = false, correction = false;
};

/// The steps of one reduction, recorded and not computed yet.
class Reducing {
 public:
  Reducing(std::string_view name, const Array& x, const ReduceOptions& options, const Takes& takes)
      : name_(name), x_(x), options_(options) {
    if (x.dtype().scalar() == Scalar::structure)
      throw DTypeError(
          std::string(name) + " of records of " + x.dtype().name(),
          is_bfloat16(x.dtype()) ? "cast it to float32" : "reduce one of their fields");
    require(takes.dtype || !options.dtype, "dtype");
    require(takes.initial || !options.initial, "initial");
    require(takes.where || options.where == nullptr, "where");
    require(takes.ignores_nan || !options.ignores_nan, "ignores_nan");
    require(takes.correction || options.correction == 0, "correction");
    axes_ = is_along_none() ? 0 : axes_of(options.axes, x.layout(), name_);
    if (options.where != nullptr) find_mask(*options.where);
  }

  /// Whether an array without axes is reduced along axis 0. NumPy allows this, but not for means.
  bool is_along_none() const {
    const auto& named = options_.axes.named();
    if (x_.rank() != 0 || !named || named->size() != 1) return false;
    const bool is_mean = name_ == "mean" || name_ == "average" || name_ == "variance" ||
                         name_ == "standard_deviation";
    // NumPy computes nanmean() by a sum if the dtype has NaN; then axis 0 is no error.
    const bool is_sum =
        options_.ignores_nan && !x_.dtype().is_integer() && x_.dtype() != Scalar::boolean;
    return (!is_mean || is_sum) && (named->front() == 0 || named->front() == -1);
  }

  /// Throws where NumPy does: nanmean() with a dtype that has no NaN, for elements that may be NaN.
  void require_inexact_dtype() const {
    const auto is_inexact = [](const DType& dtype) {
      return dtype.kind() == ScalarKind::floating || dtype.kind() == ScalarKind::complex;
    };
    if (options_.ignores_nan && options_.dtype && is_inexact(x_.dtype()) &&
        !is_inexact(*options_.dtype))
      throw DTypeError(name_ + " of " + x_.dtype().name() +
                           " without NaN, in dtype=" + DType(*options_.dtype).name(),
                       "give a floating dtype, or none");
  }
  /// Extends the mask so that it leaves out NaNs.
  void leave_out_nan() {
    const ScalarKind kind = x_.dtype().kind();
    if (kind != ScalarKind::floating && kind != ScalarKind::complex) return;
    Array counts = apply(Op::isnan, {x_});
    counts = apply(Op::logical_not, {counts});
    mask_ = has_mask() ? apply(Op::logical_and, {mask_, counts}) : counts;
  }

  bool has_mask() const { return mask_.has_value(); }
  /// The number of elements that each result folds, without a mask.
  std::int64_t count() const {
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < x_.shape().size(); ++axis)
      if ((axes_ >> axis & 1) != 0) count *= x_.shape()[axis];
    return count;
  }
  /// Whether each result is a fold of no elements, and there is a result.
  bool has_no_elements() const {
    for (std::size_t axis = 0; axis < x_.shape().size(); ++axis)
      if ((axes_ >> axis & 1) == 0 && x_.shape()[axis] == 0) return false;
    return count() == 0;
  }
  void require_elements() const {
    if (count() == 0)
      throw ShapeError(name_ + " of no elements: the shape is " + shape_text(x_.shape()) +
                           ", and it has no value that stands for none",
                       "give one by `initial`, or reduce along axes that are not empty");
  }
  void require_one_axis() const {
    if (options_.axes.named() && options_.axes.named()->size() != 1)
      throw InvalidArgument(
          name_ + " along " + std::to_string(options_.axes.named()->size()) + " axes",
          "name one axis, or none for the place in the whole array");
  }
  ReductionDtypes dtypes(Reduction reduction) const {
    if (!options_.dtype) return reduction_dtypes(reduction, x_.dtype().scalar());
    const Scalar given = *options_.dtype;
    return {given == Scalar::float16 ? Scalar::float32 : given, given};
  }

  /// The initial value of the fold, in the dtype `dtype`.
  Operand initial(Scalar dtype) const {
    require_number_of(Operand::weak(*options_.initial), dtype);
    require_fit(*options_.initial, dtype);
    return Operand::typed(*options_.initial, dtype);
  }
  /// An array of the results' shape that holds one number.
  Array filled(const Number& number, Scalar dtype) const {
    Shape shape;
    for (std::size_t axis = 0; axis < x_.shape().size(); ++axis) {
      if ((axes_ >> axis & 1) == 0)
        shape.push_back(x_.shape()[axis]);
      else if (options_.keeps_axes)
        shape.push_back(1);
    }
    return full(shape, number, dtype, {.stream = x_.stream()});
  }

  /// Replaces the elements that the mask leaves out by `neutral`.
  Array masked(const Array& elements, const Operand& neutral) {
    return has_mask() ? apply(Op::where, {mask_, elements, neutral}) : elements;
  }
  /// Records an operation and remembers whether it has to be computed at once.
  Array apply(Op op, std::initializer_list<Operand> operands) {
    return recorded(record(op, std::span(operands.begin(), operands.size())));
  }
  Array cast(Array value, Scalar dtype) {
    if (value.dtype() == dtype) return value;
    return recorded(record_cast(Access::node(value), dtype));
  }
  Array fold(const Array& elements, Fold fold, Scalar accumulator) {
    return this->fold(elements, fold, accumulator, options_.keeps_axes);
  }
  /// Folds the elements. For truth values the sum is any() and the product is all().
  Array fold(const Array& elements, Fold fold, Scalar accumulator, bool keeps_axes) {
    if (accumulator == Scalar::boolean)
      fold = fold == Fold::sum ? Fold::any : fold == Fold::product ? Fold::all : fold;
    const Scalar precision = precise(accumulator, elements, fold);
    Array folded =
        recorded(record_fold(Access::node(elements), Folding(fold, precision, axes_, keeps_axes)));
    return precision == accumulator ? folded : cast(std::move(folded), accumulator);
  }
  /// Divides a sum by the number of elements in it, in the sum's dtype.
  Array divided_by_count(const Array& sum, double correction, bool keeps_axes) {
    const DType dtype = sum.dtype();
    if (!has_mask()) {
      const double divisor = std::max(0.0, static_cast<double>(count()) - correction);
      return cast(apply(Op::divide, {sum, divisor}), dtype.scalar());
    }
    Array divisor = fold(broadcast_mask(), Fold::sum, Scalar::int64, keeps_axes);
    divisor =
        cast(std::move(divisor), dtype.is_integer() ? Scalar::float64 : dtype.real_type().scalar());
    if (correction != 0) {
      divisor = apply(Op::subtract, {divisor, correction});
      divisor = apply(Op::maximum, {divisor, 0});
    }
    return cast(apply(Op::divide, {sum, divisor}), dtype.scalar());
  }

  /// Stores the result in `out` if the caller gave one, and computes the result if it must not
  /// wait.
  Array finished(Array value) {
    if (options_.out != nullptr) {
      const NodeRef node(&Access::node(value));
      value = {};
      store(name_, *node, Access::node(*options_.out));
      return *options_.out;
    }
    if (at_once_) compute(Access::node(value));
    return value;
  }

 private:
  void require(bool is_taken, const char* option) const {
    if (!is_taken)
      throw InvalidArgument(name_ + " takes no option `" + option + "`", "leave it out");
  }

  void find_mask(const Array& mask) {
    if (!(mask.dtype() == Scalar::boolean))
      throw DTypeError(name_ + ": where is bool, not " + mask.dtype().name(), "compare: x > 0");
    const Layout* const both[] = {&x_.layout(), &mask.layout()};
    if (!broadcast(both, 1).same_shape(x_.layout()))
      throw ShapeError(name_ + " of an array of shape " + shape_text(x_.shape()) +
                           " where a mask of the larger shape " + shape_text(mask.shape()) +
                           " says",
                       "broadcast the array to it first");
    mask_ = mask;
  }
  /// The mask, broadcast to the shape of x.
  Array broadcast_mask() {
    if (mask_.layout().same_shape(x_.layout())) return mask_;
    return broadcast_to(mask_, shape_of(x_));
  }

  Array recorded(NodeRef node) {
    auto made = recorded_array(std::move(node));
    at_once_ |= made.second;
    return std::move(made.first);
  }

  std::string name_;
  const Array& x_;
  const ReduceOptions& options_;
  std::uint64_t axes_ = 0;
  Array mask_;
  bool at_once_ = false;
};

constexpr Takes summing{.dtype = true, .initial = true, .where = true, .ignores_nan = true};
constexpr Takes averaging{.dtype = true, .where = true, .ignores_nan = true};
constexpr Takes varying{.dtype = true, .where = true, .ignores_nan = true, .correction = true};
constexpr Takes comparing{.initial = true, .where = true, .ignores_nan = true};

/// Parameters in which a sum and a product differ.
struct Accumulation {
  const char* name;
  Reduction reduction;
  Fold fold;
  Op op;        ///< joins two values
  int neutral;  ///< the neutral element of `op`
};

Array accumulate(const Accumulation& what, const Array& x, const ReduceOptions& options) {
  Reducing reducing(what.name, x, options, summing);
  if (options.ignores_nan) reducing.leave_out_nan();
  const auto [accumulator, result] = reducing.dtypes(what.reduction);
  const bool is_truth = accumulator == Scalar::boolean, is_sum = what.fold == Fold::sum;
  const Op op = !is_truth ? what.op : is_sum ? Op::logical_or : Op::logical_and;
  Array value = reducing.fold(reducing.masked(x, what.neutral), what.fold, accumulator);
  if (options.initial) value = reducing.apply(op, {value, reducing.initial(accumulator)});
  return reducing.finished(reducing.cast(std::move(value), result));
}

/// Parameters in which a minimum and a maximum differ.
struct Extremum {
  const char* name;
  Fold fold, fold_numbers;  ///< with NaN, and without
  Op op, op_numbers;
};

Array extremum(const Extremum& what, const Array& x, const ReduceOptions& options) {
  Reducing reducing(what.name, x, options, comparing);
  const Scalar dtype = x.dtype().scalar();
  if (!options.initial) {
    reducing.require_elements();
    if (reducing.has_mask())
      throw InvalidArgument(std::string(what.name) + " where a mask says has no value for none",
                            "give one by `initial`");
  } else if (reducing.has_no_elements()) {
    return reducing.finished(reducing.filled(*options.initial, dtype));
  }
  const Array elements = options.initial ? reducing.masked(x, reducing.initial(dtype)) : x;
  Array value = reducing.fold(elements, options.ignores_nan ? what.fold_numbers : what.fold, dtype);
  if (options.initial)
    value = reducing.apply(options.ignores_nan ? what.op_numbers : what.op,
                           {value, reducing.initial(dtype)});
  return reducing.finished(std::move(value));
}

Array place(const char* name, Fold fold, const Array& x, const ReduceOptions& options) {
  Reducing reducing(name, x, options, {});
  reducing.require_one_axis();
  reducing.require_elements();
  return reducing.finished(reducing.fold(x, fold, x.dtype().scalar()));
}

/// any() and all(). `neutral` is the result of no elements.
Array truth(const char* name, Fold fold, bool neutral, const Array& x,
            const ReduceOptions& options) {
  Reducing reducing(name, x, options, {.where = true});
  return reducing.finished(reducing.fold(reducing.masked(x, neutral), fold, Scalar::boolean));
}

/// The squared magnitude of each element.
Array squared(Reducing& reducing, const Array& x) {
  if (x.dtype().kind() != ScalarKind::complex) return reducing.apply(Op::square, {x});
  Array real = reducing.apply(Op::real, {x}), imag = reducing.apply(Op::imag, {x});
  real = reducing.apply(Op::square, {real});
  imag = reducing.apply(Op::square, {imag});
  return reducing.apply(Op::add, {real, imag});
}

/// The variance or, with `is_root`, the standard deviation.
Array spread(const char* name, bool is_root, const Array& x, const ReduceOptions& options) {
  Reducing reducing(name, x, options, varying);
  reducing.require_inexact_dtype();
  if (options.ignores_nan) reducing.leave_out_nan();
  const auto [accumulator, result] = reducing.dtypes(Reduction::variance);
  Array mean = reducing.fold(reducing.masked(x, 0), Fold::sum, accumulator, true);
  mean = reducing.divided_by_count(mean, 0, true);
  Array value = squared(reducing, reducing.apply(Op::subtract, {x, mean}));
  const Scalar real = DType(accumulator).real_type().scalar();
  value = reducing.fold(reducing.masked(value, 0), Fold::sum, real);
  value = reducing.divided_by_count(value, options.correction, options.keeps_axes);
  if (is_root) {
    const DType kept = result;
    if (value.rank() != 0 && (kept.is_integer() || kept == Scalar::boolean))
      throw DTypeError(
          std::string(name) + " gives roots, which are not cast to dtype=" + kept.name(),
          "give a floating dtype, or none");
    value = reducing.apply(Op::sqrt, {value});
  }
  return reducing.finished(reducing.cast(std::move(value), result));
}

/// Broadcasts the weights to x. The weights have the shape of x, or lie along the one named axis.
Array broadcast_weights(const Array& x, Array weights, const Axes& axes) {
  if (!weights.layout().same_shape(x.layout())) {
    const bool has_axis = axes.named() && axes.named()->size() == 1 && weights.rank() == 1;
    const int named = has_axis ? axes.named()->front() : 0;
    const bool is_there = has_axis && named >= -x.rank() && named < x.rank();
    if (!has_axis || (is_there && x.shape()[counted_axis(x, named)] != weights.size()))
      throw ShapeError("average of an array of shape " + shape_text(x.shape()) +
                           " by weights of shape " + shape_text(weights.shape()),
                       "weights have the shape of the array, or one axis, which is named");
    const int axis = axes.named()->front(), counted = axis < 0 ? axis + x.rank() : axis;
    Shape shape(x.shape().size(), 1);
    if (counted >= 0 && counted < x.rank()) shape[static_cast<std::size_t>(counted)] = -1;
    weights = reshape(weights, shape);
  }
  return broadcast_to(weights, shape_of(x));
}

/// The sum of the products of two arrays of one axis and equal length.
Array product_sum(const char* name, const Array& x, const Array& y, bool conjugates) {
  if (x.size() != y.size())
    throw ShapeError(std::string(name) + " of arrays of shape " + shape_text(x.shape()) + " and " +
                     shape_text(y.shape()));
  const ReduceOptions over_all;
  Reducing reducing(name, x, over_all, {});
  const Scalar dtype = promote(Operand(x).type(), Operand(y).type());
  if (dtype == Scalar::boolean)
    return reducing.finished(
        reducing.fold(reducing.apply(Op::logical_and, {x, y}), Fold::any, Scalar::boolean));
  const Scalar accumulator =
      precise(dtype == Scalar::float16 ? Scalar::float32 : dtype, x, Fold::sum);
  Array first = reducing.cast(x, accumulator);
  if (conjugates && DType(dtype).kind() == ScalarKind::complex)
    first = reducing.apply(Op::conjugate, {first});
  Array value = reducing.apply(Op::multiply, {first, reducing.cast(y, accumulator)});
  value = reducing.fold(value, Fold::sum, accumulator);
  return reducing.finished(reducing.cast(std::move(value), dtype));
}

bool has_nan(const Array& x) {
  return x.dtype().kind() == ScalarKind::floating || x.dtype().kind() == ScalarKind::complex;
}

/// The place of the greatest or the least element that is not NaN.
Array place_among_numbers(const Array& x, std::optional<int> axis, bool keeps_axes,
                          bool is_greatest) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double beyond = is_greatest ? -infinite : infinite;
  const Array numbers = has_nan(x) ? where(isnan(x), beyond, x) : x;
  const ReduceOptions options{.axes = axis ? Axes(*axis) : Axes(), .keeps_axes = keeps_axes};
  const Array places = is_greatest ? argmax(numbers, options) : argmin(numbers, options);
  if (!has_nan(x) || places.size() == 0) return places;
  const Array has_none = all(isnan(x), options);
  evaluate({places, has_none});
  if (any(has_none).item().as_bool())
    throw InvalidArgument(std::string(is_greatest ? "nanargmax" : "nanargmin") +
                              " of elements that are all NaN has no place",
                          "leave such rows out, or give them a number by where()");
  return places;
}

}  // namespace

Array sum(const Array& x, const ReduceOptions& options) {
  return accumulate({"sum", Reduction::sum, Fold::sum, Op::add, 0}, x, options);
}
Array prod(const Array& x, const ReduceOptions& options) {
  return accumulate({"prod", Reduction::product, Fold::product, Op::multiply, 1}, x, options);
}

Array mean(const Array& x, const ReduceOptions& options) {
  Reducing reducing("mean", x, options, averaging);
  reducing.require_inexact_dtype();
  if (options.ignores_nan) reducing.leave_out_nan();
  const auto [accumulator, result] = reducing.dtypes(Reduction::mean);
  Array value = reducing.fold(reducing.masked(x, 0), Fold::sum, accumulator);
  value = reducing.divided_by_count(value, 0, options.keeps_axes);
  return reducing.finished(reducing.cast(std::move(value), result));
}
Array variance(const Array& x, const ReduceOptions& options) {
  return spread("variance", false, x, options);
}
Array standard_deviation(const Array& x, const ReduceOptions& options) {
  return spread("standard_deviation", true, x, options);
}

Array min(const Array& x, const ReduceOptions& options) {
  return extremum({"min", Fold::minimum, Fold::fmin, Op::minimum, Op::fmin}, x, options);
}
Array max(const Array& x, const ReduceOptions& options) {
  return extremum({"max", Fold::maximum, Fold::fmax, Op::maximum, Op::fmax}, x, options);
}
Array ptp(const Array& x, const ReduceOptions& options) {
  Reducing reducing("ptp", x, options, {});
  reducing.require_elements();
  const Scalar dtype = x.dtype().scalar();
  Array value = reducing.apply(Op::subtract, {reducing.fold(x, Fold::maximum, dtype),
                                              reducing.fold(x, Fold::minimum, dtype)});
  return reducing.finished(std::move(value));
}
Array argmin(const Array& x, const ReduceOptions& options) {
  return place("argmin", Fold::argmin, x, options);
}
Array argmax(const Array& x, const ReduceOptions& options) {
  return place("argmax", Fold::argmax, x, options);
}

Array any(const Array& x, const ReduceOptions& options) {
  return truth("any", Fold::any, false, x, options);
}
Array all(const Array& x, const ReduceOptions& options) {
  return truth("all", Fold::all, true, x, options);
}
Array count_nonzero(const Array& x, const ReduceOptions& options) {
  Reducing reducing("count_nonzero", x, options, {.where = true});
  const Array elements = reducing.masked(reducing.cast(x, Scalar::boolean), false);
  return reducing.finished(reducing.fold(elements, Fold::sum, Scalar::int64));
}

Array average(const Array& x, const Array& weights, const ReduceOptions& options) {
  Reducing reducing("average", x, options, {});
  const Array all_weights = broadcast_weights(x, weights, options.axes);
  const bool is_whole = x.dtype().is_integer() || x.dtype() == Scalar::boolean;
  const OperandType types[] = {Operand(x).type(), Operand(weights).type(),
                               is_whole ? Scalar::float64 : x.dtype().scalar()};
  const Scalar common = promote(types);
  const Scalar dtype = reduction_dtypes(Reduction::mean, common).result;
  const Scalar accumulator = reduction_dtypes(Reduction::mean, common).accumulator;
  Array value = reducing.apply(Op::multiply, {reducing.cast(x, dtype), all_weights});
  value = reducing.apply(Op::divide, {reducing.fold(value, Fold::sum, accumulator),
                                      reducing.fold(all_weights, Fold::sum, accumulator)});
  return reducing.finished(reducing.cast(std::move(value), dtype));
}

Array dot_of_vectors(const Array& x, const Array& y) {
  if (x.rank() != 1 || y.rank() != 1)
    throw ShapeError("dot_of_vectors of arrays of shape " + shape_text(x.shape()) + " and " +
                         shape_text(y.shape()),
                     "call dot(): it takes matrices and numbers");
  return product_sum("dot", x, y, false);
}
Array vdot(const Array& x, const Array& y) { return product_sum("vdot", ravel(x), ravel(y), true); }

Array norm(const Array& x, const ReduceOptions& options) {
  Reducing reducing("norm", x, options, {});
  const auto [accumulator, result] = reducing.dtypes(Reduction::variance);
  Array value = squared(reducing, reducing.cast(x, accumulator));
  value = reducing.fold(value, Fold::sum, DType(accumulator).real_type().scalar());
  value = reducing.apply(Op::sqrt, {value});
  return reducing.finished(reducing.cast(std::move(value), result));
}

Array vector_norm(const Array& x, double order, const ReduceOptions& options) {
  if (order == 2) return norm(x, options);
  const bool is_whole = x.dtype().is_integer() || x.dtype() == Scalar::boolean;
  const Array magnitude = absolute(is_whole ? cast(x, Scalar::float64) : x);
  if (std::isinf(order) && order < 0) return min(magnitude, options);
  if (std::isinf(order)) {
    ReduceOptions own = options;
    if (x.size() == 0) own.initial = 0.0;  // the norm of no elements is 0, as every norm
    return max(magnitude, own);
  }
  if (order == 1) return sum(magnitude, options);
  ReduceOptions own = options;
  if (order == 0) {
    own.dtype = magnitude.dtype().scalar();
    return sum(not_equal(magnitude, 0), own);
  }
  own.out = nullptr;
  const Array root = power(sum(power(magnitude, order), own), 1 / order);
  if (options.out == nullptr) return root;
  write_into(*options.out, root);
  return *options.out;
}

Array nanargmax(const Array& x, std::optional<int> axis, bool keeps_axes) {
  return place_among_numbers(x, axis, keeps_axes, true);
}
Array nanargmin(const Array& x, std::optional<int> axis, bool keeps_axes) {
  return place_among_numbers(x, axis, keeps_axes, false);
}

}  // namespace treadle::array
