// SPDX-License-Identifier: MIT
#include "opencl/trace.hpp"

#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opencl/tracer.hpp"
#include "treadle/process/launch_site.hpp"
#include "treadle/process/trace.hpp"

namespace treadle::opencl {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// Slots hold bare functions, and platforms share those of the one loader.
Tracer* traced_loader = nullptr;

/// What the arguments of a transfer say: its queue, and as bytes the last size, or the region.
struct Measure {
  cl_command_queue queue = nullptr;
  std::uint64_t bytes = 0;

  template <class... Arguments>
  explicit Measure(Arguments... arguments) {
    (look_at(arguments), ...);
    if (region_ != nullptr) bytes = std::uint64_t{region_[0]} * region_[1] * region_[2];
  }

 private:
  template <class Argument>
  void look_at(Argument /*other*/) {}
  void look_at(cl_command_queue given) { queue = given; }
  void look_at(std::size_t size) {
    if (region_ == nullptr) bytes = size;  // behind a region stand pitches
  }
  void look_at(const std::size_t* dims) {
    if (++dims_ == 3) region_ = dims;  // behind two origins
  }
  int dims_ = 0;
  const std::size_t* region_ = nullptr;
};

/// The loader's own function behind each that records.
template <auto Member>
struct Traced;
template <class Result, class... Arguments, Result (*Table::*Member)(Arguments...)>
struct Traced<Member> {
  static inline const char* name = "";      ///< of the event
  static inline const char* category = "";  ///< of the event
  static inline bool has_bytes = true;      ///< whether Measure finds them

  static Result real(Arguments... arguments) {
    return (traced_loader->real().*Member)(arguments...);
  }
  /// Calls whose last argument is the place for the event.
  static Result queued(Arguments... arguments) {
    const Measure measure(arguments...);
    TracedWork work{name, category, category, measure.queue, {}};
    if (has_bytes) work.details.add("bytes", measure.bytes);
    auto all = std::make_tuple(arguments...);
    constexpr std::size_t last = sizeof...(Arguments) - 1;
    return traced_loader->work(std::move(work), std::get<last>(all), [&](cl_event* event) {
      std::get<last>(all) = event;
      return std::apply(traced_loader->real().*Member, all);
    });
  }
  static Result host(Arguments... arguments) {
    return traced_loader->host_call(name, category, has_bytes ? Measure(arguments...).bytes : 0,
                                    [&] { return real(arguments...); });
  }
};

void add_dims(TraceDetails& details, const char* key, cl_uint count, const std::size_t* from) {
  std::uint64_t dims[3] = {1, 1, 1};
  for (cl_uint i = 0; i < count && i < 3; ++i) dims[i] = from[i];
  details.add_dims(key, dims);
}

// over 6 parameters because OpenCL's function has them.
cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
              const std::size_t* offset, const std::size_t* items, const std::size_t* group,
              cl_uint wait_count, const cl_event* wait_list, cl_event* wanted) {
  TracedWork work{traced_loader->kernel_name(kernel), "launch", "kernel", queue, {}};
  if (items != nullptr) add_dims(work.details, "items", dimensions, items);
  if (group != nullptr) add_dims(work.details, "group", dimensions, group);
  const LaunchSite site = launch_site();
  if (site.file != nullptr)
    work.details.add("at", std::string(site.file) + ":" + std::to_string(site.line));
  return traced_loader->work(std::move(work), wanted, [&](cl_event* event) {
    return traced_loader->real().clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, items,
                                                        group, wait_count, wait_list, event);
  });
}

// over 6 parameters because OpenCL's function has them.
void* map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                 std::size_t offset, std::size_t bytes, cl_uint wait_count,
                 const cl_event* wait_list, cl_event* wanted, cl_int* answer) {
  void* mapped = nullptr;
  TracedWork work{"map", "copy", "copy", queue, {}};
  work.details.add("bytes", bytes);
  const cl_int code = traced_loader->work(std::move(work), wanted, [&](cl_event* event) {
    cl_int result = CL_SUCCESS;
    mapped = traced_loader->real().clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes,
                                                      wait_count, wait_list, event, &result);
    return result;
  });
  if (answer != nullptr) *answer = code;
  return mapped;
}

cl_command_queue make_queue(cl_context context, cl_device_id device,
                            cl_command_queue_properties properties, cl_int* answer) {
  return traced_loader->real().clCreateCommandQueue(context, device,
                                                    properties | CL_QUEUE_PROFILING_ENABLE, answer);
}

cl_command_queue make_queue_with(cl_context context, cl_device_id device,
                                 const cl_queue_properties* properties, cl_int* answer) {
  std::vector<cl_queue_properties> all;
  bool has_flags = false;
  for (; properties != nullptr && properties[0] != 0; properties += 2) {
    const bool is_flags = properties[0] == CL_QUEUE_PROPERTIES;
    has_flags = has_flags || is_flags;
    all.push_back(properties[0]);
    all.push_back(is_flags ? properties[1] | CL_QUEUE_PROFILING_ENABLE : properties[1]);
  }
  if (!has_flags) all.insert(all.end(), {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE});
  all.push_back(0);
  return traced_loader->real().clCreateCommandQueueWithProperties(context, device, all.data(),
                                                                  answer);
}

cl_int release_queue(cl_command_queue queue) {
  traced_loader->forget_queue(queue);
  return traced_loader->real().clReleaseCommandQueue(queue);
}

template <class Slot>
void put(Slot& slot, std::type_identity_t<Slot> function) {
  if (is_present(slot)) slot = function;
}

template <auto... Members>
void queued(Table& table, const char* name, const char* category, bool has_bytes) {
  ((Traced<Members>::name = name, Traced<Members>::category = category,
    Traced<Members>::has_bytes = has_bytes, put(table.*Members, &Traced<Members>::queued)),
   ...);
}

template <auto... Members>
void host(Table& table, const char* name, const char* category, bool has_bytes) {
  ((Traced<Members>::name = name, Traced<Members>::category = category,
    Traced<Members>::has_bytes = has_bytes, put(table.*Members, &Traced<Members>::host)),
   ...);
}

void wrap_transfers(Table& table) {
  using T = Table;
  queued<&T::clEnqueueReadBuffer, &T::clEnqueueReadBufferRect>(table, "copy device to host", "copy",
                                                               true);
  queued<&T::clEnqueueWriteBuffer, &T::clEnqueueWriteBufferRect>(table, "copy host to device",
                                                                 "copy", true);
  queued<&T::clEnqueueCopyBuffer, &T::clEnqueueCopyBufferRect>(table, "copy device to device",
                                                               "copy", true);
  queued<&T::clEnqueueSVMMemcpy>(table, "copy", "copy", true);
  queued<&T::clEnqueueReadImage>(table, "copy image to host", "copy", false);
  queued<&T::clEnqueueWriteImage>(table, "copy host to image", "copy", false);
  queued<&T::clEnqueueCopyImage>(table, "copy image to image", "copy", false);
  queued<&T::clEnqueueCopyImageToBuffer>(table, "copy image to device", "copy", false);
  queued<&T::clEnqueueCopyBufferToImage>(table, "copy device to image", "copy", false);
  queued<&T::clEnqueueUnmapMemObject>(table, "unmap", "copy", false);
  queued<&T::clEnqueueFillBuffer, &T::clEnqueueSVMMemFill>(table, "fill", "fill", true);
  queued<&T::clEnqueueFillImage>(table, "fill an image", "fill", false);
  put(table.clEnqueueMapBuffer, &map_buffer);
}

}  // namespace

void trace_calls(Table& table, const Table& loader, TraceRecorder& recorder) {
  [[maybe_unused]] static const Tracer* const tracer = traced_loader =
      new Tracer(loader, recorder);  // slots may be called while the process ends
  // Behind the platform's own functions for the end of the process, and so called before them.
  [[maybe_unused]] static const int registered = std::atexit(write_trace);
  using T = Table;
  wrap_transfers(table);
  table.shows_launch_sites = true;
  put(table.clEnqueueNDRangeKernel, &launch);
  put(table.clCreateCommandQueue, &make_queue);
  put(table.clCreateCommandQueueWithProperties, &make_queue_with);
  put(table.clReleaseCommandQueue, &release_queue);
  host<&T::clFinish>(table, "wait for a queue", "wait", false);
  host<&T::clWaitForEvents>(table, "wait for events", "wait", false);
  host<&T::clCreateBuffer, &T::clCreateBufferWithProperties>(table, "allocate", "memory", true);
  host<&T::clSVMAlloc>(table, "allocate shared", "memory", true);
  host<&T::clBuildProgram>(table, "build a program", "load", false);
  host<&T::clCompileProgram>(table, "compile a program", "load", false);
  host<&T::clLinkProgram>(table, "link a program", "load", false);
}

#pragma GCC diagnostic pop

}  // namespace treadle::opencl
