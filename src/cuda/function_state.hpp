// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/context_state.hpp"
#include "cuda/reference_set.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// A kernel and what launches of it need, asked once when the kernel is looked up. `of_compiler` is
/// the layout where the driver does not tell it.
class FunctionState {
 public:
  FunctionState(std::shared_ptr<const ModuleState> module, Context context, RawFunction raw,
                std::string symbol, const std::string& name, ParameterLayout of_compiler);

  const Table& table() const noexcept { return *table_; }
  const Context& context() const noexcept { return context_; }
  RawFunction raw() const noexcept { return raw_; }
  const std::string& symbol() const noexcept { return symbol_; }
  const std::string& name() const noexcept { return *name_; }
  /// name(), for a LaunchRing.
  const std::string* lasting_name() const noexcept { return name_; }
  const ParameterLayout& layout() const noexcept { return layout_; }
  /// The parameters' sizes alone, close together for the check at each launch.
  const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
  /// Of its module: launches go through them where they are used.
  ReferenceSet& references() const noexcept { return references_; }
  bool waits_after_launch() const noexcept { return sync_; }
  /// Whether the module ends with this.
  bool is_last() const noexcept { return module_.use_count() == 1; }
  /// The driver's answer; 0 if it has none.
  int attribute(FunctionAttribute attribute) const noexcept;

 private:
  const Table* table_;
  RawFunction raw_;
  bool sync_;
  std::vector<std::size_t> sizes_;
  Context context_;
  std::shared_ptr<const ModuleState> module_;
  ReferenceSet& references_;
  std::string symbol_;
  const std::string* name_;  ///< lives as long as the process
  ParameterLayout layout_;
};

/// Throws NotSupported where references of the kernel's module are bound: what a graph launches
/// is not ordered with their writes, and CUDA forbids it.
void refuse_references(const FunctionState& function);
/// Throws what a refused launch means: the driver's error with the numbers that forbid this shape.
[[noreturn]] void raise_launch(const FunctionState& function, const LaunchConfig& config, int code,
                               const char* call);

}  // namespace treadle::cuda
