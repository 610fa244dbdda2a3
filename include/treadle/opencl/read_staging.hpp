// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>

#include "treadle/opencl/transfer.hpp"

namespace treadle::opencl {

/// Page-locked memory by way of which small reads of one queue reach memory of the host: behind a
/// kernel, NVIDIA's driver (H200) reads 4 KB into pageable memory in 16 us, and in 10 into
/// page-locked memory. Its memory is made at the second read: queues that read once are not worth
/// it. Any thread.
class ReadStaging {
 public:
  /// Of more bytes the copy that is added takes as long as is saved.
  static constexpr std::size_t most_bytes = 64 << 10;

  explicit ReadStaging(Queue queue) : queue_(std::move(queue)) {}
  ReadStaging(const ReadStaging&) = delete;
  ReadStaging& operator=(const ReadStaging&) = delete;

  /// Fills `host`: `enqueue(bytes)` enqueues the read into those bytes of as many, and `wait()`
  /// returns when it is done. False, and nothing called, for too many bytes, where the device uses
  /// the host's memory anyway, for the first read, and while another is under way. If `wait`
  /// throws, `host` is not written, and the read goes on elsewhere.
  template <class Enqueue, class Wait>
  bool read(std::span<std::byte> host, Enqueue&& enqueue, Wait&& wait) {
    const std::span<std::byte> bytes = take(host.size());
    if (bytes.empty()) return false;
    try {
      enqueue(bytes);
      wait();
    } catch (...) {
      give_back(/*is_read=*/false);
      throw;
    }
    copy(bytes, host);
    give_back(/*is_read=*/true);
    return true;
  }

 private:
  std::span<std::byte> take(std::size_t size_bytes);
  void give_back(bool is_read) noexcept;
  void make();
  static void copy(std::span<const std::byte> from, std::span<std::byte> to) noexcept;

  const Queue queue_;
  std::mutex mutex_;  // guards what follows
  bool was_asked_ = false, was_made_ = false, is_taken_ = false;
  std::optional<Mapping> memory_;  // mapped as long as it lives
  Event last_;                     // not empty: of a read that nobody waited for to the end
};

}  // namespace treadle::opencl
