// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "treadle/cuda/device.hpp"

namespace treadle::cuda {

class ContextState;
class CurrentContext;

/// CUctx_flags; combine with |.
enum class ContextFlags : unsigned {
  schedule_auto = 0,
  schedule_spin = 1,
  schedule_yield = 2,
  schedule_blocking_sync = 4,
  map_host = 8,
  keep_local_memory = 16,
};
/// Both sets of flags. Two schedule_ flags do not go together; the driver refuses them.
constexpr ContextFlags operator|(ContextFlags a, ContextFlags b) noexcept {
  return static_cast<ContextFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// CUlimit. Units: bytes, or counts for the two device_runtime ones.
enum class Limit : int {
  stack_size = 0,
  printf_fifo_size = 1,
  malloc_heap_size = 2,
  device_runtime_sync_depth = 3,
  device_runtime_pending_launch_count = 4,
  max_l2_fetch_granularity = 5,
  persisting_l2_cache_size = 6,
};
/// CUfunc_cache.
enum class CacheConfig : int { none = 0, prefer_shared = 1, prefer_l1 = 2, prefer_equal = 3 };
/// CUsharedconfig.
enum class SharedConfig : int {
  default_bank_size = 0,
  four_byte_bank_size = 1,
  eight_byte_bank_size = 2
};

/// Numerically lower is more urgent: greatest <= 0 <= least.
struct PriorityRange {
  int least, greatest;  ///< both 0 on devices that have no priorities
};
/// Device memory, as the driver sees it at that moment.
struct MemoryInfo {
  std::size_t free_bytes, total_bytes;  ///< free: in this moment, for any process
};

/// A CUDA context: shared ownership of one, so it lives until the last object made in it is gone.
/// Two Contexts are equal if they are the same context of the driver.
///
/// Each thread has a stack of contexts; its top is current, and is where new objects are made.
/// Treadle keeps the stack itself and at most one entry of it on the driver's own. Methods act on
/// *this* context, current or not, from any thread. After detach() they throw InvalidState.
class Context {
 public:
  Context() = default;  ///< no context; only assignment, comparison and operator bool are allowed

  /// Makes a new context (cuCtxCreate). It is not current: push() it.
  static Context create(const Device& device, ContextFlags flags = ContextFlags::schedule_auto);
  /// The device's primary context, which other libraries of the process share
  /// (cuDevicePrimaryCtxRetain). Not made current. Equal for every call while one of the results
  /// lives.
  static Context primary(const Device& device);
  /// The context that another library made current on this thread (cuCtxGetCurrent). A primary one
  /// is retained; any other is borrowed and never destroyed by Treadle. Not pushed on the stack.
  /// Throws DeviceError CUDA_ERROR_INVALID_CONTEXT if none is current.
  static Context attach(const Driver& driver = default_driver());
  /// The same for a context that need not be current: CUcontext of `driver`, not null, alive.
  static Context wrap(const Driver& driver, RawContext raw);
  /// Retains the device's primary context and makes it current until the result is destroyed.
  [[nodiscard]] static CurrentContext make_current(const Device& device);
  [[nodiscard]] static CurrentContext make_current(Context context);

  /// The top of this thread's stack that was not detached; none if the stack is empty.
  static std::optional<Context> top();
  /// Where new objects are made: top(), else the context another library made current on this
  /// thread. Throws DeviceError CUDA_ERROR_INVALID_CONTEXT if there is neither.
  static Context current();
  /// Puts this context on top of the calling thread's stack and makes it current.
  void push() const;
  /// Takes the top off the calling thread's stack, makes the next one current and returns the top.
  /// Does not destroy it. Throws DeviceError CUDA_ERROR_INVALID_CONTEXT if the stack is empty.
  static Context pop();
  /// How many contexts are on the calling thread's stack.
  static std::size_t stack_depth() noexcept;

  /// Destroys the context now (a primary one: gives up our reference), even if other objects still
  /// refer to it, and takes it off the calling thread's stack. What was made in it is gone; its
  /// destructors do nothing. Throws InvalidState the second time.
  void detach() const;
  /// False after detach(), and for a Context that never had one.
  bool is_valid() const noexcept;
  /// False for a Context that never had one; true after detach().
  explicit operator bool() const noexcept { return state_ != nullptr; }

  /// Where it was made. These three need no current context and work after detach().
  Device device() const;
  /// The one its device is of.
  const Driver& driver() const;
  /// Whether other libraries share it: Context::primary(), or attached and found to be one.
  bool is_primary() const;
  /// Blocks until all work queued in the context is done; the place where a kernel's fault
  /// surfaces.
  void synchronize() const;
  /// In the unit that Limit tells. Throws DeviceError for a limit the device does not have.
  std::size_t limit(Limit limit) const;
  /// The driver may round it; limit() tells to what. Applies to later launches.
  void set_limit(Limit limit, std::size_t value) const;
  /// The preference for kernels that have none of their own; devices may ignore it.
  CacheConfig cache_config() const;
  /// Applies to later launches. Throws DeviceError where the driver refuses it.
  void set_cache_config(CacheConfig config) const;
  /// Banks of shared memory; devices since sm_50 ignore it.
  SharedConfig shared_config() const;
  /// Applies to later launches; one that a device ignores is no error.
  void set_shared_config(SharedConfig config) const;
  /// The priorities that streams of this context may have.
  PriorityRange stream_priorities() const;
  /// The version of the driver API the context was made with, as cuCtxGetApiVersion tells it.
  unsigned api_version() const;
  /// As it was made; of a primary context as it was activated.
  ContextFlags flags() const;
  /// Of the whole device, so other processes change it.
  MemoryInfo memory_info() const;
  /// Lets kernels of this context use memory of `peer`, a context of another device.
  void enable_peer_access(const Context& peer, unsigned flags = 0) const;
  /// Throws DeviceError if it was not enabled.
  void disable_peer_access(const Context& peer) const;

  /// CUcontext; null for none.
  RawContext raw() const noexcept;
  /// One address for all Contexts that share one context of the driver, for hashing.
  const ContextState* state() const noexcept { return state_.get(); }
  bool operator==(const Context&) const = default;

 private:
  friend class ContextState;
  explicit Context(std::shared_ptr<ContextState> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<ContextState> state_;
};

/// Keeps a context on top of the calling thread's stack; destroy it on the same thread.
/// If contexts above it are still on the stack then, they are popped with it, and a warning
/// says so.
class [[nodiscard]] CurrentContext {
 public:
  /// Pushes it. Throws as Context::push().
  explicit CurrentContext(Context context);
  CurrentContext(CurrentContext&& other) noexcept;
  CurrentContext& operator=(CurrentContext&&) = delete;
  ~CurrentContext();
  /// The context that is kept on the stack.
  const Context& get() const noexcept { return context_; }
  /// The methods of the context that is kept.
  const Context* operator->() const noexcept { return &context_; }
  /// Implicit: a guard is used as its context.
  operator const Context&() const noexcept { return context_; }

 private:
  Context context_;
  std::size_t depth_;  // of the stack with this context on it; 0: moved from
};

/// Makes a context current on the calling thread for the length of a scope, without touching the
/// stack. Free where it is current already. Throws InvalidState if the context was detached.
class Activation {
 public:
  /// Makes it current, if it is not.
  explicit Activation(const Context& context);
  ~Activation();
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;
  /// The entry points to call while it is current.
  const Table& table() const noexcept { return *table_; }

 private:
  const Table* table_;
  bool pushed_;
};

}  // namespace treadle::cuda

template <>
struct std::hash<treadle::cuda::Context> {
  std::size_t operator()(const treadle::cuda::Context& context) const noexcept {
    return std::hash<const void*>{}(context.state());
  }
};
