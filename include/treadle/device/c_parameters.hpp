// SPDX-License-Identifier: MIT
// What C text says about kernels and the types of their parameters, where no run-time does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/kernel.hpp"

namespace treadle::device {

/// Kind and size by a C or OpenCL C type name, "unsigned int", "const float*", "float4"; a type
/// that is not known by name has neither. `is_local` for a pointer to local memory.
Parameter c_parameter(std::string_view type, std::string_view name, bool is_local = false);

/// A kernel as its text declares it.
struct KernelText {
  std::string name;
  std::vector<Parameter> parameters;
};
/// The kernels that `source` declares in plain sight: `__global__` or `__kernel` before the
/// declaration, no macros, no templates.
std::vector<KernelText> kernels_in(std::string_view source);
/// What the C++ name of a kernel, "scale<float, 4>", makes of a template in plain sight: its
/// arguments, or what the template has in their place, stand in the types of the parameters. None
/// if there is no such template.
std::optional<KernelText> kernel_instance_in(std::string_view source, std::string_view name);

}  // namespace treadle::device
