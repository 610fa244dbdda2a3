// SPDX-License-Identifier: MIT
// How platforms and devices write what they are.
#pragma once

#include <string>
#include <vector>

#include "treadle/opencl/info.hpp"

namespace treadle::opencl {

/// "OpenCL 3.0 PoCL" -> {3, 0}. Throws DeviceError CL_INVALID_VALUE for another text.
Version parse_version(const Table& table, const char* call, const std::string& text);
/// Without empty words.
std::vector<std::string> split_words(const std::string& text, char separator);

}  // namespace treadle::opencl
