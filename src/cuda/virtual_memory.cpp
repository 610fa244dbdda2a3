// SPDX-License-Identifier: MIT
#include "treadle/cuda/virtual_memory.hpp"

#include <string>
#include <utility>

#include "cuda/argument_check.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/census.hpp"

namespace treadle::cuda {
namespace {

constexpr const char* unmapped = "this memory was unmapped, or the mapping was moved from";

CUmemLocation raw_place(MemoryLocation location) {
  CUmemLocation raw{};
  raw.type = static_cast<CUmemLocationType>(location.kind);
  raw.id = location.id;
  return raw;
}

CUmemAllocationProp properties_of(MemoryLocation location, SharedAs shared_as) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(shared_as);
  properties.location = raw_place(location);
  return properties;
}

LiveCount& live_physical_memory() {
  static LiveCount& count = *new LiveCount("cuda physical memory");
  return count;
}
LiveCount& live_reservations() {
  static LiveCount& count = *new LiveCount("cuda address reservation");
  return count;
}

[[noreturn]] void refuse_beyond(const char* what, std::size_t end, std::size_t size_bytes) {
  throw InvalidArgument(std::string("cuMemMap: ") + what + " ends at byte " + std::to_string(end) +
                            " of " + std::to_string(size_bytes),
                        "map less, or from an earlier offset");
}

}  // namespace

std::size_t allocation_granularity(MemoryLocation location, Granularity granularity,
                                   SharedAs shared_as, const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  const CUmemAllocationProp properties = properties_of(location, shared_as);
  std::size_t bytes = 0;
  check(cu,
        cu.cuMemGetAllocationGranularity(
            &bytes, &properties, static_cast<CUmemAllocationGranularity_flags>(granularity)),
        "cuMemGetAllocationGranularity");
  return bytes;
}

/// Ends with cuMemRelease.
class PhysicalMemory::State {
 public:
  State(const Driver& driver, RawPhysicalMemory raw, std::size_t size_bytes)
      : driver_(driver), raw_(raw), size_bytes_(size_bytes) {
    live_physical_memory().add();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    live_physical_memory().remove();
    warn_if_failed(table(), table().cuMemRelease(raw_), "cuMemRelease", "physical memory");
  }
  const Driver& driver() const noexcept { return driver_; }
  const Table& table() const noexcept { return driver_.table(); }
  RawPhysicalMemory raw() const noexcept { return raw_; }
  std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  const Driver driver_;
  const RawPhysicalMemory raw_;
  const std::size_t size_bytes_;
};

PhysicalMemory::PhysicalMemory(std::shared_ptr<const State> state) noexcept
    : state_(std::move(state)) {}

namespace {

RawPhysicalMemory create_physical(std::size_t size_bytes, const CUmemAllocationProp& properties,
                                  const Driver& driver) {
  refuse_negative("cuMemCreate", "size_bytes", size_bytes);
  driver.initialize();
  const Table& cu = driver.table();
  RawPhysicalMemory raw = 0;
  check(cu, allocated([&] { return cu.cuMemCreate(&raw, size_bytes, &properties, 0); }),
        "cuMemCreate", [&] {
          return std::to_string(size_bytes) +
                 " bytes, which must be a multiple of allocation_granularity()";
        });
  return raw;
}

}  // namespace

PhysicalMemory::PhysicalMemory(std::size_t size_bytes, MemoryLocation location, SharedAs shared_as,
                               const Driver& driver)
    : state_(std::make_shared<const State>(
          driver, create_physical(size_bytes, properties_of(location, shared_as), driver),
          size_bytes)) {}

PhysicalMemory PhysicalMemory::for_tiles(std::size_t size_bytes, MemoryLocation location,
                                         const Driver& driver) {
  CUmemAllocationProp properties = properties_of(location, SharedAs::nothing);
  properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
  return adopt(driver, create_physical(size_bytes, properties, driver), size_bytes);
}

void flush_remote_writes(RemoteWritesFor whom) {
  constexpr const char* call = "cuFlushGPUDirectRDMAWrites";
  const int scope = static_cast<int>(whom);
  if (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
      scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES)
    throw InvalidArgument(std::string(call) + ": whom is " + std::to_string(scope),
                          "take one of RemoteWritesFor");
  const Activation active(Context::current());
  check(active.table(),
        active.table().cuFlushGPUDirectRDMAWrites(
            CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
            static_cast<CUflushGPUDirectRDMAWritesScope>(scope)),
        call, [] {
          return "the device must have bit 1 of "
                 "DeviceAttribute::gpu_direct_rdma_flush_writes_options";
        });
}

int export_dma_buffer(DevicePointer address, std::size_t size_bytes, bool over_pcie) {
  constexpr const char* call = "cuMemGetHandleForAddressRange";
  refuse_negative(call, "size_bytes", size_bytes);
  refuse_null(call, "address", address, 1);
  if (size_bytes == 0)
    throw InvalidArgument(std::string(call) + ": size_bytes is 0", "export whole pages");
  const Activation active(Context::current());
  int descriptor = -1;
  check(active.table(),
        active.table().cuMemGetHandleForAddressRange(
            &descriptor, address, size_bytes, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD,
            over_pcie ? CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE : 0),
        call, [&] {
          return std::to_string(size_bytes) +
                 " bytes; address and size must be of whole pages, "
                 "and the device must have DeviceAttribute::dma_buf_supported";
        });
  return descriptor;
}

PhysicalMemory PhysicalMemory::import_file(int descriptor, std::size_t size_bytes,
                                           const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  RawPhysicalMemory raw = 0;
  // The driver takes the number in the pointer itself.
  check(cu,
        cu.cuMemImportFromShareableHandle(
            &raw, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
        "cuMemImportFromShareableHandle",
        [&] { return "file descriptor " + std::to_string(descriptor); });
  return PhysicalMemory(std::make_shared<const State>(driver, raw, size_bytes));
}

PhysicalMemory PhysicalMemory::at(DevicePointer address, std::size_t size_bytes,
                                  const Driver& driver) {
  refuse_null("cuMemRetainAllocationHandle", "address", address, 1);
  const Table& cu = driver.table();
  RawPhysicalMemory raw = 0;
  check(cu, cu.cuMemRetainAllocationHandle(&raw, reinterpret_cast<void*>(address)),
        "cuMemRetainAllocationHandle", [] { return "nothing is mapped at the address"; });
  return PhysicalMemory(std::make_shared<const State>(driver, raw, size_bytes));
}

int PhysicalMemory::export_file() const {
  const Table& cu = state_->table();
  int descriptor = -1;
  check(cu,
        cu.cuMemExportToShareableHandle(&descriptor, raw(),
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemExportToShareableHandle",
        [] { return "the memory must have been made to be shared as a file descriptor"; });
  return descriptor;
}

std::size_t PhysicalMemory::size_bytes() const noexcept { return state_->size_bytes(); }
RawPhysicalMemory PhysicalMemory::raw() const noexcept { return state_->raw(); }
const Driver& PhysicalMemory::driver() const noexcept { return state_->driver(); }

PhysicalMemory PhysicalMemory::adopt(const Driver& driver, RawPhysicalMemory raw,
                                     std::size_t size_bytes) {
  return PhysicalMemory(std::make_shared<const State>(driver, raw, size_bytes));
}

MemoryLocation PhysicalMemory::location() const {
  const Table& cu = state_->table();
  CUmemAllocationProp properties{};
  check(cu, cu.cuMemGetAllocationPropertiesFromHandle(&properties, raw()),
        "cuMemGetAllocationPropertiesFromHandle");
  return {static_cast<MemoryLocation::Kind>(properties.location.type), properties.location.id};
}

/// Ends with cuMemAddressFree.
class AddressReservation::State {
 public:
  State(const Driver& driver, DevicePointer address, std::size_t size_bytes)
      : driver_(driver), address_(address), size_bytes_(size_bytes) {
    live_reservations().add();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    live_reservations().remove();
    warn_if_failed(table(), table().cuMemAddressFree(address_, size_bytes_), "cuMemAddressFree",
                   "reserved addresses");
  }
  const Table& table() const noexcept { return driver_.table(); }
  const Driver& driver() const noexcept { return driver_; }
  DevicePointer address() const noexcept { return address_; }
  std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  const Driver driver_;
  const DevicePointer address_;
  const std::size_t size_bytes_;
};

AddressReservation::AddressReservation(std::size_t size_bytes, std::size_t alignment,
                                       DevicePointer wish, const Driver& driver) {
  refuse_negative("cuMemAddressReserve", "size_bytes", size_bytes);
  driver.initialize();
  const Table& cu = driver.table();
  DevicePointer address = 0;
  check(cu, cu.cuMemAddressReserve(&address, size_bytes, alignment, wish, 0), "cuMemAddressReserve",
        [&] {
          return std::to_string(size_bytes) + " bytes aligned at " + std::to_string(alignment) +
                 "; the size must be a multiple of allocation_granularity()";
        });
  state_ = std::make_shared<const State>(driver, address, size_bytes);
}

DevicePointer AddressReservation::address() const noexcept { return state_->address(); }
std::size_t AddressReservation::size_bytes() const noexcept { return state_->size_bytes(); }

Mapping AddressReservation::map(const PhysicalMemory& memory, std::size_t offset,
                                std::size_t memory_offset, std::size_t size_bytes) const {
  refuse_negative("cuMemMap", "offset", offset);
  refuse_negative("cuMemMap", "memory_offset", memory_offset);
  refuse_negative("cuMemMap", "size_bytes", size_bytes);
  if (memory.state_->driver() != state_->driver())
    throw InvalidArgument("the memory is of another driver than the addresses",
                          "make both with one driver");
  if (memory_offset > memory.size_bytes())
    refuse_beyond("the part of the memory", memory_offset, memory.size_bytes());
  if (size_bytes == 0) size_bytes = memory.size_bytes() - memory_offset;
  if (size_bytes > memory.size_bytes() - memory_offset)
    refuse_beyond("the part of the memory", memory_offset + size_bytes, memory.size_bytes());
  if (offset + size_bytes > state_->size_bytes())
    refuse_beyond("the mapping", offset + size_bytes, state_->size_bytes());
  const Table& cu = state_->table();
  const DevicePointer address = state_->address() + offset;
  check(cu, cu.cuMemMap(address, size_bytes, memory_offset, memory.raw(), 0), "cuMemMap", [&] {
    std::string text = std::to_string(size_bytes) + " bytes at offset " + std::to_string(offset) +
                       ": offsets and sizes must be multiples of allocation_granularity(), and "
                       "nothing mapped there";
    if (memory_offset != 0)
      text += "; the memory is mapped from byte " + std::to_string(memory_offset) +
              " of it, and NVIDIA's driver maps memory from its start alone";
    return text;
  });
  return {state_, memory.state_, address, size_bytes};
}

Mapping::Mapping(std::shared_ptr<const AddressReservation::State> reservation,
                 std::shared_ptr<const PhysicalMemory::State> memory, DevicePointer address,
                 std::size_t size_bytes) noexcept
    : reservation_(std::move(reservation)),
      memory_(std::move(memory)),
      address_(address),
      size_bytes_(size_bytes) {}

Mapping::Mapping(Mapping&& other) noexcept
    : reservation_(std::move(other.reservation_)),
      memory_(std::move(other.memory_)),
      address_(std::exchange(other.address_, 0)),
      size_bytes_(other.size_bytes_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  Mapping incoming(std::move(other));
  std::swap(reservation_, incoming.reservation_);
  std::swap(memory_, incoming.memory_);
  std::swap(address_, incoming.address_);
  std::swap(size_bytes_, incoming.size_bytes_);
  return *this;
}

int Mapping::end() noexcept {
  return reservation_->table().cuMemUnmap(std::exchange(address_, 0), size_bytes_);
}

Mapping::~Mapping() {
  if (!is_mapped()) return;
  const int code = end();
  warn_if_failed(reservation_->table(), code, "cuMemUnmap", "mapped memory");
}

void Mapping::unmap() {
  (void)address();
  const auto reservation = reservation_;
  check(reservation->table(), end(), "cuMemUnmap");
  memory_.reset();
  reservation_.reset();
}

DevicePointer Mapping::address() const {
  if (!is_mapped()) throw InvalidState(unmapped, "map the memory again");
  return address_;
}

void Mapping::set_access(MemoryLocation who, MemoryAccess access) const {
  const DevicePointer first = address();
  const Table& cu = reservation_->table();
  CUmemAccessDesc wanted{};
  wanted.location = raw_place(who);
  wanted.flags = static_cast<CUmemAccess_flags>(access);
  check(cu, cu.cuMemSetAccess(first, size_bytes_, &wanted, 1), "cuMemSetAccess",
        [&] { return std::to_string(size_bytes_) + " bytes at " + std::to_string(first); });
}

MemoryAccess Mapping::access(MemoryLocation who) const {
  const DevicePointer first = address();
  const Table& cu = reservation_->table();
  const CUmemLocation location = raw_place(who);
  unsigned long long flags = 0;
  check(cu, cu.cuMemGetAccess(&flags, &location, first), "cuMemGetAccess");
  return static_cast<MemoryAccess>(flags);
}

const void* LaunchArgument<Mapping>::data(const Mapping& mapping) {
  (void)mapping.address();
  return &mapping.address_;
}

}  // namespace treadle::cuda
