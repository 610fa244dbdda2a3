// SPDX-License-Identifier: MIT
// What VkFFT asks of a run-time system, over the waist. VkFFT is written against drivers'
// functions; cuda_words.hpp and opencl_words.hpp spell those that it calls, and all of them end
// here. So its texts are compiled by our compile path and cache, and its kernels are launches of
// our streams.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fft/fused_text.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::fft::vkfft {

/// Memory of a device as VkFFT holds it: by a pointer to this. Allocated when it is first written
/// to or launched with, because VkFFT asks for scratch memory that each run brings.
struct Memory {
  device::Device* device = nullptr;  ///< whose memory is freed; null: somebody else's
  std::size_t size_bytes = 0;        ///< to allocate
  device::Location location = {};

  Memory() = default;
  Memory(device::Device& owner, std::size_t bytes) : device(&owner), size_bytes(bytes) {}
  explicit Memory(device::Location place) : location(place) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();
  /// Where it is.
  device::Location place();
};

/// A kernel of VkFFT's.
struct Kernel {
  device::Kernel kernel;
  unsigned memories;           ///< how many parameters are memory; they come first
  std::size_t constant_bytes;  ///< of the structure behind them, or 0
};

/// Where what VkFFT asks is done, on this thread. VkFFT returns numbers; what went wrong is kept
/// here.
class Session {
 public:
  /// With fused texts, of which only one kernel may be built; they outlive this.
  explicit Session(device::Stream& stream, const FusedText* fused = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// The one of this thread.
  static Session& current() noexcept;

  device::Stream& stream() const noexcept { return stream_; }
  device::Device& device() const noexcept { return stream_.device(); }
  /// Calls, and keeps what it throws. Whether it returned.
  template <class Call>
  bool attempt(Call&& call) noexcept {
    try {
      call();
      return true;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }
  /// Throws what was kept, or, for a result that is not 0, DeviceError with VkFFT's number.
  void require_success(int result, const std::string& what);

  Memory* allocate(std::size_t size_bytes);
  /// Copies, and waits.
  void upload(Memory& memory, const void* source, std::size_t size_bytes);
  void download(void* destination, Memory& memory, std::size_t size_bytes);
  /// The arguments of fused texts, behind VkFFT's own; they outlive launches.
  void pass(std::span<const device::Argument> arguments) { arguments_ = arguments; }
  /// The program of the kernel with fused texts.
  const std::string& fused_program() const noexcept { return fused_program_; }
  /// Compiles a text, or finds it compiled.
  Kernel* build(const std::string& text, const std::string& name);
  /// For tests: every text that is built from now on in this process, or null.
  static std::vector<std::string>* collected_texts;
  /// Queues a launch: `arguments` are addresses of pointers to Memory, and then of the constants.
  void launch(const Kernel& kernel, const device::LaunchShape& shape, void* const* arguments);

 private:
  device::Stream& stream_;
  Session* outer_;
  const FusedText* fused_;
  std::string fused_program_;
  std::span<const device::Argument> arguments_;
  std::exception_ptr failure_;
};

}  // namespace treadle::fft::vkfft
