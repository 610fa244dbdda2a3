// SPDX-License-Identifier: MIT
// Buffers and images of OpenGL under pycuda.gl's rules.
#include "treadle/cuda/graphics.hpp"

#include "interrupt.hpp"
#include "pycuda/array.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {
namespace {

struct RegisteredObject {
  cuda::GraphicsResource resource;
  unsigned gl_handle;
};
struct RegisteredBuffer : RegisteredObject {};
struct RegisteredImage : RegisteredObject {};
struct RegisteredMapping {
  cuda::GraphicsMapping mapping;
  nb::object stream;  ///< kept, because the mapping ends on it
};

unsigned gl_number(const nb::object& number, const char* what) {
  return static_cast<unsigned>(unsigned_argument(number.ptr(), what, 0xFFFFFFFFu));
}
cuda::GraphicsFlags gl_flags(const nb::object& flags) {
  return static_cast<cuda::GraphicsFlags>(gl_number(flags, "flags"));
}

RegisteredMapping map_registered(const RegisteredObject& self, nb::object stream) {
  const cuda::StreamRef queue = stream_argument(stream.ptr());
  return {self.resource.map(queue), std::move(stream)};
}

void bind_registered(nb::module_& m) {
  nb::class_<RegisteredObject> base(m, "RegisteredObject", nb::dynamic_attr(),
                                    nb::is_weak_referenceable(),
                                    "A buffer or image of OpenGL that kernels may use.");
  refuse_construction(base);
  base.def(
          "gl_handle", [](const RegisteredObject& self) { return self.gl_handle; },
          "Its name in OpenGL.")
      .def("unregister", pycuda([](RegisteredObject& self) { self.resource.unregister(); }),
           "Ends the registration now. Raises LogicError the second time, and while it is mapped.")
      .def("map", pycuda([](const RegisteredObject& self, nb::object stream) {
             return map_registered(self, std::move(stream));
           }),
           nb::arg("stream") = nb::none(),
           "Lets kernels use it, after what OpenGL was asked for, until the mapping ends.");
  nb::class_<RegisteredBuffer, RegisteredObject>(m, "RegisteredBuffer", "A buffer of OpenGL.")
      .def("__init__", pycuda([](RegisteredBuffer* self, nb::object gl_handle, nb::object flags) {
             const unsigned name = gl_number(gl_handle, "gl_handle");
             current_context();
             new (self)
                 RegisteredBuffer{{cuda::GraphicsResource::gl_buffer(name, gl_flags(flags)), name}};
           }),
           nb::arg("gl_handle"), nb::arg("flags") = 0,
           "By its name; flags of graphics_map_flags. A context of OpenGL must be current.");
  nb::class_<RegisteredImage, RegisteredObject>(m, "RegisteredImage",
                                                "A texture or renderbuffer of OpenGL.")
      .def("__init__",
           pycuda([](RegisteredImage* self, nb::object gl_handle, nb::object target,
                     nb::object flags) {
             const unsigned name = gl_number(gl_handle, "gl_handle");
             current_context();
             new (self) RegisteredImage{{cuda::GraphicsResource::gl_image(
                                             name, gl_number(target, "target"), gl_flags(flags)),
                                         name}};
           }),
           nb::arg("gl_handle"), nb::arg("target"), nb::arg("flags") = 0,
           "By its name and target, as GL_TEXTURE_2D; flags of graphics_register_flags. A context "
           "of OpenGL must be current.");
}

void unmap_registered(RegisteredMapping& self, const nb::object& stream) {
  if (stream.is_none())
    self.mapping.unmap();
  else
    self.mapping.unmap(stream_argument(stream.ptr()));
}

}  // namespace
}  // namespace face

void bind_pycuda_graphics(nb::module_& m) {
  using face::RegisteredMapping;
  face::bind_registered(m);
  nb::class_<RegisteredMapping> mapping(m, "RegisteredMapping", nb::dynamic_attr(),
                                        nb::is_weak_referenceable(),
                                        "A buffer or image while kernels may use it.");
  refuse_construction(mapping);
  mapping
      .def("unmap", pycuda([](RegisteredMapping& self, nb::object stream) {
             face::unmap_registered(self, stream);
           }),
           nb::arg("stream") = nb::none(),
           "Gives it back to OpenGL; without a stream in the one it was mapped in. Raises "
           "LogicError the second time.")
      .def("device_ptr_and_size", pycuda([](const RegisteredMapping& self) {
             const cuda::MappedMemory memory = self.mapping.memory();
             return nb::make_tuple(memory.address, memory.size_bytes);
           }),
           "(address, bytes) of a buffer.")
      .def("array", pycuda([](const RegisteredMapping& self, nb::object index, nb::object level) {
             return face::Array{self.mapping.array(face::gl_number(index, "index"),
                                                   face::gl_number(level, "level"))};
           }),
           nb::arg("index"), nb::arg("level"),
           "A layer or face and level of an image, which keeps the mapping.");
  m.def(
      "have_gl_ext",
      [] {
        try {
          return cuda::has_gl(cuda::default_driver());
        } catch (const Error&) {
          return false;
        }
      },
      "Whether buffers of OpenGL can be shared: with NVIDIA's driver, where there is EGL or GLX.");
}

}  // namespace treadle::bindings
