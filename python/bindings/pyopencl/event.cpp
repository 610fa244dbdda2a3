// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "instance.hpp"
#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "left_uses.hpp"
#include "pyopencl/callback.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/host_transfer.hpp"
#include "pyopencl/info.hpp"
#include "python_parts.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::bindings::cl {
namespace {

/// Returns at once for a command that is known to be done, because asking a driver takes
/// microseconds.
int status_of(const Event& self) {
  if (self.is_done) return 0;
  const int status = self.event.status();
  self.is_done = status == 0;
  return status;
}

nb::object event_info(const Event& self, long long param) {
  const auto parameter = static_cast<opencl::EventInfo>(param);
  if (parameter == opencl::EventInfo::command_execution_status)  // read in loops that wait
    return nb::int_(status_of(self));
  return to_python(self.event.shared_table(), self.event.info(parameter));
}

std::uint64_t profiling_info(const Event& self, long long param) {
  return self.event.profiling(static_cast<opencl::ProfilingInfo>(param));
}

/// event.profile: the time stamps as attributes.
struct Profile {
  nb::object event;
};

nb::object profile_attribute(const Profile& self, const std::string& name) {
  for (const opencl::EnumValue& constant : constants_of("profiling_info").values) {
    const std::string attribute = attribute_name(constant.name);
    if (name != attribute && name != constant.name) continue;
    if (name != attribute)
      warn_python(PyExc_DeprecationWarning,
                  "event.profile." + name + " is deprecated; it is called " + attribute);
    return nb::int_(profiling_info(nb::cast<const Event&>(self.event), constant.value));
  }
  raise_python(PyExc_AttributeError,
               "'ProfilingInfoGetter' object has no attribute '" + name + "'");
}

void set_callback(const Event& self, int status, nb::handle function) {
  const auto kind = static_cast<opencl::CommandExecutionStatus>(status);
  const Callback callback(function, {"Event.set_callback", "callback"});
  nb::gil_scoped_release released;  // an event that is done may call back at once
  self.event.set_callback(kind, [callback](int reached) {
    callback.call_apart([reached] { return nb::make_tuple(reached); });
  });
}

// Submits the command: asking whether a command is done does not submit it, as waiting does.
void hand_over(const opencl::Event& event) {
  if (event.is_done()) return;
  const auto queue = event.get<opencl::EventInfo::command_queue>();
  if (queue == nullptr) return;  // a user event
  opencl::check(event.table(), event.table().clFlush(queue), "clFlush");
}

// Ctrl-C ends the wait, not the work.
void wait(const Event& self) {
  if (status_of(self) == 0)
    return release_left_uses();            // most events that programs wait for are done
  const opencl::Event event = self.event;  // a copy: other threads may drop the object
  hand_over(event);
  wait_by_asking([&] { return event.is_done(); }, [&] { event.wait(); });
  release_left_uses();
}

void wait_for_list(nb::handle events) {
  std::vector<opencl::Event> list;
  for_each_in(events, {"wait_for_events", "events"}, "an iterable of pyopencl.Event",
              [&](nb::handle event, const Argument& which) {
                list.push_back(object_in<Event>(event, which).event);
              });
  if (list.empty()) raise_logic_error("clWaitForEvents", "there are no events to wait for");
  for (const opencl::Event& event : list) hand_over(event);
  wait_by_asking([&] { return std::ranges::all_of(list, &opencl::Event::is_done); },
                 [&] { opencl::wait_for(list); });
  release_left_uses();
}

void bind_nanny(nb::module_& m) {
  static PyType_Slot slots[] = {
      type_slot(Py_tp_traverse, traverse_kept<NannyEvent, &NannyEvent::ward, &NannyEvent::view>),
      // No tp_clear: the memory must outlive the transfer. The memory's own tp_clear ends a cycle.
      {0, nullptr}};
  nb::class_<NannyEvent, Event>(m, "NannyEvent", nb::dynamic_attr(), nb::type_slots(slots),
                                "The end of a transfer, which keeps its host memory alive.")
      .def(
          "get_ward",
          [](const NannyEvent& self) {
            return self.ward.is_valid() ? self.ward : nb::object(nb::none());
          },
          "The host memory that is kept alive; None once wait() has let it go.")
      .def("wait", pyopencl([](NannyEvent& self) {
             wait(self);
             self.view.reset();
             self.ward.reset();
           }),
           "Blocks until the transfer is done, and lets its host memory go.");
}

void bind_user_event(nb::module_& m) {
  nb::class_<UserEvent, Event>(m, "UserEvent", nb::dynamic_attr(),
                               "An event whose end the program decides.")
      .def("__init__", pyopencl([](UserEvent* self, const Context& context) {
             opencl::UserEvent event =
                 with_retry([&] { return opencl::UserEvent(context.context); });
             new (self) UserEvent{{event}, event};
           }),
           nb::arg("context"))
      .def("set_status", pyopencl([](const UserEvent& self, int status) {
             nb::gil_scoped_release released;  // callbacks of the event may run here
             self.user_event.set_status(status);
           }),
           nb::arg("status"), "0 for done, or a negative error code; once.");
}

}  // namespace

NannyEvent::~NannyEvent() {
  if (!view.is_valid()) return;
  try {
    if (event.is_done()) return;
    nb::gil_scoped_release released;  // the event may need another thread to end
    event.wait();
  } catch (...) {
    // A failed transfer does not use its memory any more, either.
  }
}

bool is_soon_over(const HostTransfer& call, std::size_t bytes) {
  constexpr std::size_t small = 64 << 10;
  if (!call.is_blocking || call.queue.is_busy || bytes > small || !call.wait_for.is_none())
    return false;
  // Arrays enqueue commands without setting is_busy.
  const opencl::Queue& queue = call.queue.queue;
  return device::last_device_of(queue.context(), queue.device()) == nullptr;
}

std::shared_ptr<opencl::ReadStaging> staging_of(const CommandQueue& queue) {
  if (queue.staging == nullptr) queue.staging = std::make_shared<opencl::ReadStaging>(queue.queue);
  return queue.staging;
}

void wait_for_last(const CommandQueue& queue, const opencl::Event& event, nb::handle host) {
  const opencl::Queue used = queue.queue;
  using opencl::CommandQueueProperties;
  if (!has(used.properties(), CommandQueueProperties::out_of_order_exec_mode_enable))
    queue.is_busy = false;  // before waiting: other threads may enqueue more
  try {
    wait_for_transfer(used, event, host);
  } catch (...) {
    queue.is_busy = true;
    throw;
  }
}

void wait_for_transfer(const opencl::Queue& queue, const opencl::Event& event, nb::handle host) {
  try {
    queue.flush();  // asking does not submit commands, as waiting does
    wait_by_asking([&] { return event.is_done(); }, [&] { event.wait(); });
  } catch (...) {
    nb::object view = nb::steal(PyMemoryView_FromObject(host.ptr()));
    if (!view.is_valid()) PyErr_Clear();  // no memory for a view: only the object is kept
    keep_left_use([event] { return event.is_done(); },
                  std::make_shared<std::pair<nb::object, nb::object>>(nb::borrow(host), view));
    release_left_uses();
    throw;
  }
}

void note_end_of(MemoryObject& object) {
  release_left_uses();
  object.is_freed = std::make_shared<std::atomic<bool>>(false);
  object.memory().on_destruction([is_freed = object.is_freed] { *is_freed = true; });
}

MemoryObject::~MemoryObject() {
  if (!hostbuf.is_valid() || is_freed == nullptr) return;
  memory_ = opencl::MemoryObject();  // the derived class has dropped its memory before
  if (*is_freed) return;
  try {
    keep_left_use([over = is_freed] { return over->load(); },
                  std::make_shared<nb::object>(hostbuf));
  } catch (const std::bad_alloc&) {
    hostbuf.release();  // never freed, rather than too early
  }
}

Events::Events(nb::handle wait_for) {
  if (wait_for.is_none()) return;
  if (PyList_CheckExact(wait_for.ptr()) == 0 && PyTuple_CheckExact(wait_for.ptr()) == 0)
    iterable_in(wait_for, {"", "wait_for"}, "None or an iterable of pyopencl.Event");
  keep_ = nb::steal(PySequence_Fast(wait_for.ptr(), "unreachable"));
  if (!keep_.is_valid()) throw nb::python_error();
  PyObject** const items = PySequence_Fast_ITEMS(keep_.ptr());
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(keep_.ptr()); ++i) {
    if (!nb::isinstance<Event>(items[i]))
      refuse_object(items[i], {"", "wait_for", i}, nb::type<Event>());
    list_.add(instance_of<Event>(items[i]).event);
  }
}

// Made in place: every enqueue calls this, and a cast would first look up the type.
nb::object make_event(opencl::Event event) {
  static const nb::handle type = nb::type<Event>();
  nb::object made = nb::inst_alloc(type);
  new (nb::inst_ptr<Event>(made)) Event{std::move(event)};
  nb::inst_mark_ready(made);
  return made;
}

nb::object make_nanny_event(opencl::Event event, nb::handle host) {
  nb::object view = nb::steal(PyMemoryView_FromObject(host.ptr()));
  if (!view.is_valid()) throw nb::python_error();
  return nb::cast(new NannyEvent(std::move(event), nb::borrow(host), std::move(view)),
                  nb::rv_policy::take_ownership);
}

nb::object make_ended_transfer(opencl::Event event, nb::handle host) {
  static const nb::handle type = nb::type<NannyEvent>();
  nb::object made = nb::inst_alloc(type);
  new (nb::inst_ptr<NannyEvent>(made)) NannyEvent(std::move(event), nb::borrow(host), {});
  nb::inst_mark_ready(made);
  return made;
}

void bind_event(nb::module_& m) {
  static PyType_Slot profile_slots[] = {
      type_slot(Py_tp_traverse, traverse_kept<Profile, &Profile::event>),
      type_slot(Py_tp_clear, clear_kept<Profile, &Profile::event>),
      {0, nullptr}};
  nb::class_<Profile>(m, "ProfilingInfoGetter", nb::type_slots(profile_slots),
                      "The time stamps of an event, in nanoseconds.")
      .def("__getattr__", pyopencl(profile_attribute));
  auto type = nb::class_<Event>(m, "Event", nb::is_weak_referenceable(), "The end of a command.");
  bind_identity(type, [](const Event& self) { return self.event.raw(); });
  bind_from_pointer<opencl::RawEvent>(type, [](opencl::RawEvent raw, opencl::Ownership own) {
    return make_event(opencl::Event(loader_table(), raw, own));
  });
  bind_info(type, "event_info", event_info);
  type.def("_hand_over", pyopencl([](const Event& self) { hand_over(self.event); }),
           "Flushes the command's queue, if it has one and is not done.");
  type.def("get_profiling_info", pyopencl(profiling_info), nb::arg("param"),
           "Nanoseconds of the device's clock. The queue needs PROFILING_ENABLE.")
      .def("wait", pyopencl(wait), "Blocks until the command is done.")
      .def("set_callback", pyopencl(set_callback), nb::arg("status"), nb::arg("callback"),
           "Calls callback(status) once, on another thread.")
      .def_prop_ro("profile", [](nb::object self) { return Profile{self}; })
      .def(
          "__await__", [](nb::object self) { return python_part("pyopencl awaiting")(self); },
          "`await event` lets other tasks of asyncio run until the command is done; raises what "
          "wait() does.");
  bind_nanny(m);
  bind_user_event(m);
  m.def("wait_for_events", pyopencl(wait_for_list), nb::arg("events"),
        "Blocks until all are done.");
}

}  // namespace treadle::bindings::cl
