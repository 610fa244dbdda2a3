// SPDX-License-Identifier: MIT
#include "treadle/array/scan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/array_scan.hpp"

namespace treadle::array {
namespace {

bool is_logical(const Associative& operation) {
  return operation.combine.empty() &&
         (operation.op == Op::logical_and || operation.op == Op::logical_or ||
          operation.op == Op::logical_xor);
}

/// Casts the elements to the dtype in which the operation combines them.
Array combinable(const Array& x, const Associative& operation) {
  if (is_logical(operation)) return in_dtype(x, Scalar::boolean);
  return operation.combine.empty() && x.dtype() == Scalar::float16 ? in_dtype(x, Scalar::float32)
                                                                   : x;
}
/// Casts the combined elements to the dtype of x.
Array as_result(const Array& made, const Array& x, const Associative& operation) {
  return is_logical(operation) ? made : in_dtype(made, x.dtype());
}

std::int64_t one_axis(const std::string& what, const Array& x) {
  if (x.rank() != 1)
    throw ShapeError(what + " of shape " + shape_text(x.shape()), "pass an array of one axis");
  return x.shape()[0];
}
void require_length(const std::string& what, const Array& x, std::int64_t length) {
  if (one_axis(what, x) != length)
    throw ShapeError(
        what + " of " + std::to_string(x.shape()[0]) + " elements beside " + std::to_string(length),
        "pass one for each element");
}
void require_together(const char* what, const Array& x, const Array& other) {
  require_one_context(what, *Access::node(x).context, *Access::node(other).context);
}
Array as_integers(const char* what, const Array& x) {
  if (!x.dtype().is_integer())
    throw DTypeError(std::string(what) + " of " + x.dtype().name(), "pass integers");
  return in_dtype(x, Scalar::int64);
}
/// Turns keys into a dtype that kernels can compare.
Array comparable(const Array& keys) {
  return keys.dtype() == Scalar::float16 ? in_dtype(keys, Scalar::float32) : keys;
}

/// Scans along the last axis; with segments, scans an array of one axis.
Array scanned(const Array& x, const Associative& operation, const ScanForm& form,
              kernel::ScanSegments segments, const Array* beside) {
  const Array elements = dense(combinable(x, operation));
  const Array result = empty(shape_of(x), elements.dtype(), {.stream = elements.stream()});
  kernel::ArrayScan what{.operation = operation,
                         .dtype = elements.dtype(),
                         .segments = segments,
                         .is_exclusive = form.is_exclusive,
                         .is_reversed = form.is_reversed};
  what.length = static_cast<std::uint64_t>(x.rank() == 0 ? 1 : x.shape()[x.shape().size() - 1]);
  if (beside != nullptr) what.key_dtype = beside->dtype().scalar();
  const auto size = static_cast<std::uint64_t>(x.size());
  if (size == 0) return as_result(result, x, operation);
  what.rows = size / what.length;
  if (what.rows > 1) what.segments = kernel::ScanSegments::rows;
  const StreamRef stream = Access::node(result).context->stream({});
  {
    const WithoutHostLock released;
    kernel::launch_array_scan(*stream, what,
                              {elements, result, beside == nullptr ? elements : *beside});
  }
  return as_result(result, x, operation);
}

/// An array of zeros that a kernel then overwrites in part.
Array computed_zeros(std::int64_t length, const DType& dtype, const Array& beside) {
  if (dtype.scalar() == Scalar::structure)
    return empty({length}, dtype, {.stream = beside.stream()});
  const Array made = zeros({length}, dtype.scalar(), {.stream = beside.stream()});
  compute(Access::node(made));
  return made;
}

std::int64_t required(Capacity room) {
  if (room.capacity < 0)
    throw InvalidArgument("capacity of " + std::to_string(room.capacity) + " runs",
                          "pass how many runs there is to be room for, 0 or more");
  return room.capacity;
}

KeyedValues reduced_by_key(const Array& given_keys, const Array& given,
                           const Associative& operation, std::optional<Capacity> room) {
  const std::int64_t length = one_axis("keys", given_keys);
  require_length("values", given, length);
  require_together("reduce_by_key", given_keys, given);
  const Array keys = dense(comparable(given_keys)), values = dense(combinable(given, operation));
  const Array count = zeros({}, Scalar::int64, {.stream = keys.stream()});
  compute(Access::node(count));
  const Array ranks = empty({length}, Scalar::int64, {.stream = keys.stream()});
  kernel::KeySums what{.operation = operation,
                       .dtype = values.dtype(),
                       .key_dtype = keys.dtype().scalar(),
                       .size = static_cast<std::uint64_t>(length),
                       .capacity = 0};
  const StreamRef stream = Access::node(ranks).context->stream({});
  if (length > 0) {
    const WithoutHostLock released;
    kernel::launch_key_ranks(*stream, what, {keys, values, ranks, ranks, ranks, count});
  }
  const std::int64_t most = room ? required(*room) : count.as<std::int64_t>().front();
  what.capacity = static_cast<std::uint64_t>(most);
  const Array heads = computed_zeros(most, keys.dtype(), keys),
              sums = computed_zeros(most, values.dtype(), keys);
  if (length > 0 && most > 0) {
    const WithoutHostLock released;
    kernel::launch_key_sums(*stream, what, {keys, values, ranks, heads, sums, count});
  }
  return {in_dtype(heads, given_keys.dtype()), as_result(sums, given, operation), count};
}

/// Tells of each element but the first whether it differs from the element before it.
Array changes_of(const Array& x) {
  return apply(Op::not_equal, {x.at({Index{.start = 1}}), x.at({Index{.stop = -1}})});
}

Runs runs_of(const Array& x, std::optional<Capacity> room) {
  const std::int64_t length = one_axis("run_length_encode", x);
  const Array keys = dense(comparable(x));
  std::int64_t most = 0;
  if (room)
    most = required(*room);
  else if (length > 0)
    most = 1 + (length > 1 ? count_nonzero(changes_of(keys)).as<std::int64_t>().front() : 0);
  const Placement beside{.stream = keys.stream()};
  const Array count = zeros({}, Scalar::int64, beside);
  // The bounds behind the last run hold the array's length.
  const Array bounds = full({most + 1}, length, Scalar::int64, beside);
  evaluate({count, bounds});
  const Array heads = computed_zeros(most, keys.dtype(), keys);
  if (length > 0) {
    const StreamRef stream = Access::node(heads).context->stream({});
    const WithoutHostLock released;
    kernel::launch_key_runs(*stream,
                            {keys.dtype().scalar(), static_cast<std::uint64_t>(length),
                             static_cast<std::uint64_t>(most)},
                            {keys, heads, bounds, count});
  }
  return {in_dtype(heads, x.dtype()),
          bounds.at({Index{.start = 1}}) - bounds.at({Index{.stop = -1}}), count};
}

}  // namespace

Array scan(const Array& x, const Associative& operation, const ScanForm& form) {
  constexpr auto none = kernel::ScanSegments::none;
  if (!form.axis || (x.rank() == 0 && (*form.axis == 0 || *form.axis == -1)))
    return scanned(ravel(x), operation, form, none, nullptr);
  const auto axis = static_cast<int>(counted_axis(x, *form.axis));
  if (axis == x.rank() - 1) return scanned(x, operation, form, none, nullptr);
  return dense_copy(
      moveaxis(scanned(moveaxis(x, axis, -1), operation, form, none, nullptr), -1, axis));
}

Array segmented_scan(const Array& x, const Array& starts, const Associative& operation,
                     const ScanForm& form) {
  require_length("starts", starts, one_axis("segmented_scan", x));
  require_together("starts", x, starts);
  const Array mask = dense(in_dtype(starts, Scalar::boolean));
  return scanned(x, operation, form, kernel::ScanSegments::starts, &mask);
}

Array scan_by_key(const Array& keys, const Array& x, const Associative& operation,
                  const ScanForm& form) {
  require_length("keys", keys, one_axis("scan_by_key", x));
  require_together("keys", x, keys);
  const Array own = dense(comparable(keys));
  return scanned(x, operation, form, kernel::ScanSegments::keys, &own);
}

KeyedValues reduce_by_key(const Array& keys, const Array& values, const Associative& operation) {
  return reduced_by_key(keys, values, operation, std::nullopt);
}
KeyedValues reduce_by_key(const Array& keys, const Array& values, const Associative& operation,
                          Capacity room) {
  return reduced_by_key(keys, values, operation, room);
}

Runs run_length_encode(const Array& x) { return runs_of(x, std::nullopt); }
Runs run_length_encode(const Array& x, Capacity room) { return runs_of(x, room); }

Array run_length_decode(const Array& values, const Array& lengths) {
  require_length("lengths", lengths, one_axis("values", values));
  require_together("lengths", values, lengths);
  const Array counts = as_integers("lengths", lengths);
  if (counts.size() == 0) return empty({0}, values.dtype(), {.stream = values.stream()});
  const Array ends = cumulative_sum(counts), last = ends.at({Index::at(-1)}), least = min(counts);
  evaluate({last, least});
  if (least.as<std::int64_t>().front() < 0)
    throw InvalidArgument("lengths have a " + std::to_string(least.as<std::int64_t>().front()),
                          "pass lengths of 0 or more");
  const Array places =
      arange(0, last.as<std::int64_t>().front(), 1, Scalar::int64, {.stream = values.stream()});
  if (places.size() == 0) return empty({0}, values.dtype(), {.stream = values.stream()});
  return take(values, IndexArray(searchsorted(ends, places, SearchSide::right)), 0);
}

Array segmented_reduce(const Array& x, const Array& starts, const Array& ends,
                       const Associative& operation, int axis) {
  const std::int64_t count = one_axis("starts", starts);
  require_length("ends", ends, count);
  require_together("starts", x, starts);
  require_together("ends", x, ends);
  if (!operation.combine.empty() && operation.neutral.empty())
    throw InvalidArgument(
        "segmented_reduce by \"" + operation.combine + "\", without a neutral element",
        "pass what the result of an empty segment is as `neutral`");
  const auto along = static_cast<int>(counted_axis(x, axis));
  const bool is_last = along == x.rank() - 1;
  const Array rows = dense(combinable(is_last ? x : moveaxis(x, along, -1), operation));
  const std::int64_t length = rows.shape()[rows.shape().size() - 1];
  const Array from = dense(clip(as_integers("starts", starts), Operand(0), Operand(length))),
              to = dense(clip(as_integers("ends", ends), Operand(0), Operand(length)));
  Shape shape = shape_of(rows);
  shape.back() = count;
  const Array result = empty(shape, rows.dtype(), {.stream = rows.stream()});
  if (result.size() > 0) {
    const StreamRef stream = Access::node(result).context->stream({});
    const WithoutHostLock released;
    kernel::launch_segment_fold(*stream,
                                {.operation = operation,
                                 .dtype = rows.dtype(),
                                 .segments = static_cast<std::uint64_t>(count),
                                 .length = static_cast<std::uint64_t>(length),
                                 .rows = static_cast<std::uint64_t>(result.size() / count)},
                                {rows, from, to, result});
  }
  const Array made = as_result(result, x, operation);
  return is_last ? made : dense_copy(moveaxis(made, -1, along));
}

Array segmented_reduce(const Array& x, const Array& offsets, const Associative& operation,
                       int axis) {
  if (one_axis("offsets", offsets) == 0)
    throw ShapeError("no offsets", "pass one more than there are segments");
  return segmented_reduce(x, offsets.at({Index{.stop = -1}}), offsets.at({Index{.start = 1}}),
                          operation, axis);
}

Array reduceat(const Array& x, const Array& indices, const Associative& operation, int axis) {
  const std::int64_t count = one_axis("indices", indices);
  const std::int64_t length = x.shape()[counted_axis(x, axis)];
  const Array starts = as_integers("indices", indices);
  require_together("indices", x, starts);
  const Placement beside{.stream = starts.stream()};
  const Array ends = full({count}, length, Scalar::int64, beside);
  if (count > 0) {
    const Array least = min(starts), most = max(starts);
    evaluate({least, most});
    const std::int64_t low = least.as<std::int64_t>().front(),
                       high = most.as<std::int64_t>().front();
    if (low < 0 || high >= length)
      throw IndexError("index " + std::to_string(low < 0 ? low : high) +
                           " of reduceat along an axis of " + std::to_string(length) + " elements",
                       "pass indices from 0 to before its length");
    ends.at({Index{.stop = -1}}).assign(starts.at({Index{.start = 1}}));
    ends.at({Index::at(-1)}).assign(length);
  }
  return segmented_reduce(x, starts, maximum(ends, starts + 1), operation, axis);
}

void combine_at(const Array& x, List<AnyIndex> indices, const Operand& values,
                const Associative& operation) {
  const Array all =
      reshape(arange(0, x.size(), 1, Scalar::int64, {.stream = x.stream()}), shape_of(x));
  combine_at(x, at(all, indices), values, operation);
}

void combine_at(const Array& x, const Array& given_places, const Operand& values,
                const Associative& operation) {
  if (!x.is_writable())
    throw InvalidArgument("combine_at() of an array that cannot be written to", "copy it before");
  const Placement beside{.stream = x.stream()};
  const Array places = dense(as_integers("places", given_places));
  // Assign into a new array: it casts and refuses values as assign() does.
  const Array given = empty(shape_of(places), x.dtype(), beside);
  given.assign(values);
  if (places.size() == 0) return;
  const Array flat = ravel(places), order = argsort(flat);
  const Array sorted = dense(take(flat, IndexArray(order), 0));
  const Array in_order = dense(combinable(take(ravel(given), IndexArray(order), 0), operation));
  const bool is_own =
      x.dtype() == in_order.dtype() && x.layout().is_contiguous(x.dtype().size_bytes());
  const Array target = is_own ? x : dense_copy(combinable(x, operation));
  {
    const StreamRef stream = Access::node(in_order).context->stream({});
    const WithoutHostLock released;
    kernel::launch_sorted_updates(*stream,
                                  {.operation = operation,
                                   .dtype = in_order.dtype(),
                                   .size = static_cast<std::uint64_t>(sorted.size()),
                                   .target_size = static_cast<std::uint64_t>(x.size())},
                                  {sorted, in_order, target});
  }
  if (!is_own) x.assign(as_result(target, x, operation));
}

}  // namespace treadle::array
