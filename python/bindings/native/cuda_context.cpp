// SPDX-License-Identifier: MIT
#include "treadle/cuda/context.hpp"

#include <nanobind/stl/optional.h>

#include "errors.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

// Context.make_current(device) for a `with` block.
class CurrentScope {
 public:
  explicit CurrentScope(Context context) : context_(std::move(context)) {}
  Context enter() {
    context_.push();
    return context_;
  }
  void leave() {
    if (Context::top() != context_)
      throw InvalidState("a context that is not current cannot be left",
                         "leave with blocks in the reverse order of entering them");
    Context::pop();
  }

 private:
  Context context_;
};

void bind_enums(nb::module_& m) {
  nb::enum_<ContextFlags>(m, "ContextFlags", "CUctx_flags; combine with |.", nb::is_arithmetic(),
                          nb::is_flag())
      .value("schedule_auto", ContextFlags::schedule_auto)
      .value("schedule_spin", ContextFlags::schedule_spin)
      .value("schedule_yield", ContextFlags::schedule_yield)
      .value("schedule_blocking_sync", ContextFlags::schedule_blocking_sync)
      .value("map_host", ContextFlags::map_host)
      .value("keep_local_memory", ContextFlags::keep_local_memory);
  nb::enum_<Limit>(m, "Limit",
                   "What Context.limit() asks for: bytes, or counts for the device_runtime ones.")
      .value("stack_size", Limit::stack_size)
      .value("printf_fifo_size", Limit::printf_fifo_size)
      .value("malloc_heap_size", Limit::malloc_heap_size)
      .value("device_runtime_sync_depth", Limit::device_runtime_sync_depth)
      .value("device_runtime_pending_launch_count", Limit::device_runtime_pending_launch_count)
      .value("max_l2_fetch_granularity", Limit::max_l2_fetch_granularity)
      .value("persisting_l2_cache_size", Limit::persisting_l2_cache_size);
  nb::enum_<CacheConfig>(m, "CacheConfig",
                         "CUfunc_cache: what a multiprocessor uses its memory for.")
      .value("none", CacheConfig::none)
      .value("prefer_shared", CacheConfig::prefer_shared)
      .value("prefer_l1", CacheConfig::prefer_l1)
      .value("prefer_equal", CacheConfig::prefer_equal);
  nb::enum_<SharedConfig>(m, "SharedConfig", "CUsharedconfig: the banks of shared memory.")
      .value("default_bank_size", SharedConfig::default_bank_size)
      .value("four_byte_bank_size", SharedConfig::four_byte_bank_size)
      .value("eight_byte_bank_size", SharedConfig::eight_byte_bank_size);
}

void bind_structs(nb::module_& m) {
  nb::class_<PriorityRange>(m, "PriorityRange", "Lower numbers are more urgent.")
      .def_ro("least", &PriorityRange::least)
      .def_ro("greatest", &PriorityRange::greatest);
  nb::class_<MemoryInfo>(m, "MemoryInfo", "Device memory, as the driver sees it.")
      .def_ro("free_bytes", &MemoryInfo::free_bytes)
      .def_ro("total_bytes", &MemoryInfo::total_bytes);
}

void bind_stack(nb::class_<Context>& type) {
  type.def_static("create", &Context::create, nb::arg("device"),
                  nb::arg("flags") = ContextFlags::schedule_auto,
                  nb::call_guard<nb::gil_scoped_release>(),
                  "A new context; push() makes it current.")
      .def_static("primary", &Context::primary, nb::arg("device"),
                  nb::call_guard<nb::gil_scoped_release>(),
                  "The primary context, which other libraries share.")
      .def_static(
          "attach", [] { return Context::attach(); },
          "The context that another library made current.")
      .def_static(
          "make_current",
          [](const Device& device) { return CurrentScope(Context::primary(device)); },
          nb::arg("device"), "For a with block: the device's primary context, current in it.")
      .def_static("top", &Context::top, "The top of this thread's stack; None if it is empty.")
      .def_static("current", &Context::current,
                  "Where new objects are made. Raises DeviceError if no context is current.")
      .def("push", &Context::push, "Puts this context on top of the calling thread's stack.")
      .def_static("pop", &Context::pop,
                  "Takes the top off the calling thread's stack and returns it; destroys nothing.")
      .def_static("stack_depth", &Context::stack_depth,
                  "How many contexts are on the calling thread's stack.")
      .def("detach", &detach_context,
           "Destroys the context now, or gives up a primary one. Raises InvalidState the second "
           "time.");
}

}  // namespace

void bind_cuda_context(nb::module_& m) {
  bind_enums(m);
  bind_structs(m);
  nb::class_<Context> type(m, "Context", nb::is_weak_referenceable(),
                           "A context. Each thread has a stack of them; its top is current.");
  let_go_without_gil<Context>();
  nb::class_<CurrentScope>(m, "CurrentContext", "Keeps a context current for a with block.")
      .def("__enter__", &CurrentScope::enter)
      .def("__exit__", [](CurrentScope& self, nb::args) { self.leave(); });
  bind_stack(type);
  type.def_prop_ro("is_valid", &Context::is_valid, "False after detach().")
      .def_prop_ro("device", &Context::device)
      .def_prop_ro("driver", &Context::driver)
      .def_prop_ro("is_primary", &Context::is_primary)
      .def(
          "synchronize", [](const Context& self) { wait_for(self); },
          "Waits for all work of the context; Ctrl-C ends the wait.")
      .def("limit", &Context::limit, nb::arg("limit"), "In the unit that Limit tells.")
      .def("set_limit", &Context::set_limit, nb::arg("limit"), nb::arg("value"),
           "The driver may round it; limit() tells to what. Applies to later launches.")
      .def_prop_rw("cache_config", &Context::cache_config, &Context::set_cache_config)
      .def_prop_rw("shared_config", &Context::shared_config, &Context::set_shared_config)
      .def_prop_ro("stream_priorities", &Context::stream_priorities, "Of streams of this context.")
      .def_prop_ro("api_version", &Context::api_version)
      .def_prop_ro("flags", [](const Context& self) { return static_cast<unsigned>(self.flags()); })
      .def_prop_ro("memory_info", &Context::memory_info, "Of the whole device, in this moment.")
      .def("enable_peer_access", &Context::enable_peer_access, nb::arg("peer"),
           nb::arg("flags") = 0,
           "Lets kernels of this context use memory of `peer`, a context of another device.")
      .def("disable_peer_access", &Context::disable_peer_access, nb::arg("peer"),
           "Raises DeviceError if it was not enabled.")
      .def_prop_ro("raw",
                   [](const Context& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def(
          "__eq__",
          [](const Context& self, nb::handle other) {
            return nb::isinstance<Context>(other) && self == nb::cast<const Context&>(other);
          },
          nb::is_operator())
      .def("__hash__", [](const Context& self) { return std::hash<Context>{}(self); });
}

}  // namespace treadle::bindings
