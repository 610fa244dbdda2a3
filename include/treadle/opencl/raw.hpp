// SPDX-License-Identifier: MIT
// OpenCL's own handle types, named without its header: Treadle's public headers do not need
// CL/cl.h.
#pragma once

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_program;
struct _cl_kernel;
struct _cl_event;
struct _cl_sampler;

namespace treadle::opencl {

struct Table;  // treadle/opencl/table.hpp, the only public header that includes CL/cl.h

using RawPlatform = _cl_platform_id*;  ///< cl_platform_id
using RawDevice = _cl_device_id*;      ///< cl_device_id
using RawContext = _cl_context*;       ///< cl_context
using RawQueue = _cl_command_queue*;   ///< cl_command_queue
using RawMemory = _cl_mem*;            ///< cl_mem: buffers, images, pipes
using RawProgram = _cl_program*;       ///< cl_program
using RawKernel = _cl_kernel*;         ///< cl_kernel
using RawEvent = _cl_event*;           ///< cl_event
using RawSampler = _cl_sampler*;       ///< cl_sampler

}  // namespace treadle::opencl
