// SPDX-License-Identifier: MIT
// Array and its descriptors, and memcpy_* between host or device memory and arrays of one
// dimension.
#include "pycuda/array.hpp"

#include "calls/bindings_handle.hpp"
#include "interrupt.hpp"
#include "pycuda/memory.hpp"
#include "rooms.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::bindings {
namespace face {
namespace {

// Properties of both descriptors. Each class has its own, because properties of a base would have
// no documentation.
template <class T>
void bind_plane(nb::class_<T>& type) {
  const auto number = [&type](const char* name, const char* doc, auto get) {
    type.def_prop_rw(
        name, [get](T& self) { return static_cast<std::uint64_t>(get(self.shape)); },
        pycuda([get, name](T& self, nb::object value) {
          auto& field = get(self.shape);
          using Field = std::remove_reference_t<decltype(field)>;
          field = static_cast<Field>(unsigned_argument(value.ptr(), name, 0xFFFFFFFFu));
        }),
        doc);
  };
  number("width", "Elements.", [](cuda::ArrayShape& s) -> std::size_t& { return s.width; });
  number("height", "Rows; 0: one dimension.",
         [](cuda::ArrayShape& s) -> std::size_t& { return s.height; });
  number("num_channels", "Numbers in an element: 1, 2 or 4.",
         [](cuda::ArrayShape& s) -> unsigned& { return s.channels; });
  type.def_prop_rw(
      "format",
      [](const T& self) {
        return enum_member("array_format", static_cast<int>(self.shape.format));
      },
      pycuda([](T& self, nb::object value) {
        self.shape.format = static_cast<cuda::ArrayFormat>(enum_value(value, "format"));
      }),
      "Type of one number, of array_format.");
}

ArrayDescriptor plane_of(const Array& self) {
  cuda::ArrayShape shape = self.array.shape();
  shape.depth = 0;
  shape.flags = cuda::ArrayFlags::none;
  return {shape};
}

void bind_descriptors(nb::module_& m) {
  nb::class_<ArrayDescriptor> plane(m, "ArrayDescriptor", nb::dynamic_attr(),
                                    nb::is_weak_referenceable(),
                                    "Sizes and format of an array of one or two dimensions.");
  plane.def(nb::init<>());
  bind_plane(plane);
  nb::class_<ArrayDescriptor3D> volume(
      m, "ArrayDescriptor3D", nb::dynamic_attr(), nb::is_weak_referenceable(),
      "Sizes, format and flags of an array of up to three dimensions, layered or a cubemap.");
  volume.def(nb::init<>());
  bind_plane(volume);
  volume
      .def_prop_rw(
          "depth", [](const ArrayDescriptor3D& self) { return self.shape.depth; },
          pycuda([](ArrayDescriptor3D& self, nb::object value) {
            self.shape.depth = unsigned_argument(value.ptr(), "depth", 0xFFFFFFFFu);
          }),
          "Slices, layers or faces; 0: at most two dimensions.")
      .def_prop_rw(
          "flags",
          [](const ArrayDescriptor3D& self) { return static_cast<unsigned>(self.shape.flags); },
          pycuda([](ArrayDescriptor3D& self, nb::object value) {
            self.shape.flags =
                static_cast<cuda::ArrayFlags>(unsigned_argument(value.ptr(), "flags", 0xFFFFFFFFu));
          }),
          "Numbers of array3d_flags, combined with |.");
}

void bind_array_class(nb::module_& m) {
  auto type = nb::class_<Array>(m, "Array", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                "Memory for textures and surfaces, in the current context.");
  make_integer<Array>(type, "CUarray", [](const Array& self) { return self.array.raw(); });
  type.def("__init__", pycuda([](Array* self, nb::object descr) {
             const cuda::ArrayShape shape = shape_argument(descr, "descr");
             const cuda::Context context = current_context();
             new (self) Array{allocate_with_retry([&] { return cuda::Array(context, shape); })};
           }),
           nb::arg("descr"), "Raises LogicError, naming what is wrong with the descriptor.")
      .def("free", pycuda([](Array& self) {
             if (self.array.is_freed()) return;
             cuda::Array array = self.array;
             // The driver may wait for work that uses it.
             without_gil_asked(cuda::Context(array.context()), [&] { array.free(); });
           }),
           "Gives the memory back now; calling it again does nothing.")
      .def("get_descriptor", pycuda([](const Array& self) { return plane_of(self); }),
           "A new ArrayDescriptor.")
      .def("get_descriptor_3d",
           pycuda([](const Array& self) { return ArrayDescriptor3D{self.array.shape()}; }),
           "A new ArrayDescriptor3D.")
      .def_prop_ro("handle", pycuda([](const Array& self) {
                     return reinterpret_cast<std::uintptr_t>(self.array.raw());
                   }),
                   "The driver's handle, an integer.");
  let_go_without_gil<Array>();
}

/// A place in an array, as the caller of a copy gave it.
struct Place {
  cuda::ArrayPosition value;
  Place(const nb::object& array, const nb::object& index, const char* what)
      : value{array_argument(array, what), unsigned_argument(index.ptr(), "index")} {}
};

std::size_t length_of(const nb::object& len) { return unsigned_argument(len.ptr(), "len"); }

void htoa(const nb::object& ary, const nb::object& index, const nb::object& src) {
  const cuda::Context context = current_context();
  const Place to(ary, index, "ary");
  const HostBuffer from(src, HostBuffer::read);
  if (from.size() == 0) return;
  without_gil(context, [&] { cuda::copy_to_device(to.value, from.data(), from.size()); });
}

void atoh(const nb::object& dest, const nb::object& ary, const nb::object& index) {
  const cuda::Context context = current_context();
  const Place from(ary, index, "ary");
  const HostBuffer to(dest, HostBuffer::write);
  if (to.size() == 0) return;
  without_gil(context, [&] { cuda::copy_to_host(to.data(), from.value, to.size()); });
}

void bind_array_copies(nb::module_& m) {
  m.def("memcpy_dtoa", pycuda([](nb::object ary, nb::object index, nb::object src, nb::object len) {
          current_context();
          const Place to(ary, index, "ary");
          const cuda::DevicePointer from = pointer_argument(src.ptr(), "src");
          cuda::copy_on_device(to.value, from, length_of(len));
        }),
        nb::arg("ary"), nb::arg("index"), nb::arg("src"), nb::arg("len"),
        "Copies device memory into an array of one dimension, from byte `index` on.");
  m.def("memcpy_atod",
        pycuda([](nb::object dest, nb::object ary, nb::object index, nb::object len) {
          current_context();
          const Place from(ary, index, "ary");
          const cuda::DevicePointer to = pointer_argument(dest.ptr(), "dest");
          cuda::copy_on_device(to, from.value, length_of(len));
        }),
        nb::arg("dest"), nb::arg("ary"), nb::arg("index"), nb::arg("len"),
        "Copies from byte `index` of an array of one dimension into device memory.");
  m.def("memcpy_atoa",
        pycuda([](nb::object dest, nb::object dest_index, nb::object src, nb::object src_index,
                  nb::object len) {
          current_context();
          const Place to(dest, dest_index, "dest"), from(src, src_index, "src");
          cuda::copy_on_device(to.value, from.value, length_of(len));
        }),
        nb::arg("dest"), nb::arg("dest_index"), nb::arg("src"), nb::arg("src_index"),
        nb::arg("len"), "Copies between two arrays of one dimension.");
  // PyCUDA documents the short names, and defines the long names.
  for (const char* name : {"memcpy_htoa", "py_memcpy_htoa"})
    m.def(name,
          pycuda([](nb::object ary, nb::object index, nb::object src) { htoa(ary, index, src); }),
          nb::arg("ary"), nb::arg("index"), nb::arg("src"),
          "Copies a buffer into an array of one dimension, from byte `index` on; blocks.");
  for (const char* name : {"memcpy_atoh", "py_memcpy_atoh"})
    m.def(name,
          pycuda([](nb::object dest, nb::object ary, nb::object index) { atoh(dest, ary, index); }),
          nb::arg("dest"), nb::arg("ary"), nb::arg("index"),
          "Fills a buffer from byte `index` of an array of one dimension on; blocks.");
}

}  // namespace
}  // namespace face

void bind_pycuda_array(nb::module_& m) {
  face::bind_descriptors(m);
  face::bind_array_class(m);
  face::bind_array_copies(m);
}

}  // namespace treadle::bindings
