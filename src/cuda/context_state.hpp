// SPDX-License-Identifier: MIT
// One context of the driver, shared by everything made in it, and the stack each thread keeps of
// them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "cuda/launch_ring.hpp"
#include "treadle/cuda/context.hpp"

namespace treadle::cuda {

/// Who ends the context.
enum class Ownership { created, retained, borrowed };

class ContextState {
 public:
  ContextState(Device device, RawContext raw, Ownership ownership) noexcept;
  ContextState(const ContextState&) = delete;
  ContextState& operator=(const ContextState&) = delete;
  ~ContextState();

  const Table& table() const noexcept { return device_.driver().table(); }
  const Device& device() const noexcept { return device_; }
  RawContext raw() const noexcept { return raw_; }
  Ownership ownership() const noexcept { return ownership_; }
  bool is_valid() const noexcept { return valid_.load(std::memory_order_acquire); }

  /// A wait for the context's work was interrupted: ending the context must not wait for it either.
  void note_left_work(bool is_left) const noexcept { has_left_work_ = is_left; }

  /// What was launched in it last.
  LaunchRing& launches() const noexcept { return launches_; }

  /// Destroys, or gives up our reference. Throws InvalidState if that was done before.
  void detach();

  /// The one state for a context of the driver, so that equal contexts are one object: the live one
  /// there is, else a new one with `ownership`. A reference that turns out not to be needed is
  /// released.
  static std::shared_ptr<ContextState> share(const Device& device, RawContext raw,
                                             Ownership ownership);
  /// The live state for `raw`; null if there is none.
  static std::shared_ptr<ContextState> find(const Table& table, RawContext raw);
  static Context wrap(std::shared_ptr<ContextState> state) { return Context(std::move(state)); }
  static const std::shared_ptr<ContextState>& of(const Context& context) { return context.state_; }

 private:
  int end() noexcept;  // the driver's answer

  Device device_;
  RawContext raw_;
  Ownership ownership_;
  std::atomic<bool> valid_{true};
  mutable LaunchRing launches_;
  mutable std::atomic<bool> has_left_work_{false};
};

/// The contexts a thread has pushed, last on top. At most one of them is on the driver's own stack.
class ContextStack {
 public:
  static ContextStack& of_this_thread();
  ~ContextStack();

  void push(std::shared_ptr<ContextState> state);
  std::shared_ptr<ContextState> pop();
  /// Takes every entry of `state` off; the caller ends it. True if it was on top, hence current.
  bool remove(const ContextState* state);
  /// Makes the topmost valid entry current.
  void restore_top();

  const std::shared_ptr<ContextState>* top() noexcept;
  std::size_t depth() const noexcept { return entries_.size(); }

 private:
  std::vector<std::shared_ptr<ContextState>> entries_;
};

/// What `context` shares. Throws InvalidState where there is none, or it was detached.
const ContextState& valid_state(const Context& context);

/// The table for calls that act on whatever is current: the top's, else the default driver's.
const Table& current_table();

}  // namespace treadle::cuda
