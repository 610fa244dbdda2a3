// SPDX-License-Identifier: MIT
// What the driver is told about a view of an array.
#pragma once

#include "treadle/cuda/table.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {

/// Describes a view of an array of `levels` levels, the largest of `shape`, and returns the format
/// of what fetches read. Throws InvalidArgument for what the array does not have.
ArrayFormat describe_view(const TextureView& view, const ArrayShape& shape, unsigned levels,
                          CUDA_RESOURCE_VIEW_DESC& raw);
/// The view that the driver tells of.
TextureView view_of(const CUDA_RESOURCE_VIEW_DESC& raw);

}  // namespace treadle::cuda
