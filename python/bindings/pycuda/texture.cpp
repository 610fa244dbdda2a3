// SPDX-License-Identifier: MIT
// TextureReference and SurfaceReference. Settings apply to the next launch of any kernel of the
// module (treadle/cuda/texture.hpp).
#include "pycuda/texture.hpp"

#include <nanobind/stl/string.h>

#include "calls/function.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "kept.hpp"
#include "pycuda/array.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {
namespace {

// CU_TRSF_*; PyCUDA has names for the first two.
enum Flag : unsigned {
  read_as_integer = 1,
  normalized_coordinates = 2,
  srgb = 16,
  disable_trilinear_optimization = 32,
  seamless_cubemap = 64
};

void set_flags(cuda::TextureReference& reference, const nb::object& flags) {
  const auto bits = unsigned_argument(flags.ptr(), "flags", 0xFFFFFFFFu);
  constexpr std::uint64_t known = read_as_integer | normalized_coordinates | srgb |
                                  disable_trilinear_optimization | seamless_cubemap;
  if ((bits & ~known) != 0)
    throw InvalidArgument(
        "flags are " + std::to_string(bits) + ", and bits 1, 2, 16, 32 and 64 were expected",
        "combine TRSF_READ_AS_INTEGER and TRSF_NORMALIZED_COORDINATES");
  cuda::TextureSettings settings = reference.settings();
  settings.normalized_values = (bits & read_as_integer) == 0;
  settings.normalized_coordinates = (bits & normalized_coordinates) != 0;
  settings.srgb = (bits & srgb) != 0;
  settings.trilinear_optimization = (bits & disable_trilinear_optimization) == 0;
  settings.seamless_cubemap = (bits & seamless_cubemap) != 0;
  reference.set_settings(settings);
}

unsigned flags_of(const cuda::TextureReference& reference) {
  const cuda::TextureSettings settings = reference.settings();
  return (settings.normalized_values ? 0u : read_as_integer) |
         (settings.normalized_coordinates ? normalized_coordinates : 0u) |
         (settings.srgb ? srgb : 0u) |
         (settings.trilinear_optimization ? 0u : disable_trilinear_optimization) |
         (settings.seamless_cubemap ? seamless_cubemap : 0u);
}

std::size_t dimension_of(const nb::object& dim) {
  const auto dimension = unsigned_argument(dim.ptr(), "dim");
  if (dimension > 2)
    throw InvalidArgument("dim is " + std::to_string(dimension) + ", and 0, 1 or 2 was expected",
                          "count dimensions from 0");
  return dimension;
}

int number_below(const nb::object& member, const char* what, int end) {
  const int value = enum_value(member, what);
  if (value < 0 || value >= end)
    throw InvalidArgument(std::string(what) + " is " + std::to_string(value) +
                              ", and a number below " + std::to_string(end) + " was expected",
                          "take a member of the enumeration");
  return value;
}

std::size_t set_address(cuda::TextureReference& reference, const nb::object& devptr,
                        const nb::object& bytes, bool allow_offset) {
  const cuda::DevicePointer address = pointer_argument(devptr.ptr(), "devptr");
  current_context();
  return reference.set_address(
      address, unsigned_argument(bytes.ptr(), "bytes"),
      allow_offset ? cuda::TextureOffset::allowed : cuda::TextureOffset::refused, keep(devptr));
}

void set_address_2d(cuda::TextureReference& reference, const nb::object& devptr,
                    const nb::object& descr, const nb::object& pitch) {
  reference.set_address_2d({.address = pointer_argument(devptr.ptr(), "devptr"),
                            .shape = shape_argument(descr, "descr"),
                            .pitch_bytes = unsigned_argument(pitch.ptr(), "pitch"),
                            .owner = keep(devptr)});
}

template <class Reference>
nb::object bound_array(const Reference& reference) {
  cuda::Array array = reference.array();
  if (!array) raise_logic_error("get_array failed: no array is bound");
  return nb::cast(Array{std::move(array)});
}

void bind_sources(nb::class_<TextureReference>& type) {
  type.def("set_array", pycuda([](TextureReference& self, nb::object array) {
             self.reference.set_array(array_argument(array, "array"));
           }),
           nb::arg("array"), "Reads this array, in its own format, and keeps it.")
      .def("set_address",
           pycuda(
               [](TextureReference& self, nb::object devptr, nb::object bytes, bool allow_offset) {
                 return set_address(self.reference, devptr, bytes, allow_offset);
               }),
           nb::arg("devptr"), nb::arg("bytes"), nb::arg("allow_offset") = false,
           "Reads device memory. Returns the bytes from where the texture begins to `devptr`; "
           "raises LogicError if there are some and they are not allowed.")
      .def("set_address_2d",
           pycuda([](TextureReference& self, nb::object devptr, nb::object descr,
                     nb::object pitch) { set_address_2d(self.reference, devptr, descr, pitch); }),
           nb::arg("devptr"), nb::arg("descr"), nb::arg("pitch"),
           "Reads rows of device memory, `pitch` bytes apart.")
      .def("set_format", pycuda([](TextureReference& self, nb::object fmt, nb::object count) {
             self.reference.set_format(static_cast<cuda::ArrayFormat>(enum_value(fmt, "fmt")),
                                       static_cast<unsigned>(unsigned_argument(
                                           count.ptr(), "num_components", 0xFFFFFFFFu)));
           }),
           nb::arg("fmt"), nb::arg("num_components"),
           "Elements of device memory; at first as the texture was declared.")
      .def("get_array",
           pycuda([](const TextureReference& self) { return bound_array(self.reference); }),
           nb::sig("def get_array(self) -> Array"), "Raises LogicError if no array is bound.")
      .def("get_address", pycuda([](const TextureReference& self) {
             const cuda::DevicePointer address = self.reference.address();
             if (address == 0) raise_logic_error("get_address failed: no address is bound");
             return address;
           }),
           "Where the texture begins. Raises LogicError if no address is bound.")
      .def("get_format", pycuda([](const TextureReference& self) {
             const cuda::ArrayShape element = self.reference.format();
             return nb::make_tuple(enum_member("array_format", static_cast<int>(element.format)),
                                   element.channels);
           }),
           "(array_format, channels).");
}

void bind_settings(nb::class_<TextureReference>& type) {
  type.def("set_address_mode", pycuda([](TextureReference& self, nb::object dim, nb::object am) {
             cuda::TextureSettings settings = self.reference.settings();
             settings.address_modes[dimension_of(dim)] =
                 static_cast<cuda::AddressMode>(number_below(am, "am", 4));
             self.reference.set_settings(settings);
           }),
           nb::arg("dim"), nb::arg("am"),
           "What coordinates outside read: a member of address_mode.")
      .def("set_filter_mode", pycuda([](TextureReference& self, nb::object fm) {
             cuda::TextureSettings settings = self.reference.settings();
             settings.filter = static_cast<cuda::FilterMode>(number_below(fm, "fm", 2));
             self.reference.set_settings(settings);
           }),
           nb::arg("fm"), "A member of filter_mode.")
      .def("set_flags", pycuda([](TextureReference& self, nb::object flags) {
             set_flags(self.reference, flags);
           }),
           nb::arg("flags"), "TRSF_NORMALIZED_COORDINATES and TRSF_READ_AS_INTEGER.")
      .def("get_address_mode", pycuda([](const TextureReference& self, nb::object dim) {
             const auto mode = self.reference.settings().address_modes[dimension_of(dim)];
             return enum_member("address_mode", static_cast<int>(mode));
           }),
           nb::arg("dim"), "A member of address_mode.")
      .def("get_filter_mode", pycuda([](const TextureReference& self) {
             return enum_member("filter_mode", static_cast<int>(self.reference.settings().filter));
           }),
           "A member of filter_mode.")
      .def("get_flags",
           pycuda([](const TextureReference& self) { return flags_of(self.reference); }),
           "The number that set_flags() takes.");
}

}  // namespace
}  // namespace face

void bind_pycuda_texture(nb::module_& m) {
  using face::SurfaceReference;
  using face::TextureReference;
  nb::class_<TextureReference> texture(
      m, "TextureReference", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "A texture that kernels of a module read, as module.get_texref() gives it.");
  let_go_without_gil<TextureReference>();
  texture.def("__init__", pycuda([](TextureReference* self) {
                new (self) TextureReference;
                face::set_flags(self->reference, nb::int_(0));
              }),
              "A reference to no variable: it holds settings, and no kernel reads it.");
  face::bind_sources(texture);
  face::bind_settings(texture);
  nb::class_<SurfaceReference> surface(m, "SurfaceReference", nb::dynamic_attr(),
                                       nb::is_weak_referenceable(),
                                       "A surface that kernels of a module read and write.");
  let_go_without_gil<SurfaceReference>();
  refuse_construction(surface);
  surface
      .def("set_array", pycuda([](SurfaceReference& self, nb::object array, nb::object flags) {
             if (const auto bits = unsigned_argument(flags.ptr(), "flags"); bits != 0)
               throw InvalidArgument("flags are " + std::to_string(bits) + ", and 0 was expected",
                                     "leave them out");
             self.reference.set_array(face::array_argument(array, "array"));
           }),
           nb::arg("array"), nb::arg("flags") = 0,
           "Kernels read and write this array, which is made with array3d_flags.SURFACE_LDST.")
      .def("get_array",
           pycuda([](const SurfaceReference& self) { return face::bound_array(self.reference); }),
           nb::sig("def get_array(self) -> Array"), "Raises LogicError if no array is bound.");
}

void check_texrefs(const Kernel& kernel, nb::handle texrefs) {
  if (!texrefs.is_valid() || texrefs.is_none()) return;
  for (const nb::handle texref : nb::borrow<nb::iterable>(texrefs)) check_texref(kernel, texref);
}

void check_texref(const Kernel& kernel, nb::handle texref) {
  if (!nb::isinstance<face::TextureReference>(texref))
    raise_python(PyExc_TypeError, std::string("a texture reference is wanted, not ") +
                                      Py_TYPE(texref.ptr())->tp_name);
  const auto& reference = instance_of<face::TextureReference>(texref).reference;
  if (reference.is_of(kernel.function)) return;
  throw InvalidArgument(
      (reference.name().empty() ? std::string("a texture reference of no module")
                                : "texture reference \"" + reference.name() + "\"") +
          " is no variable of the module of kernel \"" + kernel.function.name() + "\"",
      "pass what get_texref() of the kernel's own module gives");
}

}  // namespace treadle::bindings
