// SPDX-License-Identifier: MIT
// What the package has in Python and C++ calls. The package says where each part is; C++ names what
// it is for, and imports no module of it.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

namespace nb = nanobind;

/// The package, which is imported before this extension.
nb::object package();
/// A part by its name in python/treadle/_parts.py: a module, a class or a function.
nb::object python_part(const char* name);

}  // namespace treadle::bindings
