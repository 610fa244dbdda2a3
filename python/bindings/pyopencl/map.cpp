// SPDX-License-Identifier: MIT
// enqueue_map_buffer: memory of a context as an array of NumPy's.
#include <optional>
#include <string>

#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "pyopencl/classes.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::Blocking;
using opencl::MapFlags;

/// The base of the array: keeps queue and memory, and unmaps when nobody looks any more.
struct MemoryMap {
  opencl::Mapping mapping;
  bool is_writable;
  nb::object queue_object, memory_object;
};

// Views keep the map, and so the mapped memory, alive.
int export_map(PyObject* self, Py_buffer* view, int flags) noexcept {
  const auto& map = *nb::inst_ptr<MemoryMap>(self);
  view->obj = nullptr;
  try {
    const std::span<std::byte> bytes = map.mapping.bytes();
    return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                             map.is_writable ? 0 : 1, flags);
  } catch (...) {
    set_error();
    return -1;
  }
}

nb::object release(MemoryMap& self, nb::handle queue, nb::handle wait_for) {
  const Events after(wait_for);
  if (queue.is_none()) return make_event(self.mapping.unmap(after.order()));
  return make_event(
      self.mapping.unmap(use_queue(nb::cast<const CommandQueue&>(queue)), after.order()));
}

/// What is asked of an array, checked before anything is mapped.
struct ArrayPlan {
  nb::object shape, dtype, order, strides;
  std::size_t bytes;
};

// Strides of the caller's own must leave no gaps: the map has just the array's bytes.
void check_dense(const ArrayPlan& plan) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object bounds = nb::module_::import_("numpy.lib.array_utils").attr("byte_bounds");
  try {
    const nb::object probe = numpy.attr("ndarray")(
        plan.shape, plan.dtype, nb::bytes(std::string(plan.bytes, '\0').data(), plan.bytes), 0,
        plan.strides);
    const nb::object range = bounds(probe);
    const auto span =
        nb::cast<std::size_t>(nb::object(range[1])) - nb::cast<std::size_t>(nb::object(range[0]));
    if (span == plan.bytes) return;
  } catch (nb::python_error&) {
    // The strides leave the range: refused below.
  }
  raise_logic_error("enqueue_map_buffer", "strides must place the array densely");
}

ArrayPlan plan_array(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle strides) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  ArrayPlan plan{nb::borrow(shape), numpy.attr("dtype")(dtype), nb::borrow(order),
                 nb::borrow(strides), 0};
  const auto count = nb::cast<std::size_t>(numpy.attr("prod")(shape).attr("__int__")());
  plan.bytes = count * nb::cast<std::size_t>(plan.dtype.attr("itemsize"));
  if (!strides.is_none()) check_dense(plan);
  return plan;
}

opencl::Mapping map_bytes(const opencl::Queue& queue, const opencl::MemoryObject& memory,
                          MapFlags flags, const opencl::MapRange& range, const Events& after,
                          bool is_blocking) {
  // OpenCL's own blocking form cannot be left.
  opencl::Mapping mapping = with_retry(
      [&] { return opencl::map(queue, memory, flags, range, after.order(), Blocking::no); });
  if (!is_blocking) return mapping;
  const opencl::Event& event = mapping.event();
  queue.flush();  // asking does not hand work over, as waiting does
  try {
    wait_by_asking([&] { return event.is_done(); }, [&] { event.wait(); });
  } catch (const nb::python_error&) {
    mapping.unmap({.after = event});  // not before it is mapped
    throw;
  }
  return mapping;
}

// over 6 parameters because they are the keywords of the Python call
nb::object map_buffer(nb::handle_t<CommandQueue> queue, nb::handle_t<MemoryObjectHolder> buf,
                      std::uint64_t flags, std::size_t offset, nb::handle shape, nb::handle dtype,
                      nb::handle order, nb::handle strides, nb::handle wait_for, bool is_blocking) {
  const ArrayPlan plan = plan_array(shape, dtype, order, strides);
  const Events after(wait_for);
  const auto bits = static_cast<MapFlags>(flags);
  opencl::Mapping mapping = map_bytes(use_queue(nb::cast<const CommandQueue&>(queue)),
                                      nb::cast<const MemoryObjectHolder&>(buf).memory(), bits,
                                      {offset, plan.bytes}, after, is_blocking);
  nb::object event = make_event(mapping.event());
  const bool is_writable =
      opencl::has(bits, MapFlags::write) || opencl::has(bits, MapFlags::write_invalidate_region);
  const nb::object base =
      nb::cast(new MemoryMap{std::move(mapping), is_writable, nb::borrow(queue), nb::borrow(buf)},
               nb::rv_policy::take_ownership);
  const nb::object array = nb::module_::import_("numpy").attr("ndarray")(
      plan.shape, plan.dtype, base, 0, plan.strides, plan.order);
  return nb::make_tuple(array, event);
}

}  // namespace

void bind_map(nb::module_& m) {
  static PyType_Slot slots[] = {
      type_slot(Py_bf_getbuffer, export_map),
      type_slot(Py_tp_traverse,
                traverse_kept<MemoryMap, &MemoryMap::queue_object, &MemoryMap::memory_object>),
      type_slot(Py_tp_clear,
                clear_kept<MemoryMap, &MemoryMap::queue_object, &MemoryMap::memory_object>),
      {0, nullptr}};
  nb::class_<MemoryMap>(m, "MemoryMap", nb::dynamic_attr(), nb::type_slots(slots),
                        "Memory of a context while the host may use it.")
      .def("release", pyopencl(release), nb::arg("queue") = nb::none(),
           nb::arg("wait_for") = nb::none(), "Gives the memory back to the devices.")
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__",
           pyopencl([](MemoryMap& self, nb::args) { release(self, nb::none(), nb::none()); }));
  m.def("enqueue_map_buffer", pyopencl(map_buffer), nb::arg("queue"), nb::arg("buf"),
        nb::arg("flags"), nb::arg("offset"), nb::arg("shape"), nb::arg("dtype"),
        nb::arg("order") = "C", nb::arg("strides") = nb::none(), nb::arg("wait_for") = nb::none(),
        nb::arg("is_blocking") = true, "(array, event): the array's base is a MemoryMap.");
}

}  // namespace treadle::bindings::cl
