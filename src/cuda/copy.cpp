// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy.hpp"

#include <cstdint>
#include <string>
#include <type_traits>

#include "cuda/context_state.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

/// A negative size that became unsigned. NVIDIA's driver does not refuse it: it starts a copy that
/// touches foreign memory, and the context is lost.
template <class Value>
void refuse_negative(const char* name, Value value) {
  if constexpr (std::is_same_v<Value, std::size_t>) {
    if (value > static_cast<std::size_t>(PTRDIFF_MAX))
      throw InvalidArgument(std::string(name) + ": a size of " +
                            std::to_string(static_cast<std::ptrdiff_t>(value)) +
                            " was given, and 0 or more was expected");
  }
}

/// Runs one call in whatever context is current.
template <class Call, class... Arguments>
void call_current(const char* name, Call Table::* slot, Arguments... arguments) {
  (refuse_negative(name, arguments), ...);
  const Table& cu = current_table();
  check(cu, (cu.*slot)(arguments...), name);
}

template <class Call, class Value>
void fill_area(const char* name, Call Table::* slot, const FillArea& area, Value value) {
  call_current(name, slot, area.destination, area.pitch_bytes, value, area.width, area.height);
}
template <class Call, class Value>
void fill_area(const char* name, Call Table::* slot, const FillArea& area, Value value,
               StreamRef stream) {
  call_current(name, slot, area.destination, area.pitch_bytes, value, area.width, area.height,
               stream.raw());
}

/// The fields that all of the driver's copy structures have.
template <class Raw>
Raw common_fields(const CopySide& source, const CopySide& destination) {
  Raw raw{};
  raw.srcXInBytes = source.x_bytes;
  raw.srcY = source.y;
  raw.srcMemoryType = static_cast<CUmemorytype>(source.type);
  raw.srcHost = source.host;
  raw.srcDevice = source.device;
  raw.srcArray = source.array;
  raw.srcPitch = source.pitch_bytes;
  raw.dstXInBytes = destination.x_bytes;
  raw.dstY = destination.y;
  raw.dstMemoryType = static_cast<CUmemorytype>(destination.type);
  raw.dstHost = const_cast<void*>(destination.host);
  raw.dstDevice = destination.device;
  raw.dstArray = destination.array;
  raw.dstPitch = destination.pitch_bytes;
  return raw;
}

CUDA_MEMCPY2D raw_2d(const Copy2D& copy) {
  for (const std::size_t size : {copy.width_bytes, copy.height}) refuse_negative("copy_2d", size);
  auto raw = common_fields<CUDA_MEMCPY2D>(copy.source, copy.destination);
  raw.WidthInBytes = copy.width_bytes;
  raw.Height = copy.height;
  return raw;
}

template <class Raw>
Raw raw_3d(const Copy3D& copy) {
  for (const std::size_t size : {copy.width_bytes, copy.height, copy.depth})
    refuse_negative("copy_3d", size);
  Raw raw = common_fields<Raw>(copy.source, copy.destination);
  raw.srcZ = copy.source.z;
  raw.srcLOD = copy.source.level_of_detail;
  raw.srcHeight = copy.source.height;
  raw.dstZ = copy.destination.z;
  raw.dstLOD = copy.destination.level_of_detail;
  raw.dstHeight = copy.destination.height;
  raw.WidthInBytes = copy.width_bytes;
  raw.Height = copy.height;
  raw.Depth = copy.depth;
  return raw;
}

RawContext raw_or_current(const Context& context) {
  return context ? context.raw() : Context::current().raw();
}

CUDA_MEMCPY3D_PEER raw_peer(const Copy3D& copy) {
  auto raw = raw_3d<CUDA_MEMCPY3D_PEER>(copy);
  raw.srcContext = raw_or_current(copy.source.context);
  raw.dstContext = raw_or_current(copy.destination.context);
  return raw;
}

}  // namespace

void copy_to_device(DevicePointer destination, const void* source, std::size_t size_bytes) {
  call_current("cuMemcpyHtoD", &Table::cuMemcpyHtoD, destination, source, size_bytes);
}
void copy_to_device_async(DevicePointer destination, const void* source, std::size_t size_bytes,
                          StreamRef stream) {
  call_current("cuMemcpyHtoDAsync", &Table::cuMemcpyHtoDAsync, destination, source, size_bytes,
               stream.raw());
}
void copy_to_host(void* destination, DevicePointer source, std::size_t size_bytes) {
  call_current("cuMemcpyDtoH", &Table::cuMemcpyDtoH, destination, source, size_bytes);
}
void copy_to_host_async(void* destination, DevicePointer source, std::size_t size_bytes,
                        StreamRef stream) {
  call_current("cuMemcpyDtoHAsync", &Table::cuMemcpyDtoHAsync, destination, source, size_bytes,
               stream.raw());
}
void copy_on_device(DevicePointer destination, DevicePointer source, std::size_t size_bytes) {
  call_current("cuMemcpyDtoD", &Table::cuMemcpyDtoD, destination, source, size_bytes);
}
void copy_on_device_async(DevicePointer destination, DevicePointer source, std::size_t size_bytes,
                          StreamRef stream) {
  call_current("cuMemcpyDtoDAsync", &Table::cuMemcpyDtoDAsync, destination, source, size_bytes,
               stream.raw());
}
void copy(DevicePointer destination, DevicePointer source, std::size_t size_bytes) {
  call_current("cuMemcpy", &Table::cuMemcpy, destination, source, size_bytes);
}
void copy_peer(const PeerAddress& destination, const PeerAddress& source, std::size_t size_bytes) {
  call_current("cuMemcpyPeer", &Table::cuMemcpyPeer, destination.address,
               raw_or_current(destination.context), source.address, raw_or_current(source.context),
               size_bytes);
}
void copy_peer_async(const PeerAddress& destination, const PeerAddress& source,
                     std::size_t size_bytes, StreamRef stream) {
  call_current("cuMemcpyPeerAsync", &Table::cuMemcpyPeerAsync, destination.address,
               raw_or_current(destination.context), source.address, raw_or_current(source.context),
               size_bytes, stream.raw());
}

void fill8(DevicePointer destination, std::uint8_t value, std::size_t count) {
  call_current("cuMemsetD8", &Table::cuMemsetD8, destination, value, count);
}
void fill16(DevicePointer destination, std::uint16_t value, std::size_t count) {
  call_current("cuMemsetD16", &Table::cuMemsetD16, destination, value, count);
}
void fill32(DevicePointer destination, std::uint32_t value, std::size_t count) {
  call_current("cuMemsetD32", &Table::cuMemsetD32, destination, value, count);
}
void fill8_async(DevicePointer destination, std::uint8_t value, std::size_t count,
                 StreamRef stream) {
  call_current("cuMemsetD8Async", &Table::cuMemsetD8Async, destination, value, count, stream.raw());
}
void fill16_async(DevicePointer destination, std::uint16_t value, std::size_t count,
                  StreamRef stream) {
  call_current("cuMemsetD16Async", &Table::cuMemsetD16Async, destination, value, count,
               stream.raw());
}
void fill32_async(DevicePointer destination, std::uint32_t value, std::size_t count,
                  StreamRef stream) {
  call_current("cuMemsetD32Async", &Table::cuMemsetD32Async, destination, value, count,
               stream.raw());
}

void fill_2d8(const FillArea& area, std::uint8_t value) {
  fill_area("cuMemsetD2D8", &Table::cuMemsetD2D8, area, value);
}
void fill_2d16(const FillArea& area, std::uint16_t value) {
  fill_area("cuMemsetD2D16", &Table::cuMemsetD2D16, area, value);
}
void fill_2d32(const FillArea& area, std::uint32_t value) {
  fill_area("cuMemsetD2D32", &Table::cuMemsetD2D32, area, value);
}
void fill_2d8_async(const FillArea& area, std::uint8_t value, StreamRef stream) {
  fill_area("cuMemsetD2D8Async", &Table::cuMemsetD2D8Async, area, value, stream);
}
void fill_2d16_async(const FillArea& area, std::uint16_t value, StreamRef stream) {
  fill_area("cuMemsetD2D16Async", &Table::cuMemsetD2D16Async, area, value, stream);
}
void fill_2d32_async(const FillArea& area, std::uint32_t value, StreamRef stream) {
  fill_area("cuMemsetD2D32Async", &Table::cuMemsetD2D32Async, area, value, stream);
}

void copy_2d(const Copy2D& copy) {
  const auto raw = raw_2d(copy);
  call_current("cuMemcpy2D", &Table::cuMemcpy2D, &raw);
}
void copy_2d_unaligned(const Copy2D& copy) {
  const auto raw = raw_2d(copy);
  call_current("cuMemcpy2DUnaligned", &Table::cuMemcpy2DUnaligned, &raw);
}
void copy_2d_async(const Copy2D& copy, StreamRef stream) {
  const auto raw = raw_2d(copy);
  call_current("cuMemcpy2DAsync", &Table::cuMemcpy2DAsync, &raw, stream.raw());
}
void copy_3d(const Copy3D& copy) {
  const auto raw = raw_3d<CUDA_MEMCPY3D>(copy);
  call_current("cuMemcpy3D", &Table::cuMemcpy3D, &raw);
}
void copy_3d_async(const Copy3D& copy, StreamRef stream) {
  const auto raw = raw_3d<CUDA_MEMCPY3D>(copy);
  call_current("cuMemcpy3DAsync", &Table::cuMemcpy3DAsync, &raw, stream.raw());
}
void copy_3d_peer(const Copy3D& copy) {
  const auto raw = raw_peer(copy);
  call_current("cuMemcpy3DPeer", &Table::cuMemcpy3DPeer, &raw);
}
void copy_3d_peer_async(const Copy3D& copy, StreamRef stream) {
  const auto raw = raw_peer(copy);
  call_current("cuMemcpy3DPeerAsync", &Table::cuMemcpy3DPeerAsync, &raw, stream.raw());
}

}  // namespace treadle::cuda
