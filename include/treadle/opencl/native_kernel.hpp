// SPDX-License-Identifier: MIT
// Functions of the program's own as commands of a queue.
#pragma once

#include <functional>
#include <span>

#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/queue.hpp"

namespace treadle::opencl {

/// What a queue of a processor runs between its kernels; called with the addresses of the command's
/// memory, in order.
using NativeKernel = std::function<void(std::span<void* const> memory)>;

/// Enqueues `function` on a device that runs native kernels, processors mostly: it may use `memory`
/// until it returns, on a thread of the platform's. What it throws becomes a warning. Throws
/// DeviceError CL_INVALID_OPERATION where the device has no native kernels.
Event enqueue_native(const Queue& queue, NativeKernel function,
                     std::span<const MemoryObject> memory = {}, const Order& order = {});

}  // namespace treadle::opencl
