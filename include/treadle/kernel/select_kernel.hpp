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

/// A kernel that moves some elements of an array to the front of another, and counts them:
///
///     SelectKernel above(device, Selection::matching,
///                        {.type = "float", .predicate = "ary[i] > limit",
///                         .arguments = "float limit"});
///     above.launch(stream, n, x, chosen, count, 0.5f);
///
/// Outputs have room for all n elements and are no memory of the input's; of what is behind the
/// count nothing is changed. Any thread; compiled at the first launch, and keeps the device alive.
class SelectKernel {
 public:
  /// The options' `types` name the elements' type if it is a structure; `count_dtype` is that of
  /// the count, an unsigned integer. Throws as ScanKernel, and DTypeError for another count.
  SelectKernel(std::shared_ptr<device::Device> device, Selection selection,
               const SelectTexts& texts, ScanOptions options = {},
               Scalar count_dtype = Scalar::uint64);

  /// Queues it. The arguments are the input, its matching elements and, of Selection::both, the
  /// others; the count, one number; and what the predicate uses. Throws as ScanKernel.
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...};
    launch_arguments(stream, n, list);
  }
  /// The same for arguments collected at run time.
  void launch_arguments(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// Compiles now rather than at the first launch.
  void compile() { scan_.compile(); }
  /// What it is made of: its arguments, and its text.
  const ScanKernel& scan() const noexcept { return scan_; }

 private:
  std::size_t count_at_;  // which argument the count is
  Scalar count_dtype_;
  ScanKernel scan_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::Selection;
using kernel::SelectKernel;
using kernel::SelectTexts;

}  // namespace treadle
