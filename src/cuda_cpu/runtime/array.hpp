// SPDX-License-Identifier: MIT
// CUDA arrays: memory in rows of texels that programs reach by copies, textures and surfaces only.
#pragma once

#include <memory>
#include <vector>

#include "cuda_cpu/runtime/context.hpp"
#include "cuda_cpu/runtime/handles.hpp"
#include "cuda_cpu/runtime/texel_format.hpp"

namespace treadle::cuda_cpu {

/// A device array, or one level of a mipmapped one. Rows and slices follow each other without gaps.
class Array {
 public:
  /// `memory` keeps the allocation; the texels begin `offset` bytes into it.
  Array(std::shared_ptr<Context> owner, const CUDA_ARRAY3D_DESCRIPTOR& described,
        TexelFormat format, std::shared_ptr<void> memory, std::size_t offset);

  const std::shared_ptr<Context> context;
  const CUDA_ARRAY3D_DESCRIPTOR descriptor;
  const TexelFormat format;
  bool is_level = false;  ///< of a mipmapped array, which it ends with
  CUarray handle = nullptr;

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(first_); }
  std::size_t row_bytes() const { return descriptor.Width * format.bytes(); }
  std::size_t rows() const;    ///< of a slice; 1 in one dimension
  std::size_t slices() const;  ///< depth, layers or faces; 1 if there are none
  std::size_t bytes() const { return row_bytes() * rows() * slices(); }
  __treadle_texels texels() const;

 private:
  std::shared_ptr<void> memory_;
  std::byte* first_;
};

struct MipmappedArray {
  std::shared_ptr<Context> context;
  std::vector<std::shared_ptr<Array>> levels;  ///< the largest first
};

using ArrayHandles = HandleRegistry<Array, CUarray, HandleKind::array>;
using MipmappedArrayHandles =
    HandleRegistry<MipmappedArray, CUmipmappedArray, HandleKind::mipmapped_array>;
ArrayHandles& array_handles();
MipmappedArrayHandles& mipmapped_array_handles();

/// Forgets the arrays of a context that ends.
void drop_arrays_of(const Context& context);

/// The largest sizes, as this device's attributes say them; those of an H100.
namespace array_limits {
inline constexpr int width_1d = 131072, width_2d = 131072, height_2d = 65536, size_3d = 16384,
                     size_layered = 32768, layers = 2048, size_cubemap = 32768,
                     layers_cubemap = 2046, size_gather = 32768;
/// Of textures in linear memory: texels, and bytes of a row.
inline constexpr int linear_texels = 1 << 28, linear_pitch = 2097120;
}  // namespace array_limits
/// The attribute that says one of these; 0 for any other.
int texture_attribute(CUdevice_attribute attribute);

}  // namespace treadle::cuda_cpu
