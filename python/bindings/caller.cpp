// SPDX-License-Identifier: MIT
#include "caller.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

namespace treadle::bindings {
namespace {

// Never destroyed: warnings come while the interpreter shuts down.
std::string& package_folder() {
  static auto* folder = new std::string;
  return *folder;
}

bool is_own(nb::handle frame) {
  const nb::object code = frame.attr("f_code");
  const auto file = nb::cast<std::string>(code.attr("co_filename"));
  return std::string_view(file).starts_with(package_folder());
}

}  // namespace

void find_package_folder() {
  const nb::object path = nb::module_::import_("treadle").attr("__path__");
  package_folder() = nb::cast<std::string>(nb::object(path[nb::int_(0)])) + "/";
}

nb::object calling_frame() noexcept {
  try {
    auto frame = nb::steal(
        reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));  // may be null
    while (frame.is_valid() && is_own(frame))
      frame = nb::steal(reinterpret_cast<PyObject*>(
          PyFrame_GetBack(reinterpret_cast<PyFrameObject*>(frame.ptr()))));
    return frame;
  } catch (...) {
    PyErr_Clear();
    return {};
  }
}

}  // namespace treadle::bindings
