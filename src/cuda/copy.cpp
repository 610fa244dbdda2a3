// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy.hpp"

#include <cstdint>
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "cuda/copy_check.hpp"
#include "cuda/raw_copy.hpp"
#include "cuda/staged_copy.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

/// Runs one call in whatever context is current.
template <class Call, class... Arguments>
void call_current(const char* name, Call Table::* slot, Arguments... arguments) {
  const Table& cu = current_table();
  check(cu, (cu.*slot)(arguments...), name);
}

/// How much room there is from an address on, if that is less than was asked for; for a call that
/// the driver refused.
std::string lack_text(const Table& cu, const char* what, DevicePointer address,
                      std::size_t size_bytes) {
  CUdeviceptr base = 0;
  std::size_t size = 0;
  if (cu.cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS) return {};
  const std::size_t room = size - static_cast<std::size_t>(address - base);
  if (size_bytes <= room) return {};
  return std::to_string(size_bytes) + " bytes, and the " + what + " has " + std::to_string(room) +
         (address == base ? "" : " from that address on");
}
std::string lack_text(const Table&, const char*, const void*, std::size_t) { return {}; }

/// Between two places; `to` and `from` are addresses or pointers.
template <class Call, class To, class From, class... Rest>
void copy_bytes(const char* name, Call Table::* slot, To to, From from, std::size_t size_bytes,
                Rest... rest) {
  refuse_negative(name, "size_bytes", size_bytes);
  refuse_null(name, "destination", to, size_bytes);
  refuse_null(name, "source", from, size_bytes);
  const Table& cu = current_table();
  check(cu, (cu.*slot)(to, from, size_bytes, rest...), name, [&] {
    const std::string lack = lack_text(cu, "destination", to, size_bytes);
    return lack.empty() ? lack_text(cu, "source", from, size_bytes) : lack;
  });
}

template <class Call, class Value, class... Rest>
void fill(const char* name, Call Table::* slot, DevicePointer destination, Value value,
          std::size_t count, Rest... rest) {
  refuse_negative(name, "count", count);
  refuse_null(name, "destination", destination, count);
  const Table& cu = current_table();
  check(cu, (cu.*slot)(destination, value, count, rest...), name,
        [&] { return lack_text(cu, "destination", destination, count * sizeof value); });
}

template <class Call, class Value, class... Rest>
void fill_area(const char* name, Call Table::* slot, const FillArea& area, Value value,
               Rest... rest) {
  refuse_negative(name, "pitch_bytes", area.pitch_bytes);
  refuse_negative(name, "width", area.width);
  refuse_negative(name, "height", area.height);
  refuse_null(name, "destination", area.destination, area.height == 0 ? 0 : area.width);
  call_current(name, slot, area.destination, area.pitch_bytes, value, area.width, area.height,
               rest...);
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
  if (source.type == MemoryType::array) raw.srcArray = source.array.raw();
  raw.srcPitch = source.pitch_bytes;
  raw.dstXInBytes = destination.x_bytes;
  raw.dstY = destination.y;
  raw.dstMemoryType = static_cast<CUmemorytype>(destination.type);
  raw.dstHost = const_cast<void*>(destination.host);
  raw.dstDevice = destination.device;
  if (destination.type == MemoryType::array) raw.dstArray = destination.array.raw();
  raw.dstPitch = destination.pitch_bytes;
  return raw;
}

CUDA_MEMCPY2D raw_2d(const Copy2D& copy) {
  check_current("copy_2d", copy.source, copy.destination);
  check_copy("copy_2d", {copy.source, copy.destination, copy.width_bytes, copy.height, 1});
  auto raw = common_fields<CUDA_MEMCPY2D>(copy.source, copy.destination);
  raw.WidthInBytes = copy.width_bytes;
  raw.Height = copy.height;
  return raw;
}

template <class Raw>
Raw raw_3d(const Copy3D& copy) {
  check_copy("copy_3d", copy);
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

RawContext context_of(const CopySide& side) {
  const bool is_of_array = side.type == MemoryType::array && !side.context;
  return raw_or_current(is_of_array ? side.array.context() : side.context);
}

/// Refuses arrays of other contexts than the current one.
template <class Raw>
Raw raw_within(const Copy3D& copy) {
  check_current("copy_3d", copy.source, copy.destination);
  return raw_3d<Raw>(copy);
}

CUDA_MEMCPY3D_PEER raw_peer(const Copy3D& copy) {
  auto raw = raw_3d<CUDA_MEMCPY3D_PEER>(copy);
  raw.srcContext = context_of(copy.source);
  raw.dstContext = context_of(copy.destination);
  return raw;
}

/// `unified` may be the host's memory, too.
template <class Copy>
void end_copy(const Copy& copy) {
  const MemoryType from = copy.source.type;
  if (from == MemoryType::host || from == MemoryType::unified)
    wait_for_staged_bytes(current_table());
}

void refuse_peers(const char* name, const PeerAddress& to, const PeerAddress& from,
                  std::size_t size_bytes) {
  refuse_negative(name, "size_bytes", size_bytes);
  refuse_null(name, "destination", to.address, size_bytes);
  refuse_null(name, "source", from.address, size_bytes);
}

}  // namespace

void copy_to_device(DevicePointer destination, const void* source, std::size_t size_bytes) {
  copy_bytes("cuMemcpyHtoD", &Table::cuMemcpyHtoD, destination, source, size_bytes);
  wait_for_staged_bytes(current_table());
}
void copy_to_device_async(DevicePointer destination, const void* source, std::size_t size_bytes,
                          StreamRef stream) {
  copy_bytes("cuMemcpyHtoDAsync", &Table::cuMemcpyHtoDAsync, destination, source, size_bytes,
             stream.raw());
}
void copy_to_host(void* destination, DevicePointer source, std::size_t size_bytes) {
  copy_bytes("cuMemcpyDtoH", &Table::cuMemcpyDtoH, destination, source, size_bytes);
}
void copy_to_host_async(void* destination, DevicePointer source, std::size_t size_bytes,
                        StreamRef stream) {
  copy_bytes("cuMemcpyDtoHAsync", &Table::cuMemcpyDtoHAsync, destination, source, size_bytes,
             stream.raw());
}
void copy_on_device(DevicePointer destination, DevicePointer source, std::size_t size_bytes) {
  copy_bytes("cuMemcpyDtoD", &Table::cuMemcpyDtoD, destination, source, size_bytes);
}
void copy_on_device_async(DevicePointer destination, DevicePointer source, std::size_t size_bytes,
                          StreamRef stream) {
  copy_bytes("cuMemcpyDtoDAsync", &Table::cuMemcpyDtoDAsync, destination, source, size_bytes,
             stream.raw());
}
void copy(DevicePointer destination, DevicePointer source, std::size_t size_bytes) {
  copy_bytes("cuMemcpy", &Table::cuMemcpy, destination, source, size_bytes);
  wait_for_staged_bytes(current_table());
}

namespace {

RawArray array_of(const char* call, const char* what, const ArrayPosition& position,
                  std::size_t size_bytes) {
  refuse_negative(call, "size_bytes", size_bytes);
  check_position(call, what, position, size_bytes);
  return position.array.raw();
}

}  // namespace

void copy_to_device(const ArrayPosition& destination, const void* source, std::size_t size_bytes) {
  const RawArray array = array_of("cuMemcpyHtoA", "destination", destination, size_bytes);
  refuse_null("cuMemcpyHtoA", "source", source, size_bytes);
  call_current("cuMemcpyHtoA", &Table::cuMemcpyHtoA, array, destination.offset_bytes, source,
               size_bytes);
  wait_for_staged_bytes(current_table());
}
void copy_to_device_async(const ArrayPosition& destination, const void* source,
                          std::size_t size_bytes, StreamRef stream) {
  const RawArray array = array_of("cuMemcpyHtoAAsync", "destination", destination, size_bytes);
  refuse_null("cuMemcpyHtoAAsync", "source", source, size_bytes);
  call_current("cuMemcpyHtoAAsync", &Table::cuMemcpyHtoAAsync, array, destination.offset_bytes,
               source, size_bytes, stream.raw());
}
void copy_to_host(void* destination, const ArrayPosition& source, std::size_t size_bytes) {
  const RawArray array = array_of("cuMemcpyAtoH", "source", source, size_bytes);
  refuse_null("cuMemcpyAtoH", "destination", destination, size_bytes);
  call_current("cuMemcpyAtoH", &Table::cuMemcpyAtoH, destination, array, source.offset_bytes,
               size_bytes);
}
void copy_to_host_async(void* destination, const ArrayPosition& source, std::size_t size_bytes,
                        StreamRef stream) {
  const RawArray array = array_of("cuMemcpyAtoHAsync", "source", source, size_bytes);
  refuse_null("cuMemcpyAtoHAsync", "destination", destination, size_bytes);
  call_current("cuMemcpyAtoHAsync", &Table::cuMemcpyAtoHAsync, destination, array,
               source.offset_bytes, size_bytes, stream.raw());
}
void copy_on_device(const ArrayPosition& destination, DevicePointer source,
                    std::size_t size_bytes) {
  const RawArray array = array_of("cuMemcpyDtoA", "destination", destination, size_bytes);
  refuse_null("cuMemcpyDtoA", "source", source, size_bytes);
  call_current("cuMemcpyDtoA", &Table::cuMemcpyDtoA, array, destination.offset_bytes, source,
               size_bytes);
}
void copy_on_device(DevicePointer destination, const ArrayPosition& source,
                    std::size_t size_bytes) {
  const RawArray array = array_of("cuMemcpyAtoD", "source", source, size_bytes);
  refuse_null("cuMemcpyAtoD", "destination", destination, size_bytes);
  call_current("cuMemcpyAtoD", &Table::cuMemcpyAtoD, destination, array, source.offset_bytes,
               size_bytes);
}
void copy_on_device(const ArrayPosition& destination, const ArrayPosition& source,
                    std::size_t size_bytes) {
  const RawArray to = array_of("cuMemcpyAtoA", "destination", destination, size_bytes);
  const RawArray from = array_of("cuMemcpyAtoA", "source", source, size_bytes);
  call_current("cuMemcpyAtoA", &Table::cuMemcpyAtoA, to, destination.offset_bytes, from,
               source.offset_bytes, size_bytes);
}

void copy_peer(const PeerAddress& destination, const PeerAddress& source, std::size_t size_bytes) {
  refuse_peers("cuMemcpyPeer", destination, source, size_bytes);
  call_current("cuMemcpyPeer", &Table::cuMemcpyPeer, destination.address,
               raw_or_current(destination.context), source.address, raw_or_current(source.context),
               size_bytes);
}
void copy_peer_async(const PeerAddress& destination, const PeerAddress& source,
                     std::size_t size_bytes, StreamRef stream) {
  refuse_peers("cuMemcpyPeerAsync", destination, source, size_bytes);
  call_current("cuMemcpyPeerAsync", &Table::cuMemcpyPeerAsync, destination.address,
               raw_or_current(destination.context), source.address, raw_or_current(source.context),
               size_bytes, stream.raw());
}

void fill8(DevicePointer destination, std::uint8_t value, std::size_t count) {
  fill("cuMemsetD8", &Table::cuMemsetD8, destination, value, count);
}
void fill16(DevicePointer destination, std::uint16_t value, std::size_t count) {
  fill("cuMemsetD16", &Table::cuMemsetD16, destination, value, count);
}
void fill32(DevicePointer destination, std::uint32_t value, std::size_t count) {
  fill("cuMemsetD32", &Table::cuMemsetD32, destination, value, count);
}
void fill8_async(DevicePointer destination, std::uint8_t value, std::size_t count,
                 StreamRef stream) {
  fill("cuMemsetD8Async", &Table::cuMemsetD8Async, destination, value, count, stream.raw());
}
void fill16_async(DevicePointer destination, std::uint16_t value, std::size_t count,
                  StreamRef stream) {
  fill("cuMemsetD16Async", &Table::cuMemsetD16Async, destination, value, count, stream.raw());
}
void fill32_async(DevicePointer destination, std::uint32_t value, std::size_t count,
                  StreamRef stream) {
  fill("cuMemsetD32Async", &Table::cuMemsetD32Async, destination, value, count, stream.raw());
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
  fill_area("cuMemsetD2D8Async", &Table::cuMemsetD2D8Async, area, value, stream.raw());
}
void fill_2d16_async(const FillArea& area, std::uint16_t value, StreamRef stream) {
  fill_area("cuMemsetD2D16Async", &Table::cuMemsetD2D16Async, area, value, stream.raw());
}
void fill_2d32_async(const FillArea& area, std::uint32_t value, StreamRef stream) {
  fill_area("cuMemsetD2D32Async", &Table::cuMemsetD2D32Async, area, value, stream.raw());
}

void copy_2d(const Copy2D& copy) {
  const auto raw = raw_2d(copy);
  call_current("cuMemcpy2D", &Table::cuMemcpy2D, &raw);
  end_copy(copy);
}
void copy_2d_unaligned(const Copy2D& copy) {
  const auto raw = raw_2d(copy);
  call_current("cuMemcpy2DUnaligned", &Table::cuMemcpy2DUnaligned, &raw);
  end_copy(copy);
}
void copy_2d_async(const Copy2D& copy, StreamRef stream) {
  const auto raw = raw_2d(copy);
  call_current("cuMemcpy2DAsync", &Table::cuMemcpy2DAsync, &raw, stream.raw());
}
void copy_3d(const Copy3D& copy) {
  const auto raw = raw_within<CUDA_MEMCPY3D>(copy);
  call_current("cuMemcpy3D", &Table::cuMemcpy3D, &raw);
  end_copy(copy);
}
void copy_3d_async(const Copy3D& copy, StreamRef stream) {
  const auto raw = raw_within<CUDA_MEMCPY3D>(copy);
  call_current("cuMemcpy3DAsync", &Table::cuMemcpy3DAsync, &raw, stream.raw());
}
void copy_3d_peer(const Copy3D& copy) {
  const auto raw = raw_peer(copy);
  call_current("cuMemcpy3DPeer", &Table::cuMemcpy3DPeer, &raw);
  end_copy(copy);
}
void copy_3d_peer_async(const Copy3D& copy, StreamRef stream) {
  const auto raw = raw_peer(copy);
  call_current("cuMemcpy3DPeerAsync", &Table::cuMemcpy3DPeerAsync, &raw, stream.raw());
}

CUDA_MEMCPY3D raw_copy(const Copy3D& copy) { return raw_3d<CUDA_MEMCPY3D>(copy); }

}  // namespace treadle::cuda
