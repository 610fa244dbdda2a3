// SPDX-License-Identifier: MIT
#include "cuda/trace.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/tracer.hpp"
#include "treadle/process/launch_site.hpp"
#include "treadle/process/trace.hpp"

namespace treadle::cuda {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// A slot holds a bare function: which driver it belongs to is part of its type.
template <Provider provider>
Tracer* traced_driver = nullptr;

void add_launch_site(TraceDetails& details) {
  const LaunchSite site = launch_site();
  if (site.file != nullptr)
    details.add("at", std::string(site.file) + ":" + std::to_string(site.line));
}

/// What the arguments of a copy or an allocation say: its stream, and as bytes the last size.
struct Measure {
  CUstream stream = nullptr;
  std::uint64_t bytes = 0;
  int sizes = 0;  ///< how many there are

  template <class... Arguments>
  explicit Measure(Arguments... arguments) {
    (look_at(arguments), ...);
  }

 private:
  template <class Argument>
  void look_at(Argument /*other*/) {}
  void look_at(CUstream given) { stream = given; }
  void look_at(std::size_t size) {
    bytes = size;
    ++sizes;
  }
  void look_at(const CUDA_MEMCPY2D* copy) { bytes = copy->WidthInBytes * copy->Height; }
  void look_at(const CUDA_MEMCPY3D* copy) {
    bytes = copy->WidthInBytes * copy->Height * copy->Depth;
  }
  void look_at(const CUDA_MEMCPY3D_PEER* copy) {
    bytes = copy->WidthInBytes * copy->Height * copy->Depth;
  }
};

/// The driver's own function behind each that records.
template <Provider provider, auto Member>
struct Traced;
template <Provider provider, class... Arguments, CUresult (*Table::*Member)(Arguments...)>
struct Traced<provider, Member> {
  static inline const char* name = "";      ///< of the event
  static inline const char* category = "";  ///< of the event

  static CUresult real(Arguments... arguments) {
    return (traced_driver<provider>->real().*Member)(arguments...);
  }
  static CUresult copy(Arguments... arguments) {
    const Measure measure(arguments...);
    TracedWork work{name, "copy", "copy", measure.stream, {}};
    if (measure.bytes != 0) work.details.add("bytes", measure.bytes);
    return traced_driver<provider>->work(std::move(work), [&] { return real(arguments...); });
  }
  static CUresult host(Arguments... arguments) {
    const Measure measure(arguments...);
    // Several sizes are those of a plane, with a pitch that the driver chooses.
    return traced_driver<provider>->host_call(
        name, category, measure.sizes == 1 ? measure.bytes : 0, [&] { return real(arguments...); });
  }
};

/// Fills: (address, value, count[, stream]) and (address, pitch, value, width, height[, stream]).
template <Provider provider, auto Member, class Element>
struct Filled {
  static TracedWork of(std::uint64_t elements, CUstream stream) {
    TracedWork work{"fill", "fill", "fill", stream, {}};
    work.details.add("bytes", elements * sizeof(Element));
    return work;
  }
  template <class... Stream>
  static CUresult row(CUdeviceptr to, Element value, std::size_t count, Stream... stream) {
    return traced_driver<provider>->work(of(count, Measure(stream...).stream), [&] {
      return Traced<provider, Member>::real(to, value, count, stream...);
    });
  }
  template <class... Stream>
  static CUresult rows(CUdeviceptr to, std::size_t pitch, Element value, std::size_t width,
                       std::size_t height, Stream... stream) {
    return traced_driver<provider>->work(of(width * height, Measure(stream...).stream), [&] {
      return Traced<provider, Member>::real(to, pitch, value, width, height, stream...);
    });
  }
};

template <Provider provider>
struct Launched {
  static TracedWork kernel(CUfunction function, const CUlaunchConfig& shape) {
    TracedWork work{
        traced_driver<provider>->function_name(function), "launch", "kernel", shape.hStream, {}};
    work.details.add_dims("grid", {shape.gridDimX, shape.gridDimY, shape.gridDimZ});
    work.details.add_dims("block", {shape.blockDimX, shape.blockDimY, shape.blockDimZ});
    if (shape.sharedMemBytes != 0) work.details.add("shared bytes", shape.sharedMemBytes);
    add_launch_site(work.details);
    return work;
  }
  // over 6 parameters because the driver's function has them.
  static CUresult plain(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** packed) {
    const CUlaunchConfig shape{grid_x,  grid_y,       grid_z, block_x, block_y,
                               block_z, shared_bytes, stream, nullptr, 0};
    return traced_driver<provider>->work(kernel(function, shape), [&] {
      return Traced<provider, &Table::cuLaunchKernel>::real(function, grid_x, grid_y, grid_z,
                                                            block_x, block_y, block_z, shared_bytes,
                                                            stream, arguments, packed);
    });
  }
  static CUresult extended(const CUlaunchConfig* shape, CUfunction function, void** arguments,
                           void** packed) {
    return traced_driver<provider>->work(kernel(function, *shape), [&] {
      return Traced<provider, &Table::cuLaunchKernelEx>::real(shape, function, arguments, packed);
    });
  }
  // over 6 parameters because the driver's function has them.
  static CUresult cooperative(CUfunction function, unsigned grid_x, unsigned grid_y,
                              unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, CUstream stream, void** arguments) {
    const CUlaunchConfig shape{grid_x,  grid_y,       grid_z, block_x, block_y,
                               block_z, shared_bytes, stream, nullptr, 0};
    return traced_driver<provider>->work(kernel(function, shape), [&] {
      return Traced<provider, &Table::cuLaunchCooperativeKernel>::real(
          function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
          arguments);
    });
  }
  static CUresult graph(CUgraphExec graph, CUstream stream) {
    TracedWork work{"graph", "launch", "kernel", stream, {}};
    add_launch_site(work.details);
    return traced_driver<provider>->work(std::move(work), [&] {
      return Traced<provider, &Table::cuGraphLaunch>::real(graph, stream);
    });
  }
};

/// Only the CPU device has it.
CUresult fill_pattern(CUdeviceptr to, const void* pattern, std::size_t pattern_bytes,
                      std::size_t count, CUstream stream) {
  Tracer& tracer = *traced_driver<Provider::cpu>;
  TracedWork work{"fill", "fill", "fill", stream, {}};
  work.details.add("bytes", pattern_bytes * count);
  return tracer.work(std::move(work), [&] {
    return tracer.real().fill_pattern(to, pattern, pattern_bytes, count, stream);
  });
}

/// Calls that are recorded nowhere, but which names and ends depend on.
template <Provider provider>
struct Watched {
  static CUresult initialize(unsigned flags) {
    const CUresult code = Traced<provider, &Table::cuInit>::real(flags);
    // Behind the driver's own functions for the end of the process, and so called before them.
    [[maybe_unused]] static const int registered = std::atexit(write_trace);
    return code;
  }
  static CUresult function(CUfunction* function, CUmodule module, const char* symbol) {
    const CUresult code =
        Traced<provider, &Table::cuModuleGetFunction>::real(function, module, symbol);
    if (code == CUDA_SUCCESS) traced_driver<provider>->name_function(*function, symbol);
    return code;
  }
  static CUresult kernel(CUkernel* kernel, CUlibrary library, const char* symbol) {
    const CUresult code =
        Traced<provider, &Table::cuLibraryGetKernel>::real(kernel, library, symbol);
    // A kernel may be launched as if it were a function.
    if (code == CUDA_SUCCESS)
      traced_driver<provider>->name_function(reinterpret_cast<CUfunction>(*kernel), symbol);
    return code;
  }
  static CUresult function_of(CUfunction* function, CUkernel kernel) {
    const CUresult code = Traced<provider, &Table::cuKernelGetFunction>::real(function, kernel);
    if (code == CUDA_SUCCESS) traced_driver<provider>->copy_name(*function, kernel);
    return code;
  }
  static CUresult end_stream(CUstream stream) {
    traced_driver<provider>->forget_stream(stream);
    return Traced<provider, &Table::cuStreamDestroy>::real(stream);
  }
  static CUresult end_context(CUcontext context) {
    traced_driver<provider>->end_context(context);
    return Traced<provider, &Table::cuCtxDestroy>::real(context);
  }
  static CUresult release_primary(CUdevice device) {
    traced_driver<provider>->end_contexts_of(device);
    return Traced<provider, &Table::cuDevicePrimaryCtxRelease>::real(device);
  }
  static CUresult reset_primary(CUdevice device) {
    traced_driver<provider>->end_contexts_of(device);
    return Traced<provider, &Table::cuDevicePrimaryCtxReset>::real(device);
  }
};

template <class Slot>
void put(Slot& slot, std::type_identity_t<Slot> function) {
  if (is_present(slot)) slot = function;
}

template <Provider provider>
class Wrapping {
 public:
  explicit Wrapping(Table& table) : table_(table) {}

  void wrap_all() {
    wrap_copies();
    wrap_fills();
    wrap_host_calls();
    put(table_.cuLaunchKernel, &Launched<provider>::plain);
    put(table_.cuLaunchKernelEx, &Launched<provider>::extended);
    put(table_.cuLaunchCooperativeKernel, &Launched<provider>::cooperative);
    put(table_.cuGraphLaunch, &Launched<provider>::graph);
    if (table_.fill_pattern != nullptr) table_.fill_pattern = &fill_pattern;
    put(table_.cuInit, &Watched<provider>::initialize);
    put(table_.cuModuleGetFunction, &Watched<provider>::function);
    put(table_.cuLibraryGetKernel, &Watched<provider>::kernel);
    put(table_.cuKernelGetFunction, &Watched<provider>::function_of);
    put(table_.cuStreamDestroy, &Watched<provider>::end_stream);
    put(table_.cuCtxDestroy, &Watched<provider>::end_context);
    put(table_.cuDevicePrimaryCtxRelease, &Watched<provider>::release_primary);
    put(table_.cuDevicePrimaryCtxReset, &Watched<provider>::reset_primary);
  }

 private:
  template <auto... Members>
  void copies(const char* name) {
    ((Traced<provider, Members>::name = name,
      put(table_.*Members, &Traced<provider, Members>::copy)),
     ...);
  }
  void wrap_copies() {
    using T = Table;
    copies<&T::cuMemcpyHtoD, &T::cuMemcpyHtoDAsync>("copy host to device");
    copies<&T::cuMemcpyDtoH, &T::cuMemcpyDtoHAsync>("copy device to host");
    copies<&T::cuMemcpyDtoD, &T::cuMemcpyDtoDAsync>("copy device to device");
    copies<&T::cuMemcpyHtoA, &T::cuMemcpyHtoAAsync>("copy host to array");
    copies<&T::cuMemcpyAtoH, &T::cuMemcpyAtoHAsync>("copy array to host");
    copies<&T::cuMemcpyDtoA>("copy device to array");
    copies<&T::cuMemcpyAtoD>("copy array to device");
    copies<&T::cuMemcpyAtoA>("copy array to array");
    copies<&T::cuMemcpy, &T::cuMemcpyAsync>("copy");
    copies<&T::cuMemcpyPeer, &T::cuMemcpyPeerAsync>("copy between devices");
    copies<&T::cuMemcpy2D, &T::cuMemcpy2DUnaligned, &T::cuMemcpy2DAsync>("copy in 2 dimensions");
    copies<&T::cuMemcpy3D, &T::cuMemcpy3DAsync>("copy in 3 dimensions");
    copies<&T::cuMemcpy3DPeer, &T::cuMemcpy3DPeerAsync>("copy between devices");
  }

  template <class Element, auto Plain, auto Queued>
  void row_fills() {
    put(table_.*Plain, &Filled<provider, Plain, Element>::template row<>);
    put(table_.*Queued, &Filled<provider, Queued, Element>::template row<CUstream>);
  }
  template <class Element, auto Plain, auto Queued>
  void plane_fills() {
    put(table_.*Plain, &Filled<provider, Plain, Element>::template rows<>);
    put(table_.*Queued, &Filled<provider, Queued, Element>::template rows<CUstream>);
  }
  void wrap_fills() {
    using T = Table;
    row_fills<unsigned char, &T::cuMemsetD8, &T::cuMemsetD8Async>();
    row_fills<unsigned short, &T::cuMemsetD16, &T::cuMemsetD16Async>();
    row_fills<unsigned, &T::cuMemsetD32, &T::cuMemsetD32Async>();
    plane_fills<unsigned char, &T::cuMemsetD2D8, &T::cuMemsetD2D8Async>();
    plane_fills<unsigned short, &T::cuMemsetD2D16, &T::cuMemsetD2D16Async>();
    plane_fills<unsigned, &T::cuMemsetD2D32, &T::cuMemsetD2D32Async>();
  }

  template <auto Member>
  void host(const char* name, const char* category) {
    Traced<provider, Member>::name = name;
    Traced<provider, Member>::category = category;
    put(table_.*Member, &Traced<provider, Member>::host);
  }
  void wrap_host_calls() {
    using T = Table;
    host<&T::cuCtxSynchronize>("wait for the context", "wait");
    host<&T::cuStreamSynchronize>("wait for a stream", "wait");
    host<&T::cuEventSynchronize>("wait for an event", "wait");
    host<&T::cuMemAlloc>("allocate", "memory");
    host<&T::cuMemAllocPitch>("allocate", "memory");
    host<&T::cuMemAllocManaged>("allocate managed", "memory");
    host<&T::cuMemAllocHost>("allocate page-locked", "memory");
    host<&T::cuMemHostAlloc>("allocate page-locked", "memory");
    host<&T::cuMemHostRegister>("register host memory", "memory");
    host<&T::cuMemAllocAsync>("allocate in a stream", "memory");
    host<&T::cuMemAllocFromPoolAsync>("allocate in a stream", "memory");
    host<&T::cuMemFree>("free", "memory");
    host<&T::cuMemFreeHost>("free page-locked", "memory");
    host<&T::cuMemFreeAsync>("free in a stream", "memory");
    host<&T::cuModuleLoadData>("load a module", "load");
    host<&T::cuModuleLoadDataEx>("load a module", "load");
    host<&T::cuModuleLoadFatBinary>("load a module", "load");
    host<&T::cuLibraryLoadData>("load a library", "load");
    host<&T::cuLinkComplete>("link", "load");
    host<&T::cuGraphInstantiate>("make a graph executable", "load");
    host<&T::cuGraphInstantiateWithParams>("make a graph executable", "load");
  }

  Table& table_;
};

template <Provider provider>
void wrap(Table& table, TraceRecorder& recorder) {
  // Slots may be called while the process ends.
  static auto& tracers = *new std::vector<std::unique_ptr<Tracer>>;
  traced_driver<provider> = tracers.emplace_back(std::make_unique<Tracer>(table, recorder)).get();
  Wrapping<provider>(table).wrap_all();
}

#pragma GCC diagnostic pop

}  // namespace

void trace_calls(Table& table, TraceRecorder& recorder) {
  table.provider == Provider::cpu ? wrap<Provider::cpu>(table, recorder)
                                  : wrap<Provider::nvidia>(table, recorder);
}

}  // namespace treadle::cuda
