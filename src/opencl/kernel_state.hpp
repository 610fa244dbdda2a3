// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// A kernel, and what launches of it need, asked once when it is made.
class KernelState {
 public:
  KernelState(Context context, Handle<RawKernel> handle);

  const Context& context() const noexcept { return context_; }
  const Handle<RawKernel>& handle() const noexcept { return handle_; }
  const std::string& name() const noexcept { return name_; }
  unsigned argument_count() const noexcept { return argument_count_; }
  /// Held from the first argument's setting to the enqueue: arguments are state of the kernel.
  std::mutex& launch_lock() const noexcept { return launch_lock_; }
  const std::vector<KernelParameter>& parameters() const;

 private:
  Context context_;
  Handle<RawKernel> handle_;
  std::string name_;
  unsigned argument_count_;
  mutable std::mutex launch_lock_;
  mutable std::once_flag parameters_asked_;
  mutable std::vector<KernelParameter> parameters_;
};

inline std::shared_ptr<const KernelState> adopt_kernel(const Context& context, RawKernel raw) {
  return std::make_shared<const KernelState>(
      context, Handle<RawKernel>(context.shared_table(), raw, Ownership::adopt));
}

/// Throws what a refused argument or launch means, with the parameter, or with the limits that
/// forbid the shape.
[[noreturn]] void raise_argument(const KernelState& kernel, unsigned index,
                                 const Argument& argument, int code, const char* call);
[[noreturn]] void raise_launch(const KernelState& kernel, const LaunchConfig& config, int code);

}  // namespace treadle::opencl
