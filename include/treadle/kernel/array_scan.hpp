// SPDX-License-Identifier: MIT
// Scans of elements in dense memory by an associative operation: of rows, of segments that a mask
// or keys say, forwards or backwards, each with its own element or without. And what scans by keys
// are for: runs of equal neighbours, and the sum of each. Kernels are made at the first launch and
// kept for as long as the device lives.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/associative.hpp"

namespace treadle::kernel {

/// Where a scan begins anew.
enum class ScanSegments : std::uint8_t {
  none,    ///< nowhere
  rows,    ///< every `length` elements
  starts,  ///< where a byte of a mask is not 0
  keys,    ///< where the key is another one than that of the element before
};

/// What is scanned.
struct ArrayScan {
  Associative operation;  ///< what elements are combined by
  DType dtype;            ///< of the elements and results: any but float16 of our own operations
  ScanSegments segments = ScanSegments::none;  ///< where it begins anew
  Scalar key_dtype = Scalar::int32;            ///< real numbers, but for float16
  bool is_exclusive = false;  ///< results leave their own element out; the first is the neutral one
  bool is_reversed = false;   ///< from the last element to the first
  std::uint64_t rows = 1, length = 0;  ///< of elements one behind the other
};
/// Memory of the device.
struct ArrayScanArguments {
  device::Argument elements, results;  ///< both may be the same memory
  device::Argument segments;           ///< the mask, or the keys; else the elements again
};

/// Queues results[i] = the combination of elements up to i, in their order. Equal launches give
/// equal bits; integers wrap around. Throws InvalidArgument without a neutral element for an
/// exclusive scan, as associative_text(), and as ScanKernel.
void launch_array_scan(device::Stream& stream, const ArrayScan& scan,
                       const ArrayScanArguments& arguments, const device::Order& order = {});

/// Runs of equal neighbours.
struct KeyRuns {
  Scalar key_dtype;              ///< real numbers but for float16; for NaN each is a run
  std::uint64_t size, capacity;  ///< keys, and runs that there is room for
};
/// Memory of the device, for at least `capacity` runs.
struct KeyRunsArguments {
  device::Argument keys;    ///< `size` of them
  device::Argument heads;   ///< of each run its key
  device::Argument places;  ///< int64: of each run where it begins, room for one more
  device::Argument count;   ///< int64: how many runs there are, whether or not there is room
};
/// Queues the search for runs.
void launch_key_runs(device::Stream& stream, const KeyRuns& runs, const KeyRunsArguments& arguments,
                     const device::Order& order = {});

/// A run for each key, whose values are combined.
struct KeySums {
  Associative operation;         ///< what values are combined by
  DType dtype;                   ///< of the values
  Scalar key_dtype;              ///< as in KeyRuns
  std::uint64_t size, capacity;  ///< likewise
};
/// Memory of the device.
struct KeySumsArguments {
  device::Argument keys, values;  ///< `size` of them
  device::Argument ranks;         ///< room for `size` int64: which run an element is of
  device::Argument heads, sums;   ///< for at least `capacity` runs
  device::Argument count;         ///< int64
};
/// Queues the count of runs, and to which of them each element belongs.
void launch_key_ranks(device::Stream& stream, const KeySums& sums,
                      const KeySumsArguments& arguments, const device::Order& order = {});
/// Then: the sums.
void launch_key_sums(device::Stream& stream, const KeySums& sums, const KeySumsArguments& arguments,
                     const device::Order& order = {});

/// Elements whose targets are known: places in `targets`, in order.
struct SortedUpdates {
  Associative operation;            ///< what elements and values are combined by
  DType dtype;                      ///< of both
  std::uint64_t size, target_size;  ///< values and elements
};
/// Memory of the device.
struct SortedUpdatesArguments {
  device::Argument places, values;  ///< int64 that do not go down, and `size` values
  device::Argument targets;         ///< `target_size` of them
};
/// Queues targets[p] = the combination of targets[p] with all values of the place p, in their
/// order.
void launch_sorted_updates(device::Stream& stream, const SortedUpdates& updates,
                           const SortedUpdatesArguments& arguments,
                           const device::Order& order = {});

/// Segments of dense rows whose ends lie in arrays.
struct SegmentFold {
  Associative operation;                     ///< commutative, too, with a neutral element
  DType dtype;                               ///< of the elements and results
  std::uint64_t segments, length, rows = 1;  ///< of a row; elements of a row; rows
};
/// Memory of the device.
struct SegmentFoldArguments {
  device::Argument elements, starts, ends, results;  ///< each dense
};
/// Queues results[row, s] = the combination of elements[row, starts[s]] to before
/// elements[row, ends[s]], or the neutral element of none. Ends are int64 within the rows. Throws
/// as SegmentedFoldKernel and associative_text().
void launch_segment_fold(device::Stream& stream, const SegmentFold& fold,
                         const SegmentFoldArguments& arguments, const device::Order& order = {});

}  // namespace treadle::kernel
