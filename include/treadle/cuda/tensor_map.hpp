// SPDX-License-Identifier: MIT
// Tensor maps: what the tensor memory accelerator of GPUs since sm_90 has to know of a tensor in
// global memory to copy boxes of it to shared memory. A kernel takes one by value:
//
//   extern "C" __global__ void f(const __grid_constant__ CUtensorMap map);
//
//   cuda::TensorMap map = cuda::TensorMap::tiled({.address = x.address(),
//       .element = cuda::TensorElement::float32, .shape = {columns, rows}, .box = {32, 8}});
//   f.launch(shape, map);
//
// Shapes, strides and boxes begin with the dimension that runs fastest, as CUDA has them. The CPU
// device has no such unit: NotSupported.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

/// CUtensorMapDataType. The last three are packed: 16 numbers of 4 or 6 bits, in 8 or 16 bytes.
enum class TensorElement : int {
  uint8 = 0,
  uint16 = 1,
  uint32 = 2,
  int32 = 3,
  uint64 = 4,
  int64 = 5,
  float16 = 6,
  float32 = 7,
  float64 = 8,
  bfloat16 = 9,
  float32_flushed = 10,   ///< denormal numbers become 0
  tfloat32 = 11,          ///< rounded to 10 bits of mantissa
  tfloat32_flushed = 12,  ///< both
  packed4_in_8 = 13,
  packed4_in_16 = 14,
  packed6_in_16 = 15
};
/// CUtensorMapInterleave: channels in groups of so many bytes, next to each other.
enum class TensorInterleave : int { none = 0, bytes16 = 1, bytes32 = 2 };
/// CUtensorMapSwizzle: how rows lie in shared memory, so that threads use different banks.
enum class TensorSwizzle : int {
  none = 0,
  bytes32 = 1,
  bytes64 = 2,
  bytes128 = 3,
  bytes128_atoms_of_32 = 4,
  bytes128_atoms_of_32_flipped = 5,
  bytes128_atoms_of_64 = 6
};
/// CUtensorMapL2promotion: how much the cache fetches at a time.
enum class TensorPromotion : int { none = 0, bytes64 = 1, bytes128 = 2, bytes256 = 3 };
/// CUtensorMapFloatOOBfill: what is read outside of the tensor.
enum class TensorFill : int { zero = 0, nan = 1 };

/// The tensor, and how it is read.
struct TensorLayout {
  DevicePointer address = 0;                       ///< aligned to 16 bytes, at times to 32
  TensorElement element = TensorElement::float32;  ///< of the tensor
  std::vector<std::uint64_t> shape = {};           ///< 1 to 5 dimensions of 1 to 2^32
  /// Bytes from one to the next along each dimension but the fastest, multiples of 16 below 2^40;
  /// empty: without gaps.
  std::vector<std::uint64_t> strides_bytes = {};
  /// Steps along each dimension, 1 to 8; empty: 1.
  std::vector<std::uint32_t> steps = {};
  TensorInterleave interleave = TensorInterleave::none;  ///< for at least three dimensions
  TensorSwizzle swizzle = TensorSwizzle::none;           ///< bounds the box's rows
  TensorPromotion promotion = TensorPromotion::none;     ///< a hint
  TensorFill fill = TensorFill::zero;                    ///< NaN for floating point only
};
/// Boxes of a tensor.
struct TiledTensor : TensorLayout {
  /// Elements along each dimension, 1 to 256; of the fastest a multiple of 16 bytes.
  std::vector<std::uint32_t> box = {};
};
/// Pixels of images, for convolutions: dimensions are channels, width, perhaps height and depth,
/// and the images' number: 3 to 5.
struct ImageTensor : TensorLayout {
  /// Where pixels of the box begin and end, relative to the image: one for each dimension but
  /// channels and images.
  std::vector<int> lower_corner = {}, upper_corner = {};
  std::uint32_t channels = 0;  ///< of a pixel that are read, 1 to 256
  std::uint32_t pixels = 0;    ///< that are read, 1 to 1024
};

/// Pixels of images in rows, for convolutions on GPUs since sm_100: as ImageTensor, but the box has
/// a width alone.
struct WideTensor : TensorLayout {
  int lower_corner = 0, upper_corner = 0;  ///< of the width, -32768 to 32767
  std::uint32_t channels = 0;              ///< of a pixel that are read, 1 to 256
  std::uint32_t pixels = 0;                ///< that are read, 1 to 1024
  bool is_of_128 = false;                  ///< CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128
};

/// The map: 128 bytes that only the driver and kernels understand. A cheap value; it does not keep
/// the memory.
class TensorMap {
 public:
  /// Throws InvalidArgument or ShapeError, naming the field, for what CUDA does not allow, before
  /// the driver is asked; NotSupported where the driver has no tensor maps.
  static TensorMap tiled(const TiledTensor& tensor, const Driver& driver = default_driver());
  /// The same for pixels (im2col).
  static TensorMap image(const ImageTensor& tensor, const Driver& driver = default_driver());
  /// The same for rows of pixels (im2col wide). NotSupported before CUDA 12.8; DeviceError on GPUs
  /// before sm_100.
  static TensorMap wide(const WideTensor& tensor, const Driver& driver = default_driver());

  /// The same tensor in other memory, aligned as before. Kernels that were launched keep theirs.
  void set_address(DevicePointer address);
  /// Where the tensor is.
  DevicePointer address() const noexcept { return address_; }
  /// CUtensorMap, 128 bytes aligned to 64: what the kernel gets.
  const std::uint64_t* data() const noexcept { return words_.data(); }
  static constexpr std::size_t size_bytes = 128, alignment = 64;  ///< of data()

 private:
  TensorMap(const Driver& driver, DevicePointer address, std::size_t aligned) noexcept
      : driver_(driver), address_(address), aligned_(aligned) {}
  alignas(128) std::array<std::uint64_t, 16> words_{};
  Driver driver_;
  DevicePointer address_;
  std::size_t aligned_;  ///< what the address must be a multiple of
};

/// The map by value.
template <>
struct LaunchArgument<TensorMap> {
  static const void* data(const TensorMap& map) noexcept { return map.data(); }
  static constexpr std::size_t size = TensorMap::size_bytes, alignment = TensorMap::alignment;
};

}  // namespace treadle::cuda
