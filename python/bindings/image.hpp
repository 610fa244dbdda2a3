// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/base/module_image.hpp"

namespace treadle::bindings {

/// A compiled module on its way from the compiler to a driver, as a Python object.
struct PyImage {
  ModuleImage image;
};

/// Adds the folders of Python's wheels of NVIDIA's compiler to the search. Call this before a
/// compile; only the first call has an effect.
void add_python_folders();

}  // namespace treadle::bindings
