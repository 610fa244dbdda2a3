// SPDX-License-Identifier: MIT
// Information about OpenCL's objects as Python values and attributes.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <string_view>

#include "pyopencl/error_classes.hpp"
#include "treadle/opencl/info.hpp"

namespace treadle::bindings::cl {

/// Converts numbers, texts and lists. Objects become new wrappers, null objects None, and booleans
/// 0 and 1.
nb::object to_python(const std::shared_ptr<const opencl::Table>& table,
                     const opencl::InfoValue& value);

/// The constants of a group under their Python names. `group` is PyOpenCL's name: "device_info".
const opencl::EnumGroup& constants_of(std::string_view group);
/// "MAX_WORK_GROUP_SIZE" as an attribute: "max_work_group_size".
std::string attribute_name(std::string_view constant);

/// Gives `type` a method get_info(param), or one called `method`, and a read-only attribute for
/// each parameter of the group. `ask(const T&, code)` returns a Python object.
template <class T, class... Bases, class F>
void bind_info(nb::class_<T, Bases...>& type, const char* group, F ask,
               const char* method = "get_info") {
  type.def(method,
           pyopencl([ask](const T& self, long long param) { return nb::object(ask(self, param)); }),
           nb::arg("param"),
           "The answer to one constant of the info class. Raises LogicError for those it does not "
           "know.");
  for (const opencl::EnumValue& constant : constants_of(group).values) {
    const std::string name = attribute_name(constant.name);
    if (nb::hasattr(type, name.c_str())) continue;  // the class has its own attribute
    type.def_prop_ro(name.c_str(), pyopencl([ask, code = constant.value](const T& self) {
                       return nb::object(ask(self, code));
                     }));
  }
}

}  // namespace treadle::bindings::cl
