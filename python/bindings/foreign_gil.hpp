// SPDX-License-Identifier: MIT
// The GIL on threads of drivers and of Treadle.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <optional>
#include <thread>

namespace treadle::bindings {

/// Takes the GIL, unless the interpreter is about to end. In that case Python would end a thread
/// that waits for the GIL, and C++ code cannot be left in that way.
class ForeignGil {
 public:
  ForeignGil() {
    ++users_;
    if (!closed_ && Py_IsInitialized() != 0) gil_.emplace();
  }
  ForeignGil(const ForeignGil&) = delete;
  ForeignGil& operator=(const ForeignGil&) = delete;
  ~ForeignGil() {
    gil_.reset();
    --users_;
  }
  explicit operator bool() const noexcept { return gil_.has_value(); }

  /// Called at the interpreter's exit: waits for the threads that hold the GIL or wait for it, and
  /// lets no other thread take it. Needs the GIL.
  static void close() {
    closed_ = true;
    const nanobind::gil_scoped_release released;
    while (users_ != 0) std::this_thread::yield();
  }
  static bool is_closed() noexcept { return closed_; }

 private:
  inline static std::atomic<int> users_{0};
  inline static std::atomic<bool> closed_{false};
  std::optional<nanobind::gil_scoped_acquire> gil_;
};

/// Releases the GIL for a destructor, as long as other threads can get the GIL. Afterwards, Python
/// objects that the destructor drops are freed only if this thread holds the GIL.
class GilReleasedForDestructor {
 public:
  GilReleasedForDestructor() {
    if (!ForeignGil::is_closed()) released_.emplace();
  }

 private:
  std::optional<nanobind::gil_scoped_release> released_;
};

}  // namespace treadle::bindings
