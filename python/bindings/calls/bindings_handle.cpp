// SPDX-License-Identifier: MIT
#include "calls/bindings_handle.hpp"

#include <string>
#include <vector>

#include "errors.hpp"

namespace treadle::bindings {
namespace {

/// Filled while the module is imported.
struct BindingsName {
  PyObject* type;
  const char* name;
};
std::vector<BindingsName>& bindings_names() {
  static std::vector<BindingsName>& all = *new std::vector<BindingsName>;
  return all;
}

}  // namespace

void name_for_bindings(nb::handle type, const char* bindings_name) {
  bindings_names().push_back({type.ptr(), bindings_name});
}

nb::object as_bindings(nb::handle object) {
  for (const BindingsName& known : bindings_names()) {
    if (!nb::isinstance(object, nb::handle(known.type))) continue;
    nb::int_ number(object);
    if (known.name == nullptr) return number;
    return nb::module_::import_("cuda.bindings.driver").attr(known.name)(number);
  }
  raise_python(PyExc_TypeError,
               std::string("cuda.bindings has no handle for a ") + Py_TYPE(object.ptr())->tp_name);
}

}  // namespace treadle::bindings
