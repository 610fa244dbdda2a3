// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "treadle/cuda/context.hpp"
#include "treadle/process/census.hpp"

namespace treadle::cuda {

/// What the census (treadle/process/census.hpp) calls the objects that `Destroy` destroys.
template <auto Destroy>
inline constexpr const char* handle_kind = "cuda object";

/// Owns one object of the driver, or borrows it, and keeps alive the context it was made in, and
/// with it the table it was made with. Destruction is safe on any thread: `Destroy` makes the
/// context current around the call, does nothing where the context is gone, and reports a failure
/// as a warning.
template <class Raw, void (*Destroy)(const Context&, Raw) noexcept>
class Handle {
 public:
  Handle() = default;
  /// Takes `raw`, made in `context`, to be destroyed.
  Handle(Context context, Raw raw) noexcept : context_(std::move(context)), raw_(raw) {
    if (raw_ != Raw{}) live().add();
  }
  /// Refers to `raw`, made in `context`, which somebody else destroys.
  static Handle borrow(Context context, Raw raw) noexcept {
    Handle handle;
    handle.context_ = std::move(context);
    handle.raw_ = raw;
    handle.is_owner_ = false;
    return handle;
  }
  Handle(Handle&& other) noexcept
      : context_(std::move(other.context_)),
        raw_(std::exchange(other.raw_, Raw{})),
        is_owner_(other.is_owner_) {}
  Handle& operator=(Handle&& other) noexcept {
    Handle incoming(std::move(other));  // so that moving to itself keeps the object
    std::swap(context_, incoming.context_);
    std::swap(raw_, incoming.raw_);
    std::swap(is_owner_, incoming.is_owner_);
    return *this;
  }
  ~Handle() {
    if (raw_ == Raw{} || !is_owner_) return;
    live().remove();
    Destroy(context_, raw_);
  }

  /// Whether there is an object.
  explicit operator bool() const noexcept { return raw_ != Raw{}; }
  /// What the driver calls it; empty after release() and where it was moved from.
  Raw raw() const noexcept { return raw_; }
  /// Where the raw value is kept, for a launch that passes it by address.
  const Raw* raw_address() const noexcept { return &raw_; }
  /// Where the object was made; kept after release(), lost where it was moved from.
  const Context& context() const noexcept { return context_; }
  /// Gives the object up without destroying it.
  Raw release() noexcept {
    if (raw_ != Raw{} && is_owner_) live().remove();
    return std::exchange(raw_, Raw{});
  }

 private:
  static LiveCount& live() noexcept {
    static LiveCount& count = *new LiveCount(handle_kind<Destroy>);
    return count;
  }

  Context context_;
  Raw raw_{};
  bool is_owner_ = true;
};

}  // namespace treadle::cuda
