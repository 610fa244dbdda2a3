// SPDX-License-Identifier: MIT
// What the driver tells and keeps of its own: its log of errors, dumps of a GPU whose kernel
// failed, processes frozen to be moved to other GPUs, and notice that memory becomes scarce.
//
//   const cuda::DriverLog log([](cuda::LogLevel, std::string_view line) { std::cerr << line; });
//   cuda::Coredumps::of_process().set_on_exception(true);   // before a context is made
//
// All of it is NVIDIA's driver's: the CPU device throws NotSupported, naming the call. Its own
// diagnostics are in the errors that it reports.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "treadle/cuda/context.hpp"

struct CUlogsCallbackEntry_st;
struct CUasyncCallbackEntry_st;

namespace treadle::cuda {

// ---- the log

/// CUlogLevel.
enum class LogLevel : int { error = 0, warning = 1 };

/// Hears each line of the driver's log from its construction to its end. Since CUDA 12.9.
class DriverLog {
 public:
  /// `listener` is called on any thread, and must not call CUDA. What it throws becomes a warning.
  /// Throws InvalidArgument for an empty one, NotSupported.
  explicit DriverLog(std::function<void(LogLevel, std::string_view)> listener,
                     const Driver& driver = default_driver());
  DriverLog(const DriverLog&) = delete;
  DriverLog& operator=(const DriverLog&) = delete;
  /// No call is under way when it returns.
  ~DriverLog();

 private:
  std::function<void(LogLevel, std::string_view)> listener_;
  Driver driver_;
  CUlogsCallbackEntry_st* raw_ = nullptr;
};

/// A place in the driver's log.
using LogPlace = unsigned;
/// Its end, as it is now.
LogPlace log_end(const Driver& driver = default_driver());
/// The lines from `from` on, or the last hundred. `from`, if given, is where the next call goes on.
std::string log_text(LogPlace* from = nullptr, const Driver& driver = default_driver());
/// The same, appended to a file. Throws DeviceError if it cannot be written.
void write_log(const std::filesystem::path& path, LogPlace* from = nullptr,
               const Driver& driver = default_driver());

// ---- coredumps

/// CUCoredumpGenerationFlags: what a dump leaves out; a set of bits.
enum class CoredumpOmissions : unsigned {
  none = 0,
  images = 1,            ///< ELF images that were not relocated
  global_memory = 2,     ///< all that was allocated
  shared_memory = 4,     ///< of blocks
  local_memory = 8,      ///< of threads
  abort = 16,            ///< the process goes on
  constant_memory = 32,  ///< of modules
  lightweight = 47,      ///< all memory and images
};
/// Both sets.
constexpr CoredumpOmissions operator|(CoredumpOmissions a, CoredumpOmissions b) noexcept {
  return static_cast<CoredumpOmissions>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// Settings of the files that the driver writes of a GPU when a kernel fails, for cuda-gdb. Those
/// of the process count for contexts that are made later. A cheap value. Since CUDA 12.1.
class Coredumps {
 public:
  /// Of all contexts that are made later.
  static Coredumps of_process(const Driver& driver = default_driver());
  /// Of one context.
  static Coredumps of(const Context& context);

  /// Whether a failed kernel leaves one. Throws NotSupported, as all of these do.
  bool on_exception() const;
  void set_on_exception(bool enabled) const;
  /// Whether the processor's own coredump follows.
  bool triggers_host() const;
  void set_triggers_host(bool enabled) const;
  /// Whether writing to pipe() makes one at any time. Of the process alone.
  bool user_trigger() const;
  void set_user_trigger(bool enabled) const;
  /// Where they are written: %h is the host's name, %p the process, %t the time.
  std::string file() const;
  /// Throws InvalidArgument for an empty name, and for more than 1023 bytes.
  void set_file(const std::string& name) const;
  /// The pipe of user_trigger().
  std::string pipe() const;
  /// Of the process alone, before user_trigger() is set. Throws as set_file().
  void set_pipe(const std::string& name) const;
  /// What they leave out. Since CUDA 12.5.
  CoredumpOmissions omissions() const;
  void set_omissions(CoredumpOmissions omissions) const;

 private:
  Coredumps(const Driver& driver, std::optional<Context> context)
      : driver_(driver), context_(std::move(context)) {}
  void get(int attribute, void* value, std::size_t& size_bytes) const;
  void set(int attribute, const void* value, std::size_t size_bytes) const;
  bool flag(int attribute) const;
  std::string text(int attribute) const;
  void set_text(int attribute, const char* what, const std::string& value) const;

  Driver driver_;
  std::optional<Context> context_;
};

// ---- checkpoints

/// CUprocessState: as far as CUDA is concerned.
enum class CheckpointState : int { running = 0, locked = 1, checkpointed = 2, failed = 3 };

/// A GPU of which memory was saved, and one that it is restored to.
struct CheckpointedGpu {
  std::array<std::uint8_t, 16> saved, restored;  ///< Device::uuid()
};

/// A process of which CUDA is stopped, moved to the host's memory and brought back: so a tool like
/// CRIU saves a process that uses GPUs. lock(), checkpoint(); then restore(), unlock(). Since
/// CUDA 12.8, by a process that may trace the other.
class CheckpointedProcess {
 public:
  /// Throws InvalidArgument for a number that no process has.
  explicit CheckpointedProcess(int process, const Driver& driver = default_driver());

  /// What it is in now. Throws DeviceError for a process that does not use CUDA, as all of these.
  CheckpointState state() const;
  /// The thread that restore() is called for, by a tool that restores threads one by one.
  int restore_thread() const;
  /// Lets its calls of CUDA wait, and waits for the work under way: at most `timeout_ms`
  /// milliseconds, 0: as long as it takes.
  void lock(unsigned timeout_ms = 0) const;
  /// Moves its device memory to the host's and lets go of the GPUs.
  void checkpoint() const;
  /// Takes GPUs and moves the memory there: the same ones, or as `gpus` says for each.
  void restore(std::span<const CheckpointedGpu> gpus = {}) const;
  /// Lets its calls go on.
  void unlock() const;

  /// The process.
  int process() const noexcept { return process_; }

 private:
  int process_;
  Driver driver_;
};

// ---- notice of scarce memory

/// Hears that the process uses more memory of a device than it was granted, from its construction
/// to its end. Since CUDA 12.5.
class MemoryBudget {
 public:
  /// `over` is called with the bytes beyond, on a thread of the driver's, and must not call CUDA.
  /// What it throws becomes a warning. Throws InvalidArgument for an empty one, NotSupported, and
  /// DeviceError where the machine grants no amounts.
  MemoryBudget(const Device& device, std::function<void(std::uint64_t)> over);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
  /// No call is under way when it returns.
  ~MemoryBudget();

 private:
  std::function<void(std::uint64_t)> over_;
  Device device_;
  CUasyncCallbackEntry_st* raw_ = nullptr;
};

}  // namespace treadle::cuda
