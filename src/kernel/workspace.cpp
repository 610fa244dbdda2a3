// SPDX-License-Identifier: MIT
#include "treadle/kernel/workspace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "treadle/device/device.hpp"

namespace treadle::kernel {
namespace {

constexpr std::size_t least_bytes = 1 << 14;

/// Memory that grows. Queued work may still use the old, smaller memory: Device::free() promises to
/// release the memory only after that work.
class Grown {
 public:
  explicit Grown(device::Device& device) : device_(device) {}
  Grown(const Grown&) = delete;
  Grown& operator=(const Grown&) = delete;
  ~Grown() { forget(); }

  /// Whether the memory is new.
  bool reserve(std::size_t size_bytes) {
    if (size_bytes <= size_bytes_) return false;
    forget();
    const std::size_t size = std::bit_ceil(std::max(size_bytes, least_bytes));
    location_ = device_.allocate(size);
    size_bytes_ = size;
    return true;
  }
  void forget() noexcept {
    try {
      device_.free(std::exchange(location_, {}));
    } catch (const std::exception&) {
      // A failed device keeps its memory; threads that wait for its work get the failure.
    }
    size_bytes_ = 0;
  }
  const device::Location& location() const { return location_; }
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  device::Device& device_;
  device::Location location_;
  std::size_t size_bytes_ = 0;
};

/// The workspace of one stream.
class StreamWorkspace {
 public:
  explicit StreamWorkspace(device::Device& device)
      : partials_(device), tickets_(device), words_(device) {}

  void use(device::Stream& stream, const WorkspaceSize& size,
           const std::function<void(const Workspace&)>& launch) {
    const std::lock_guard lock(mutex_);
    try {
      partials_.reserve(size.partial_bytes);
      if (tickets_.reserve(size.tickets * sizeof(std::uint32_t))) {
        constexpr std::array<std::byte, 4> zero{};
        stream.fill(tickets_.location(), zero, tickets_.size_bytes() / zero.size());
      }
      if (words_.reserve(size.words * sizeof(std::uint64_t))) {
        constexpr std::array<std::byte, 8> zero{};
        constexpr std::array<std::byte, 4> one{std::byte{1}};
        stream.fill(words_.location(), zero, words_.size_bytes() / zero.size());
        stream.fill(words_.location() + sizeof(std::uint32_t), one, 1);  // 1 << 32
      }
      launch({partials_.location(), tickets_.location(), words_.location(),
              words_.size_bytes() / sizeof(std::uint64_t)});
    } catch (...) {
      tickets_.forget();
      words_.forget();
      throw;
    }
  }

 private:
  std::mutex mutex_;  // guards the members below, until the work that uses them is queued
  Grown partials_, tickets_, words_;
};

/// The workspaces of a device.
class Workspaces {
 public:
  explicit Workspaces(device::Device& device) : device_(device) {}
  std::shared_ptr<StreamWorkspace> at(device::Stream& stream) {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(&stream);
    // A new stream may have the address of a destroyed stream whose work still runs.
    if (found != streams_.end() && !found->second.stream.expired()) return found->second.workspace;
    std::erase_if(streams_, [](const auto& entry) { return entry.second.stream.expired(); });
    return streams_
        .emplace(&stream,
                 Entry{stream.weak_from_this(), std::make_shared<StreamWorkspace>(device_)})
        .first->second.workspace;
  }

 private:
  struct Entry {
    std::weak_ptr<device::Stream> stream;
    std::shared_ptr<StreamWorkspace> workspace;
  };
  device::Device& device_;
  std::mutex mutex_;  // guards the members below
  std::unordered_map<const device::Stream*, Entry> streams_;
};

}  // namespace

void with_workspace(device::Stream& stream, const WorkspaceSize& size,
                    const std::function<void(const Workspace&)>& launch) {
  stream.device().slot<Workspaces>().at(stream)->use(stream, size, launch);
}

}  // namespace treadle::kernel
