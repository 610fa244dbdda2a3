// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

#include "treadle/opencl/raw.hpp"

namespace treadle::opencl {

/// What a wrapper does with the reference a raw handle stands for.
enum class Ownership {
  adopt,   ///< takes over the caller's reference
  retain,  ///< adds one of its own; the caller keeps his
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
void release(const Table& table, RawDevice raw) noexcept;
void release(const Table& table, RawContext raw) noexcept;
void release(const Table& table, RawQueue raw) noexcept;
void release(const Table& table, RawMemory raw) noexcept;
void release(const Table& table, RawProgram raw) noexcept;
void release(const Table& table, RawKernel raw) noexcept;
void release(const Table& table, RawEvent raw) noexcept;

/// Throws the InvalidState that the use of an empty handle means.
[[noreturn]] void raise_empty();

/// Owns one reference to an object, and keeps the table it was made with. Copies share the object.
/// OpenCL keeps an object's parents (a buffer's context, a kernel's program) as long as the object.
template <class Raw>
class Handle {
 public:
  Handle() = default;
  Handle(std::shared_ptr<const Table> table, Raw raw, Ownership ownership)
      : table_(std::move(table)) {
    if (ownership == Ownership::retain && raw != nullptr) retain(*table_, raw);
    raw_ = raw;  // last: a failed retain leaves nothing to release
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
    if (raw_ != nullptr) release(*table_, raw_);
  }

  explicit operator bool() const noexcept { return raw_ != nullptr; }
  /// Throws InvalidState if the object was released or moved from; so do table() and
  /// shared_table().
  Raw raw() const {
    if (raw_ == nullptr) [[unlikely]]
      raise_empty();
    return raw_;
  }
  const Table& table() const { return *shared_table(); }
  const std::shared_ptr<const Table>& shared_table() const {
    if (raw_ == nullptr) [[unlikely]]
      raise_empty();
    return table_;
  }
  /// Where the raw value is kept, for a launch that passes it by address.
  const Raw* raw_address() const noexcept { return &raw_; }
  /// Gives the reference up without releasing it.
  Raw detach() noexcept { return std::exchange(raw_, nullptr); }
  bool operator==(const Handle& other) const noexcept { return raw_ == other.raw_; }

 private:
  std::shared_ptr<const Table> table_;
  Raw raw_ = nullptr;
};

}  // namespace treadle::opencl
