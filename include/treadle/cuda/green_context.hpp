// SPDX-License-Identifier: MIT
// Green contexts: part of a device's multiprocessors, so that work which must begin at once does
// not wait for the rest.
//
//   const auto [parts, rest] = cuda::DeviceResource::multiprocessors_of(device).split(1, 16);
//   const cuda::GreenContext urgent(device, parts), bulk(device, {&rest, 1});
//   const cuda::Stream quick = urgent.make_stream();
//
// Since CUDA 12.4. The CPU device has none: NotSupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "treadle/cuda/event.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// CUdevSmResourceSplit_flags; combine with |.
enum class SplitFlags : unsigned {
  none = 0,
  ignore_coscheduling = 1,   ///< finer parts, without large clusters
  largest_cluster_size = 2,  ///< parts in which clusters may be as large as they can; since sm_90
};
/// Both sets of flags.
constexpr SplitFlags operator|(SplitFlags a, SplitFlags b) noexcept {
  return static_cast<SplitFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

struct ResourceSplit;

/// Multiprocessors of a device: a cheap value that only the driver makes.
class DeviceResource {
 public:
  /// All of them. Throws NotSupported, DeviceError.
  static DeviceResource multiprocessors_of(const Device& device);
  /// Those that a context may use.
  static DeviceResource multiprocessors_of(const Context& context);

  /// `groups` alike of at least `multiprocessors` each, and the rest. There are fewer groups where
  /// they do not fit. What was split is split again only after a context was made of it. Throws
  /// InvalidArgument for no groups, and for more multiprocessors than there are.
  ResourceSplit split(unsigned groups, unsigned multiprocessors,
                      SplitFlags flags = SplitFlags::none) const;
  /// How many groups split() would make of all.
  unsigned count_groups(unsigned multiprocessors, SplitFlags flags = SplitFlags::none) const;

  /// How many there are; 0 for an empty rest.
  unsigned multiprocessors() const noexcept;
  /// The least that a part has; 0 where the driver, before CUDA 13, does not tell.
  unsigned smallest_part() const noexcept;
  /// The unit of parts; 0 where the driver, before CUDA 13, does not tell.
  unsigned alignment() const noexcept;
  /// Whose they are.
  const Device& device() const noexcept { return device_; }

 private:
  friend class GreenContext;
  explicit DeviceResource(Device device) noexcept : device_(std::move(device)) {}
  Device device_;
  alignas(8) std::byte raw_[144]{};  ///< CUdevResource
};

/// What DeviceResource::split makes.
struct ResourceSplit {
  std::vector<DeviceResource> groups;  ///< of one size, with nothing in common
  DeviceResource rest;                 ///< perhaps none
};

/// A context that has only some of the device's multiprocessors. Shares memory, modules and
/// everything else with the device's primary context, which it keeps. A cheap value.
class GreenContext {
 public:
  /// Of all `resources` together, which are of `device`. Throws InvalidArgument for none, and for
  /// those of another device; DeviceError for those that are not to be joined.
  GreenContext(const Device& device, std::span<const DeviceResource> resources);

  /// To be made current: launches on its default stream, and on streams made in it, run on these
  /// multiprocessors. It is detached when the last GreenContext ends, and streams and events that
  /// were made in it end before that.
  const Context& context() const noexcept;
  /// A non-blocking stream, whose work runs on these multiprocessors whatever context is current.
  /// Ends before the last GreenContext.
  Stream make_stream(int priority = 0) const;
  /// Marks the work queued so far on all of its streams. The event is of context().
  void record(const Event& event) const;
  /// Later work of all of its streams starts after what `event` recorded.
  void wait(const Event& event) const;
  /// What it has.
  DeviceResource resource() const;
  /// A number that no other green context of the process ever has.
  std::uint64_t id() const;
  /// Whose it is.
  const Device& device() const noexcept;
  /// CUgreenCtx, while this lives.
  void* raw() const noexcept;

 private:
  class State;
  std::shared_ptr<const State> state_;
};

}  // namespace treadle::cuda
