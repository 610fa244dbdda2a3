// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <optional>

#include "treadle/cuda/event.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/device/event.hpp"

namespace treadle::device {

/// An event of the driver: its own, or one that somebody else destroys.
class CudaEvent final : public Event {
 public:
  CudaEvent(std::shared_ptr<Device> device, const cuda::Context& context, Timing timing);
  CudaEvent(std::shared_ptr<Device> device, const cuda::Context& context, cuda::RawEvent adopted);

  void synchronize() override;
  bool is_done() override;

  cuda::RawEvent raw() const noexcept { return raw_; }
  /// The caller has recorded it.
  void note_record() noexcept { was_recorded_.store(true, std::memory_order_release); }

 private:
  double elapsed_seconds(const Event& start) override;
  void require_time() const;

  cuda::Context context_;
  std::optional<cuda::Event> own_;
  cuda::RawEvent raw_;
  Timing timing_;
  std::atomic<bool> was_recorded_;  // of an adopted one: it may be
};

}  // namespace treadle::device
