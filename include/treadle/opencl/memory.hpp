// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "treadle/opencl/context.hpp"

namespace treadle::opencl {

/// Memory of a context: what buffers, images and pipes have in common. Copies are the
/// same memory. Any thread.
class MemoryObject : public Queries<MemoryObject, MemInfo> {
 public:
  MemoryObject() = default;
  /// Wraps memory of another library.
  MemoryObject(std::shared_ptr<const Table> table, RawMemory raw, Ownership ownership);

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(MemInfo parameter) const;
  /// Where it was made; stays after release().
  const Context& context() const noexcept { return context_; }
  /// As it was made, with what the platform added by default.
  MemFlags flags() const;
  /// As it was made. Stays after release().
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Calls `callback` when the platform frees the memory; several are called last set first. On any
  /// thread; what it throws becomes a warning.
  void on_destruction(std::function<void()> callback) const;
  /// Gives this object's reference up now. Throws InvalidState if it was given up before.
  void release();

  /// False after release(), and where there was none.
  explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
  /// Throws InvalidState if the memory was released; so does table().
  RawMemory raw() const { return handle_.raw(); }
  /// Where the raw value is kept, for an argument that is passed by address.
  const RawMemory* raw_address() const noexcept { return handle_.raw_address(); }
  /// The platform's entry points. Throws InvalidState after release().
  const Table& table() const { return handle_.table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const { return handle_.shared_table(); }
  bool operator==(const MemoryObject& other) const noexcept { return handle_ == other.handle_; }

 protected:
  MemoryObject(Context context, Handle<RawMemory> handle, std::size_t size_bytes);
  /// The same where only the platform knows the size.
  MemoryObject(Context context, Handle<RawMemory> handle);

 private:
  Context context_;
  Handle<RawMemory> handle_;
  std::size_t size_bytes_ = 0;
};

/// A range of bytes.
class Buffer : public MemoryObject {
 public:
  Buffer() = default;
  /// `host` is copied with MemFlags::copy_host_ptr; with MemFlags::use_host_ptr it is the memory
  /// itself and must live as long. Platforms may allocate at first use. Throws OutOfMemory;
  /// DeviceError CL_INVALID_BUFFER_SIZE for 0 bytes or more than the devices allow.
  Buffer(const Context& context, std::size_t size_bytes, MemFlags flags = MemFlags::read_write,
         void* host = nullptr);
  /// The same with pairs of name and value as clCreateBufferWithProperties takes them; the 0 at the
  /// end is added. Needs OpenCL 3.0.
  static Buffer with_properties(const Context& context, std::span<const std::uint64_t> properties,
                                std::size_t size_bytes, MemFlags flags = MemFlags::read_write,
                                void* host = nullptr);
  /// Wraps a buffer of another library.
  Buffer(std::shared_ptr<const Table> table, RawMemory raw, Ownership ownership)
      : MemoryObject(std::move(table), raw, ownership) {}
  /// The same where its context and size are known, and need not be asked for.
  Buffer(const Context& context, RawMemory raw, Ownership ownership, std::size_t size_bytes)
      : MemoryObject(context, Handle<RawMemory>(context.shared_table(), raw, ownership),
                     size_bytes) {}

  /// A part of this buffer, which it keeps alive. Throws DeviceError
  /// CL_MISALIGNED_SUB_BUFFER_OFFSET naming the alignment the devices want.
  Buffer sub_buffer(std::size_t offset_bytes, std::size_t size_bytes, MemFlags flags = {}) const;

 private:
  using MemoryObject::MemoryObject;
};

}  // namespace treadle::opencl
