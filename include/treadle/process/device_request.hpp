// SPDX-License-Identifier: MIT
// What the user's environment says of the device to use where a program names none: read here for
// every front door (the native API, the CUDA shell, both faces), so that they agree.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace treadle {

/// An id as TREADLE_DEVICE takes it, taken apart.
struct DeviceRequest {
  std::string runtime;                   ///< "cuda", "opencl", "cpu", "null"; empty: any
  std::optional<int> platform, ordinal;  ///< "opencl:1:0" has both, "cuda:1" an ordinal
};
/// Reads "cuda", "cuda:1", "opencl:0", "opencl:0:1", "cpu", "null" and the empty text. None if `id`
/// is something else.
std::optional<DeviceRequest> parse_device_id(std::string_view id);

/// Which NVIDIA GPU, by PyCUDA's two ways to say it.
struct GpuRequest {
  int ordinal;         ///< 0 or more
  std::string source;  ///< "CUDA_DEVICE", or the path of the file
};
/// The number in CUDA_DEVICE, else on the first line of ~/.cuda_device; none if neither is there.
/// Read anew by each call. Throws InvalidArgument naming the source for anything but a number.
std::optional<GpuRequest> requested_gpu();

/// Which OpenCL device, by PyOpenCL's way to say it: each part a number or a part of a name, in any
/// case; empty means the first.
struct OpenclRequest {
  std::string platform, device;
};
/// PYOPENCL_CTX taken apart, "1:0" or "nvidia"; of several devices, "0:0,1", the first. None if it
/// is not set. Read anew by each call. Throws InvalidArgument for more than two parts.
std::optional<OpenclRequest> requested_opencl();

}  // namespace treadle
