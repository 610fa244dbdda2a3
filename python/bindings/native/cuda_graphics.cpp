// SPDX-License-Identifier: MIT
// Buffers and images of OpenGL.
#include "treadle/cuda/graphics.hpp"

#include "calls/argument.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

void bind_cuda_graphics(nb::module_& m) {
  nb::enum_<GraphicsFlags>(m, "GraphicsFlags", "What kernels do with a resource; combine with |.",
                           nb::is_arithmetic(), nb::is_flag())
      .value("none", GraphicsFlags::none)
      .value("read_only", GraphicsFlags::read_only)
      .value("write_discard", GraphicsFlags::write_discard)
      .value("surface_load_store", GraphicsFlags::surface_load_store)
      .value("texture_gather", GraphicsFlags::texture_gather);
  nb::class_<GraphicsMapping>(m, "GraphicsMapping", nb::is_weak_referenceable(),
                              "A buffer or image of OpenGL while kernels may use it.")
      .def_prop_ro("address", [](const GraphicsMapping& self) { return self.memory().address; })
      .def_prop_ro("size_bytes",
                   [](const GraphicsMapping& self) { return self.memory().size_bytes; })
      .def("array", &GraphicsMapping::array, nb::arg("index") = 0, nb::arg("level") = 0,
           "A layer or face and level of an image, which keeps the mapping.")
      .def("mipmapped_array", &GraphicsMapping::mipmapped_array, nb::arg("levels"),
           "The whole image where it has `levels` of them, which keeps the mapping.")
      .def(
          "unmap", [](GraphicsMapping& self) { self.unmap(); },
          "Gives it back to OpenGL. Raises InvalidState the second time.")
      .def_prop_ro("is_unmapped", &GraphicsMapping::is_unmapped);
  nb::class_<GraphicsResource>(m, "GraphicsResource", nb::is_weak_referenceable(),
                               "A buffer or image of OpenGL that kernels may use while it is "
                               "mapped. A context of OpenGL has to be current.")
      .def_static("gl_buffer", &GraphicsResource::gl_buffer, nb::arg("buffer"),
                  nb::arg("flags") = GraphicsFlags::none, "A buffer object by its name in OpenGL.")
      .def_static("gl_image", &GraphicsResource::gl_image, nb::arg("image"), nb::arg("target"),
                  nb::arg("flags") = GraphicsFlags::none,
                  "A texture or renderbuffer; `target` is GL_TEXTURE_2D and the like.")
      .def(
          "map",
          [](const GraphicsResource& self, nb::object stream) {
            return self.map(stream_argument(stream.ptr()));
          },
          nb::arg("stream") = nb::none(), nb::keep_alive<0, 2>(),
          "Lets kernels use it, after all that OpenGL was asked for.")
      .def("unregister", &GraphicsResource::unregister,
           "Ends the registration now. Raises InvalidState the second time, and while mapped.")
      .def_prop_ro("is_unregistered", &GraphicsResource::is_unregistered);
}

}  // namespace treadle::bindings
