// SPDX-License-Identifier: MIT
// Device memory and events of other processes. One process asks for a handle, 64 bytes that it
// passes on by a pipe, a file or a socket; another opens it.
//
//   pipe.write(cuda::ipc_handle(memory.address()).bytes);                 // the one that has it
//   cuda::IpcMemory memory(handle); kernel.launch(config, memory);        // the other one
//
// A handle is opened in other processes only. The process that has the memory keeps it allocated
// while others use it. On the CPU device both need to be of one user and to see one /proc; no
// thread may write to the memory from the host while its first handle is made.
#pragma once

#include <array>
#include <cstddef>

#include "treadle/cuda/event.hpp"
#include "treadle/cuda/handle.hpp"
#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

/// CUipcMemHandle.
struct IpcMemoryHandle {
  std::array<std::byte, 64> bytes;  ///< plain data; the driver alone knows what it means
};
/// CUipcEventHandle.
struct IpcEventHandle {
  std::array<std::byte, 64> bytes;  ///< plain data; the driver alone knows what it means
};

/// Of the allocation of the current context that `address` lies in: DeviceMemory, not pitched,
/// managed or stream-ordered memory. Throws DeviceError for other addresses.
IpcMemoryHandle ipc_handle(DevicePointer address);
/// Of an event with EventFlags::interprocess and disable_timing. Throws DeviceError for others.
IpcEventHandle ipc_handle(const Event& event);
/// Another process's event: either may record it, wait for it and make streams wait for it. Throws
/// DeviceError for what is no handle, and in the process that made it.
Event open_ipc_event(const IpcEventHandle& handle);

/// CUipcMem_flags.
enum class IpcMemoryFlags : unsigned { lazy_enable_peer_access = 1 };

/// What a Handle of opened memory ends with.
void close_ipc_memory(const Context& context, DevicePointer address) noexcept;
template <>
inline constexpr const char* handle_kind<close_ipc_memory> = "cuda memory of another process";

/// Memory of another process while this lives, at an address of its own.
class IpcMemory {
 public:
  /// Opens it in the current context, of the device it lies on or a peer. Throws DeviceError for
  /// what is no handle, and in the process that made it.
  explicit IpcMemory(const IpcMemoryHandle& handle,
                     IpcMemoryFlags flags = IpcMemoryFlags::lazy_enable_peer_access);

  /// Closes it now; nothing may be using it. Throws InvalidState the second time.
  void close();
  /// True as well where it was moved from.
  bool is_closed() const noexcept { return !handle_; }
  /// Where the allocation begins. Throws InvalidState after close().
  DevicePointer address() const;
  /// Where it was opened, detached or not.
  const Context& context() const noexcept { return handle_.context(); }

 private:
  friend struct LaunchArgument<IpcMemory>;
  Handle<DevicePointer, close_ipc_memory> handle_;
};

/// The address where it begins. Throws InvalidState if it was closed.
template <>
struct LaunchArgument<IpcMemory> {
  static const void* data(const IpcMemory& memory);
  static constexpr std::size_t size = sizeof(DevicePointer), alignment = alignof(DevicePointer);
};

}  // namespace treadle::cuda
