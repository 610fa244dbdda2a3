// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

#include "treadle/opencl/raw.hpp"
#include "treadle/process/census.hpp"

namespace treadle::opencl {

/// What a wrapper does with the reference a raw handle stands for.
enum class Ownership {
  adopt,   ///< takes over the caller's reference
  retain,  ///< adds one of its own; the caller keeps its own
};

/// One more, or one less, reference to an object; OpenCL destroys it with the last. Retaining
/// throws DeviceError; releasing reports a failure as a warning.
void retain(const Table& table, RawDevice raw);
void retain(const Table& table, RawContext raw);
void retain(const Table& table, RawQueue raw);
void retain(const Table& table, RawMemory raw);
void retain(const Table& table, RawProgram raw);
void retain(const Table& table, RawKernel raw);
void retain(const Table& table, RawEvent raw);
void retain(const Table& table, RawSampler raw);
/// One reference less; a failure is a warning.
void release(const Table& table, RawDevice raw) noexcept;
void release(const Table& table, RawContext raw) noexcept;
void release(const Table& table, RawQueue raw) noexcept;
void release(const Table& table, RawMemory raw) noexcept;
void release(const Table& table, RawProgram raw) noexcept;
void release(const Table& table, RawKernel raw) noexcept;
void release(const Table& table, RawEvent raw) noexcept;
void release(const Table& table, RawSampler raw) noexcept;

/// What the census (treadle/process/census.hpp) calls the references that handles of this type own.
template <class Raw>
inline constexpr const char* handle_kind = "opencl object";
template <>
inline constexpr const char* handle_kind<RawDevice> = "opencl device";
template <>
inline constexpr const char* handle_kind<RawContext> = "opencl context";
template <>
inline constexpr const char* handle_kind<RawQueue> = "opencl queue";
template <>
inline constexpr const char* handle_kind<RawMemory> = "opencl memory";
template <>
inline constexpr const char* handle_kind<RawProgram> = "opencl program";
template <>
inline constexpr const char* handle_kind<RawKernel> = "opencl kernel";
template <>
inline constexpr const char* handle_kind<RawEvent> = "opencl event";
template <>
inline constexpr const char* handle_kind<RawSampler> = "opencl sampler";

/// Throws the InvalidState that the use of an empty handle means.
[[noreturn]] void raise_empty();

/// Owns one reference to an object, and keeps the table it was made with. Copies share the object;
/// the census counts each of them, as OpenCL does.
/// OpenCL keeps an object's parents (a buffer's context, a kernel's program) as long as the object.
template <class Raw>
class Handle {
 public:
  Handle() = default;
  /// Throws DeviceError where `raw` cannot be retained; then nothing is owned.
  Handle(std::shared_ptr<const Table> table, Raw raw, Ownership ownership)
      : table_(std::move(table)) {
    if (ownership == Ownership::retain && raw != nullptr) retain(*table_, raw);
    raw_ = raw;  // last: a failed retain leaves nothing to release
    if (raw_ != nullptr) live().add();
  }
  Handle(const Handle& other) : Handle(other.table_, other.raw_, Ownership::retain) {}
  Handle(Handle&& other) noexcept
      : table_(std::move(other.table_)), raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(table_, other.table_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ == nullptr) return;
    live().remove();
    release(*table_, raw_);
  }

  /// Whether there is an object.
  explicit operator bool() const noexcept { return raw_ != nullptr; }
  /// Throws InvalidState if the object was released or moved from; so do table() and
  /// shared_table().
  Raw raw() const {
    if (raw_ == nullptr) [[unlikely]]
      raise_empty();
    return raw_;
  }
  /// The entry points the object was made with.
  const Table& table() const { return *shared_table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const {
    if (raw_ == nullptr) [[unlikely]]
      raise_empty();
    return table_;
  }
  /// Where the raw value is kept, for a launch that passes it by address.
  const Raw* raw_address() const noexcept { return &raw_; }
  /// Gives the reference up without releasing it.
  Raw detach() noexcept {
    if (raw_ != nullptr) live().remove();
    return std::exchange(raw_, nullptr);
  }
  bool operator==(const Handle& other) const noexcept { return raw_ == other.raw_; }

 private:
  static LiveCount& live() noexcept {
    static LiveCount& count = *new LiveCount(handle_kind<Raw>);
    return count;
  }

  std::shared_ptr<const Table> table_;
  Raw raw_ = nullptr;
};

}  // namespace treadle::opencl
