// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "rooms.hpp"
#include "treadle/base/c_declaration.hpp"

namespace treadle::bindings {

void bind_codegen(nb::module_& m) {
  nb::enum_<AddressSpace>(m, "AddressSpace", "Where a pointer parameter is declared to point.")
      .value("unspecified", AddressSpace::unspecified)
      .value("global_", AddressSpace::global)
      .value("local", AddressSpace::local)
      .value("constant", AddressSpace::constant);
  nb::class_<Declaration>(m, "Declaration", "A C declaration of a parameter, taken apart.")
      .def_ro("type", &Declaration::type)
      .def_ro("name", &Declaration::name)
      .def_ro("is_pointer", &Declaration::is_pointer)
      .def_ro("address_space", &Declaration::address_space);
  m.def("parse_declaration", &parse_declaration, nb::arg("text"),
        "Reads one declaration such as \"const float *x\".");
  m.def("parse_declarations", &parse_declarations, nb::arg("text"),
        "Reads declarations separated by commas.");
}

}  // namespace treadle::bindings
