// SPDX-License-Identifier: MIT
// Launches that were worked out lately, of every family of kernels: most launches of a program are
// repetitions.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

/// All that a launch depends on, but for where its arrays begin and what its scalars are. Written
/// into memory of the thread: one at a time.
class LaunchKey {
 public:
  /// Of a family of plans (device::slot_number), with the arrays and the number of scalars.
  LaunchKey(std::size_t family, std::span<const ElementwiseArray> arrays, std::size_t scalars);

  template <class T>
  void add(std::span<const T> numbers) {
    text_ += static_cast<char>(numbers.size());
    text_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  }
  /// For what appends itself.
  std::string& text() noexcept { return text_; }

 private:
  static std::string& buffer() noexcept;
  std::string& text_;
};

/// Of elements of `size_bytes` bytes along axes; what is broadcast counts once.
std::uint64_t distinct_bytes(std::span<const std::int64_t> extents,
                             std::span<const std::int64_t> strides, std::size_t size_bytes);

/// Places for launches that a user's kernel was given lately.
inline constexpr std::size_t kept_launches = 8;

/// Some launches of a device, or of a user's kernel, by their keys; of those that share a place the
/// newest stays. Any thread.
class LaunchCache {
 public:
  /// For so many launches: a power of two.
  explicit LaunchCache(std::size_t places = 256) : entries_(places) {}
  /// What the key stands for, which `make` works out where nobody did lately; null from it is not
  /// kept. Throws as `make`.
  template <class Make>
  std::shared_ptr<const PreparedLaunch> find(LaunchKey& key, Make make) {
    std::shared_ptr<const PreparedLaunch> prepared = find(key.text());
    if (prepared == nullptr) [[unlikely]] {
      std::string own = key.text();  // `make` may write keys of its own
      if ((prepared = make()) != nullptr) keep(std::move(own), prepared);
    }
    return prepared;
  }

 private:
  std::shared_ptr<const PreparedLaunch> find(std::string_view key);
  void keep(std::string key, std::shared_ptr<const PreparedLaunch> launch);
  struct Entry {
    std::string key;
    std::shared_ptr<const PreparedLaunch> launch;
  };
  std::size_t place_of(std::string_view key) const noexcept {
    return std::hash<std::string_view>()(key) & (entries_.size() - 1);
  }
  std::mutex mutex_;  // guards what follows
  std::vector<Entry> entries_;
};

/// Queues what the key stands for, which `make` works out where nobody did lately; null from it
/// means that nothing runs, but the order holds. Throws as both.
template <class Launch, class Make>
KernelNote launch_known(device::Stream& stream, const Launch& launch, LaunchKey& key,
                        const device::Order& order, Make make) {
  const std::shared_ptr<const PreparedLaunch> prepared =
      stream.device().slot<LaunchCache>().find(key, make);
  if (prepared == nullptr) [[unlikely]] {
    for (const device::Event* event : order.after) stream.wait(*event);
    if (order.done != nullptr) stream.record(*order.done);
    return {};
  }
  prepared->launch(stream, launch.arrays, launch.scalars, order);
  return prepared->note;
}

}  // namespace treadle::kernel
