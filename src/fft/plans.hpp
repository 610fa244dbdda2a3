// SPDX-License-Identifier: MIT
// The plans that a device keeps: of generated kernels, of those with users' texts, and of cuFFT.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "fft/engine_choice.hpp"
#include "fft/generated.hpp"

namespace treadle::fft {

/// What decides how a transform of dense arrays is done: small, and compared as it is.
struct WayKey {
  static constexpr std::size_t max_rank = 6;
  std::array<std::int64_t, max_rank> extents = {};  ///< of the real side
  std::uint8_t rank = 0, axes = 0, last_axis = 0;   ///< `axes` has a bit for each
  TransformKind kind = TransformKind::complex;
  bool is_forward = true, is_double = false, is_in_place = false, is_everywhere = false;
  bool is_at_pairs = true;  ///< input and output: cuFFT may serve it
  bool operator==(const WayKey&) const = default;

  struct Hash {
    std::size_t operator()(const WayKey& key) const noexcept {
      std::uint64_t hash =
          key.axes | key.last_axis << 8 | key.rank << 16 | static_cast<unsigned>(key.kind) << 24;
      for (const std::int64_t extent : key.extents)
        hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0x9e3779b97f4a7c15u;
      return hash >> 20;
    }
  };
};
/// The plan that does it alone, from the input to the output.
struct Way {
  std::shared_ptr<DevicePlan> plan;
  kernel::KernelNote note = {};  ///< which engine it is, where there are two
};

/// The plans of a device that were used last, and nothing else: a way does not keep its plan. Any
/// thread.
class Plans {
 public:
  /// Generated kernels.
  std::shared_ptr<DevicePlan> generated(device::Stream& stream, const PlanShape& shape);
  /// A kernel with fused texts; null where it cannot be one.
  FusedPlan fused(device::Stream& stream, const PlanShape& shape, const FusedText& text);
  /// What transforms a shape that cuFFT takes.
  struct OfTwo {
    FusedPlan plan;        ///< cuFFT's; null: generated kernels are to do it. The note says why
    bool is_final = true;  ///< EngineVerdict::is_final
  };
  /// `generated` gives what runs generated kernels, to be measured.
  OfTwo of_two(device::Stream& stream, const DeviceCufft& cufft, const PlanShape& shape,
               const GeneratedTransform& generated);

  /// Without a plan: it is not known, or not done by one plan alone.
  Way way(const WayKey& key);
  void keep(const WayKey& key, const Way& way);
  void forget();

 private:
  /// The one used last comes first.
  using List = std::list<std::pair<std::string, FusedPlan>>;
  struct KeptWay {
    std::weak_ptr<DevicePlan> plan;
    kernel::KernelNote note;
  };
  static constexpr std::size_t most_plans = 64;
  template <class Make>
  FusedPlan find_or_make(const std::string& key, Make make);
  const FusedPlan* find(const std::string& key);
  void touch(List::iterator used);

  std::mutex mutex_;  // guards what follows
  List plans_;
  std::unordered_map<WayKey, KeptWay, WayKey::Hash> ways_;
};

}  // namespace treadle::fft
