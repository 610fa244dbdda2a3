// SPDX-License-Identifier: MIT
// Scans by any associative operation, of rows and of segments; sums of segments; runs of equal
// elements; and updates of elements at places that may come several times.
//
//     scan(x)                                   // cumulative sums
//     scan(x, {.op = Op::maximum}, {.axis = 0, .is_reversed = true})
//     scan(x, {.combine = "a * b % 97", .neutral = "1"}, {.is_exclusive = true})
//     segmented_reduce(values, offsets)         // the rows of a sparse matrix
//     const Runs runs = run_length_encode(pixels);
//
// Operations on float16 are done in float32. What decides a shape is waited for: where there is a
// Capacity, nothing is, results have that length with zeros at the end, and the count stays on the
// device. All have the same bits in every run. All throw InvalidArgument for an operation that is
// not associative and for arrays of several devices or contexts, and DTypeError for dtypes that the
// operation does not take.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "treadle/array/array.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/operand.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/kernel/associative.hpp"

namespace treadle::array {

using kernel::Associative;

/// How elements are scanned.
struct ScanForm {
  std::optional<int> axis = {};  ///< none: all elements in C's order, as one axis
  bool is_exclusive = false;     ///< each result leaves its own element out; the first is neutral
  bool is_reversed = false;      ///< from the last element to the first
};

/// For each element the combination of all up to it, in its dtype (of logical operations bool).
/// Throws IndexError for an axis that is not there; InvalidArgument for an exclusive scan by a text
/// without a neutral element.
Array scan(const Array& x, const Associative& operation = {}, const ScanForm& form = {});
/// The same of one axis, beginning anew wherever `starts`, of the same length, is not 0. Throws
/// ShapeError for several axes or another length.
Array segmented_scan(const Array& x, const Array& starts, const Associative& operation = {},
                     const ScanForm& form = {});
/// The same, beginning anew wherever the key is another one than that of the element before. Throws
/// DTypeError for complex keys.
Array scan_by_key(const Array& keys, const Array& x, const Associative& operation = {},
                  const ScanForm& form = {});

/// What runs of equal keys have become.
struct KeyedValues {
  Array keys, values;  ///< of each run
  Array count;         ///< int64 without axes: how many runs there are
};
/// The combination of the values of each run of equal neighbours among the keys. Waits for the
/// number of runs. Throws as scan_by_key().
KeyedValues reduce_by_key(const Array& keys, const Array& values,
                          const Associative& operation = {});
/// The same without waiting.
KeyedValues reduce_by_key(const Array& keys, const Array& values, const Associative& operation,
                          Capacity room);

/// Runs of equal neighbours.
struct Runs {
  Array values, lengths;  ///< lengths are int64
  Array count;            ///< int64 without axes
};
/// The runs of an array of one axis. Waits for their number. Throws as scan_by_key().
Runs run_length_encode(const Array& x);
Runs run_length_encode(const Array& x, Capacity room);  ///< without waiting
/// Each value as often as its length says. Waits for the sum of the lengths. Throws ShapeError
/// unless both have one axis of one length, DTypeError for lengths that are no integers,
/// InvalidArgument for a negative one.
Array run_length_decode(const Array& values, const Array& lengths);

/// Along an axis the combination of x[starts[k]] to before x[ends[k]], or the neutral element of
/// none; the operation has to be commutative, too. Ends beyond the axis count as its end. Throws
/// ShapeError unless both have one axis of one length, DTypeError for ends that are no integers,
/// InvalidArgument for a text without a neutral element.
Array segmented_reduce(const Array& x, const Array& starts, const Array& ends,
                       const Associative& operation = {}, int axis = -1);
/// The same of segments that lie one behind the other: k + 1 offsets of k segments. Throws
/// ShapeError for no offset.
Array segmented_reduce(const Array& x, const Array& offsets, const Associative& operation = {},
                       int axis = -1);
/// NumPy's ufunc.reduceat: of x[indices[k]] to before x[indices[k + 1]], the last to the end; where
/// indices do not go up, x[indices[k]]. Looks at the indices, and waits. Throws IndexError for an
/// index that is not there.
Array reduceat(const Array& x, const Array& indices, const Associative& operation = {},
               int axis = 0);

/// NumPy's ufunc.at: x[indices] = operation(x[indices], values), for a place that comes several
/// times once for each. Values of a place are combined in their order, and then with the element.
/// Values broadcast and are cast as by assign(). Throws as assign_at().
void combine_at(const Array& x, std::span<const AnyIndex> indices, const Operand& values,
                const Associative& operation = {});
/// The same of elements at places in C's order, int64 from 0; others are left alone.
void combine_at(const Array& x, const Array& places, const Operand& values,
                const Associative& operation = {});

}  // namespace treadle::array

namespace treadle {

using array::ScanForm;

}  // namespace treadle
