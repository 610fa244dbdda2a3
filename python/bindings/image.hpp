// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/base/module_image.hpp"

namespace treadle::bindings {

/// A compiled module as Python carries it from the compiler to a driver.
struct PyImage {
  ModuleImage image;
};

}  // namespace treadle::bindings
