// SPDX-License-Identifier: MIT
#include "treadle/cuda/stream.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/wait_state.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/event.hpp"

namespace treadle::cuda {

namespace {
std::atomic<bool> stream_was_made{false};

bool query(const Table& cu, RawStream raw) {
  const int code = cu.cuStreamQuery(raw);
  if (code == CUDA_ERROR_NOT_READY) return false;
  check(cu, code, "cuStreamQuery");
  return true;
}
}  // namespace

namespace {

/// Streams that are held by their raw values, and which of them nobody owns any more.
struct HeldStreams {
  struct Held {
    unsigned holds = 0;
    std::optional<Context> ended;  // where it is destroyed
  };
  std::mutex mutex;
  std::unordered_map<RawStream, Held> streams;

  static HeldStreams& all() {
    static HeldStreams& one = *new HeldStreams;  // streams end after the objects of the process
    return one;
  }
};

}  // namespace

StreamHold::StreamHold(RawStream raw) : raw_(raw) {
  HeldStreams& held = HeldStreams::all();
  const std::lock_guard lock(held.mutex);
  ++held.streams[raw].holds;
}

StreamHold::~StreamHold() {
  HeldStreams& held = HeldStreams::all();
  std::optional<Context> ended;
  {
    const std::lock_guard lock(held.mutex);
    const auto entry = held.streams.find(raw_);
    if (--entry->second.holds != 0) return;
    ended = std::move(entry->second.ended);
    held.streams.erase(entry);
  }
  if (ended) destroy_stream(*ended, raw_);
}

void destroy_stream(const Context& context, RawStream raw) noexcept {
  HeldStreams& held = HeldStreams::all();
  {
    const std::lock_guard lock(held.mutex);
    if (const auto entry = held.streams.find(raw); entry != held.streams.end()) {
      entry->second.ended = context;
      return;
    }
  }
  clean_up(context, "a stream", "cuStreamDestroy", &Table::cuStreamDestroy, raw);
}

Stream::Stream(StreamFlags flags, int priority) : Stream(Context::current(), flags, priority) {}

Stream::Stream(const Context& context, StreamFlags flags, int priority) {
  const Activation active(context);
  const Table& cu = active.table();
  RawStream raw = nullptr;
  if (priority == 0)
    check(cu, allocated([&] { return cu.cuStreamCreate(&raw, static_cast<unsigned>(flags)); }),
          "cuStreamCreate");
  else
    check(cu, allocated([&] {
            return cu.cuStreamCreateWithPriority(&raw, static_cast<unsigned>(flags), priority);
          }),
          "cuStreamCreateWithPriority");
  handle_ = {context, raw};
  stream_was_made.store(true, std::memory_order_relaxed);
}

Stream Stream::wrap(RawStream raw, const Driver& driver) {
  refuse_null_handle("stream", raw);
  driver.initialize();
  const Table& cu = driver.table();
  RawContext context = nullptr;
  check(cu, cu.cuStreamGetCtx(raw, &context), "cuStreamGetCtx", [] { return "a stream to wrap"; });
  stream_was_made.store(true, std::memory_order_relaxed);
  return Stream(Handle<RawStream, destroy_stream>::borrow(Context::wrap(driver, context), raw));
}

void StreamRef::raise_moved_from() {
  throw InvalidState("the stream was moved from", "use the one it went to");
}

bool any_stream_was_made() noexcept { return stream_was_made.load(std::memory_order_relaxed); }

void Stream::synchronize() const {
  const Activation active(context());
  check(active.table(), active.table().cuStreamSynchronize(raw()), "cuStreamSynchronize");
}

bool Stream::is_done() const {
  const Activation active(context());
  return query(active.table(), raw());
}

void Stream::wait(const Event& event) const {
  refuse_moved_from("event", event.raw());
  const Activation active(context());
  check(active.table(), active.table().cuStreamWaitEvent(raw(), event.raw(), 0),
        "cuStreamWaitEvent");
}

int Stream::priority() const {
  const Activation active(context());
  int priority = 0;
  check(active.table(), active.table().cuStreamGetPriority(raw(), &priority),
        "cuStreamGetPriority");
  return priority;
}

std::uint64_t Stream::id() const {
  const Activation active(context());
  unsigned long long id = 0;
  check(active.table(), active.table().cuStreamGetId(raw(), &id), "cuStreamGetId");
  return id;
}

StreamFlags Stream::flags() const {
  const Activation active(context());
  unsigned flags = 0;
  check(active.table(), active.table().cuStreamGetFlags(raw(), &flags), "cuStreamGetFlags");
  return static_cast<StreamFlags>(flags);
}

void synchronize(StreamRef stream) {
  const Table& cu = current_table();
  check(cu, cu.cuStreamSynchronize(stream.raw()), "cuStreamSynchronize");
}

bool is_done(StreamRef stream) { return query(current_table(), stream.raw()); }

}  // namespace treadle::cuda
