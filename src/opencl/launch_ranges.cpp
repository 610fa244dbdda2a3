// SPDX-License-Identifier: MIT
#include "opencl/launch_ranges.hpp"

#include <string>

#include "treadle/process/launch_site.hpp"

namespace treadle::opencl {
namespace {

// Slots hold bare functions, and platforms share those of the one loader.
const Nvtx* marking = nullptr;
const Table* marked_loader = nullptr;

std::string launched_text(cl_kernel kernel) {
  char name[1024] = "";
  const cl_int code =
      marked_loader->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  std::string text = code == CL_SUCCESS ? name : "kernel";
  const LaunchSite site = launch_site();
  if (site.file != nullptr)
    text += " (" + std::string(site.file) + ":" + std::to_string(site.line) + ")";
  return text;
}

// over 6 parameters because OpenCL's function has them.
cl_int marked_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                     const std::size_t* offset, const std::size_t* items, const std::size_t* group,
                     cl_uint wait_count, const cl_event* wait_list, cl_event* wanted) {
  const NvtxRange range(marking, launched_text(kernel));
  return marked_loader->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, items, group,
                                               wait_count, wait_list, wanted);
}

}  // namespace

void mark_launches(Table& table, const Nvtx& nvtx) {
  marking = &nvtx;
  // For good: slots are called as a process ends.
  [[maybe_unused]] static const Table* const first = marked_loader = new Table(table);
  table.clEnqueueNDRangeKernel = &marked_launch;
  table.shows_launch_sites = true;
}

}  // namespace treadle::opencl
