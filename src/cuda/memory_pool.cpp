// SPDX-License-Identifier: MIT
#include "treadle/cuda/memory_pool.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

class MemoryPool::State {
 public:
  /// Where a pool that is not just a device's own gives memory, and which.
  struct Place {
    CUmemLocation location;
    CUmemAllocationType memory;
  };
  State(Device device, RawMemoryPool raw, bool owned, std::optional<Place> place = {}) noexcept
      : device_(std::move(device)), raw_(raw), owned_(owned), place_(place) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (owned_)
      warn_if_failed(table(), table().cuMemPoolDestroy(raw_), "cuMemPoolDestroy", "a memory pool");
  }
  const Table& table() const noexcept { return device_.driver().table(); }
  const Device& device() const noexcept { return device_; }
  RawMemoryPool raw() const noexcept { return raw_; }
  const std::optional<Place>& place() const noexcept { return place_; }

 private:
  Device device_;
  RawMemoryPool raw_;
  bool owned_;
  std::optional<Place> place_;
};

namespace {

CUmemLocation pool_location(MemoryLocation where) {
  CUmemLocation raw{};
  raw.type = static_cast<CUmemLocationType>(where.kind);
  raw.id = where.id;
  return raw;
}
std::string pool_place_text(MemoryLocation where) {
  return "at CUmemLocation {" + std::to_string(static_cast<int>(where.kind)) + ", " +
         std::to_string(where.id) + "}";
}
/// The device that a pool of a place is spoken to through.
Device pool_device(MemoryLocation where, const Driver& driver) {
  return driver.device(where.kind == MemoryLocation::Kind::device ? where.id : 0);
}

/// Asks `slot` for a pool of a place.
template <class Slot>
RawMemoryPool ask_pool(const char* call, Slot Table::* slot, MemoryLocation where,
                       PoolMemory memory, const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  CUmemLocation location = pool_location(where);
  RawMemoryPool raw = nullptr;
  check(cu, (cu.*slot)(&raw, &location, static_cast<CUmemAllocationType>(memory)), call,
        [&] { return pool_place_text(where); });
  return raw;
}

}  // namespace

MemoryPool MemoryPool::at(MemoryLocation where, PoolMemory memory, std::size_t max_bytes,
                          const Driver& driver) {
  refuse_negative("cuMemPoolCreate", "max_bytes", max_bytes);
  driver.initialize();
  const Table& cu = driver.table();
  CUmemPoolProps properties{};
  properties.allocType = static_cast<CUmemAllocationType>(memory);
  properties.location = pool_location(where);
  properties.maxSize = max_bytes;
  RawMemoryPool raw = nullptr;
  check(cu, cu.cuMemPoolCreate(&raw, &properties), "cuMemPoolCreate",
        [&] { return pool_place_text(where); });
  return MemoryPool(
      std::make_shared<const State>(pool_device(where, driver), raw, true,
                                    State::Place{properties.location, properties.allocType}));
}

MemoryPool MemoryPool::default_at(MemoryLocation where, PoolMemory memory, const Driver& driver) {
  const RawMemoryPool raw =
      ask_pool("cuMemGetDefaultMemPool", &Table::cuMemGetDefaultMemPool, where, memory, driver);
  return MemoryPool(std::make_shared<const State>(
      pool_device(where, driver), raw, false,
      State::Place{pool_location(where), static_cast<CUmemAllocationType>(memory)}));
}

MemoryPool MemoryPool::current_at(MemoryLocation where, PoolMemory memory, const Driver& driver) {
  const RawMemoryPool raw =
      ask_pool("cuMemGetMemPool", &Table::cuMemGetMemPool, where, memory, driver);
  return MemoryPool(std::make_shared<const State>(
      pool_device(where, driver), raw, false,
      State::Place{pool_location(where), static_cast<CUmemAllocationType>(memory)}));
}

MemoryPool::MemoryPool(const Device& device, std::size_t max_bytes, SharedAs shared_as) {
  refuse_negative("cuMemPoolCreate", "max_bytes", max_bytes);
  const Table& cu = device.driver().table();
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device.raw();
  properties.maxSize = max_bytes;
  properties.handleTypes = static_cast<CUmemAllocationHandleType>(shared_as);
  RawMemoryPool raw = nullptr;
  check(cu, cu.cuMemPoolCreate(&raw, &properties), "cuMemPoolCreate", [&] {
    return device.name() +
           (max_bytes == 0 ? "" : ", at most " + std::to_string(max_bytes) + " bytes");
  });
  state_ = std::make_shared<const State>(device, raw, true);
}

MemoryPool MemoryPool::import_file(const Device& device, int descriptor) {
  const Table& cu = device.driver().table();
  RawMemoryPool raw = nullptr;
  // The driver takes the number in the pointer itself.
  check(cu,
        cu.cuMemPoolImportFromShareableHandle(
            &raw, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemPoolImportFromShareableHandle",
        [&] { return "file descriptor " + std::to_string(descriptor); });
  return MemoryPool(std::make_shared<const State>(device, raw, true));
}

MemoryPool MemoryPool::wrap(const Device& device, RawMemoryPool raw) {
  refuse_null_handle("memory pool", raw);
  return MemoryPool(std::make_shared<const State>(device, raw, false));
}

int MemoryPool::export_file() const {
  const Table& cu = state_->table();
  int descriptor = -1;
  check(cu,
        cu.cuMemPoolExportToShareableHandle(&descriptor, raw(),
                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemPoolExportToShareableHandle",
        [] { return "the pool must have been made to be shared as a file descriptor"; });
  return descriptor;
}

PooledAllocation export_allocation(const DeviceMemory& memory) {
  const DevicePointer address = memory.address();  // throws if it was freed
  const Activation active(memory.context());
  CUmemPoolPtrExportData data{};
  check(active.table(), active.table().cuMemPoolExportPointer(&data, address),
        "cuMemPoolExportPointer",
        [] { return "the memory must be of a pool whose export_file() was called"; });
  PooledAllocation allocation;
  std::memcpy(allocation.data(), data.reserved, allocation.size());
  return allocation;
}

DeviceMemory MemoryPool::take(const PooledAllocation& allocation, std::size_t size_bytes) const {
  refuse_negative("cuMemPoolImportPointer", "size_bytes", size_bytes);
  const Context context = Context::current();
  const Activation active(context);
  CUmemPoolPtrExportData data{};
  std::memcpy(data.reserved, allocation.data(), allocation.size());
  DevicePointer address = 0;
  check(active.table(), active.table().cuMemPoolImportPointer(&address, raw(), &data),
        "cuMemPoolImportPointer");
  return DeviceMemory(Handle<DevicePointer, free_device_memory>(context, address), size_bytes);
}

void MemoryPool::set_access(const Device& who, MemoryAccess access) const {
  const Table& cu = state_->table();
  CUmemAccessDesc raw_access{};
  raw_access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  raw_access.location.id = who.raw();
  raw_access.flags = static_cast<CUmemAccess_flags>(access);
  check(cu, cu.cuMemPoolSetAccess(raw(), &raw_access, 1), "cuMemPoolSetAccess",
        [&] { return "for " + who.name() + "; a device's own access cannot be taken away"; });
}

MemoryAccess MemoryPool::access(const Device& who) const {
  const Table& cu = state_->table();
  CUmemLocation place{};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = who.raw();
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  check(cu, cu.cuMemPoolGetAccess(&flags, raw(), &place), "cuMemPoolGetAccess");
  return static_cast<MemoryAccess>(flags);
}

MemoryPool MemoryPool::default_of(const Device& device) {
  const Table& cu = device.driver().table();
  RawMemoryPool raw = nullptr;
  check(cu, cu.cuDeviceGetDefaultMemPool(&raw, device.raw()), "cuDeviceGetDefaultMemPool");
  return MemoryPool(std::make_shared<const State>(device, raw, false));
}

MemoryPool MemoryPool::current_of(const Device& device) {
  const Table& cu = device.driver().table();
  RawMemoryPool raw = nullptr;
  check(cu, cu.cuDeviceGetMemPool(&raw, device.raw()), "cuDeviceGetMemPool");
  return MemoryPool(std::make_shared<const State>(device, raw, false));
}

void MemoryPool::make_current() const {
  const Table& cu = state_->table();
  if (!state_->place())
    return check(cu, cu.cuDeviceSetMemPool(device().raw(), raw()), "cuDeviceSetMemPool");
  CUmemLocation location = state_->place()->location;
  check(cu, cu.cuMemSetMemPool(&location, state_->place()->memory, raw()), "cuMemSetMemPool");
}

const Device& MemoryPool::device() const noexcept { return state_->device(); }
RawMemoryPool MemoryPool::raw() const noexcept { return state_->raw(); }

DeviceMemory MemoryPool::allocate(std::size_t size_bytes, StreamRef stream) const {
  refuse_negative("cuMemAllocFromPoolAsync", "size_bytes", size_bytes);
  const Context context = Context::current();
  const Activation active(context);
  DevicePointer address = 0;
  check(active.table(), allocated([&] {
          return active.table().cuMemAllocFromPoolAsync(&address, size_bytes, raw(), stream.raw());
        }),
        "cuMemAllocFromPoolAsync", [&] { return std::to_string(size_bytes) + " bytes"; });
  return DeviceMemory(Handle<DevicePointer, free_device_memory>(context, address), size_bytes);
}

void MemoryPool::trim(std::size_t keep_bytes) const {
  refuse_negative("cuMemPoolTrimTo", "keep_bytes", keep_bytes);
  const Table& cu = state_->table();
  check(cu, cu.cuMemPoolTrimTo(raw(), keep_bytes), "cuMemPoolTrimTo");
}

std::uint64_t MemoryPool::number(int attribute) const {
  const Table& cu = state_->table();
  cuuint64_t value = 0;
  check(cu, cu.cuMemPoolGetAttribute(raw(), static_cast<CUmemPool_attribute>(attribute), &value),
        "cuMemPoolGetAttribute");
  return value;
}

void MemoryPool::set_number(int attribute, std::uint64_t value) const {
  const Table& cu = state_->table();
  cuuint64_t given = value;
  check(cu, cu.cuMemPoolSetAttribute(raw(), static_cast<CUmemPool_attribute>(attribute), &given),
        "cuMemPoolSetAttribute");
}

bool MemoryPool::flag(int attribute) const {
  const Table& cu = state_->table();
  int value = 0;
  check(cu, cu.cuMemPoolGetAttribute(raw(), static_cast<CUmemPool_attribute>(attribute), &value),
        "cuMemPoolGetAttribute");
  return value != 0;
}

void MemoryPool::set_flag(int attribute, bool value) const {
  const Table& cu = state_->table();
  int given = value ? 1 : 0;
  check(cu, cu.cuMemPoolSetAttribute(raw(), static_cast<CUmemPool_attribute>(attribute), &given),
        "cuMemPoolSetAttribute");
}

std::uint64_t MemoryPool::release_threshold() const {
  return number(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
}
void MemoryPool::set_release_threshold(std::uint64_t bytes) const {
  set_number(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, bytes);
}
PoolReuse MemoryPool::reuse() const {
  return {flag(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES),
          flag(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC),
          flag(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)};
}
void MemoryPool::set_reuse(const PoolReuse& reuse) const {
  set_flag(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, reuse.follow_events);
  set_flag(CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, reuse.opportunistic);
  set_flag(CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, reuse.insert_dependencies);
}
std::uint64_t MemoryPool::used_bytes() const { return number(CU_MEMPOOL_ATTR_USED_MEM_CURRENT); }
std::uint64_t MemoryPool::most_used_bytes() const { return number(CU_MEMPOOL_ATTR_USED_MEM_HIGH); }
std::uint64_t MemoryPool::reserved_bytes() const {
  return number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
}
std::uint64_t MemoryPool::most_reserved_bytes() const {
  return number(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
}
void MemoryPool::reset_most() const {
  set_number(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
  set_number(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0);
}

DeviceMemory allocate_async(std::size_t size_bytes, StreamRef stream) {
  refuse_negative("cuMemAllocAsync", "size_bytes", size_bytes);
  const Context context = Context::current();
  const Activation active(context);
  DevicePointer address = 0;
  check(active.table(), allocated([&] {
          return active.table().cuMemAllocAsync(&address, size_bytes, stream.raw());
        }),
        "cuMemAllocAsync", [&] { return std::to_string(size_bytes) + " bytes"; });
  return DeviceMemory(Handle<DevicePointer, free_device_memory>(context, address), size_bytes);
}

void free_async(DeviceMemory& memory, StreamRef stream) {
  const DevicePointer address = memory.address();  // throws if it was freed
  const Activation active(memory.context());
  check(active.table(), active.table().cuMemFreeAsync(address, stream.raw()), "cuMemFreeAsync");
  memory.handle_.release();
}

}  // namespace treadle::cuda
