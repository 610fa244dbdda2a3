// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/base/module_image.hpp"

namespace treadle::bindings {

/// A compiled module as Python carries it from the compiler to a driver.
struct PyImage {
  ModuleImage image;
};

/// NVIDIA's compiler comes in wheels: their folders are looked through, too. Call it before a
/// compile; only the first call does anything.
void add_python_folders();

}  // namespace treadle::bindings
