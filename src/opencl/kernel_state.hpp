// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// The values, and sizes of local memory, that a kernel's arguments were set to last: those need
/// not be set again. Nothing is remembered of handles, for a new object may have an old one's.
class SetValues {
 public:
  explicit SetValues(unsigned count) : values_(count) {}
  static bool keeps(const ArgumentView& argument) noexcept {
    return argument.kind == ArgumentView::Kind::value || is_local(argument);
  }
  /// Whether the argument has exactly these bytes, or as many of local memory.
  bool has(unsigned index, const ArgumentView& argument) const noexcept {
    if (index >= values_.size()) return false;
    const Value& value = values_[index];
    if (value.size != argument.size_bytes || value.size == 0) return false;
    if (is_local(argument) || value.is_local) return is_local(argument) && value.is_local;
    return same_bytes(value.bytes, argument.data, value.size);
  }
  void forget(unsigned index) noexcept {
    if (index < values_.size()) values_[index].size = 0;
  }
  void remember(unsigned index, const ArgumentView& argument) noexcept {
    if (index >= values_.size()) return;
    Value& value = values_[index];
    value.is_local = is_local(argument);
    if (!value.is_local) {
      if (argument.size_bytes > sizeof Value::bytes) return;
      std::memcpy(value.bytes, argument.data, argument.size_bytes);
    }
    value.size = argument.size_bytes;
  }
  /// Of all arguments in local memory.
  std::uint64_t local_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const Value& value : values_)
      if (value.size != 0 && value.is_local) bytes += value.size;
    return bytes;
  }

 private:
  static bool is_local(const ArgumentView& argument) noexcept {
    return argument.kind == ArgumentView::Kind::local;
  }
  // The sizes that nearly all values have, without a call.
  static bool same_bytes(const void* a, const void* b, std::size_t size) noexcept {
    if (size == 4) return std::memcmp(a, b, 4) == 0;
    if (size == 8) return std::memcmp(a, b, 8) == 0;
    return std::memcmp(a, b, size) == 0;
  }
  struct Value {
    std::size_t size = 0;  ///< 0: not known
    bool is_local = false;
    std::byte bytes[16];  ///< a double2, or less; larger values are set each time
  };
  std::vector<Value> values_;
};

/// Kinds of arguments, one bit each.
using KindSet = std::uint16_t;
constexpr KindSet set_of(ArgumentView::Kind kind) noexcept {
  return static_cast<KindSet>(1u << static_cast<unsigned>(kind));
}
/// What may be given for a parameter; every kind where its type is not known.
KindSet accepted_kinds(const KernelParameter& parameter);

/// A kernel, and what launches of it need, asked once when it is made.
class KernelState {
 public:
  KernelState(Context context, Handle<RawKernel> handle, std::shared_ptr<const ProgramText> text);

  const Context& context() const noexcept { return context_; }
  const Handle<RawKernel>& handle() const noexcept { return handle_; }
  const std::string& name() const noexcept { return name_; }
  /// Its program's; null where the platform has it, or nobody.
  const std::shared_ptr<const ProgramText>& text() const noexcept { return text_; }
  unsigned argument_count() const noexcept { return argument_count_; }
  /// Held from the first argument's setting to the enqueue: arguments are state of the kernel.
  std::mutex& launch_lock() const noexcept { return launch_lock_; }
  const std::vector<KernelParameter>& parameters() const;

  /// Other code has the handle, and may set arguments that set_values() does not know of.
  void share() const noexcept { is_shared_.store(true, std::memory_order_relaxed); }
  bool is_shared() const noexcept { return is_shared_.load(std::memory_order_relaxed); }
  /// Which values OpenCL has; launch_lock() held.
  SetValues& set_values() const noexcept { return set_values_; }
  /// The device that was seen to have as much local memory as the kernel's variables and arguments
  /// take; null since an argument in local memory was set. launch_lock() held.
  RawDevice& has_local_memory() const noexcept { return has_local_memory_; }
  /// To be called before an argument in local memory is set: asks what the kernel's own variables
  /// take, while no argument can be counted with them. launch_lock() held.
  void before_local_argument() const;
  /// That; 0 where no argument is in local memory. launch_lock() held.
  std::uint64_t own_local_bytes() const noexcept { return own_local_bytes_.value_or(0); }
  /// Whether the argument's kind is one that its parameter takes; launch_lock() held. True for an
  /// argument too many, which the platform refuses.
  bool takes(unsigned index, ArgumentView::Kind kind) const {
    if (accepted_.size() != argument_count_) [[unlikely]]
      classify();
    return index >= argument_count_ || (accepted_[index] & set_of(kind)) != 0;
  }
  /// The same of all kinds, once takes() was asked.
  KindSet accepted(unsigned index) const { return accepted_[index]; }

 private:
  void classify() const;

  Context context_;
  Handle<RawKernel> handle_;
  std::shared_ptr<const ProgramText> text_;
  std::string name_;
  unsigned argument_count_;
  mutable std::mutex launch_lock_;
  mutable SetValues set_values_;
  mutable RawDevice has_local_memory_ = nullptr;
  mutable std::optional<std::uint64_t> own_local_bytes_;
  mutable std::vector<KindSet> accepted_;  ///< of each parameter, once one was set
  mutable std::atomic<bool> is_shared_ = false;
  mutable std::once_flag parameters_asked_;
  mutable std::vector<KernelParameter> parameters_;
};

inline std::shared_ptr<const KernelState> adopt_kernel(
    const Context& context, RawKernel raw, std::shared_ptr<const ProgramText> text = {}) {
  return std::make_shared<const KernelState>(
      context, Handle<RawKernel>(context.shared_table(), raw, Ownership::adopt), std::move(text));
}

/// Throws what a refused argument or launch means, with the parameter, or with the limits that
/// forbid the shape.
[[noreturn]] void raise_argument(const KernelState& kernel, unsigned index,
                                 const ArgumentView& argument, int code, const char* call);
/// Throws what it means that takes() is false, or that the argument is of another context.
[[noreturn]] void raise_wrong_kind(const KernelState& kernel, unsigned index,
                                   const ArgumentView& argument);
[[noreturn]] void raise_foreign(const KernelState& kernel, unsigned index,
                                const ArgumentView& argument);
[[noreturn]] void raise_launch(const KernelState& kernel, const LaunchConfig& config, int code);
/// Throws if a group of the kernel takes more local memory than the device has: PoCL ends the
/// process then. launch_lock() held.
void check_local_memory(const KernelState& kernel, const Device& device);

}  // namespace treadle::opencl
