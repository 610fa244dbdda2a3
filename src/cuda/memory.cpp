// SPDX-License-Identifier: MIT
#include "treadle/cuda/memory.hpp"

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/staged_copy.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/memory_pool.hpp"

namespace treadle::cuda {
namespace {

std::string allocating(std::size_t size_bytes, const char* what, const Context& context) {
  return "allocating " + std::to_string(size_bytes) + " bytes of " + what + " on " +
         context.device().name();
}

template <class Handle>
void require_live(const Handle& handle, const char* what) {
  if (!handle) throw InvalidState(std::string(what) + " was freed");
}

/// Ends an allocation now; unlike a destructor, with an error. If the wait for work that may use it
/// is left (treadle/cuda/wait.hpp), the allocation stays.
template <class Handle, class Call>
void release_now(Handle& handle, const char* what, const char* name, Call&& call) {
  require_live(handle, what);
  const Activation active(handle.context());
  const auto result = call(active.table());
  if (static_cast<int>(result) != CUDA_ERROR_NOT_READY) handle.release();
  check(active.table(), result, name);
}

void check_fits(std::size_t host_bytes, std::size_t device_bytes) {
  if (host_bytes > device_bytes)
    throw ShapeError("the host range has " + std::to_string(host_bytes) +
                     " bytes, the device memory only " + std::to_string(device_bytes));
}

DevicePointer mapped_pointer(const Context& context, void* data) {
  const Activation active(context);
  DevicePointer address = 0;
  check(active.table(), active.table().cuMemHostGetDevicePointer(&address, data, 0),
        "cuMemHostGetDevicePointer",
        [] { return "the memory must have been allocated or registered with device_map"; });
  return address;
}

/// cuMemFree waits for the work that uses the memory, unless it came from a pool; and NVIDIA's
/// pools go on counting as used what it freed, but not what cuMemFreeAsync did.
int free_unused(const Table& cu, DevicePointer address) {
  RawMemoryPool pool = nullptr;
  if (cu.cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address) ==
          CUDA_SUCCESS &&
      pool != nullptr) {
    cu.cuCtxSynchronize();
    const int status = cu.cuMemFreeAsync(address, nullptr);
    if (status == CUDA_SUCCESS) cu.cuStreamSynchronize(nullptr);  // the CPU device counts then
    return status;
  }
  return cu.cuMemFree(address);
}

}  // namespace

void free_device_memory(const Context& context, DevicePointer address) noexcept {
  clean_up_by(context, "device memory", "cuMemFree",
              [&](const Table& cu) { return free_unused(cu, address); });
}
void free_host_memory(const Context& context, void* data) noexcept {
  clean_up(context, "page-locked memory", "cuMemFreeHost", &Table::cuMemFreeHost, data);
}
void unregister_host_memory(const Context& context, void* data) noexcept {
  clean_up(context, "registered memory", "cuMemHostUnregister", &Table::cuMemHostUnregister, data);
}

DeviceMemory::DeviceMemory(std::size_t size_bytes) : DeviceMemory(Context::current(), size_bytes) {}

DeviceMemory::DeviceMemory(const Context& context, std::size_t size_bytes)
    : size_bytes_(size_bytes) {
  refuse_negative("cuMemAlloc", "size_bytes", size_bytes);
  const Activation active(context);
  DevicePointer address = 0;
  check(active.table(), allocated([&] { return active.table().cuMemAlloc(&address, size_bytes); }),
        "cuMemAlloc", [&] { return allocating(size_bytes, "device memory", context); });
  handle_ = {context, address};
}

DeviceMemory DeviceMemory::pitched(std::size_t width_bytes, std::size_t height,
                                   unsigned element_bytes) {
  refuse_negative("cuMemAllocPitch", "width_bytes", width_bytes);
  refuse_negative("cuMemAllocPitch", "height", height);
  const Context context = Context::current();
  const Activation active(context);
  DeviceMemory memory;
  DevicePointer address = 0;
  check(active.table(), allocated([&] {
          return active.table().cuMemAllocPitch(&address, &memory.pitch_bytes_, width_bytes, height,
                                                element_bytes);
        }),
        "cuMemAllocPitch", [&] {
          return std::to_string(height) + " rows of " + std::to_string(width_bytes) +
                 " bytes for elements of " + std::to_string(element_bytes) + " bytes on " +
                 context.device().name();
        });
  memory.size_bytes_ = memory.pitch_bytes_ * height;
  memory.handle_ = {context, address};
  return memory;
}

void DeviceMemory::free() {
  release_now(handle_, "the device memory", "cuMemFree",
              [&](const Table& cu) { return free_unused(cu, handle_.raw()); });
}

DevicePointer DeviceMemory::address() const {
  require_live(handle_, "the device memory");
  return handle_.raw();
}

void DeviceMemory::copy_in(std::span<const std::byte> host) {
  check_fits(host.size(), size_bytes_);
  const DevicePointer destination = address();
  const Activation active(context());
  check(active.table(), active.table().cuMemcpyHtoD(destination, host.data(), host.size()),
        "cuMemcpyHtoD");
  wait_for_staged_bytes(active.table());
}

void DeviceMemory::copy_out(std::span<std::byte> host) const {
  check_fits(host.size(), size_bytes_);
  const DevicePointer source = address();
  const Activation active(context());
  check(active.table(), active.table().cuMemcpyDtoH(host.data(), source, host.size()),
        "cuMemcpyDtoH");
}

void DeviceMemory::copy_in_async(std::span<const std::byte> host, StreamRef stream) {
  check_fits(host.size(), size_bytes_);
  const DevicePointer destination = address();
  const Activation active(context());
  check(active.table(),
        active.table().cuMemcpyHtoDAsync(destination, host.data(), host.size(), stream.raw()),
        "cuMemcpyHtoDAsync");
}

void DeviceMemory::copy_out_async(std::span<std::byte> host, StreamRef stream) const {
  check_fits(host.size(), size_bytes_);
  const DevicePointer source = address();
  const Activation active(context());
  check(active.table(),
        active.table().cuMemcpyDtoHAsync(host.data(), source, host.size(), stream.raw()),
        "cuMemcpyDtoHAsync");
}

HostMemory::HostMemory(std::size_t size_bytes, HostMemoryFlags flags) : size_bytes_(size_bytes) {
  refuse_negative("cuMemHostAlloc", "size_bytes", size_bytes);
  const Context context = Context::current();
  const Activation active(context);
  void* data = nullptr;
  check(active.table(), allocated([&] {
          return active.table().cuMemHostAlloc(&data, size_bytes, static_cast<unsigned>(flags));
        }),
        "cuMemHostAlloc", [&] { return allocating(size_bytes, "page-locked memory", context); });
  handle_ = {context, data};
}

void HostMemory::free() {
  release_now(handle_, "the page-locked memory", "cuMemFreeHost",
              [&](const Table& cu) { return cu.cuMemFreeHost(handle_.raw()); });
}

std::byte* HostMemory::data() const {
  require_live(handle_, "the page-locked memory");
  return static_cast<std::byte*>(handle_.raw());
}

DevicePointer HostMemory::device_pointer() const { return mapped_pointer(context(), data()); }

HostMemoryFlags HostMemory::flags() const {
  void* const memory = data();
  const Activation active(context());
  unsigned flags = 0;
  check(active.table(), active.table().cuMemHostGetFlags(&flags, memory), "cuMemHostGetFlags");
  return static_cast<HostMemoryFlags>(flags);
}

RegisteredMemory::RegisteredMemory(void* data, std::size_t size_bytes, RegisterFlags flags)
    : size_bytes_(size_bytes) {
  refuse_negative("cuMemHostRegister", "size_bytes", size_bytes);
  refuse_null("cuMemHostRegister", "data", data, 1);
  const Context context = Context::current();
  const Activation active(context);
  check(active.table(), allocated([&] {
          return active.table().cuMemHostRegister(data, size_bytes, static_cast<unsigned>(flags));
        }),
        "cuMemHostRegister",
        [&] { return "registering " + std::to_string(size_bytes) + " bytes of host memory"; });
  handle_ = {context, data};
}

void RegisteredMemory::unregister() {
  release_now(handle_, "the registration of this memory", "cuMemHostUnregister",
              [&](const Table& cu) { return cu.cuMemHostUnregister(handle_.raw()); });
}

std::byte* RegisteredMemory::data() const {
  require_live(handle_, "the registration of this memory");
  return static_cast<std::byte*>(handle_.raw());
}

DevicePointer RegisteredMemory::device_pointer() const { return mapped_pointer(context(), data()); }

ManagedMemory::ManagedMemory(std::size_t size_bytes, AttachFlags flags) : size_bytes_(size_bytes) {
  refuse_negative("cuMemAllocManaged", "size_bytes", size_bytes);
  const Context context = Context::current();
  const Activation active(context);
  DevicePointer address = 0;
  check(active.table(), allocated([&] {
          return active.table().cuMemAllocManaged(&address, size_bytes,
                                                  static_cast<unsigned>(flags));
        }),
        "cuMemAllocManaged", [&] { return allocating(size_bytes, "managed memory", context); });
  handle_ = {context, address};
}

void ManagedMemory::free() {
  release_now(handle_, "the managed memory", "cuMemFree",
              [&](const Table& cu) { return cu.cuMemFree(handle_.raw()); });
}

DevicePointer ManagedMemory::address() const {
  require_live(handle_, "the managed memory");
  return handle_.raw();
}

void ManagedMemory::attach(AttachFlags flags, StreamRef stream) const {
  const DevicePointer memory = address();
  const Activation active(context());
  check(
      active.table(),
      active.table().cuStreamAttachMemAsync(stream.raw(), memory, 0, static_cast<unsigned>(flags)),
      "cuStreamAttachMemAsync");
}

AddressRange address_range(DevicePointer address) {
  refuse_null("cuMemGetAddressRange", "address", address, 1);
  const Table& cu = current_table();
  AddressRange range{};
  check(cu, cu.cuMemGetAddressRange(&range.base, &range.size_bytes, address),
        "cuMemGetAddressRange");
  return range;
}

const void* LaunchArgument<DeviceMemory>::data(const DeviceMemory& memory) {
  require_live(memory.handle_, "device memory passed to a kernel");
  return memory.handle_.raw_address();
}
const void* LaunchArgument<ManagedMemory>::data(const ManagedMemory& memory) {
  require_live(memory.handle_, "managed memory passed to a kernel");
  return memory.handle_.raw_address();
}

}  // namespace treadle::cuda
