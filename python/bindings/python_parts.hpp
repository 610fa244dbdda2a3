// SPDX-License-Identifier: MIT
// Parts of the Python package that C++ calls. C++ names a part by its purpose, and the package
// tells where the part is; C++ imports no module of the package.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

namespace nb = nanobind;

/// The package, which is imported before this extension.
nb::object package();
/// The module, class or function with this name in python/treadle/_parts.py.
nb::object python_part(const char* name);

}  // namespace treadle::bindings
