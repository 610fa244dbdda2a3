// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "fft/host_task.hpp"
#include "treadle/base/cpu_features.hpp"

extern "C" int treadle_fft_engine_baseline(const treadle::fft::HostTask&, unsigned, void*) noexcept;
#if defined(__x86_64__)
extern "C" int treadle_fft_engine_avx2(const treadle::fft::HostTask&, unsigned, void*) noexcept;
#endif

namespace treadle::fft {

const ChosenEngine& host_engine() noexcept {
  static const ChosenEngine chosen = []() -> ChosenEngine {
#if defined(__x86_64__)
    const CpuFeatures& here = host_cpu_features();
    // What -march=x86-64-v3 allows the compiler to use.
    constexpr std::array needed = {"avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"};
    const bool has_all = std::all_of(needed.begin(), needed.end(), [&](const char* name) {
      const int bit = cpu_feature_bit(name);
      return bit >= 0 && here.has(static_cast<unsigned>(bit));
    });
    if (has_all) return {treadle_fft_engine_avx2, "avx2"};
#endif
    return {treadle_fft_engine_baseline, "baseline"};
  }();
  return chosen;
}

}  // namespace treadle::fft
