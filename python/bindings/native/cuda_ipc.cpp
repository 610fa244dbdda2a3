// SPDX-License-Identifier: MIT
#include "treadle/cuda/ipc.hpp"

#include <cstring>
#include <string>

#include "calls/argument.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

template <class IpcHandle>
nb::bytes as_bytes(const IpcHandle& handle) {
  return nb::bytes(handle.bytes.data(), sizeof handle.bytes);
}

template <class IpcHandle>
IpcHandle from_bytes(const nb::bytes& given) {
  IpcHandle handle;
  if (given.size() != sizeof handle.bytes)
    throw InvalidArgument("handle has " + std::to_string(given.size()) + " bytes, and " +
                              std::to_string(sizeof handle.bytes) + " were expected",
                          "pass what ipc_handle() gave in the other process");
  std::memcpy(handle.bytes.data(), given.data(), sizeof handle.bytes);
  return handle;
}

}  // namespace

void bind_cuda_ipc(nb::module_& m) {
  using cuda::Event, cuda::IpcMemory;
  m.def(
      "ipc_handle", [](const Event& event) { return as_bytes(cuda::ipc_handle(event)); },
      nb::arg("event"), "Of an event with the flags interprocess and disable_timing.");
  m.def(
      "ipc_handle",
      [](nb::object memory) {
        return as_bytes(cuda::ipc_handle(pointer_argument(memory.ptr(), "memory")));
      },
      nb::arg("memory"), nb::sig("def ipc_handle(memory: object) -> bytes"),
      "Of the allocation that an address lies in: bytes for another process.");
  m.def(
      "open_ipc_event",
      [](const nb::bytes& handle) {
        return cuda::open_ipc_event(from_bytes<cuda::IpcEventHandle>(handle));
      },
      nb::arg("handle"), "Another process's event.");
  nb::class_<IpcMemory> type(m, "IpcMemory", nb::is_weak_referenceable(),
                             "Memory of another process while this lives.");
  let_go_without_gil<IpcMemory>();
  type.def(
          "__init__",
          [](IpcMemory* self, const nb::bytes& handle) {
            new (self) IpcMemory(from_bytes<cuda::IpcMemoryHandle>(handle));
          },
          nb::arg("handle"))
      .def("close", &IpcMemory::close, nb::call_guard<nb::gil_scoped_release>(),
           "Closes it now. Raises InvalidState the second time.")
      .def_prop_ro("is_closed", &IpcMemory::is_closed)
      .def_prop_ro("address", &IpcMemory::address);
  register_pointer_type(type,
                        [](PyObject* object) { return instance_of<IpcMemory>(object).address(); });
}

}  // namespace treadle::bindings
