// SPDX-License-Identifier: MIT
// enqueue_map_buffer, enqueue_map_image: memory of a context as a NumPy array.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "instance.hpp"
#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "treadle/opencl/image_transfer.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::Blocking;
using opencl::MapFlags;

/// The base of the array. Keeps queue and memory, and unmaps when nobody uses the array any more.
struct MemoryMap {
  opencl::Mapping mapping;
  nb::object queue_object, memory_object;
};

// Views keep the map, and so the mapped memory, alive.
int export_map(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const std::span<std::byte> bytes = instance_of<MemoryMap>(self).mapping.bytes();
    return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()), 0,
                             flags);
  } catch (...) {
    set_error();
    return -1;
  }
}

nb::object release(MemoryMap& self, nb::handle queue, nb::handle wait_for) {
  const Events after(wait_for);
  if (queue.is_none()) return make_event(self.mapping.unmap(after.order()));
  return make_event(self.mapping.unmap(
      use_queue(object_in<CommandQueue>(queue, {"MemoryMap.release", "queue"})), after.order()));
}

/// The requested array, checked before mapping.
struct ArrayPlan {
  nb::object shape, dtype, order, strides;
  std::size_t bytes;
};

// The caller's strides must leave no gaps and must stay within the range: the map has exactly the
// array's bytes.
void check_dense(const ArrayPlan& plan) {
  const nb::tuple shape(plan.shape), strides(plan.strides);
  // Compute in doubles, which do not overflow. A sum too large to be exact is beyond the map
  // anyway.
  double last = nb::cast<double>(plan.dtype.attr("itemsize"));
  bool fits = shape.size() == strides.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    const double size = PyLong_AsDouble(shape[i].ptr());
    const nb::object number = nb::steal(PyNumber_Index(nb::object(strides[i]).ptr()));
    const double stride = number.is_valid() ? PyLong_AsDouble(number.ptr()) : 0;
    fits = PyErr_Occurred() == nullptr && (stride >= 0 || size <= 1);
    last += (size - 1) * stride;
  }
  PyErr_Clear();
  if (!fits || last != static_cast<double>(plan.bytes))
    raise_logic_error("enqueue_map_buffer", "strides must place the array densely");
}

ArrayPlan plan_array(nb::handle shape, nb::handle dtype, nb::handle order, nb::handle strides,
                     const char* call) {
  ArrayPlan plan{shape_in(shape, call), dtype_in(dtype, {call, "dtype"}), order_in(order, call),
                 nb::borrow(strides), 0};
  if (!strides.is_none()) {  // negative strides are allowed: NumPy reads them
    for_each_in(strides, {call, "strides"}, "None or an iterable of int",
                [](nb::handle stride, const Argument& which) {
                  if (nb::steal(PyNumber_Index(stride.ptr())).is_valid()) return;
                  PyErr_Clear();
                  refuse_kind(stride, which, "int");
                });
    plan.strides = nb::tuple(plan.strides);
  }
  plan.bytes = array_bytes(shape, plan.dtype, call);
  return plan;
}

/// Maps by `map()`, which does not block, and then waits if the caller asks for it.
template <class F>
auto map_and_wait(const opencl::Queue& queue, bool is_blocking, F map) {
  // Ctrl-C cannot end OpenCL's own blocking form.
  auto mapping = with_retry(map);
  if (!is_blocking) return mapping;
  const opencl::Event& event = mapping.event();
  queue.flush();  // asking does not submit commands, as waiting does
  try {
    wait_by_asking([&] { return event.is_done(); }, [&] { event.wait(); });
  } catch (const nb::python_error&) {
    mapping.unmap({.after = event});  // not before the memory is mapped
    throw;
  }
  return mapping;
}

/// Makes the array of a mapping; the mapping is the array's base.
nb::object array_over(opencl::Mapping mapping, nb::handle queue, nb::handle memory,
                      const ArrayPlan& plan) {
  const nb::object base =
      nb::cast(new MemoryMap{std::move(mapping), nb::borrow(queue), nb::borrow(memory)},
               nb::rv_policy::take_ownership);
  return nb::module_::import_("numpy").attr("ndarray")(plan.shape, plan.dtype, base, 0,
                                                       plan.strides, plan.order);
}

// over 6 parameters because they are the keywords of the Python call
nb::object map_buffer(nb::handle_t<CommandQueue> queue, nb::handle_t<MemoryObjectHolder> buf,
                      std::uint64_t flags, Size offset, nb::handle shape, nb::handle dtype,
                      nb::handle order, nb::handle strides, nb::handle wait_for, bool is_blocking) {
  const ArrayPlan plan = plan_array(shape, dtype, order, strides, "enqueue_map_buffer");
  const std::size_t begin = offset.in("enqueue_map_buffer", "offset");
  if (!strides.is_none()) check_dense(plan);
  const Events after(wait_for);
  const auto bits = static_cast<MapFlags>(flags);
  // copies: other threads may drop the objects
  const opencl::Queue used = use_queue(nb::cast<const CommandQueue&>(queue));
  const opencl::MemoryObject memory = nb::cast<const MemoryObjectHolder&>(buf).memory();
  opencl::Mapping mapping = map_and_wait(used, is_blocking, [&] {
    return opencl::map(used, memory, bits, {begin, plan.bytes}, after.order(), Blocking::no);
  });
  nb::object event = make_event(mapping.event());
  return nb::make_tuple(array_over(std::move(mapping), queue, buf, plan), event);
}

/// The place of an element whose offset would be `offset` bytes if there were no gaps.
std::size_t with_gaps(std::size_t offset, std::size_t row_bytes, std::size_t slice_bytes,
                      const opencl::ImageMapping& mapping) {
  const std::size_t in_slice = offset % slice_bytes;
  return offset / slice_bytes * mapping.slice_pitch() + in_slice / row_bytes * mapping.row_pitch() +
         in_slice % row_bytes;
}

/// The strides of an array in order `plan.order` over a mapped region, whose rows and slices may
/// have gaps between them.
nb::object strides_in(const ArrayPlan& plan, const opencl::Image& image,
                      const std::array<std::size_t, 3>& region,
                      const opencl::ImageMapping& mapping) {
  const auto itemsize = nb::cast<std::size_t>(plan.dtype.attr("itemsize"));
  auto sizes = nb::cast<std::vector<std::size_t>>(plan.shape);
  const bool is_fortran = nb::cast<std::string>(plan.order) == "F";
  if (!is_fortran) std::reverse(sizes.begin(), sizes.end());
  const std::size_t row = region[0] * image.format().pixel_bytes();
  const std::size_t slice = row * region[1];
  std::vector<std::size_t> strides;
  std::size_t step = itemsize;
  for (const std::size_t size : sizes) {  // from the innermost
    const std::size_t end = step * size;
    const bool is_whole =
        size == 1 || step % slice == 0 || (step % row == 0 && end <= slice) || end <= row;
    if (!is_whole)
      raise_logic_error("enqueue_map_image",
                        "the shape does not follow the image's rows of " + std::to_string(row) +
                            " bytes: make it (slices, rows, columns), or pass strides");
    strides.push_back(with_gaps(step, row, slice, mapping));
    step = end;
  }
  if (!is_fortran) std::reverse(strides.begin(), strides.end());
  return nb::tuple(nb::cast(strides));
}

// over 6 parameters because they are the keywords of the Python call
nb::object map_image(nb::handle_t<CommandQueue> queue, nb::handle_t<MemoryObjectHolder> img,
                     std::uint64_t flags, nb::handle origin, nb::handle region, nb::handle shape,
                     nb::handle dtype, nb::handle order, nb::handle strides, nb::handle wait_for,
                     bool is_blocking) {
  constexpr const char* call = "enqueue_map_image";
  ArrayPlan plan = plan_array(shape, dtype, order, strides, call);
  const opencl::Image image = image_of(nb::cast<const MemoryObjectHolder&>(img));
  const opencl::ImageRegion box{numbers<3>(origin, 0, "origin", call),
                                numbers<3>(region, 1, "region", call)};
  const std::size_t region_bytes =
      box.size[0] * box.size[1] * box.size[2] * image.format().pixel_bytes();
  if (plan.bytes > region_bytes || plan.bytes == 0)
    raise_logic_error(call, "the array has " + std::to_string(plan.bytes) + " bytes, the region " +
                                std::to_string(region_bytes));
  const Events after(wait_for);
  const auto bits = static_cast<MapFlags>(flags);
  const opencl::Queue used = use_queue(nb::cast<const CommandQueue&>(queue));
  opencl::ImageMapping mapping = map_and_wait(used, is_blocking, [&] {
    return opencl::map_image(used, image, bits, box, after.order(), Blocking::no);
  });
  if (strides.is_none()) plan.strides = strides_in(plan, image, box.size, mapping);
  nb::object event = make_event(mapping.event());
  const std::size_t row_pitch = mapping.row_pitch(), slice_pitch = mapping.slice_pitch();
  return nb::make_tuple(array_over(std::move(mapping), queue, img, plan), event, row_pitch,
                        slice_pitch);
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
  m.def("enqueue_map_image", pyopencl(map_image), nb::arg("queue"), nb::arg("img"),
        nb::arg("flags"), nb::arg("origin"), nb::arg("region"), nb::arg("shape"), nb::arg("dtype"),
        nb::arg("order") = "C", nb::arg("strides") = nb::none(), nb::arg("wait_for") = nb::none(),
        nb::arg("is_blocking") = true,
        "(array, event, row_pitch, slice_pitch): the array's base is a MemoryMap. Without strides "
        "it skips what lies between the rows and slices of the region.");
}

}  // namespace treadle::bindings::cl
