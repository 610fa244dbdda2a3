// SPDX-License-Identifier: MIT
// Scans by any associative operation, of rows and of segments; sums of segments; runs of equal
// elements; and updates of elements at places that may repeat.
//
//     scan(x)                                   // cumulative sums
//     scan(x, {.op = Op::maximum}, {.axis = 0, .is_reversed = true})
//     scan(x, {.combine = "a * b % 97", .neutral = "1"}, {.is_exclusive = true})
//     segmented_reduce(values, offsets)         // the rows of a sparse matrix
//     const Runs runs = run_length_encode(pixels);
//
// Operations on float16 are computed in float32. If a count decides a shape, the function waits for
// the count. With a Capacity, no function waits: results have that length with zeros at the end,
// and the count stays on the device. Results have the same bits in every run. All functions throw
// InvalidArgument for an operation that is not associative and for arrays of several devices or
// contexts, and DTypeError for dtypes that the operation does not take.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/operand.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/list.hpp"
#include "treadle/kernel/associative.hpp"

namespace treadle::array {

using kernel::Associative;

/// The direction and the form of a scan.
struct ScanForm {
  std::optional<int> axis = {};  ///< none: all elements in C's order, as one axis
  bool is_exclusive = false;     ///< each result leaves its own element out; the first is neutral
  bool is_reversed = false;      ///< from the last element to the first
};

/// Combines each element with all elements before it, in the elements' dtype (bool for logical
/// operations). Throws IndexError for an axis that does not exist; InvalidArgument for an exclusive
/// scan by a text without a neutral element.
Array scan(const Array& x, const Associative& operation = {}, const ScanForm& form = {});
/// Scans an array of one axis, and begins anew wherever `starts`, an array of the same length, is
/// not 0. Throws ShapeError for several axes or another length.
Array segmented_scan(const Array& x, const Array& starts, const Associative& operation = {},
                     const ScanForm& form = {});
/// Scans an array of one axis, and begins anew wherever the key differs from the key before. Throws
/// DTypeError for complex keys.
Array scan_by_key(const Array& keys, const Array& x, const Associative& operation = {},
                  const ScanForm& form = {});

/// One key and one value for each run of equal keys.
struct KeyedValues {
  Array keys, values;  ///< one for each run
  Array count;         ///< int64 without axes: the number of runs
};
/// Combines the values of each run of equal neighbouring keys. Waits for the number of runs. Throws
/// as scan_by_key().
KeyedValues reduce_by_key(const Array& keys, const Array& values,
                          const Associative& operation = {});
/// Reduces runs of keys without waiting.
KeyedValues reduce_by_key(const Array& keys, const Array& values, const Associative& operation,
                          Capacity room);

/// Runs of equal neighbouring elements.
struct Runs {
  Array values, lengths;  ///< lengths are int64
  Array count;            ///< int64 without axes: the number of runs
};
/// Finds the runs in an array of one axis. Waits for their number. Throws as scan_by_key().
Runs run_length_encode(const Array& x);
Runs run_length_encode(const Array& x, Capacity room);  ///< without waiting
/// Repeats each value by its length. Waits for the sum of the lengths. Throws ShapeError unless
/// both arrays have one axis of one length, DTypeError for lengths that are not integers,
/// InvalidArgument for a negative length.
Array run_length_decode(const Array& values, const Array& lengths);

/// Combines x[starts[k]] up to and without x[ends[k]] along an axis. An empty segment gives the
/// neutral element. The operation must be commutative, too. Ends beyond the axis are cut to its
/// end. Throws ShapeError unless both arrays have one axis of one length, DTypeError for ends that
/// are not integers, InvalidArgument for a text without a neutral element.
Array segmented_reduce(const Array& x, const Array& starts, const Array& ends,
                       const Associative& operation = {}, int axis = -1);
/// Reduces adjacent segments: k + 1 offsets describe k segments. Throws ShapeError for no offsets.
Array segmented_reduce(const Array& x, const Array& offsets, const Associative& operation = {},
                       int axis = -1);
/// NumPy's ufunc.reduceat: combines x[indices[k]] up to and without x[indices[k + 1]]; the last
/// segment reaches to the end. If an index is not below the next index, the result is
/// x[indices[k]]. Reads the indices, and waits. Throws IndexError for an index beyond the axis.
Array reduceat(const Array& x, const Array& indices, const Associative& operation = {},
               int axis = 0);

/// NumPy's ufunc.at: x[indices] = operation(x[indices], values). A place that repeats is updated
/// once for each value. The values of a place are combined in their order, and then with the
/// element. Values broadcast and are cast as by assign(). Throws as assign_at().
void combine_at(const Array& x, List<AnyIndex> indices, const Operand& values,
                const Associative& operation = {});
/// Updates elements at places in C's order, int64 from 0. Places beyond the array are ignored.
void combine_at(const Array& x, const Array& places, const Operand& values,
                const Associative& operation = {});

}  // namespace treadle::array

namespace treadle {

using array::ScanForm;

}  // namespace treadle
