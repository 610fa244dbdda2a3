// SPDX-License-Identifier: MIT
// The functions that module.cpp calls, in its order: one for each class or group of classes.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

namespace nb = nanobind;

void bind_base(nb::module_& m);
void bind_warning(nb::module_& m);
void bind_promotion(nb::module_& m);
void bind_layout(nb::module_& m);
void bind_codegen(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_compile(nb::module_& m);
void bind_device_structs(nb::module_& m);
void bind_device(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_reduction_kernel(nb::module_& m);
void bind_scan_kernel(nb::module_& m);
void bind_tiling(nb::module_& m);
void bind_algorithm_kernels(nb::module_& m);
void bind_random(nb::module_& m);
void bind_array(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_sparse_solvers(nb::module_& m);
void bind_tune(nb::module_& m);
void bind_generator(nb::module_& m);
void bind_cuda_device(nb::module_& m);
void bind_cuda_context(nb::module_& m);
void bind_cuda_stream(nb::module_& m);
void bind_cuda_memory(nb::module_& m);
void bind_cuda_managed_memory(nb::module_& m);
void bind_cuda_pointer_attributes(nb::module_& m);
void bind_cuda_virtual_memory(nb::module_& m);
void bind_cuda_nvml(nb::module_& m);
void bind_cuda_texture(nb::module_& m);
void bind_cuda_graph(nb::module_& m);
void bind_cuda_launch_attributes(nb::module_& m);
void bind_cuda_memory_pool(nb::module_& m);
void bind_cuda_stream_operations(nb::module_& m);
void bind_cuda_occupancy(nb::module_& m);
void bind_cuda_function(nb::module_& m);
void bind_cuda_module(nb::module_& m);
void bind_cuda_library(nb::module_& m);
void bind_cuda_handles(nb::module_& m);
void bind_cuda_graphics(nb::module_& m);
void bind_cuda_ipc(nb::module_& m);
void bind_cuda_linker(nb::module_& m);
void bind_cuda_printing(nb::module_& m);
void bind_cuda_copy_batch(nb::module_& m);
void bind_cuda_green_context(nb::module_& m);
void bind_cuda_multicast(nb::module_& m);
void bind_cuda_tensor_map(nb::module_& m);
void bind_cuda_profiler(nb::module_& m);

// The classes and functions of pycuda._driver.
void bind_pycuda_device(nb::module_& m);
void bind_pycuda_context(nb::module_& m);
void bind_pycuda_stream(nb::module_& m);
void bind_pycuda_memory(nb::module_& m);
void bind_pycuda_host_memory(nb::module_& m);
void bind_memory_pycuda(nb::module_& m);
void bind_pycuda_copy(nb::module_& m);
void bind_pycuda_array(nb::module_& m);
void bind_pycuda_texture(nb::module_& m);
void bind_pycuda_structured_copy(nb::module_& m);
void bind_pycuda_module(nb::module_& m);
void bind_pycuda_graphics(nb::module_& m);
void bind_pycuda_ipc(nb::module_& m);
void bind_pycuda_linker(nb::module_& m);
void bind_pycuda_profiler(nb::module_& m);
void bind_pycuda_compile(nb::module_& m);

// treadle._core.opencl: the classes and functions of pyopencl._cl.
void bind_opencl(nb::module_& m);

}  // namespace treadle::bindings
