// SPDX-License-Identifier: MIT
#include "treadle/base/layout.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "native/layout.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using Values = std::vector<std::int64_t>;

std::optional<std::int64_t> slice_part(nb::handle part) {
  if (part.is_none()) return std::nullopt;
  // Clamps numbers beyond 64 bits, as every slice in Python does.
  Py_ssize_t value = PyNumber_AsSsize_t(part.ptr(), nullptr);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

Index index_of(nb::handle object) {
  if (object.is_none()) return Index::new_axis();
  if (object.ptr() == Py_Ellipsis) return Index::ellipsis();
  if (PySlice_Check(object.ptr()))
    return {Index::Kind::slice, slice_part(object.attr("start")), slice_part(object.attr("stop")),
            slice_part(object.attr("step")).value_or(1)};
  // bool is an int, but selects as a mask does. Arrays may refuse to become an int.
  const nb::object integer = PyBool_Check(object.ptr())
                                 ? nb::object()
                                 : nb::steal<nb::object>(PyNumber_Index(object.ptr()));
  PyErr_Clear();
  if (!integer.is_valid())
    throw IndexError("an index of type " + std::string(Py_TYPE(object.ptr())->tp_name),
                     "int, slice, ... and None give views");
  const Py_ssize_t value = PyNumber_AsSsize_t(integer.ptr(), PyExc_IndexError);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Index::at(value);
}

Layout broadcast_layouts(const std::vector<Layout>& layouts, std::size_t item_bytes) {
  std::vector<const Layout*> operands;
  for (const Layout& layout : layouts) operands.push_back(&layout);
  return broadcast(operands, item_bytes);
}

void bind_views(nb::class_<Layout>& layout) {
  layout
      .def("indexed",
           [](const Layout& self, nb::handle index) { return self.indexed(indices_of(index)); })
      .def("permuted",
           [](const Layout& self, const std::vector<int>& axes) { return self.permuted(axes); })
      .def("transposed", &Layout::transposed)
      .def("swapped", &Layout::swapped)
      .def("moved", &Layout::moved)
      .def("flipped", &Layout::flipped)
      .def("squeezed", nb::overload_cast<>(&Layout::squeezed, nb::const_))
      .def("squeezed", nb::overload_cast<int>(&Layout::squeezed, nb::const_))
      .def("expanded", &Layout::expanded)
      .def("broadcast_to",
           [](const Layout& self, const Values& shape) { return self.broadcast_to(shape); })
      .def("reshaped", [](const Layout& self, const Values& shape,
                          std::size_t item_bytes) { return self.reshaped(shape, item_bytes); })
      .def("diagonal", &Layout::diagonal)
      .def("windows", &Layout::windows)
      .def("split", [](const Layout& self, int axis, const Values& positions) {
        return self.split(axis, positions);
      });
}

}  // namespace

nb::tuple tuple_of(Extents values) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value);
  return nb::tuple(list);
}

std::vector<Index> indices_of(nb::handle object) {
  std::vector<Index> indices;
  if (!nb::isinstance<nb::tuple>(object)) return {index_of(object)};
  for (const nb::handle part : nb::borrow<nb::tuple>(object)) indices.push_back(index_of(part));
  return indices;
}

void bind_layout(nb::module_& m) {
  nb::class_<Layout> layout(m, "_Layout", "Where the elements of an array lie, for tests.");
  layout
      .def("__init__", [](Layout* self, const Values& shape, const Values& strides,
                          std::int64_t offset) { new (self) Layout(shape, strides, offset); })
      .def_prop_ro("shape", [](const Layout& self) { return tuple_of(self.shape()); })
      .def_prop_ro("strides", [](const Layout& self) { return tuple_of(self.strides()); })
      .def_prop_ro("offset", &Layout::offset_bytes)
      .def("is_contiguous", [](const Layout& self, std::size_t item_bytes, bool fortran) {
        return self.is_contiguous(item_bytes, fortran ? MemoryOrder::fortran : MemoryOrder::c);
      });
  bind_views(layout);
  m.def("_broadcast", &broadcast_layouts);
  m.def("_overlap", [](const Layout& a, std::size_t a_bytes, const Layout& b, std::size_t b_bytes) {
    constexpr const char* names[] = {"none", "same", "partial"};
    return names[static_cast<int>(overlap(a, a_bytes, b, b_bytes))];
  });
}

}  // namespace treadle::bindings
