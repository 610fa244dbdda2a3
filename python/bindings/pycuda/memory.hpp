// SPDX-License-Identifier: MIT
// Device memory under PyCUDA's rules: an allocation remembers its address after free().
#pragma once

#include <optional>
#include <utility>

#include "pycuda/classes.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::bindings::face {

/// The base of device allocations. Kernels and copies take each of them.
class DeviceAllocation {
 public:
  virtual ~DeviceAllocation() = default;
  /// Throws LogicError if called a second time.
  virtual void free() = 0;
  /// Throws InvalidState after free().
  virtual cuda::DevicePointer live_address() const = 0;
  /// Also after free().
  cuda::DevicePointer address() const noexcept { return address_; }

 protected:
  explicit DeviceAllocation(cuda::DevicePointer address) noexcept : address_(address) {}

 private:
  cuda::DevicePointer address_;
};

class LinearAllocation final : public DeviceAllocation {
 public:
  explicit LinearAllocation(cuda::DeviceMemory memory)
      : DeviceAllocation(memory.address()), memory_(std::move(memory)) {}
  void free() override;
  bool is_freed() const noexcept { return memory_.is_freed(); }
  cuda::DeviceMemory& memory() noexcept { return memory_; }
  cuda::DevicePointer live_address() const override { return memory_.address(); }

 private:
  cuda::DeviceMemory memory_;
};

class ManagedAllocation final : public DeviceAllocation {
 public:
  explicit ManagedAllocation(cuda::ManagedMemory memory)
      : DeviceAllocation(memory.address()), memory_(std::move(memory)) {}
  void free() override;
  bool is_freed() const noexcept { return memory_.is_freed(); }
  cuda::DevicePointer live_address() const override { return memory_.address(); }
  const cuda::ManagedMemory& memory() const noexcept { return memory_; }
  /// The host's address. Throws InvalidState after free().
  std::byte* data() const { return memory_.data(); }
  std::size_t size_bytes() const { return memory_.size_bytes(); }

 private:
  cuda::ManagedMemory memory_;
};

/// The memory of an array, from the device's pool.
class BufferAllocation final : public DeviceAllocation {
 public:
  explicit BufferAllocation(memory::Buffer buffer)
      : DeviceAllocation(address_of(buffer)), buffer_(std::move(buffer)) {}
  void free() override;
  cuda::DevicePointer live_address() const override { return address_of(buffer_); }

 private:
  static cuda::DevicePointer address_of(const memory::Buffer& buffer) {
    return buffer.location().handle + buffer.location().offset;
  }

  memory::Buffer buffer_;
};

/// The base of Python classes whose get_pointer() returns an address.
struct PointerHolderBase {};

/// Calls `allocate`. If memory is exhausted, runs Python's garbage collection once and tries again.
template <class F>
auto allocate_with_retry(F allocate) {
  try {
    return allocate();
  } catch (const OutOfMemory&) {
    nb::module_::import_("gc").attr("collect")();
  }
  return allocate();
}

}  // namespace treadle::bindings::face
