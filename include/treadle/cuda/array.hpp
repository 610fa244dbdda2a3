// SPDX-License-Identifier: MIT
// Arrays: device memory laid out for textures and surfaces, which alone read and write it in
// kernels. Copies go through copy.hpp, or whole by copy_from() and copy_to().
#pragma once

#include <functional>
#include <memory>

#include "treadle/cuda/memory.hpp"

struct CUDA_ARRAY3D_DESCRIPTOR_st;

namespace treadle::cuda {

class ArrayState;
class ExternalMemory;
class MipmappedArrayState;

/// CUarray_format: the type of one channel.
enum class ArrayFormat : int {
  uint8 = 0x01,
  uint16 = 0x02,
  uint32 = 0x03,
  int8 = 0x08,
  int16 = 0x09,
  int32 = 0x0a,
  half = 0x10,
  float32 = 0x20,
};
/// Bytes of one channel. Throws InvalidArgument for a number that is none of the formats.
std::size_t format_bytes(ArrayFormat format);

/// CUDA_ARRAY3D_*: what an array is for; combine with |.
enum class ArrayFlags : unsigned {
  none = 0,
  layered = 1,             ///< `depth` is a number of layers
  surface_load_store = 2,  ///< kernels may write it, through a Surface
  cubemap = 4,             ///< six square faces, and of a layered one six for each cube
  texture_gather = 8,      ///< tex2Dgather; for two dimensions only
  sparse = 64,             ///< without memory, which comes by tiles: sparse_array.hpp
  deferred_mapping = 128,  ///< without memory, which comes whole
};
/// Both sets of flags.
constexpr ArrayFlags operator|(ArrayFlags a, ArrayFlags b) noexcept {
  return static_cast<ArrayFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// Whether `flags` has all of `wanted`.
constexpr bool has_flags(ArrayFlags flags, ArrayFlags wanted) noexcept {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(wanted)) ==
         static_cast<unsigned>(wanted);
}

/// Sizes and elements of an array. An element is what one fetch reads: `channels` numbers.
struct ArrayShape {
  std::size_t width = 0;   ///< elements
  std::size_t height = 0;  ///< rows; 0: one dimension
  std::size_t depth = 0;   ///< slices, or layers, or faces of cubemaps; 0: at most two dimensions
  ArrayFormat format = ArrayFormat::float32;  ///< of each number
  unsigned channels = 1;                      ///< 1, 2 or 4
  ArrayFlags flags = ArrayFlags::none;        ///< what it is for

  bool operator==(const ArrayShape&) const = default;
  /// Throws InvalidArgument for a format or a number of channels that arrays do not have.
  std::size_t element_bytes() const;
  std::size_t row_bytes() const { return width * element_bytes(); }       ///< of `width` elements
  std::size_t rows() const noexcept { return height == 0 ? 1 : height; }  ///< of a slice
  std::size_t slices() const noexcept { return depth == 0 ? 1 : depth; }  ///< at least one
  std::size_t size_bytes() const { return row_bytes() * rows() * slices(); }  ///< without gaps
};

/// Memory for textures and surfaces, of one to three dimensions, layered or a cubemap. A cheap
/// value that shares the memory: textures keep it, and it keeps its context.
class Array {
 public:
  Array() = default;  ///< no array; only assignment, comparison and operator bool are allowed
  /// Allocates in the current context. Throws InvalidArgument, naming what is wrong with `shape`,
  /// before the driver is asked; OutOfMemory; DeviceError for sizes that the device does not have.
  explicit Array(const ArrayShape& shape);
  Array(const Context& context, const ArrayShape& shape);
  /// An array of `context` that someone else made and destroys: `owner` keeps it, if anything
  /// does.
  static Array borrow(const Context& context, RawArray raw,
                      std::shared_ptr<const void> owner = nullptr);

  /// Frees now, whoever shares it; it must not be in use. Textures over it refuse to be used.
  /// Throws InvalidState the second time, and for arrays that were borrowed.
  void free();
  /// Whether it was freed, by whoever shares it.
  bool is_freed() const noexcept;

  /// As it was asked for, or as the driver tells for one that was borrowed. Stays after free().
  const ArrayShape& shape() const noexcept;
  /// Where it was made. Stays after free().
  const Context& context() const noexcept;
  /// CUarray, for calls of the driver itself. Throws InvalidState after free().
  RawArray raw() const;

  /// Copies the whole array from or to a host range without gaps, x fastest; blocks until the bytes
  /// are there. Throws ShapeError naming both sizes if the range is not of the array's size.
  template <HostRange Range>
  void copy_from(const Range& host) const {
    copy_in(std::as_bytes(std::span(std::ranges::data(host), std::ranges::size(host))));
  }
  template <HostRange Range>
  void copy_to(Range&& host) const {
    copy_out(std::as_writable_bytes(std::span(std::ranges::data(host), std::ranges::size(host))));
  }

  /// False for an Array that never had one; true after free().
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Whether the array ends with this: no other handle of it lives.
  bool is_last() const noexcept { return state_.use_count() == 1; }
  /// Whether both share one array.
  bool operator==(const Array&) const = default;

 private:
  friend class MipmappedArray;
  void copy_in(std::span<const std::byte> host) const;
  void copy_out(std::span<std::byte> host) const;

  std::shared_ptr<ArrayState> state_;
};

/// An array and smaller and smaller versions of it, each of half the size of the one before, for
/// textures that are read from far away. A cheap value, as Array.
class MipmappedArray {
 public:
  MipmappedArray() = default;  ///< no array; only assignment and operator bool are allowed
  /// `levels` of them, the first of `shape`. Throws as Array; InvalidArgument for no levels, or
  /// more than halve the longest side to 1.
  MipmappedArray(const ArrayShape& shape, unsigned levels);
  MipmappedArray(const Context& context, const ArrayShape& shape, unsigned levels);

  /// One of `context` that someone else made, with so many levels, and destroys: `owner` keeps it,
  /// if anything does. Throws InvalidArgument for null and for no levels.
  static MipmappedArray borrow(const Context& context, RawMipmappedArray raw, unsigned levels,
                               std::shared_ptr<const void> owner = nullptr);

  /// Frees now all levels, whoever shares them. Throws InvalidState the second time, and for arrays
  /// that were borrowed.
  void free();
  /// Whether it was freed, by whoever shares it.
  bool is_freed() const noexcept;
  /// One of the versions, 0 the largest, which keeps all of them. Throws IndexError naming how many
  /// there are.
  Array level(unsigned index) const;
  /// How many there are. Stays after free().
  unsigned levels() const noexcept;
  /// Of the largest. Stays after free().
  const ArrayShape& shape() const noexcept;
  /// Where it was made. Stays after free().
  const Context& context() const noexcept;
  /// CUmipmappedArray. Throws InvalidState after free().
  RawMipmappedArray raw() const;
  /// False for one that never had an array; true after free().
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// As Array::is_last().
  bool is_last() const noexcept { return state_.use_count() == 1; }
  /// Whether both share one array.
  bool operator==(const MipmappedArray&) const = default;

 private:
  friend class ExternalMemory;
  /// What `make` returns, to be destroyed; `owner` is kept as long.
  static MipmappedArray made_by(
      const Context& context, const ArrayShape& shape, unsigned levels,
      const std::function<RawMipmappedArray(const CUDA_ARRAY3D_DESCRIPTOR_st&)>& make,
      std::shared_ptr<const void> owner);
  std::shared_ptr<MipmappedArrayState> state_;
};

}  // namespace treadle::cuda
