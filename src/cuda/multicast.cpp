// SPDX-License-Identifier: MIT
#include "treadle/cuda/multicast.hpp"

#include <string>

#include "cuda/argument_check.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

CUmulticastObjectProp multicast_properties(const char* call, std::size_t size_bytes,
                                           unsigned devices, SharedAs shared_as) {
  refuse_negative(call, "size_bytes", size_bytes);
  if (size_bytes == 0)
    throw InvalidArgument(std::string(call) + ": size_bytes is 0", "ask for what is to be bound");
  if (devices == 0 || devices > 4096)
    throw InvalidArgument(std::string(call) + ": devices is " + std::to_string(devices),
                          "say how many devices will bind memory");
  CUmulticastObjectProp properties{};
  properties.numDevices = devices;
  properties.size = size_bytes;
  properties.handleTypes = static_cast<unsigned long long>(shared_as);
  return properties;
}

RawPhysicalMemory create_multicast(const Driver& driver, const CUmulticastObjectProp& properties) {
  driver.initialize();
  const Table& cu = driver.table();
  RawPhysicalMemory raw = 0;
  check(cu, cu.cuMulticastCreate(&raw, &properties), "cuMulticastCreate", [&] {
    return std::to_string(properties.size) + " bytes on " + std::to_string(properties.numDevices) +
           " devices; the size must be a multiple of Multicast::granularity()";
  });
  return raw;
}

void refuse_beyond_multicast(const char* what, std::size_t offset, std::size_t size_bytes,
                             std::size_t whole_bytes) {
  refuse_negative("cuMulticastBindMem", what, offset);
  if (offset > whole_bytes || size_bytes > whole_bytes - offset)
    throw InvalidArgument(std::string("cuMulticastBindMem: ") + what + " " +
                              std::to_string(offset) + " and " + std::to_string(size_bytes) +
                              " bytes are beyond " + std::to_string(whole_bytes),
                          "bind less, or from an earlier offset");
}

}  // namespace

std::size_t Multicast::granularity(std::size_t size_bytes, unsigned devices,
                                   Granularity granularity, SharedAs shared_as,
                                   const Driver& driver) {
  constexpr const char* call = "cuMulticastGetGranularity";
  const CUmulticastObjectProp properties =
      multicast_properties(call, size_bytes, devices, shared_as);
  driver.initialize();
  const Table& cu = driver.table();
  std::size_t bytes = 0;
  check(cu,
        cu.cuMulticastGetGranularity(&bytes, &properties,
                                     static_cast<CUmulticastGranularity_flags>(granularity)),
        call);
  return bytes;
}

Multicast::Multicast(std::size_t size_bytes, unsigned devices, SharedAs shared_as,
                     const Driver& driver)
    : memory_(PhysicalMemory::adopt(
          driver,
          create_multicast(
              driver, multicast_properties("cuMulticastCreate", size_bytes, devices, shared_as)),
          size_bytes)) {}

void Multicast::add(const Device& device) const {
  const Table& cu = memory_.driver().table();
  check(cu, cu.cuMulticastAddDevice(memory_.raw(), device.raw()), "cuMulticastAddDevice",
        [&] { return device.name() + ", which must have DeviceAttribute::multicast_supported"; });
}

void Multicast::bind(std::size_t offset, const PhysicalMemory& memory, std::size_t memory_offset,
                     std::size_t size_bytes) {
  refuse_negative("cuMulticastBindMem", "size_bytes", size_bytes);
  refuse_beyond_multicast("memory_offset", memory_offset, size_bytes, memory.size_bytes());
  if (size_bytes == 0) size_bytes = memory.size_bytes() - memory_offset;
  refuse_beyond_multicast("offset", offset, size_bytes, memory_.size_bytes());
  const Table& cu = memory_.driver().table();
  const int device = memory.location().id;
  bound_.reserve(bound_.size() + 1);
  check(cu,
        cu.cuMulticastBindMem(memory_.raw(), offset, memory.raw(), memory_offset, size_bytes, 0),
        "cuMulticastBindMem");
  bound_.push_back({memory, device, offset, size_bytes});
}

void Multicast::bind_address(std::size_t offset, DevicePointer address,
                             std::size_t size_bytes) const {
  refuse_negative("cuMulticastBindAddr", "size_bytes", size_bytes);
  refuse_null("cuMulticastBindAddr", "address", address, 1);
  refuse_beyond_multicast("offset", offset, size_bytes, memory_.size_bytes());
  const Table& cu = memory_.driver().table();
  check(cu, cu.cuMulticastBindAddr(memory_.raw(), offset, address, size_bytes, 0),
        "cuMulticastBindAddr");
}

void Multicast::unbind(const Device& device, std::size_t offset, std::size_t size_bytes) {
  refuse_beyond_multicast("offset", offset, size_bytes, memory_.size_bytes());
  const Table& cu = memory_.driver().table();
  check(cu, cu.cuMulticastUnbind(memory_.raw(), device.raw(), offset, size_bytes),
        "cuMulticastUnbind");
  std::erase_if(bound_, [&](const Bound& bound) {
    return bound.device == device.raw() && bound.offset == offset && bound.size_bytes == size_bytes;
  });
}

}  // namespace treadle::cuda
