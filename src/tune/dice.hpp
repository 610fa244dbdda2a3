// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace treadle::tune {

/// Random choices, which are the same for a seed with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// An integer below `end`, which is not 0.
  std::uint64_t below(std::uint64_t end) {
    const std::uint64_t rest = (std::uint64_t{0} - end) % end;  // 2^64 modulo end
    for (;;) {
      const std::uint64_t drawn = engine_();
      if (drawn >= rest) return drawn % end;
    }
  }
  /// A number from 0 to 1, without 1.
  double number() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace treadle::tune
