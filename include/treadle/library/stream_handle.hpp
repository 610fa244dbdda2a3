// SPDX-License-Identifier: MIT
// Handles of NVIDIA's libraries: one in a context, set to one stream after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "treadle/cuda/context.hpp"

namespace treadle::library {

/// Memory on the device that a call may use until it has run.
struct HandleWorkspace {
  std::uint64_t address = 0;   ///< of the first byte
  std::size_t size_bytes = 0;  ///< 0: none
  bool operator==(const HandleWorkspace&) const = default;
};

/// Whether a graph takes what is queued on a stream (CUstream) of the context: nobody can wait for
/// that.
bool is_captured(const cuda::Context& context, std::uint64_t stream);

/// A handle of a library (Cublas, CublasLt, Cusolver, Cusparse) in a context, for all streams of
/// that. Any thread.
template <class Library>
class StreamHandle {
 public:
  /// Throws as Library::check().
  StreamHandle(std::shared_ptr<const Library> library, const cuda::Context& context);
  ~StreamHandle();
  StreamHandle(const StreamHandle&) = delete;
  StreamHandle& operator=(const StreamHandle&) = delete;

  /// A handle of the process's library; null where there is none, and for a context of the CPU
  /// device. A library that is found and does not work is a warning, and null.
  static std::unique_ptr<StreamHandle> open(const cuda::Context& context);

  /// What its calls are made through.
  const Library& library() const noexcept { return *library_; }
  /// The same, for those who keep it.
  const std::shared_ptr<const Library>& shared_library() const noexcept { return library_; }
  /// Where they work.
  const cuda::Context& context() const noexcept { return context_; }

  /// Calls `queue(handle)` with the context current and the handle set to a stream (CUstream) and
  /// memory of that; other threads wait meanwhile. `queue` must not come here again. Throws as
  /// `queue`, and as Library::check(); where `queue` throws DeviceError because a kernel failed
  /// before, that failure.
  void on_stream(std::uint64_t stream, const HandleWorkspace& workspace,
                 const std::function<void(void*)>& queue);
  /// library::is_captured() of its context.
  bool is_captured(std::uint64_t stream) const { return library::is_captured(context_, stream); }

 private:
  std::shared_ptr<const Library> library_;
  cuda::Context context_;
  void* raw_ = nullptr;
  std::mutex mutex_;  // guards what follows and the handle
  std::uint64_t stream_ = 0;
  HandleWorkspace workspace_;
  bool is_set_ = false;
};

}  // namespace treadle::library
