// SPDX-License-Identifier: MIT
#include "python_parts.hpp"

namespace treadle::bindings {

nb::object package() {
  const nb::object name = nb::str("treadle");
  nb::object found = nb::steal(PyImport_GetModule(name.ptr()));
  if (!found.is_valid()) throw nb::import_error("the package treadle is not imported");
  return found;
}

nb::object python_part(const char* name) { return package().attr("_part")(name); }

}  // namespace treadle::bindings
