// SPDX-License-Identifier: MIT
#include "treadle/device/host_wait.hpp"

#include <atomic>

#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {
namespace {

std::atomic<HostWait> chosen_wait = nullptr;
thread_local int waiting_scopes = 0;

}  // namespace

void set_host_wait(HostWait wait) noexcept { chosen_wait.store(wait); }
HostWait host_wait() noexcept {
  return waiting_scopes == 0 ? chosen_wait.load(std::memory_order_relaxed) : nullptr;
}
void wait_as_set(Device& device, const std::function<bool()>& is_done,
                 const std::function<void()>& wait) {
  if (const HostWait chosen = host_wait())
    chosen(device, is_done, wait);
  else
    wait();
}

WaitToTheEnd::WaitToTheEnd() noexcept { ++waiting_scopes; }
WaitToTheEnd::~WaitToTheEnd() { --waiting_scopes; }

void wait_before_copy(Stream& stream) {
  if (host_wait() == nullptr) return;
  const LeaveDeferred leave;
  if (stream.raw() > 1) return stream.synchronize();
  // Work of CUDA's default stream comes after that of others, which its own end says nothing of.
  const auto event = stream.device().make_event(Timing::off);
  stream.record(*event);
  event->synchronize();
}

void store(Stream& stream, Location destination, const void* source, std::size_t size_bytes) {
  wait_before_copy(stream);
  const WaitToTheEnd nothing_else_is_queued;
  // Expressions that read the destination are computed before the copy; other ones stay put off.
  stream.copy_in(destination, source, size_bytes);
  const LeaveDeferred leave;
  stream.synchronize();
}

}  // namespace treadle::device
