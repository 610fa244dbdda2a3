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

/// The dtypes of a GroupKernel.
struct GroupDtypes {
  Scalar key;                    ///< an integer dtype
  DType value;                   ///< a structure needs a name in the options' `types`
  Scalar start = Scalar::int32;  ///< an integer dtype that can count all values
};

/// A kernel that groups values by integer keys:
///
///     GroupKernel group(device, {.key = Scalar::int32, .value = Scalar::float32});
///     group.launch(stream, {.n = n, .groups = k}, {keys, values, starts, grouped});
///     // The values of key j are grouped[starts[j]] to before grouped[starts[j + 1]].
///
/// Values with equal keys keep their order. Any thread. Compiled at the first launch. Keeps the
/// device alive.
class GroupKernel {
 public:
  /// Throws DTypeError for key or start dtypes that are not integers, and as RadixSortKernel.
  GroupKernel(std::shared_ptr<device::Device> device, const GroupDtypes& dtypes,
              RadixSortOptions options = {});

  /// The sizes of a launch.
  struct Counts {
    std::uint64_t n;       ///< number of keys and of values
    std::uint64_t groups;  ///< keys of groups are 0 to groups - 1
  };
  /// Memory of the device.
  struct Arrays {
    UserArgument keys, values;  ///< n each
    UserArgument starts;        ///< groups + 1: the start of each group, and n
    UserArgument grouped;       ///< n
  };
  /// Queues the grouping. Keys of `groups` or more are allowed at any place. Throws as
  /// RadixSortKernel::launch(), and InvalidArgument for more values than the starts' dtype can
  /// count.
  void launch(device::Stream& stream, const Counts& counts, const Arrays& arrays,
              const device::Order& order = {});

  /// Compiles now rather than at the first launch.
  void compile() { sort_.compile(); }
  /// The kernel's device.
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
