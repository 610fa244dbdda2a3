// SPDX-License-Identifier: MIT
// The devices of this machine, by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/device.hpp"

namespace treadle::device {

/// Every device there is, the best first: GPUs on CUDA, other GPUs and accelerators, the CPU
/// device, processors on OpenCL. A GPU with two run-times is listed under each. Loads the
/// run-times, makes no context. The same objects for every call while someone holds them.
std::vector<std::shared_ptr<Device>> devices();

/// The device of this id: "cuda:1", "opencl:0:0", "cpu", "null"; "cuda" and "opencl" mean the first
/// of that run-time. Throws InvalidArgument listing what there is, with the reason where a run-time
/// is missing.
std::shared_ptr<Device> find_device(std::string_view id);

/// The device that TREADLE_DEVICE names; else the first of devices(), and among several NVIDIA GPUs
/// the one that CUDA_DEVICE or ~/.cuda_device names, among OpenCL devices that of PYOPENCL_CTX.
/// Chosen once, and kept until the process ends or release_default_device(), with its context and
/// what was compiled for it; asking for it again costs some 10 ns. Throws as find_device().
std::shared_ptr<Device> default_device();
/// Lets go of what default_device() keeps. The device, its context and its memory end with the last
/// one that holds it; the next default_device() sets the same device up again. Any thread.
void release_default_device();

/// A run-time without devices here, and why: "cuda: libcuda.so.1 not found".
std::vector<std::string> missing_runtimes();

}  // namespace treadle::device

namespace treadle {

using device::default_device;
using device::devices;
using device::find_device;
using device::release_default_device;

}  // namespace treadle
