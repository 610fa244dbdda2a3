// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include <cstdint>
#include <vector>

#include "instance.hpp"
#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "left_uses.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"
#include "pyopencl/info.hpp"
#include "python_parts.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/opencl.hpp"

namespace treadle::bindings::cl {
namespace {

opencl::Queue create(const Context& context, const opencl::Device& device, nb::handle properties) {
  constexpr const char* call = "CommandQueue";
  if (PyIndex_Check(properties.ptr()) != 0)
    return {context.context, device,
            static_cast<opencl::CommandQueueProperties>(size_in(properties, call, "properties"))};
  const std::vector<std::size_t> given = sizes_in(properties, call, "an entry of properties");
  const std::vector<std::uint64_t> pairs(given.begin(), given.end());
  return opencl::Queue::with_properties(context.context, device, pairs);
}

CommandQueue make_new(const Context& context, nb::handle device, nb::handle properties) {
  const opencl::Device chosen = device.is_none()
                                    ? context.context.devices().at(0)
                                    : object_in<Device>(device, {"CommandQueue", "device"}).device;
  const nb::object bits = properties.is_none() ? nb::object(nb::int_(0)) : nb::borrow(properties);
  return {with_retry([&] { return create(context, chosen, bits); })};
}

nb::object context_of(CommandQueue& self) {
  if (!self.context_object.is_valid()) self.context_object = make_context(self.queue.context());
  return self.context_object;
}
nb::object device_of(CommandQueue& self) {
  if (!self.device_object.is_valid()) self.device_object = make_device(self.queue.device());
  return self.device_object;
}

nb::object queue_info(const CommandQueue& self, long long param) {
  return to_python(self.queue.shared_table(),
                   self.queue.info(static_cast<opencl::CommandQueueInfo>(param)));
}

// If there is nothing to wait for, a marker would only wake the platform's threads.
void finish_busy(const CommandQueue& self, const opencl::Queue& queue) {
  const opencl::Event end = queue.marker();
  queue.flush();  // asking does not submit commands, as waiting does
  self.is_busy = false;
  try {
    wait_by_asking([&] { return end.is_done(); }, [&] { queue.finish(); });
  } catch (...) {
    self.is_busy = true;
    throw;
  }
}

/// Queues pending arithmetic of arrays, so that marks and waits include all operations that the
/// program has written before them.
void queue_deferred(const CommandQueue& self) {
  device::Device* const device = device::last_device_of(self.queue.context(), self.queue.device());
  if (device != nullptr) device->queue_deferred();
}

void finish(const CommandQueue& self) {
  if (self.is_finalized) return;
  queue_deferred(self);
  const opencl::Queue queue = self.queue;  // a copy: other threads may drop the object
  if (self.is_busy) {
    finish_busy(self, queue);
  } else {
    const nb::gil_scoped_release released;
    queue.finish();
  }
  release_left_uses();
}

/// Ends the queue's `with` block. Hides the queue where arrays look first, so that they ask again
/// and warn.
void end(nb::handle object) {
  instance_of<CommandQueue>(object).is_finalized = true;
  if (nb::hasattr(object, "_place_before_end")) return;
  const nb::object place = nb::getattr(object, "_place", nb::none());
  nb::setattr(object, "_place", nb::none());
  nb::setattr(object, "_place_before_end", place);
  if (!place.is_none()) nb::setattr(place, "records", nb::bool_(false));
}

void bind_commands(nb::module_& m) {
  const auto marker = [](const CommandQueue& queue, nb::handle wait_for) {
    queue_deferred(queue);
    const Events after(wait_for);
    return with_retry([&] { return make_event(use_queue(queue).marker(after.order())); });
  };
  const auto barrier = [](const CommandQueue& queue, nb::handle wait_for) {
    const Events after(wait_for);
    return with_retry([&] { return make_event(use_queue(queue).barrier(after.order())); });
  };
  for (const char* name : {"_enqueue_marker_with_wait_list", "enqueue_marker"})
    m.def(name, pyopencl(marker), nb::arg("queue"), nb::arg("wait_for") = nb::none(),
          "Done when `wait_for` is; without it, when all that was enqueued before is.");
  for (const char* name : {"_enqueue_barrier_with_wait_list", "enqueue_barrier"})
    m.def(name, pyopencl(barrier), nb::arg("queue"), nb::arg("wait_for") = nb::none(),
          "A marker that later commands of the queue wait for.");
  m.def("_enqueue_marker",
        pyopencl([marker](const CommandQueue& queue) { return marker(queue, nb::none()); }),
        nb::arg("queue"));
  m.def("_enqueue_barrier",
        pyopencl([barrier](const CommandQueue& queue) { barrier(queue, nb::none()); }),
        nb::arg("queue"));
  m.def("_enqueue_wait_for_events",
        pyopencl([barrier](const CommandQueue& queue, nb::handle wait_for) {
          if (!wait_for.is_none()) barrier(queue, wait_for);
        }),
        nb::arg("queue"), nb::arg("wait_for") = nb::none());
}

}  // namespace

nb::object make_queue(opencl::Queue queue) { return nb::cast(CommandQueue{std::move(queue)}); }

const opencl::Queue& use_queue(const CommandQueue& queue) {
  if (queue.is_finalized) [[unlikely]] {
    const nb::object category = python_part("pyopencl warnings").attr("CommandQueueUsedAfterExit");
    warn_python(category.ptr(), "Command queue used after exit.");
  }
  queue.is_busy = true;
  return queue.queue;
}

void bind_queue(nb::module_& m) {
  static PyType_Slot slots[] = {
      type_slot(
          Py_tp_traverse,
          traverse_kept<CommandQueue, &CommandQueue::context_object, &CommandQueue::device_object>),
      type_slot(
          Py_tp_clear,
          clear_kept<CommandQueue, &CommandQueue::context_object, &CommandQueue::device_object>),
      {0, nullptr}};
  auto type =
      nb::class_<CommandQueue>(m, "CommandQueue", nb::dynamic_attr(), nb::is_weak_referenceable(),
                               nb::type_slots(slots), "Takes commands for a device.");
  type.def("__init__",
           pyopencl([](CommandQueue* self, const Context& context, nb::object device,
                       nb::object properties) {
             new (self) CommandQueue(make_new(context, device, properties));
           }),
           nb::arg("context"), nb::arg("device") = nb::none(),
           nb::arg("properties").none() = nb::int_(0));
  bind_identity(type, [](const CommandQueue& self) { return self.queue.raw(); });
  bind_from_pointer<opencl::RawQueue>(type, [](opencl::RawQueue raw, opencl::Ownership own) {
    return make_queue(opencl::Queue(loader_table(), raw, own));
  });
  type.def_prop_ro("context", pyopencl(context_of)).def_prop_ro("device", pyopencl(device_of));
  bind_info(type, "command_queue_info", queue_info);
  type.def("flush", pyopencl([](const CommandQueue& self) { use_queue(self).flush(); }),
           "Hands everything enqueued to the device; does not wait.")
      .def("finish", pyopencl(finish), "Blocks until everything enqueued is done.")
      .def("_finalize", [](nb::handle_t<CommandQueue> self) { end(self); })
      .def("_get_cl_version", pyopencl([](const CommandQueue& self) {
             const opencl::Version version = self.queue.device().version();
             return nb::make_tuple(version.major, version.minor);
           }))
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", pyopencl([](nb::handle_t<CommandQueue> self, nb::args) {
             finish(instance_of<CommandQueue>(self));
             end(self);
           }));
  bind_commands(m);
}

}  // namespace treadle::bindings::cl
