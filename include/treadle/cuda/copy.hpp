// SPDX-License-Identifier: MIT
// Copies and fills between raw addresses, in the current context. Sizes are in bytes, counts in
// elements. All throw InvalidArgument for negative sizes, and for null where there are bytes to
// move, before the driver is asked.
//
// Order. Functions without a stream work on the default stream: after the work queued before on it
// and on blocking streams, and before what is queued there later. They do not wait for non-blocking
// streams: synchronize these first, or pass the stream. Those that read or write host memory block,
// and are done when they return: work queued later on any stream sees their bytes, on non-blocking
// ones too. Functions that take a stream are in its order and in no other, and asynchronous: the
// host range must live until the stream is past the copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "treadle/cuda/array.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// From host memory; blocks until the bytes are there.
void copy_to_device(DevicePointer destination, const void* source, std::size_t size_bytes);
/// As copy_to_device(), in the order of `stream`; overlaps with host code if the range is
/// page-locked.
void copy_to_device_async(DevicePointer destination, const void* source, std::size_t size_bytes,
                          StreamRef stream);
/// To host memory; blocks until the bytes are there.
void copy_to_host(void* destination, DevicePointer source, std::size_t size_bytes);
/// As copy_to_host(), in the order of `stream`; the bytes are there once the stream is past it.
void copy_to_host_async(void* destination, DevicePointer source, std::size_t size_bytes,
                        StreamRef stream);
/// Ordered on the device; may return before the copy is done.
void copy_on_device(DevicePointer destination, DevicePointer source, std::size_t size_bytes);
/// As copy_on_device(), in the order of `stream`.
void copy_on_device_async(DevicePointer destination, DevicePointer source, std::size_t size_bytes,
                          StreamRef stream);
/// Either side may be host or device memory; the driver tells them apart by address. Blocks as
/// copy_to_host() and copy_to_device() do where a side is host memory.
void copy(DevicePointer destination, DevicePointer source, std::size_t size_bytes);

/// A place in an array of one dimension, for copies of bytes one after the other.
struct ArrayPosition {
  Array array;                   ///< which
  std::size_t offset_bytes = 0;  ///< a multiple of an element
};
// As the functions above of these names. Throw ShapeError, naming both sizes, for more bytes than
// the array has from there on.
void copy_to_device(const ArrayPosition& destination, const void* source, std::size_t size_bytes);
void copy_to_device_async(const ArrayPosition& destination, const void* source,
                          std::size_t size_bytes, StreamRef stream);
void copy_to_host(void* destination, const ArrayPosition& source, std::size_t size_bytes);
void copy_to_host_async(void* destination, const ArrayPosition& source, std::size_t size_bytes,
                        StreamRef stream);
void copy_on_device(const ArrayPosition& destination, DevicePointer source, std::size_t size_bytes);
void copy_on_device(DevicePointer destination, const ArrayPosition& source, std::size_t size_bytes);
void copy_on_device(const ArrayPosition& destination, const ArrayPosition& source,
                    std::size_t size_bytes);

/// One side of a copy between contexts.
struct PeerAddress {
  DevicePointer address;  ///< an allocation of `context`
  Context context;        ///< need not be current
};
/// Between two devices, or two contexts of one. Throws NotSupported where the driver cannot.
void copy_peer(const PeerAddress& destination, const PeerAddress& source, std::size_t size_bytes);
/// As copy_peer(), in the order of `stream`.
void copy_peer_async(const PeerAddress& destination, const PeerAddress& source,
                     std::size_t size_bytes, StreamRef stream);

/// Sets `count` elements of 8, 16 or 32 bits from `destination` on, which is aligned to one; the
/// host does not wait. Throws DeviceError for what is not device memory.
void fill8(DevicePointer destination, std::uint8_t value, std::size_t count);
void fill16(DevicePointer destination, std::uint16_t value, std::size_t count);
void fill32(DevicePointer destination, std::uint32_t value, std::size_t count);
/// The same in the order of `stream`.
void fill8_async(DevicePointer destination, std::uint8_t value, std::size_t count,
                 StreamRef stream);
void fill16_async(DevicePointer destination, std::uint16_t value, std::size_t count,
                  StreamRef stream);
void fill32_async(DevicePointer destination, std::uint32_t value, std::size_t count,
                  StreamRef stream);

/// A rectangle of `height` rows of `width` elements, rows `pitch_bytes` apart.
struct FillArea {
  DevicePointer destination;  ///< aligned to one element
  std::size_t pitch_bytes;  ///< from the start of a row to that of the next; at least a row's bytes
  std::size_t width;        ///< elements
  std::size_t height;       ///< rows
};
/// Sets the elements of the rectangle, of 8, 16 or 32 bits each; the bytes between rows stay.
void fill_2d8(const FillArea& area, std::uint8_t value);
void fill_2d16(const FillArea& area, std::uint16_t value);
void fill_2d32(const FillArea& area, std::uint32_t value);
/// The same in the order of `stream`.
void fill_2d8_async(const FillArea& area, std::uint8_t value, StreamRef stream);
void fill_2d16_async(const FillArea& area, std::uint16_t value, StreamRef stream);
void fill_2d32_async(const FillArea& area, std::uint32_t value, StreamRef stream);

/// CUmemorytype; `none` is a side that was not set, which copies refuse.
enum class MemoryType : int { none = 0, host = 1, device = 2, array = 3, unified = 4 };

/// One side of a structured copy: where the rectangle or box starts and how rows and slices are
/// spaced.
struct CopySide {
  /// Where it starts: bytes, rows and slices from the side's own start.
  std::size_t x_bytes = 0, y = 0, z = 0;
  MemoryType type = MemoryType::none;  ///< which of the next three counts
  const void* host = nullptr;          ///< for host; written to if this side is the destination
  DevicePointer device = 0;            ///< for device and unified
  Array array = {};                    ///< for array
  std::size_t pitch_bytes = 0;         ///< distance of rows; 0: they follow each other
  std::size_t height = 0;              ///< rows of a slice, for 3D copies
  std::size_t level_of_detail = 0;     ///< 3D copies
  Context context = {};                ///< copy_3d_peer; none: the array's, else the current one
  std::size_t size_bytes = 0;  ///< of the memory, from its start; 0: not known, and not checked
};
/// `height` rows of `width_bytes` each, from one side to the other.
struct Copy2D {
  CopySide source = {}, destination = {};   ///< must not overlap
  std::size_t width_bytes = 0, height = 0;  ///< of each row; how many rows
};
/// `depth` slices of `height` rows of `width_bytes` each.
struct Copy3D {
  CopySide source = {}, destination = {};              ///< must not overlap
  std::size_t width_bytes = 0, height = 0, depth = 0;  ///< of each row; rows of a slice; slices
};
/// Fast; pitches must be ones the device likes (DeviceMemory::pitched). Blocks where a side is host
/// memory. Throws InvalidArgument for a side that is not set, or an array of which parts of
/// elements or another context's are asked for; ShapeError for one that is too small, as far as its
/// size is known, else DeviceError.
void copy_2d(const Copy2D& copy);
/// Any pitch.
void copy_2d_unaligned(const Copy2D& copy);
/// As copy_2d(), in the order of `stream`.
void copy_2d_async(const Copy2D& copy, StreamRef stream);
/// Within one context; blocks as copy_2d() does.
void copy_3d(const Copy3D& copy);
/// As copy_3d(), in the order of `stream`.
void copy_3d_async(const Copy3D& copy, StreamRef stream);
/// Between contexts: CopySide::context says which.
void copy_3d_peer(const Copy3D& copy);
/// As copy_3d_peer(), in the order of `stream`.
void copy_3d_peer_async(const Copy3D& copy, StreamRef stream);

}  // namespace treadle::cuda
