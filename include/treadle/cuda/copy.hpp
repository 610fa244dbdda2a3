// SPDX-License-Identifier: MIT
// Copies and fills between raw addresses, in the current context. Sizes are in bytes, counts in
// elements. Functions that take a stream are asynchronous: the host range must live until the
// stream is past the copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

void copy_to_device(DevicePointer destination, const void* source, std::size_t size_bytes);
void copy_to_device_async(DevicePointer destination, const void* source, std::size_t size_bytes,
                          StreamRef stream);
void copy_to_host(void* destination, DevicePointer source, std::size_t size_bytes);
void copy_to_host_async(void* destination, DevicePointer source, std::size_t size_bytes,
                        StreamRef stream);
/// Ordered on the device; may return before the copy is done.
void copy_on_device(DevicePointer destination, DevicePointer source, std::size_t size_bytes);
void copy_on_device_async(DevicePointer destination, DevicePointer source, std::size_t size_bytes,
                          StreamRef stream);
/// Either side may be host or device memory; the driver tells them apart by address.
void copy(DevicePointer destination, DevicePointer source, std::size_t size_bytes);
void copy_async(DevicePointer destination, DevicePointer source, std::size_t size_bytes,
                StreamRef stream);

/// One side of a copy between contexts.
struct PeerAddress {
  DevicePointer address;
  Context context;
};
void copy_peer(const PeerAddress& destination, const PeerAddress& source, std::size_t size_bytes);
void copy_peer_async(const PeerAddress& destination, const PeerAddress& source,
                     std::size_t size_bytes, StreamRef stream);

void fill8(DevicePointer destination, std::uint8_t value, std::size_t count);
void fill16(DevicePointer destination, std::uint16_t value, std::size_t count);
void fill32(DevicePointer destination, std::uint32_t value, std::size_t count);
void fill8_async(DevicePointer destination, std::uint8_t value, std::size_t count,
                 StreamRef stream);
void fill16_async(DevicePointer destination, std::uint16_t value, std::size_t count,
                  StreamRef stream);
void fill32_async(DevicePointer destination, std::uint32_t value, std::size_t count,
                  StreamRef stream);

/// A rectangle of `height` rows of `width` elements, rows `pitch_bytes` apart.
struct FillArea {
  DevicePointer destination;
  std::size_t pitch_bytes;
  std::size_t width;  ///< elements
  std::size_t height;
};
void fill_2d8(const FillArea& area, std::uint8_t value);
void fill_2d16(const FillArea& area, std::uint16_t value);
void fill_2d32(const FillArea& area, std::uint32_t value);
void fill_2d8_async(const FillArea& area, std::uint8_t value, StreamRef stream);
void fill_2d16_async(const FillArea& area, std::uint16_t value, StreamRef stream);
void fill_2d32_async(const FillArea& area, std::uint32_t value, StreamRef stream);

/// CUmemorytype; `none` is a side that was not set, which the driver refuses.
enum class MemoryType : int { none = 0, host = 1, device = 2, array = 3, unified = 4 };

/// One side of a structured copy: where the rectangle or box starts and how rows and slices are
/// spaced.
struct CopySide {
  std::size_t x_bytes = 0, y = 0, z = 0;
  MemoryType type = MemoryType::none;
  const void* host = nullptr;       ///< for host; written to if this side is the destination
  DevicePointer device = 0;         ///< for device and unified
  RawArray array = nullptr;         ///< for array
  std::size_t pitch_bytes = 0;      ///< distance of rows
  std::size_t height = 0;           ///< rows of a slice, for 3D copies
  std::size_t level_of_detail = 0;  ///< 3D copies
  Context context = {};             ///< copy_3d_peer; none: the current one
};
struct Copy2D {
  CopySide source = {}, destination = {};
  std::size_t width_bytes = 0, height = 0;
};
struct Copy3D {
  CopySide source = {}, destination = {};
  std::size_t width_bytes = 0, height = 0, depth = 0;
};
/// Fast; pitches must be ones the device likes (DeviceMemory::pitched).
void copy_2d(const Copy2D& copy);
/// Any pitch.
void copy_2d_unaligned(const Copy2D& copy);
void copy_2d_async(const Copy2D& copy, StreamRef stream);
void copy_3d(const Copy3D& copy);
void copy_3d_async(const Copy3D& copy, StreamRef stream);
void copy_3d_peer(const Copy3D& copy);
void copy_3d_peer_async(const Copy3D& copy, StreamRef stream);

}  // namespace treadle::cuda
