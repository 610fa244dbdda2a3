// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace treadle::bindings {

/// A message or a hint of the core with Python's names for what it calls by C++ ones.
std::string with_python_names(std::string text);

}  // namespace treadle::bindings
