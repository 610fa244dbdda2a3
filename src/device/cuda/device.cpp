// SPDX-License-Identifier: MIT
#include "device/cuda/device.hpp"

#include <array>
#include <string>
#include <utility>

#include "device/cuda/event.hpp"
#include "device/cuda/info.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/stream.hpp"
#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/launch_log.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::device {

using cuda::Activation;
using cuda::check;

namespace {

/// Events of all contexts of one driver can be waited for by all of its streams.
const void* domain_of(const cuda::Device& device) { return &device.driver().table(); }

}  // namespace

CudaDevice::CudaDevice(const cuda::Device& device)
    : Device(cuda_device_info(device), false, domain_of(device)), device_(device) {
  // Each launch is noted once, by the shell, whose errors tell of it.
  launches().read_from([this] { return shell_launches(); });
}

CudaDevice::CudaDevice(const cuda::Device& device, const cuda::Context& context)
    : Device(cuda_device_info(device), true, domain_of(device)),
      device_(device),
      has_context_(true),
      context_(context) {
  std::call_once(context_made_, [] {});
  launches().read_from([this] { return shell_launches(); });
}

CudaDevice::~CudaDevice() { end(); }

const cuda::Context& CudaDevice::context() {
  std::call_once(context_made_, [this] {
    context_ = cuda::Context::primary(device_);
    has_context_ = true;
  });
  return context_;
}

cuda::RawContext cuda_raw_context(Device& device) {
  return static_cast<CudaDevice&>(device).context().raw();
}

Allocated CudaDevice::allocate_memory(MemoryKind kind, std::size_t size_bytes) {
  const Activation active(context());
  const cuda::Table& cu = active.table();
  const auto describe = [&] {
    return "allocating " + std::to_string(size_bytes) + " bytes " +
           (kind == MemoryKind::device ? "on " : "of page-locked memory for ") + info().name;
  };
  if (kind == MemoryKind::device) {
    cuda::DevicePointer memory = 0;
    check(cu, cuda::allocated([&] { return cu.cuMemAlloc(&memory, size_bytes); }), "cuMemAlloc",
          describe);
    return {{memory, 0}, nullptr};
  }
  void* host = nullptr;
  check(cu, cuda::allocated([&] {
          return cu.cuMemHostAlloc(&host, size_bytes,
                                   CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
        }),
        "cuMemHostAlloc", describe);
  cuda::DevicePointer memory = 0;
  if (const int code = cu.cuMemHostGetDevicePointer(&memory, host, 0); code != CUDA_SUCCESS) {
    cu.cuMemFreeHost(host);
    check(cu, code, "cuMemHostGetDevicePointer", describe);
  }
  return {{memory, 0}, static_cast<std::byte*>(host)};
}

void CudaDevice::free_memory(MemoryKind kind, Location location) {
  // Once the context or the driver is gone, so is the memory.
  if (!context().is_valid()) return;
  const Activation active(context());
  const cuda::Table& cu = active.table();
  // Where addresses are unified, as on every device of 64 bits, the host has the same one.
  const bool is_host = kind == MemoryKind::page_locked;
  const int code = is_host ? cu.cuMemFreeHost(reinterpret_cast<void*>(location.handle))
                           : cu.cuMemFree(location.handle);
  if (code == CUDA_ERROR_DEINITIALIZED || code == CUDA_ERROR_CONTEXT_IS_DESTROYED) return;
  check(cu, code, is_host ? "cuMemFreeHost" : "cuMemFree");
}

MemoryInfo CudaDevice::query_memory() {
  return {.free_bytes = context().memory_info().free_bytes, .is_measured = true};
}

AddressInfo CudaDevice::query_address(std::uint64_t address) {
  const Activation active(context());
  const cuda::Table& cu = active.table();
  unsigned type = 0, is_managed = 0;
  CUcontext owner = nullptr;
  CUdeviceptr start = 0;
  std::size_t size_bytes = 0;
  std::array<CUpointer_attribute, 5> names = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, 5> answers = {&type, &is_managed, &owner, &start, &size_bytes};
  check(cu,
        cu.cuPointerGetAttributes(static_cast<unsigned>(names.size()), names.data(), answers.data(),
                                  address),
        "cuPointerGetAttributes");
  using Kind = AddressInfo::Kind;
  AddressInfo found;
  if (is_managed != 0)
    found.kind = Kind::managed;
  else if (type == CU_MEMORYTYPE_DEVICE)
    found.kind = Kind::device;
  else if (type == CU_MEMORYTYPE_HOST)
    found.kind = Kind::page_locked;
  if (found.kind == Kind::unknown) return found;
  found.location = {start != 0 ? start : address, 0};
  found.size_bytes = size_bytes;
  found.offset = address - found.location.handle;
  // Memory of the driver's pools belongs to no context, and host memory to all of them.
  found.is_own = owner == context().raw() || owner == nullptr || found.kind != Kind::device;
  return found;
}

std::unique_ptr<Stream> CudaDevice::create_stream(const StreamSource& source) {
  switch (source.from) {
    case StreamSource::From::options:
      return std::make_unique<CudaStream>(
          *this, context(),
          cuda::Stream(context(), cuda::StreamFlags::non_blocking, source.options.priority),
          fills_);
    case StreamSource::From::default_stream:
      return std::make_unique<CudaStream>(*this, context(), cuda::RawStream{}, fills_);
    case StreamSource::From::raw:
      break;
  }
  return adopt_raw(reinterpret_cast<cuda::RawStream>(source.raw));
}

std::unique_ptr<Stream> CudaDevice::adopt_raw(cuda::RawStream raw) {
  const Activation active(context());
  const cuda::Table& cu = active.table();
  CUcontext owner = nullptr;
  const int code = cu.cuStreamGetCtx(raw, &owner);
  // The CPU device knows the streams of the current context only.
  if (code != CUDA_ERROR_INVALID_HANDLE)
    check(cu, code, "cuStreamGetCtx", [] { return "a stream that was to be adopted"; });
  if (owner != context().raw())
    throw InvalidArgument("the stream to adopt on " + info().id + " is of another context",
                          "device_of() gives the Device of the stream's own context");
  return std::make_unique<CudaStream>(*this, context(), raw, fills_);
}

std::shared_ptr<Event> CudaDevice::create_event(Timing timing, std::uint64_t raw) {
  if (raw == 0) return std::make_shared<CudaEvent>(shared_from_this(), context(), timing);
  return std::make_shared<CudaEvent>(shared_from_this(), context(),
                                     reinterpret_cast<cuda::RawEvent>(raw));
}

std::shared_ptr<Module> CudaDevice::load_module(const ModuleImage& image) {
  const auto current = cuda::Context::make_current(context());
  return std::make_shared<CudaModule>(shared_from_this(), cuda::Module(image));
}

BuildResult CudaDevice::build_text(const BuildRequest&) {
  // Not reached: DeviceInfo says so, and Device::build() asks it.
  throw NotSupported("CUDA drivers compile no text");
}

std::vector<LaunchRecord> CudaDevice::shell_launches() const {
  std::vector<LaunchRecord> all;
  if (!has_context_) return all;
  for (auto& [kernel, config, site] : cuda::last_launches(context_)) {
    const auto& [grid, block, shared_bytes, cooperative, stream, attributes] = config;
    const LaunchShape shape{
        {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, cooperative};
    all.push_back({std::move(kernel), shape, site});
  }
  return all;
}

}  // namespace treadle::device
