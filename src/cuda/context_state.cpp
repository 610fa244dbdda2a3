// SPDX-License-Identifier: MIT
#include "cuda/context_state.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "treadle/cuda/table.hpp"
#include "treadle/process/census.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

/// Every live context, so that a context has one state however it was reached. What lock() gives
/// may become the last reference at any time, and the destructor of a state takes the mutex: such a
/// reference is dropped only after the mutex is released.
struct Registry {
  std::mutex mutex;
  std::map<std::pair<const Table*, RawContext>, std::weak_ptr<ContextState>> states;
};

Registry& registry() {
  // Never destroyed: contexts in static objects end after it would be.
  static Registry& instance = *new Registry;
  return instance;
}

/// Forgets `state`, or what is left of it, unless a new state has taken its place.
void forget(const Table& table, RawContext raw, const ContextState* state) {
  Registry& r = registry();
  std::shared_ptr<ContextState> live;  // ends behind the lock: see Registry
  const std::lock_guard lock(r.mutex);
  const auto found = r.states.find({&table, raw});
  if (found == r.states.end()) return;
  live = found->second.lock();
  if (!live || live.get() == state) r.states.erase(found);
}

LiveCount& live_contexts() {
  static LiveCount& count = *new LiveCount("cuda context");
  return count;
}

const char* end_call(Ownership ownership) {
  return ownership == Ownership::created ? "cuCtxDestroy" : "cuDevicePrimaryCtxRelease";
}

}  // namespace

std::shared_ptr<ContextState> ContextState::find(const Table& table, RawContext raw) {
  Registry& r = registry();
  std::shared_ptr<ContextState> live;
  {
    const std::lock_guard lock(r.mutex);
    const auto found = r.states.find({&table, raw});
    if (found != r.states.end()) live = found->second.lock();
  }
  return live && live->is_valid() ? live : nullptr;
}

std::shared_ptr<ContextState> ContextState::share(const Device& device, RawContext raw,
                                                  Ownership ownership) {
  const Table& cu = device.driver().table();
  std::shared_ptr<ContextState> live;
  {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    auto& slot = r.states[{&cu, raw}];
    live = slot.lock();
    if (!live || !live->is_valid()) {
      auto made = std::make_shared<ContextState>(device, raw, ownership);
      slot = made;
      return made;
    }
  }
  if (ownership == Ownership::retained)
    warn_if_failed(cu, cu.cuDevicePrimaryCtxRelease(device.raw()), end_call(ownership),
                   "a second reference to a primary context");
  return live;
}

int ContextState::end() noexcept {
  const Table& cu = table();
  if (has_left_work_ && cu.end_work != nullptr && ownership_ != Ownership::borrowed)
    warn_if_failed(cu, cu.end_work(raw_), "treadle_cpu_end_work", "work that nobody waits for");
  switch (ownership_) {
    case Ownership::created:
      return cu.cuCtxDestroy(raw_);
    case Ownership::retained:
      return cu.cuDevicePrimaryCtxRelease(device_.raw());
    case Ownership::borrowed:
      break;
  }
  return CUDA_SUCCESS;
}

ContextState::ContextState(Device device, RawContext raw, Ownership ownership) noexcept
    : device_(std::move(device)), raw_(raw), ownership_(ownership) {
  live_contexts().add();
}

ContextState::~ContextState() {
  live_contexts().remove();
  const bool was_valid = valid_.exchange(false);
  forget(table(), raw_, this);
  // No stack holds it any more: stacks own their entries.
  if (was_valid) warn_if_failed(table(), end(), end_call(ownership_), "a context");
}

void ContextState::detach() {
  if (!valid_.exchange(false)) throw InvalidState("cannot detach from invalid context");
  forget(table(), raw_, this);
  ContextStack& stack = ContextStack::of_this_thread();
  const bool was_current = stack.remove(this);
  const int code = end();
  if (was_current) stack.restore_top();
  check(table(), code, end_call(ownership_), [&] { return "detaching a context"; });
}

ContextStack& ContextStack::of_this_thread() {
  thread_local ContextStack stack;
  return stack;
}

ContextStack::~ContextStack() {
  // Emptied first: destructors of the thread's other objects may still ask what is current.
  const auto left = std::exchange(entries_, {});
  if (left.empty()) return;
  warn("a thread ended with " + std::to_string(left.size()) +
       " context(s) on its stack; pop() each context that was pushed");
  RawContext popped = nullptr;
  if (left.back()->is_valid()) left.back()->table().cuCtxPopCurrent(&popped);
}

const std::shared_ptr<ContextState>* ContextStack::top() noexcept {
  for (std::size_t i = entries_.size(); i-- > 0;)
    if (entries_[i]->is_valid()) return &entries_[i];
  return nullptr;
}

void ContextStack::push(std::shared_ptr<ContextState> state) {
  entries_.reserve(entries_.size() +
                   1);  // so that nothing throws once the driver's stack has changed
  if (!entries_.empty() && entries_.back()->is_valid()) {
    RawContext floating = nullptr;
    const Table& cu = entries_.back()->table();
    check(cu, cu.cuCtxPopCurrent(&floating), "cuCtxPopCurrent");
  }
  const Table& cu = state->table();
  if (const int code = cu.cuCtxPushCurrent(state->raw()); code != CUDA_SUCCESS) {
    restore_top();
    raise(cu, code, "cuCtxPushCurrent");
  }
  entries_.push_back(std::move(state));
}

std::shared_ptr<ContextState> ContextStack::pop() {
  auto state = std::move(entries_.back());
  entries_.pop_back();
  RawContext popped = nullptr;
  const int code = state->table().cuCtxPopCurrent(&popped);
  restore_top();
  if (state->is_valid()) check(state->table(), code, "cuCtxPopCurrent");
  return state;
}

bool ContextStack::remove(const ContextState* state) {
  const bool was_top = !entries_.empty() && entries_.back().get() == state;
  if (was_top) {
    RawContext popped = nullptr;
    state->table().cuCtxPopCurrent(&popped);
  }
  std::erase_if(entries_, [&](const auto& entry) { return entry.get() == state; });
  return was_top;
}

void ContextStack::restore_top() {
  while (!entries_.empty() && !entries_.back()->is_valid()) entries_.pop_back();
  if (entries_.empty()) return;
  const Table& cu = entries_.back()->table();
  check(cu, cu.cuCtxPushCurrent(entries_.back()->raw()), "cuCtxPushCurrent");
}

const ContextState& valid_state(const Context& context) {
  const ContextState* state = context.state();
  if (state == nullptr) throw InvalidState("this Context holds no context");
  if (!state->is_valid()) throw InvalidState("the context was detached");
  return *state;
}

const Table& current_table() {
  const auto* top = ContextStack::of_this_thread().top();
  return top != nullptr ? (*top)->table() : default_driver().table();
}

}  // namespace treadle::cuda
