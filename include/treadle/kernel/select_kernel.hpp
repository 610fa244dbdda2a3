// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/selection.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/scan_kernel.hpp"

namespace treadle::kernel {

using codegen::Selection;
using codegen::SelectTexts;

/// A kernel that moves selected elements of an array to the front of another and counts them:
///
///     SelectKernel above(device, Selection::matching,
///                        {.type = "float", .predicate = "ary[i] > limit",
///                         .arguments = "float limit"});
///     above.launch(stream, n, x, chosen, count, 0.5f);
///
/// Each output has room for all n elements and does not overlap the input; elements after the count
/// do not change. Any thread. Compiled at the first launch. Keeps the device alive.
class SelectKernel {
 public:
  /// If the elements are structures, the options' `types` must name their type. `count_dtype` is
  /// the dtype of the count, an unsigned integer. Throws as ScanKernel, and DTypeError for another
  /// count dtype.
  SelectKernel(std::shared_ptr<device::Device> device, Selection selection,
               const SelectTexts& texts, ScanOptions options = {},
               Scalar count_dtype = Scalar::uint64);

  /// Queues the selection. The arguments are the input, its selected elements, for Selection::both
  /// the other elements, the count (one number), and the variables of the predicate. Throws as
  /// ScanKernel.
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...};
    launch_arguments(stream, n, list);
  }
  /// Like launch(), for arguments collected at run time.
  void launch_arguments(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// Compiles now and not at the first launch.
  void compile() { scan_.compile(); }
  /// The scan that makes the selection.
  const ScanKernel& scan() const noexcept { return scan_; }

 private:
  std::size_t count_at_;  // number of the argument that is the count
  Scalar count_dtype_;
  ScanKernel scan_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::Selection;
using kernel::SelectKernel;
using kernel::SelectTexts;

}  // namespace treadle
