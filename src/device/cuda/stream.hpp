// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "device/cuda/pattern_fill.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/stream.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {

/// A stream of the driver: its own, the legacy default stream, or one that somebody else destroys.
class CudaStream final : public Stream {
 public:
  CudaStream(Device& device, const cuda::Context& context, cuda::Stream own, PatternFill& fills);
  /// `raw` null: the legacy default stream.
  CudaStream(Device& device, const cuda::Context& context, cuda::RawStream raw, PatternFill& fills);

  bool is_done() override;
  /// Null where it is not its own.
  const cuda::Stream* shell() const noexcept { return own_ ? &*own_ : nullptr; }

 private:
  void wait_until_done() override;
  void queue_copy(const Copy& copy, const Order& order) override;
  void queue_fill(Location destination, std::span<const std::byte> pattern, std::size_t count,
                  const Order& order) override;
  void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                    std::span<const Argument> arguments, const Order& order) override;
  void queue_record(Event& event) override;
  void queue_wait(const Event& event) override;
  void queue_callback(std::function<void()> callback) override;

  template <class Work>
  void in_order(const Order& order, Work&& work);
  void copy_row(const cuda::Table& cu, const Copy& copy);
  void copy_box(const cuda::Table& cu, const Copy& copy);

  cuda::Context context_;
  std::optional<cuda::Stream> own_;
  std::optional<cuda::StreamHold> hold_;  // of somebody else's
  cuda::RawStream stream_;
  PatternFill& fills_;  // the device's
};

}  // namespace treadle::device
