// SPDX-License-Identifier: MIT
// Launches of the arrays' kernels that were worked out lately: of programs most evaluations are
// repetitions.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "array/node.hpp"
#include "treadle/kernel/elementwise.hpp"

namespace treadle::array {

/// A launch, and what is to be said of it.
struct KnownCall {
  std::string key;  ///< all that the two below depend on
  std::shared_ptr<const kernel::ElementwiseCall> call;
  KernelNote note;
};

/// Some of them by their keys; the newest of those that share a place stays. Locked by its owner.
class KnownCalls {
 public:
  /// Null: it is not there.
  std::shared_ptr<const KnownCall> find(std::string_view key) const {
    const auto& found = calls_[place_of(key)];
    return found != nullptr && found->key == key ? found : nullptr;
  }
  /// Gives back what was in its place, which ends without the lock.
  [[nodiscard]] std::shared_ptr<const KnownCall> keep(std::shared_ptr<const KnownCall> call) {
    auto& place = calls_[place_of(call->key)];
    place.swap(call);
    return call;
  }

 private:
  static constexpr std::size_t places = 256;
  static std::size_t place_of(std::string_view key) noexcept {
    return std::hash<std::string_view>()(key) % places;
  }
  std::array<std::shared_ptr<const KnownCall>, places> calls_;
};

}  // namespace treadle::array
