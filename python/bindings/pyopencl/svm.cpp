// SPDX-License-Identifier: MIT
#include "pyopencl/svm.hpp"
#include "pyopencl/object_arguments.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "instance.hpp"
#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"
#include "python_parts.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::Blocking;
using opencl::SharedMemory;

constexpr auto for_reading = static_cast<std::uint64_t>(opencl::MapFlags::read);
constexpr auto for_both = for_reading | static_cast<std::uint64_t>(opencl::MapFlags::write);

std::uintptr_t number(const SVMPointer& self) {
  return reinterpret_cast<std::uintptr_t>(self.address());
}

// Makes a new array each time; the object is its base.
nb::object as_bytes(nb::handle self) {
  const auto& pointer = nb::cast<const SVMPointer&>(self);
  const nb::module_ numpy = nb::module_::import_("numpy");
  return numpy.attr("ndarray")(pointer.bytes().size(), numpy.attr("uint8"), self);
}

void construct_allocation(SVMAllocation* self, const Context& context, Size size, Size alignment,
                          std::uint64_t flags, nb::handle queue) {
  const std::size_t bytes = size.in("SVMAllocation", "size");
  const std::size_t align = alignment.in("SVMAllocation", "alignment");
  SharedMemory memory = with_retry([&] {
    return SharedMemory(context.context, bytes, static_cast<opencl::SvmMemFlags>(flags), align);
  });
  if (!queue.is_none())
    memory.bind_to_queue(use_queue(object_in<CommandQueue>(queue, {"SVMAllocation", "queue"})));
  new (self) SVMAllocation(std::move(memory));
}

/// Whether the memory has zero bytes. Such memory may be released any number of times.
bool is_nothing(const SVMAllocation& self) { return self.size() == std::size_t{0}; }

nb::object enqueue_release(SVMAllocation& self, nb::handle queue, nb::handle wait_for) {
  constexpr const char* call = "SVMAllocation.enqueue_release";
  const Events after(wait_for);
  static_cast<void>(self.memory.data());  // throws if the memory was freed
  if (queue.is_none() && self.memory.queue() == nullptr)
    raise_logic_error(call, "the memory is bound to no queue: pass one, or call release()");
  // A copy: the memory's own binding ends with the memory.
  const opencl::Queue used = queue.is_none()
                                 ? *self.memory.queue()
                                 : use_queue(object_in<CommandQueue>(queue, {call, "queue"}));
  return make_event(is_nothing(self) ? used.marker(after.order())
                                     : self.memory.enqueue_free(used, after.order()));
}

void release(SVMAllocation& self) {
  if (!is_nothing(self)) self.memory.free();
}

void unbind(SVMAllocation& self) {
  const nb::gil_scoped_release released;
  self.memory.unbind_from_queue();
}

/// The number of bytes that the caller asks for. Throws if the memory has fewer.
opencl::HostRange part_of(const SVMPointer& pointer, nb::handle wanted, const char* call,
                          const char* name = "byte_count") {
  if (wanted.is_none()) return {pointer.bytes(), pointer.context()};
  const std::size_t count = size_in(wanted, call, name);
  const std::optional<std::size_t> size = pointer.size();
  if (size && count > *size)
    raise_logic_error(call,
                      std::to_string(count) + " bytes of memory that has " + std::to_string(*size));
  return {std::span(static_cast<std::byte*>(pointer.address()), count), pointer.context()};
}

// Without a count both sides must have the same size; the count is the number of bytes to copy.
nb::object copy(const CommandQueue& queue, bool is_blocking, nb::handle_t<SVMPointer> dst,
                nb::handle_t<SVMPointer> src, nb::handle wait_for, nb::handle byte_count) {
  constexpr const char* call = "clEnqueueSVMMemcpy";
  const auto& to = nb::cast<const SVMPointer&>(dst);
  const auto& from = nb::cast<const SVMPointer&>(src);
  nb::object count = nb::borrow(byte_count);
  if (count.is_none()) {
    const auto a = to.size(), b = from.size();
    if (!a && !b) raise_logic_error(call, "nobody knows how many bytes: pass byte_count");
    if (a && b && *a != *b)
      raise_logic_error(call, "a copy of " + std::to_string(*b) + " bytes to memory of " +
                                  std::to_string(*a) + "; pass byte_count for a part");
    count = nb::int_(a ? *a : *b);
  }
  const auto target = part_of(to, count, call);
  const auto source = part_of(from, count, call);
  const opencl::ConstHostRange read(source.bytes(), source.context());
  const Events after(wait_for);
  const opencl::Queue used = use_queue(queue);
  opencl::Event event = with_retry(
      [&] { return opencl::copy_shared(used, target, read, after.order(), Blocking::no); });
  // The host's memory must stay in its place, and nobody else keeps it.
  const bool keeps_dst = nb::isinstance<SVM>(dst), keeps_src = nb::isinstance<SVM>(src);
  const nb::handle host = keeps_dst ? nb::handle(dst) : nb::handle(src);
  if (is_blocking || (keeps_dst && keeps_src)) {
    wait_for_transfer(used, event, host);
    return make_event(std::move(event));
  }
  if (keeps_dst || keeps_src) return make_nanny_event(std::move(event), host);
  return make_event(std::move(event));
}

nb::object fill(const CommandQueue& queue, const SVMPointer& dst, nb::handle pattern,
                nb::handle byte_count, nb::handle wait_for) {
  const HostBuffer host(pattern, HostBuffer::read, "pattern");
  const auto target = part_of(dst, byte_count, "clEnqueueSVMMemFill");
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::fill_shared(use_queue(queue), target, host.bytes(), after.order()));
  });
}

nb::object map(const CommandQueue& queue, bool is_blocking, std::uint64_t flags,
               const SVMPointer& svm, nb::handle wait_for, nb::handle size) {
  const auto range = part_of(svm, size, "clEnqueueSVMMap", "size");
  const Events after(wait_for);
  const opencl::Queue used = use_queue(queue);
  opencl::Event event = with_retry([&] {
    return opencl::map_shared(used, static_cast<opencl::MapFlags>(flags), range, after.order(),
                              Blocking::no);
  });
  if (is_blocking) {
    used.flush();
    try {
      wait_by_asking([&] { return event.is_done(); }, [&] { event.wait(); });
    } catch (const nb::python_error&) {
      opencl::unmap_shared(used, range.bytes().data(),
                           {.after = event});  // not before it is mapped
      throw;
    }
  }
  return make_event(std::move(event));
}

/// An SVMMap of memory that the host may use. `array` shows the memory.
nb::object mapped(nb::handle svm, nb::object array, nb::handle_t<CommandQueue> queue,
                  nb::object event) {
  return python_part("pyopencl shared memory")
      .attr("SVMMap")(svm, std::move(array), queue, std::move(event));
}

nb::object map_bytes(nb::handle_t<SVMPointer> self, nb::handle_t<CommandQueue> queue,
                     std::uint64_t flags, bool is_blocking, nb::handle wait_for, nb::handle size) {
  nb::object event = map(nb::cast<const CommandQueue&>(queue), is_blocking, flags,
                         nb::cast<const SVMPointer&>(self), wait_for, size);
  nb::object bytes = as_bytes(self);
  if (!size.is_none()) bytes = bytes[nb::slice(nb::none(), nb::borrow(size), nb::none())];
  return mapped(self, std::move(bytes), queue, std::move(event));
}
template <std::uint64_t own_flags>
nb::object map_bytes_for(nb::handle_t<SVMPointer> self, nb::handle_t<CommandQueue> queue,
                         bool is_blocking, nb::handle wait_for, nb::handle size) {
  return map_bytes(self, queue, own_flags, is_blocking, wait_for, size);
}

nb::object map_object(nb::handle_t<SVM> self, nb::handle_t<CommandQueue> queue, std::uint64_t flags,
                      bool is_blocking, nb::handle wait_for) {
  const auto& svm = nb::cast<const SVM&>(self);
  nb::object event =
      map(nb::cast<const CommandQueue&>(queue), is_blocking, flags, svm, wait_for, nb::none());
  return mapped(self, svm.mem, queue, std::move(event));
}
template <std::uint64_t flags>
nb::object map_object_for(nb::handle_t<SVM> self, nb::handle_t<CommandQueue> queue,
                          bool is_blocking, nb::handle wait_for) {
  return map_object(self, queue, flags, is_blocking, wait_for);
}

nb::object as_buffer(nb::handle_t<SVMPointer> self, nb::handle context, nb::handle flags,
                     nb::handle size) {
  return python_part("pyopencl shared memory")
      .attr("as_buffer")(self, context, nb::arg("flags") = flags, nb::arg("size") = size);
}

nb::object unmap(const CommandQueue& queue, const SVMPointer& svm, nb::handle wait_for) {
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::unmap_shared(use_queue(queue), svm.address(), after.order()));
  });
}

nb::object migrate(const CommandQueue& queue, nb::handle svms, nb::handle flags,
                   nb::handle wait_for) {
  std::vector<const void*> addresses;
  constexpr const char* call = "enqueue_svm_migrate_mem";
  for_each_in(svms, {call, "svms"}, "an iterable of pyopencl.SVMPointer",
              [&](nb::handle item, const Argument& which) {
                addresses.push_back(object_in<SVMPointer>(item, which).address());
              });
  const auto bits = flags.is_none() ? 0 : bits_in(flags, {call, "flags"});
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::migrate_shared(
        use_queue(queue), addresses, static_cast<opencl::MemMigrationFlags>(bits), after.order()));
  });
}

void bind_pointers(nb::module_& m) {
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_svm), {0, nullptr}};
  nb::class_<SVMPointer>(m, "SVMPointer", nb::dynamic_attr(), nb::is_weak_referenceable(),
                         nb::type_slots(slots), "What stands for shared virtual memory.")
      .def_prop_ro("svm_ptr", pyopencl(number), "Its address.")
      .def_prop_ro("size", pyopencl([](const SVMPointer& self) -> nb::object {
                     const auto size = self.size();
                     return size ? nb::object(nb::int_(*size)) : nb::object(nb::none());
                   }),
                   "Bytes; None where nobody knows.")
      .def_prop_ro("buf", pyopencl(as_bytes), "A new array of the bytes.")
      .def("map", pyopencl(map_bytes), nb::arg("queue"), nb::kw_only(), nb::arg("flags"),
           nb::arg("is_blocking") = true, nb::arg("wait_for") = nb::none(),
           nb::arg("size") = nb::none(), "Gives the memory to the host, as an array of bytes.")
      .def("map_ro", pyopencl(map_bytes_for<for_reading>), nb::arg("queue"), nb::kw_only(),
           nb::arg("is_blocking") = true, nb::arg("wait_for") = nb::none(),
           nb::arg("size") = nb::none(), "map() for reading.")
      .def("map_rw", pyopencl(map_bytes_for<for_both>), nb::arg("queue"), nb::kw_only(),
           nb::arg("is_blocking") = true, nb::arg("wait_for") = nb::none(),
           nb::arg("size") = nb::none(), "map() for reading and writing.")
      .def("as_buffer", pyopencl(as_buffer), nb::arg("ctx"), nb::kw_only(),
           nb::arg("flags") = nb::none(), nb::arg("size") = nb::none(),
           "A buffer over the memory, which must outlive it.");
  static PyType_Slot kept[] = {type_slot(Py_bf_getbuffer, export_svm),
                               // No tp_clear: the object's memory is in use.
                               type_slot(Py_tp_traverse, traverse_kept<SVM, &SVM::mem>),
                               {0, nullptr}};
  nb::class_<SVM, SVMPointer>(m, "SVM", nb::dynamic_attr(), nb::type_slots(kept),
                              "Memory of an object that has a writable buffer.")
      .def("__init__", pyopencl([](SVM* self, nb::object mem) { new (self) SVM(std::move(mem)); }),
           nb::arg("mem"))
      .def_prop_ro("mem", [](const SVM& self) { return self.mem; })
      .def("map", pyopencl(map_object), nb::arg("queue"), nb::arg("flags"),
           nb::arg("is_blocking") = true, nb::arg("wait_for") = nb::none(),
           "Gives the memory to the host, as the object it is of.")
      .def("map_ro", pyopencl(map_object_for<for_reading>), nb::arg("queue"),
           nb::arg("is_blocking") = true, nb::arg("wait_for") = nb::none(), "map() for reading.")
      .def("map_rw", pyopencl(map_object_for<for_both>), nb::arg("queue"),
           nb::arg("is_blocking") = true, nb::arg("wait_for") = nb::none(),
           "map() for reading and writing.");
}

void bind_allocation(nb::module_& m) {
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_svm), {0, nullptr}};
  auto type = nb::class_<SVMAllocation, SVMPointer>(m, "SVMAllocation", nb::dynamic_attr(),
                                                    nb::type_slots(slots),
                                                    "Shared virtual memory of a context.");
  type.def("__init__", pyopencl(construct_allocation), nb::arg("context"), nb::arg("size"),
           nb::arg("alignment"), nb::arg("flags"), nb::arg("queue") = nb::none());
  type.def("__hash__", pyopencl([](const SVMAllocation& self) {
             return static_cast<Py_hash_t>(number(self) >> 4);
           }))
      .def("__eq__", pyopencl([](const SVMAllocation& self, nb::handle other) {
             SVMAllocation* same = nullptr;
             return nb::try_cast(other, same) && same != nullptr &&
                    (&self == same || (number(self) == number(*same) && number(self) != 0));
           }),
           nb::arg().none());
  type.def(
          "release", pyopencl(release),
          "Frees the memory: now, or after what is enqueued in the queue it is bound to. Memory of "
          "no bytes can be freed any number of times.")
      .def("enqueue_release", pyopencl(enqueue_release), nb::arg("queue") = nb::none(),
           nb::arg("wait_for") = nb::none(),
           "Frees the memory after what is enqueued in `queue`, or in the queue it is bound to.")
      .def("bind_to_queue", pyopencl([](SVMAllocation& self, const CommandQueue& queue) {
             self.memory.bind_to_queue(use_queue(queue));
           }),
           nb::arg("queue"), "From now on it is used and freed in the order of `queue`.")
      .def("unbind_from_queue", pyopencl(unbind), "Waits for the queue it is bound to.")
      .def_prop_ro("_queue",
                   pyopencl([](const SVMAllocation& self) { return queue_of(self.memory); }));
}

}  // namespace

std::span<std::byte> SVMPointer::bytes() const {
  const std::optional<std::size_t> known = size();
  if (!known) raise_logic_error("SVMPointer.buf", "nobody knows the memory's size");
  return {static_cast<std::byte*>(address()), *known};
}

SVM::SVM(nb::object object) : mem(std::move(object)) {
  constexpr int flags = PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE;
  if (PyObject_CheckBuffer(mem.ptr()) == 0)
    refuse_kind(mem, {"SVM", "mem"}, "an object with a buffer, such as a NumPy array",
                "SVMAllocation makes memory of a context");
  if (PyObject_GetBuffer(mem.ptr(), &view_, flags) == 0) return;
  if (PyErr_ExceptionMatches(PyExc_ValueError) != 0) {  // NumPy's error for arrays with gaps
    PyErr_Clear();
    raise_python(PyExc_BufferError, "SVM needs memory without gaps that may be written to");
  }
  throw nb::python_error();
}

int export_svm(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    static std::byte nothing;  // for memory of zero bytes
    const std::span<std::byte> bytes = instance_of<SVMPointer>(self).bytes();
    return PyBuffer_FillInfo(view, self, bytes.data() != nullptr ? bytes.data() : &nothing,
                             static_cast<Py_ssize_t>(bytes.size()), 0, flags);
  } catch (...) {
    set_error();
    return -1;
  }
}

nb::object queue_of(const SharedMemory& memory) {
  return memory.queue() != nullptr ? make_queue(*memory.queue()) : nb::object(nb::none());
}

void bind_svm(nb::module_& m) {
  bind_pointers(m);
  bind_allocation(m);
  m.def("_enqueue_svm_memcpy", pyopencl(copy), nb::arg("queue"), nb::arg("is_blocking"),
        nb::arg("dst"), nb::arg("src"), nb::arg("wait_for") = nb::none(),
        nb::arg("byte_count") = nb::none());
  m.def("_enqueue_svm_memfill", pyopencl(fill), nb::arg("queue"), nb::arg("dst"),
        nb::arg("pattern"), nb::arg("byte_count") = nb::none(), nb::arg("wait_for") = nb::none());
  m.def("_enqueue_svm_map", pyopencl(map), nb::arg("queue"), nb::arg("is_blocking"),
        nb::arg("flags"), nb::arg("svm"), nb::arg("wait_for") = nb::none(),
        nb::arg("size") = nb::none());
  m.def("_enqueue_svm_unmap", pyopencl(unmap), nb::arg("queue"), nb::arg("svm"),
        nb::arg("wait_for") = nb::none());
  m.def("_enqueue_svm_migrate_mem", pyopencl(migrate), nb::arg("queue"), nb::arg("svms"),
        nb::arg("flags") = nb::none(), nb::arg("wait_for") = nb::none());
}

}  // namespace treadle::bindings::cl
