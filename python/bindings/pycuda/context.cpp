// SPDX-License-Identifier: MIT
#include <nanobind/stl/optional.h>

#include "calls/bindings_handle.hpp"
#include "interrupt.hpp"
#include "pycuda/classes.hpp"
#include "rooms.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/device.hpp"

namespace treadle::bindings {
namespace face {
namespace {

constexpr int invalid_context = 201;  // CUDA_ERROR_INVALID_CONTEXT

void pop() {
  if (cuda::Context::stack_depth() == 0)
    raise_logic_error(
        "context::pop failed: invalid device context - cannot pop non-current context");
  cuda::Context::pop();
}

void detach(const Context& self) {
  if (!self.context.is_valid()) raise_logic_error("cannot detach from invalid context");
  detach_context(self.context);
}

void push(const Context& self) {
  if (!self.context.is_valid())
    raise_logic_error("context::push failed: invalid device context - it was detached");
  self.context.push();
}

cuda::Limit limit_of(nb::handle limit) {
  return static_cast<cuda::Limit>(enum_value(limit, "limit"));
}

int shared_config() {
  try {
    return static_cast<int>(current_context().shared_config());
  } catch (const NotSupported&) {
    return static_cast<int>(cuda::SharedConfig::default_bank_size);  // the only bank size
  }
}

void bind_settings(nb::class_<Context>& type) {
  type.def_static(
          "set_limit", pycuda([](nb::object limit, nb::object value) {
            current_context().set_limit(limit_of(limit), unsigned_argument(value.ptr(), "value"));
          }),
          nb::arg("limit"), nb::arg("value"), "The current context's; the driver may round it.")
      .def_static("get_limit",
                  pycuda([](nb::object limit) { return current_context().limit(limit_of(limit)); }),
                  nb::arg("limit"), "The current context's: bytes or a count, as the limit says.")
      .def_static("set_cache_config", pycuda([](nb::object config) {
                    current_context().set_cache_config(
                        static_cast<cuda::CacheConfig>(enum_value(config, "cc")));
                  }),
                  nb::arg("cc"),
                  "For kernels of the current context that have no preference of their own.")
      .def_static("get_cache_config", pycuda([] {
                    return enum_member("func_cache",
                                       static_cast<int>(current_context().cache_config()));
                  }),
                  "A func_cache, of the current context.")
      .def_static("set_shared_config", pycuda([](nb::object config) {
                    current_context().set_shared_config(
                        static_cast<cuda::SharedConfig>(enum_value(config, "sc")));
                  }),
                  nb::arg("sc"),
                  "For later launches in the current context; devices since sm_50 ignore it.")
      .def_static("get_shared_config",
                  pycuda([] { return enum_member("shared_config", shared_config()); }),
                  "A shared_config, of the current context.")
      .def_static("enable_peer_access", pycuda([](const Context& peer, unsigned flags) {
                    current_context().enable_peer_access(peer.context, flags);
                  }),
                  nb::arg("peer"), nb::arg("flags") = 0,
                  "Lets kernels of the current context use memory of `peer`.")
      .def_static("disable_peer_access", pycuda([](const Context& peer) {
                    current_context().disable_peer_access(peer.context);
                  }),
                  nb::arg("peer"), "Raises LogicError if it was not enabled.");
}

void bind_stack(nb::class_<Context>& type) {
  type.def("push", pycuda([](const Context& self) { push(self); }),
           "Makes this context the current one of the calling thread.")
      .def_static("pop", pycuda([] { pop(); }), "Takes the top off the calling thread's stack.")
      .def("detach", pycuda([](const Context& self) { detach(self); }),
           "Destroys the context now, or gives up a primary one.")
      .def_static("attach", pycuda([](unsigned) {
                    cuda::Context attached = cuda::Context::attach();
                    attached.push();
                    return Context{attached};
                  }),
                  nb::arg("flags") = 0, "Adopts the context another library made current.")
      .def_static("get_current", pycuda([]() -> nb::object {
                    const std::optional<cuda::Context> top = cuda::Context::top();
                    return top ? nb::cast(Context{*top}) : nb::none();
                  }),
                  nb::sig("def get_current() -> Context | None"),
                  "The top of this thread's stack; None if it is empty.")
      .def_static("get_device", pycuda([] { return Device{current_context().device()}; }),
                  "Where the current context was made.")
      .def_static("synchronize", pycuda([] {
                    queue_deferred();
                    wait_for(current_context());
                  }),
                  "Waits for all work of the current context.");
}

}  // namespace

Context make_context(const Device& device, nb::object flags) {
  const auto bits = static_cast<cuda::ContextFlags>(unsigned_argument(flags.ptr(), "flags", ~0u));
  std::optional<cuda::Context> made;
  {
    nb::gil_scoped_release released;
    made = cuda::Context::create(device.device, bits);
  }
  made->push();
  return {*made};
}

void queue_deferred() {
  const std::optional<cuda::Context> top = cuda::Context::top();
  device::Device* const device = top ? device::last_device_of(*top) : nullptr;
  if (device != nullptr) device->queue_deferred();
}

cuda::Context current_context() {
  try {
    return cuda::Context::current();
  } catch (const DeviceError& e) {
    if (e.code() != invalid_context) throw;
    raise_logic_error(
        "explicit_context_dependent failed: invalid device context - "
        "no currently active context?");
  }
}

}  // namespace face

void bind_pycuda_context(nb::module_& m) {
  using face::Context;
  auto type = nb::class_<Context>(m, "Context", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                  "A context; Device.make_context makes one.");
  let_go_without_gil<Context>();
  refuse_construction(type);
  face::bind_stack(type);
  face::bind_settings(type);
  make_integer<Context>(type, "CUcontext", [](const Context& self) { return self.context.raw(); });
  type.def("get_api_version",
           pycuda([](const Context& self) { return self.context.api_version(); }),
           "The version of the driver API the context was made with.")
      .def_prop_ro(
          "handle",
          [](const Context& self) { return reinterpret_cast<std::uintptr_t>(self.context.raw()); })
      .def(
          "__eq__",
          [](const Context& self, nb::handle other) {
            return nb::isinstance<Context>(other) &&
                   self.context == nb::cast<const Context&>(other).context;
          },
          nb::is_operator())
      .def(
          "__ne__",
          [](const Context& self, nb::handle other) {
            return !nb::isinstance<Context>(other) ||
                   !(self.context == nb::cast<const Context&>(other).context);
          },
          nb::is_operator())
      .def("__hash__",
           [](const Context& self) { return std::hash<cuda::Context>{}(self.context); });
}

}  // namespace treadle::bindings
