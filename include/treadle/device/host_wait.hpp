// SPDX-License-Identifier: MIT
// How the host waits for a device.
#pragma once

#include <cstddef>
#include <functional>

#include "treadle/device/location.hpp"

namespace treadle::device {

class Device;
class Stream;

/// Waits in the place of Stream::synchronize() and Event::synchronize(), on any thread: `is_done`
/// asks without blocking, `wait` blocks and says what failed. It may throw, and so leave the wait,
/// while the work goes on: Python's obeys Ctrl-C.
using HostWait = void (*)(Device& device, const std::function<bool()>& is_done,
                          const std::function<void()>& wait);
/// For the whole process, once, before devices are used; null: `wait()` is called.
void set_host_wait(HostWait wait) noexcept;
/// As it was set; null within a WaitToTheEnd of this thread.
HostWait host_wait() noexcept;
/// Waits as it was set. For implementations of streams and events.
void wait_as_set(Device& device, const std::function<bool()>& is_done,
                 const std::function<void()>& wait);

/// Within it waits of this thread are not left: a queued copy uses memory that would end then. It
/// is for short ones, of which others that may be left have come before.
class [[nodiscard]] WaitToTheEnd {
 public:
  WaitToTheEnd() noexcept;  ///< scopes may lie within each other
  ~WaitToTheEnd();
  WaitToTheEnd(const WaitToTheEnd&) = delete;
  WaitToTheEnd& operator=(const WaitToTheEnd&) = delete;
};

/// As Stream::copy_in(), and waits: the host range is free when this returns or throws. Where waits
/// may be left, what is queued before is waited for first; if that throws, nothing is queued. What
/// was put off on the stream stays so, unless it reads the destination.
void store(Stream& stream, Location destination, const void* source, std::size_t size_bytes);
/// Waits for what is queued before a copy that waits, where waits may be left.
void wait_before_copy(Stream& stream);

}  // namespace treadle::device
