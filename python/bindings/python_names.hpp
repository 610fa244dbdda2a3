// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace treadle::bindings {

/// Replaces C++ names in a message or hint of the core by Python's names.
std::string with_python_names(std::string text);

}  // namespace treadle::bindings
