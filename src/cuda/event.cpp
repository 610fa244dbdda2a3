// SPDX-License-Identifier: MIT
#include "treadle/cuda/event.hpp"

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"

namespace treadle::cuda {

void destroy_event(const Context& context, RawEvent raw) noexcept {
  clean_up(context, "an event", "cuEventDestroy", &Table::cuEventDestroy, raw);
}

Event::Event(EventFlags flags) : Event(Context::current(), flags) {}

Event::Event(const Context& context, EventFlags flags) {
  const Activation active(context);
  RawEvent raw = nullptr;
  check(active.table(), active.table().cuEventCreate(&raw, static_cast<unsigned>(flags)),
        "cuEventCreate");
  handle_ = {context, raw};
}

Event Event::wrap(const Context& context, RawEvent raw) {
  refuse_null_handle("event", raw);
  return Event(Handle<RawEvent, destroy_event>::borrow(context, raw));
}

void Event::record(StreamRef stream) const {
  const Activation active(context());
  check(active.table(), active.table().cuEventRecord(raw(), stream.raw()), "cuEventRecord");
}

void Event::synchronize() const {
  const Activation active(context());
  check(active.table(), active.table().cuEventSynchronize(raw()), "cuEventSynchronize");
}

bool Event::is_done() const {
  const Activation active(context());
  const int code = active.table().cuEventQuery(raw());
  if (code == CUDA_ERROR_NOT_READY) return false;
  check(active.table(), code, "cuEventQuery");
  return true;
}

float Event::milliseconds_since(const Event& start) const {
  refuse_moved_from("event", start.raw());
  const Activation active(context());
  const Table& cu = active.table();
  const auto elapsed =
      is_present(cu.cuEventElapsedTime) ? cu.cuEventElapsedTime : cu.cuEventElapsedTime_v1;
  float milliseconds = 0;
  check(cu, elapsed(&milliseconds, start.raw(), raw()), "cuEventElapsedTime", [] {
    return "both events must have been recorded and be done, and neither have disable_timing";
  });
  return milliseconds;
}

}  // namespace treadle::cuda
