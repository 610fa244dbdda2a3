// SPDX-License-Identifier: MIT
#include "treadle/cuda/ipc.hpp"

#include <cstring>

#include "instance.hpp"
#include "interrupt.hpp"
#include "pycuda/classes.hpp"
#include "pycuda/ipc.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {
namespace {

template <class IpcHandle>
nb::object as_bytearray(const IpcHandle& handle) {
  return nb::steal(PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(handle.bytes.data()),
                                                 sizeof handle.bytes));
}

template <class IpcHandle>
IpcHandle from_bytearray(nb::handle given, const char* call) {
  IpcHandle handle;
  if (PyByteArray_Check(given.ptr()) == 0 ||
      PyByteArray_Size(given.ptr()) != static_cast<Py_ssize_t>(sizeof handle.bytes))
    raise_logic_error(std::string(call) +
                      " failed: invalid argument - a handle is a bytearray of " +
                      std::to_string(sizeof handle.bytes) + " bytes");
  std::memcpy(handle.bytes.data(), PyByteArray_AsString(given.ptr()), sizeof handle.bytes);
  return handle;
}

struct IPCMemoryHandle {
  cuda::IpcMemory memory;
};

void close_memory(IPCMemoryHandle& self) {
  if (self.memory.is_closed())
    raise_logic_error("ipc_mem_handle::close failed: invalid resource handle");
  nb::gil_scoped_release released;
  self.memory.close();
}

nb::int_ address_of(const IPCMemoryHandle& self) {
  return nb::int_(static_cast<unsigned long long>(self.memory.address()));
}

}  // namespace

nb::object event_ipc_handle(const Event& event) {
  return as_bytearray(cuda::ipc_handle(event.event));
}

Event event_from_ipc_handle(nb::handle handle) {
  const auto bytes = from_bytearray<cuda::IpcEventHandle>(handle, "event_from_ipc_handle");
  current_context();
  return {cuda::open_ipc_event(bytes)};
}

}  // namespace face

void bind_pycuda_ipc(nb::module_& m) {
  using face::IPCMemoryHandle;
  nb::class_<IPCMemoryHandle>(m, "IPCMemoryHandle", nb::dynamic_attr(), nb::is_weak_referenceable(),
                              "Memory of another process; int() gives its address here.")
      .def("__init__", pycuda([](IPCMemoryHandle* self, nb::object obj, nb::object flags) {
             const auto bytes = face::from_bytearray<cuda::IpcMemoryHandle>(obj, "ipc_mem_handle");
             const auto bits =
                 static_cast<cuda::IpcMemoryFlags>(unsigned_argument(flags.ptr(), "flags", ~0u));
             face::current_context();
             new (self) IPCMemoryHandle{cuda::IpcMemory(bytes, bits)};
           }),
           nb::arg("obj"), nb::arg("flags") = 1)
      .def("close", pycuda([](IPCMemoryHandle& self) { face::close_memory(self); }),
           "Closes it now. Raises LogicError the second time.")
      .def("__int__", pycuda([](const IPCMemoryHandle& self) { return face::address_of(self); }))
      .def("__index__", pycuda([](const IPCMemoryHandle& self) { return face::address_of(self); }));
  let_go_without_gil<IPCMemoryHandle>();
  register_pointer_type(nb::type<IPCMemoryHandle>(), [](PyObject* object) {
    return instance_of<IPCMemoryHandle>(object).memory.address();
  });
  m.def("mem_get_ipc_handle", pycuda([](nb::object devptr) {
          face::current_context();
          return face::as_bytearray(cuda::ipc_handle(pointer_argument(devptr.ptr(), "devptr")));
        }),
        nb::arg("devptr"), nb::sig("def mem_get_ipc_handle(devptr: object) -> bytearray"),
        "64 bytes, of which another process makes an IPCMemoryHandle.");
}

}  // namespace treadle::bindings
