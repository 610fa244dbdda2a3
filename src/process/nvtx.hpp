// SPDX-License-Identifier: MIT
// Ranges that NVIDIA's profilers draw, Nsight Systems and Nsight Compute among them (NVTX 3).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace treadle {

/// A profiler that listens to this process. Any thread.
class Nvtx {
 public:
  /// The process's; null where none listens. The first call loads the library that the profiler
  /// left in NVTX_INJECTION64_PATH, and warns if that fails; later ones take a nanosecond.
  static const Nvtx* active();
  /// Loads a profiler's library, for good; nothing if it does not want ranges. Throws
  /// LibraryNotFound.
  static std::optional<Nvtx> load(const std::filesystem::path& library);

  /// Begins a range of the calling thread, inside those that it began before.
  void push(const char* name) const noexcept { push_(name); }
  /// Ends the thread's innermost range.
  void pop() const noexcept { pop_(); }

 private:
  using Push = int (*)(const char* name);
  using Pop = int (*)();
  Nvtx(Push push, Pop pop) noexcept : push_(push), pop_(pop) {}
  Push push_;
  Pop pop_;
};

/// A range from its making to its end, of the thread that makes and ends it.
class NvtxRange {
 public:
  NvtxRange(const Nvtx* nvtx, const std::string& name) noexcept : nvtx_(nvtx) {
    if (nvtx_ != nullptr) nvtx_->push(name.c_str());
  }
  ~NvtxRange() {
    if (nvtx_ != nullptr) nvtx_->pop();
  }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;

 private:
  const Nvtx* nvtx_;
};

}  // namespace treadle
