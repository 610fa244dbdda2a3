// SPDX-License-Identifier: MIT
#include "treadle/cuda/ipc.hpp"

#include <cstring>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"

namespace treadle::cuda {
namespace {

constexpr const char* closed = "this memory of another process was closed, or moved from";
constexpr const char* in_another = "open it in another process than the one that made it";

/// The driver's handle and ours are the same bytes.
template <class To, class From>
To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace

void close_ipc_memory(const Context& context, DevicePointer address) noexcept {
  clean_up(context, "memory of another process", "cuIpcCloseMemHandle", &Table::cuIpcCloseMemHandle,
           address);
}

IpcMemoryHandle ipc_handle(DevicePointer address) {
  refuse_null("cuIpcGetMemHandle", "address", address, 1);
  const Activation active(Context::current());
  CUipcMemHandle raw{};
  check(active.table(), active.table().cuIpcGetMemHandle(&raw, address), "cuIpcGetMemHandle",
        [] { return "the address must be of memory that cuMemAlloc allocated"; });
  return same_bytes<IpcMemoryHandle>(raw);
}

IpcEventHandle ipc_handle(const Event& event) {
  refuse_moved_from("event", event.raw());
  const Activation active(event.context());
  CUipcEventHandle raw{};
  check(active.table(), active.table().cuIpcGetEventHandle(&raw, event.raw()),
        "cuIpcGetEventHandle",
        [] { return "the event must have the flags interprocess and disable_timing"; });
  return same_bytes<IpcEventHandle>(raw);
}

Event open_ipc_event(const IpcEventHandle& handle) {
  const Context context = Context::current();
  const Activation active(context);
  RawEvent raw = nullptr;
  check(active.table(),
        active.table().cuIpcOpenEventHandle(&raw, same_bytes<CUipcEventHandle>(handle)),
        "cuIpcOpenEventHandle", [] { return in_another; });
  return Event(context, raw);
}

IpcMemory::IpcMemory(const IpcMemoryHandle& handle, IpcMemoryFlags flags) {
  const Context context = Context::current();
  const Activation active(context);
  DevicePointer address = 0;
  check(active.table(),
        active.table().cuIpcOpenMemHandle(&address, same_bytes<CUipcMemHandle>(handle),
                                          static_cast<unsigned>(flags)),
        "cuIpcOpenMemHandle", [] { return in_another; });
  handle_ = {context, address};
}

void IpcMemory::close() {
  const DevicePointer opened = address();
  const Activation active(context());
  check(active.table(), active.table().cuIpcCloseMemHandle(opened), "cuIpcCloseMemHandle");
  handle_.release();
}

DevicePointer IpcMemory::address() const {
  if (is_closed()) throw InvalidState(closed, "open the handle again");
  return handle_.raw();
}

const void* LaunchArgument<IpcMemory>::data(const IpcMemory& memory) {
  if (memory.is_closed()) throw InvalidState(closed, "open the handle again");
  return memory.handle_.raw_address();
}

}  // namespace treadle::cuda
