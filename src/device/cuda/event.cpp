// SPDX-License-Identifier: MIT
#include "device/cuda/event.hpp"

#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/device/host_wait.hpp"

namespace treadle::device {

using cuda::Activation;
using cuda::check;

CudaEvent::CudaEvent(std::shared_ptr<Device> device, const cuda::Context& context, Timing timing)
    : Event(std::move(device)),
      context_(context),
      own_(std::in_place, context,
           timing == Timing::on ? cuda::EventFlags::none : cuda::EventFlags::disable_timing),
      raw_(own_->raw()),
      timing_(timing),
      was_recorded_(false) {}

CudaEvent::CudaEvent(std::shared_ptr<Device> device, const cuda::Context& context,
                     cuda::RawEvent adopted)
    : Event(std::move(device)),
      context_(context),
      raw_(adopted),
      timing_(Timing::on),
      was_recorded_(true) {}

void CudaEvent::synchronize() {
  const auto wait = [this] {
    const Activation active(context_);
    check(active.table(), active.table().cuEventSynchronize(raw_), "cuEventSynchronize");
  };
  wait_as_set(device(), [this] { return is_done(); }, wait);
}

bool CudaEvent::is_done() {
  const Activation active(context_);
  const int code = active.table().cuEventQuery(raw_);
  if (code == CUDA_ERROR_NOT_READY) return false;
  check(active.table(), code, "cuEventQuery");
  return true;
}

void CudaEvent::require_time() const {
  if (timing_ == Timing::off)
    throw InvalidState("an event whose time was asked for takes none", "make it with Timing::on");
  if (!was_recorded_.load(std::memory_order_acquire) || !const_cast<CudaEvent*>(this)->is_done())
    throw InvalidState(std::string("an event whose time was asked for is not ") +
                           (was_recorded_ ? "done" : "recorded"),
                       "synchronize() it first");
}

double CudaEvent::elapsed_seconds(const Event& start) {
  const auto& from = static_cast<const CudaEvent&>(start);
  require_time();
  from.require_time();
  const Activation active(context_);
  const cuda::Table& cu = active.table();
  const auto elapsed =
      cuda::is_present(cu.cuEventElapsedTime) ? cu.cuEventElapsedTime : cu.cuEventElapsedTime_v1;
  float milliseconds = 0;
  const int code = elapsed(&milliseconds, from.raw_, raw_);
  // Its owner may have made an adopted event without, or never recorded it.
  if (code == CUDA_ERROR_INVALID_HANDLE)
    throw InvalidState("an event whose time was asked for takes none, or was not recorded",
                       "its owner makes it without disable_timing, and records it");
  check(cu, code, "cuEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace treadle::device
