// SPDX-License-Identifier: MIT
// Memory created by OpenGL.
#include "treadle/opencl/graphics.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "kept_objects.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::MemFlags;

nb::object object_info(const MemoryObjectHolder& self) {
  const opencl::GraphicsObject object = opencl::graphics_object(self.memory());
  return nb::make_tuple(static_cast<long long>(object.type), object.name);
}

// over 6 parameters because they are PyOpenCL's and the object itself
void construct_texture(GLTexture* self, const Context& context, std::uint64_t flags,
                       unsigned texture_target, int miplevel, unsigned texture, unsigned dims) {
  if (dims != 2 && dims != 3)
    raise_logic_error("GLTexture", "dims is 2 or 3, not " + std::to_string(dims));
  new (self) GLTexture(with_retry([&] {
    return opencl::texture_from_graphics(context.context, texture_target, miplevel, texture,
                                         static_cast<MemFlags>(flags));
  }));
}

nb::object texture_info(const GLTexture& self, long long param) {
  return nb::int_(
      opencl::graphics_texture_info(self.image(), static_cast<opencl::GlTextureInfo>(param)));
}

template <auto command>
nb::object hand_over(const CommandQueue& queue, nb::handle mem_objects, nb::handle wait_for) {
  const std::vector<opencl::MemoryObject> memory =
      memory_in(mem_objects, {"enqueue_acquire_gl_objects", "mem_objects"});
  const Events after(wait_for);
  return with_retry([&] { return make_event(command(use_queue(queue), memory, after.order())); });
}

// As clGetGLContextInfoKHR: all devices that can share the context, or the first.
nb::object context_devices(nb::handle given, long long param_name, nb::handle platform) {
  using enum opencl::GlContextInfo;
  constexpr const char* call = "get_gl_context_info_khr";
  const Properties properties = read_properties(given);
  const opencl::Platform asked =
      !platform.is_none()   ? object_in<Platform>(platform, {call, "platform"}).platform
      : properties.platform ? *properties.platform
                            : opencl::Loader::system().platforms().front();
  nb::list devices;
  for (const opencl::Device& device : opencl::graphics_devices(asked, properties.pairs))
    devices.append(make_device(device));
  if (param_name == static_cast<long long>(devices_for_gl_context_khr)) return devices;
  if (param_name != static_cast<long long>(current_device_for_gl_context_khr))
    raise_logic_error(call,
                      "gl_context_info has no parameter of number " + std::to_string(param_name));
  return nb::len(devices) == 0 ? nb::object(nb::none()) : nb::object(devices[0]);
}

nb::object sharing_properties() {
  const std::vector<std::intptr_t> pairs = opencl::graphics_properties();
  nb::list list;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    list.append(nb::make_tuple(pairs[i], pairs[i + 1]));
  return list;
}

/// Binds a class for an OpenGL object, which has a number.
template <class T, class Base, auto make>
auto bind_named(nb::module_& m, const char* name, const char* description) {
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_host_memory), {0, nullptr}};
  auto type = nb::class_<T, Base>(m, name, nb::dynamic_attr(), nb::type_slots(slots), description);
  type.def("get_gl_object_info", pyopencl([](const T& self) { return object_info(self); }),
           "What it is (a gl_object_type), and OpenGL's name of it.")
      .def_prop_ro("gl_object", pyopencl([](const T& self) {
                     return opencl::graphics_object(self.memory()).name;
                   }),
                   "OpenGL's name of it.");
  if constexpr (make != nullptr)
    type.def("__init__",
             pyopencl([](T* self, const Context& context, std::uint64_t flags, unsigned bufobj) {
               new (self) T(with_retry(
                   [&] { return make(context.context, bufobj, static_cast<MemFlags>(flags)); }));
             }),
             nb::arg("context"), nb::arg("flags"), nb::arg("bufobj"));
  return type;
}

}  // namespace

void bind_graphics(nb::module_& m) {
  bind_named<GLBuffer, Buffer, &opencl::buffer_from_graphics>(m, "GLBuffer",
                                                              "A buffer object of OpenGL's.");
  bind_named<GLRenderBuffer, Image, &opencl::renderbuffer_from_graphics>(
      m, "GLRenderBuffer", "A render buffer of OpenGL's.");
  bind_named<GLTexture, Image, nullptr>(m, "GLTexture", "A texture of OpenGL's.")
      .def("__init__", pyopencl(construct_texture), nb::arg("context"), nb::arg("flags"),
           nb::arg("texture_target"), nb::arg("miplevel"), nb::arg("texture"), nb::arg("dims"))
      .def("get_gl_texture_info", pyopencl(texture_info), nb::arg("param"),
           "Its target or its mipmap level: a gl_texture_info.");
  m.def("enqueue_acquire_gl_objects", pyopencl(hand_over<&opencl::acquire_graphics>),
        nb::arg("queue"), nb::arg("mem_objects"), nb::arg("wait_for") = nb::none(),
        "Gives memory of OpenGL's to kernels; OpenGL must be done with it.");
  m.def("enqueue_release_gl_objects", pyopencl(hand_over<&opencl::release_graphics>),
        nb::arg("queue"), nb::arg("mem_objects"), nb::arg("wait_for") = nb::none(),
        "Gives it back to OpenGL, which may use it once the event is done.");
  m.def("get_gl_context_info_khr", pyopencl(context_devices), nb::arg("properties"),
        nb::arg("param_name"), nb::arg("platform") = nb::none(),
        "The devices that may share with an OpenGL context, or the one that draws for it.");
  m.def("_gl_sharing_properties", pyopencl(sharing_properties),
        "Pairs for a Context that shares with the OpenGL context of this thread.");
}

}  // namespace treadle::bindings::cl
