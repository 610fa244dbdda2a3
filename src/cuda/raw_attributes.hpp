// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>

#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// What a launch asks for beside its shape, as the driver takes it.
class RawAttributes {
 public:
  /// Throws InvalidArgument naming the attribute, as LaunchAttributes says.
  explicit RawAttributes(const LaunchConfig& config);
  /// Of which there may be none.
  std::span<CUlaunchAttribute> all() noexcept { return {raw_.data(), count_}; }

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);
  void add_clusters(const LaunchConfig& config);

  std::array<CUlaunchAttribute, 12> raw_;
  std::size_t count_ = 0;
};

}  // namespace treadle::cuda
