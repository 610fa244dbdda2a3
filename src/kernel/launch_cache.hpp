// SPDX-License-Identifier: MIT
// Keeps recent launches of every kernel family, because most launches of a program are repetitions.
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

/// Everything on which a launch depends, except the start of its arrays and the values of its
/// scalars. The key is written into a buffer of the thread, so a thread has one key at a time.
class LaunchKey {
 public:
  /// Starts with a family of plans (device::slot_number), the arrays and the number of scalars.
  LaunchKey(std::size_t family, std::span<const ElementwiseArray> arrays, std::size_t scalars);

  template <class T>
  void add(std::span<const T> numbers) {
    text_ += static_cast<char>(numbers.size());
    text_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  }
  /// The key, for functions that append to it.
  std::string& text() noexcept { return text_; }

 private:
  static std::string& buffer() noexcept;
  std::string& text_;
};

/// Bytes of the elements of an array; a broadcast element counts once.
std::uint64_t distinct_bytes(std::span<const std::int64_t> extents,
                             std::span<const std::int64_t> strides, std::size_t size_bytes);

/// How many recent launches a user's kernel keeps.
inline constexpr std::size_t kept_launches = 8;

/// Some launches of a device, or of a user's kernel, by their keys; if two share a place, the newer
/// one stays. Any thread.
class LaunchCache {
 public:
  /// `places`, a power of two, is the number of launches kept.
  explicit LaunchCache(std::size_t places = 256) : entries_(places) {}
  /// The launch for a key; if it is not kept, `make` prepares it. A null result of `make` is not
  /// kept. Throws as `make`.
  template <class Make>
  std::shared_ptr<const PreparedLaunch> find(LaunchKey& key, Make make) {
    std::shared_ptr<const PreparedLaunch> prepared = find(key.text());
    if (prepared == nullptr) [[unlikely]] {
      std::string own = key.text();  // `make` may write another key into the same buffer
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
  std::mutex mutex_;  // guards the members below
  std::vector<Entry> entries_;
};

/// Queues the launch for a key; if it is not kept, `make` prepares it. A null result of `make`
/// means that nothing runs, but the order holds. Throws as `make` and Stream::launch().
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
