// SPDX-License-Identifier: MIT
#include "treadle/opencl/pipe.hpp"

#include "kept_objects.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

// over 6 parameters because they are PyOpenCL's and the object itself
void construct_pipe(Pipe* self, const Context& context, std::uint64_t flags,
                    std::uint32_t packet_size, std::uint32_t max_packets, nb::handle properties) {
  if (PyObject_Size(properties.ptr()) != 0) {
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse_kind(properties, {"Pipe", "properties"}, "()");
    }
    raise_logic_error("Pipe", "properties must be empty: the standard has none");
  }
  new (self) Pipe(with_retry([&] {
    return opencl::Pipe(context.context, packet_size, max_packets,
                        static_cast<opencl::MemFlags>(flags));
  }));
}

nb::object pipe_info(const Pipe& self, long long param) {
  return to_python(self.memory().shared_table(),
                   self.pipe().info(static_cast<opencl::PipeInfo>(param)));
}

}  // namespace

void bind_pipe(nb::module_& m) {
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_host_memory), {0, nullptr}};
  auto type = nb::class_<Pipe, MemoryObject>(m, "Pipe", nb::dynamic_attr(), nb::type_slots(slots),
                                             "Packets that one kernel writes and another reads.");
  type.def("__init__", pyopencl(construct_pipe), nb::arg("context"), nb::arg("flags"),
           nb::arg("packet_size"), nb::arg("max_packets"),
           nb::arg("properties") = nb::make_tuple());
  bind_info(type, "pipe_info", pipe_info, "get_pipe_info");
}

}  // namespace treadle::bindings::cl
