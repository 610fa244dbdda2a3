// SPDX-License-Identifier: MIT
// Scans of contiguous elements by an associative operation: of rows, or of segments that a mask or
// keys mark; forwards or backwards; including or excluding each result's own element. Scans by keys
// also find runs of equal neighbours and the sum of each run. A kernel is made at its first launch
// and kept as long as the device.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/associative.hpp"

namespace treadle::kernel {

/// Where the scan starts again.
enum class ScanSegments : std::uint8_t {
  none,    ///< nowhere
  rows,    ///< every `length` elements
  starts,  ///< where the mask's byte is not 0
  keys,    ///< where the key differs from the key before
};

/// What is scanned.
struct ArrayScan {
  Associative operation;  ///< combines the elements
  DType dtype;            ///< dtype of the results: for our own operations any but float16
  /// Dtype of the elements, if they are truth values or integers of which the results are larger
  /// integers; none: as the results.
  std::optional<Scalar> element_dtype = {};
  ScanSegments segments = ScanSegments::none;  ///< where the scan starts again
  Scalar key_dtype = Scalar::int32;            ///< any real dtype but float16
  /// A result excludes its own element; the first result is the neutral element.
  bool is_exclusive = false;
  bool is_reversed = false;            ///< from the last element to the first
  std::uint64_t rows = 1, length = 0;  ///< elements, row after row
};
/// Memory of the device.
struct ArrayScanArguments {
  device::Argument elements, results;  ///< may be the same memory
  device::Argument segments;  ///< the mask or the keys; without segments the elements again
};

/// Queues results[i] = the combination of the elements up to i, in their order. Equal launches give
/// equal bits; integers wrap around. Throws InvalidArgument for an exclusive scan without a neutral
/// element, as associative_text(), and as ScanKernel.
void launch_array_scan(device::Stream& stream, const ArrayScan& scan,
                       const ArrayScanArguments& arguments, const device::Order& order = {});

/// Runs of equal neighbours.
struct KeyRuns {
  Scalar key_dtype;              ///< any real dtype but float16; each NaN is a run of its own
  std::uint64_t size, capacity;  ///< number of keys, and number of runs for which there is memory
};
/// Memory of the device, for at least `capacity` runs.
struct KeyRunsArguments {
  device::Argument keys;    ///< `size` keys
  device::Argument heads;   ///< the key of each run
  device::Argument places;  ///< int64: the index of each run's first key; memory for capacity + 1
  device::Argument count;   ///< int64: the number of runs, which may exceed `capacity`
};
/// Queues the search for runs.
void launch_key_runs(device::Stream& stream, const KeyRuns& runs, const KeyRunsArguments& arguments,
                     const device::Order& order = {});

/// Combines the values of each run of equal keys.
struct KeySums {
  Associative operation;         ///< combines the values
  DType dtype;                   ///< dtype of the values
  Scalar key_dtype;              ///< as in KeyRuns
  std::uint64_t size, capacity;  ///< as in KeyRuns
};
/// Memory of the device.
struct KeySumsArguments {
  device::Argument keys, values;  ///< `size` of each
  device::Argument ranks;         ///< `size` int64: the number of the run of each element
  device::Argument heads, sums;   ///< memory for at least `capacity` runs
  device::Argument count;         ///< int64: the number of runs
};
/// Queues the computation of `ranks` and `count`; must come before launch_key_sums().
void launch_key_ranks(device::Stream& stream, const KeySums& sums,
                      const KeySumsArguments& arguments, const device::Order& order = {});
/// Queues the sums, after launch_key_ranks().
void launch_key_sums(device::Stream& stream, const KeySums& sums, const KeySumsArguments& arguments,
                     const device::Order& order = {});

/// Values for known places of `targets`, sorted by place.
struct SortedUpdates {
  Associative operation;            ///< combines elements and values
  DType dtype;                      ///< dtype of elements and values
  std::uint64_t size, target_size;  ///< number of values, number of elements
};
/// Memory of the device.
struct SortedUpdatesArguments {
  device::Argument places, values;  ///< `size` int64 in ascending order, and `size` values
  device::Argument targets;         ///< `target_size` elements
};
/// Queues targets[p] = the combination of targets[p] and all values for the place p, in their
/// order.
void launch_sorted_updates(device::Stream& stream, const SortedUpdates& updates,
                           const SortedUpdatesArguments& arguments,
                           const device::Order& order = {});

/// Segments of contiguous rows; arrays hold the ends of the segments.
struct SegmentFold {
  Associative operation;                     ///< also commutative, with a neutral element
  DType dtype;                               ///< dtype of elements and results
  std::uint64_t segments, length, rows = 1;  ///< segments of a row, elements of a row, rows
};
/// Memory of the device.
struct SegmentFoldArguments {
  device::Argument elements, starts, ends, results;  ///< each contiguous
};
/// Queues results[row, s] = the combination of elements[row, starts[s]] up to, but not including,
/// elements[row, ends[s]]; the neutral element for an empty segment. Starts and ends are int64
/// indices in a row. Throws as SegmentedFoldKernel and associative_text().
void launch_segment_fold(device::Stream& stream, const SegmentFold& fold,
                         const SegmentFoldArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
