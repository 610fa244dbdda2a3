// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/radix_sort_kernel.hpp"

namespace treadle::kernel {

/// The dtypes that a GroupKernel is for.
struct GroupDtypes {
  Scalar key;                    ///< an integer
  DType value;                   ///< a structure needs a name among the options' types
  Scalar start = Scalar::int32;  ///< an integer that counts all values
};

/// A kernel that groups values by integer keys:
///
///     GroupKernel group(device, {.key = Scalar::int32, .value = Scalar::float32});
///     group.launch(stream, {.n = n, .groups = k}, {keys, values, starts, grouped});
///     // The values of key j are grouped[starts[j]] to before grouped[starts[j + 1]].
///
/// Values of equal keys stay in their order. Any thread; compiled at the first launch, and keeps
/// the device alive.
class GroupKernel {
 public:
  /// Throws DTypeError for keys or starts that are no integers, and as RadixSortKernel.
  GroupKernel(std::shared_ptr<device::Device> device, const GroupDtypes& dtypes,
              RadixSortOptions options = {});

  /// How many there are.
  struct Counts {
    std::uint64_t n;       ///< keys and values
    std::uint64_t groups;  ///< keys are from 0 to before it
  };
  /// Memory of the device.
  struct Arrays {
    UserArgument keys, values;  ///< n each
    UserArgument starts;        ///< groups + 1: where each begins, and n
    UserArgument grouped;       ///< n
  };
  /// Queues the grouping. Keys of `groups` and more may be anywhere among the others. Throws as
  /// RadixSortKernel::launch(), and InvalidArgument for more values than the starts' dtype counts.
  void launch(device::Stream& stream, const Counts& counts, const Arrays& arrays,
              const device::Order& order = {});

  /// Compiles now rather than at the first launch.
  void compile() { sort_.compile(); }
  /// Where it runs.
  device::Device& device() const noexcept { return sort_.device(); }

 private:
  Scalar key_, start_;
  RadixSortKernel sort_;
  ElementwiseKernel starts_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::GroupDtypes;
using kernel::GroupKernel;

}  // namespace treadle
