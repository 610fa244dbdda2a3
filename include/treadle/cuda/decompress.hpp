// SPDX-License-Identifier: MIT
// Decompression by the engine that GPUs have for it since sm_100: many blocks in one call.
//
//   cuda::decompress_batch(std::vector{cuda::Decompression{
//       .destination = out, .source = packed, .source_bytes = 900, .written_bytes = counter,
//       .algorithm = cuda::Compression::lz4}}, stream);
//
// All addresses are of DeviceMemory, or of other memory that has PointerAttribute
// is_hardware_decompress_capable. What a device decompresses is its attribute
// mem_decompress_algorithm_mask; the CPU device, and drivers before CUDA 12.8: NotSupported.
#pragma once

#include <cstddef>
#include <span>

#include "treadle/cuda/raw.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// CUmemDecompressAlgorithm; bits of DeviceAttribute::mem_decompress_algorithm_mask.
enum class Compression : int {
  deflate = 1,  ///< as in zlib and gzip, without their headers
  snappy = 2,   ///< raw
  lz4 = 4,      ///< one block
};

/// One block.
struct Decompression {
  DevicePointer destination = 0;                 ///< where the bytes go
  DevicePointer source = 0;                      ///< the compressed bytes
  std::size_t source_bytes = 0;                  ///< of them, at least 1
  DevicePointer written_bytes = 0;               ///< of 32 bits: how many bytes it became
  std::size_t destination_bytes = 0;             ///< how many are expected; 0: not known
  Compression algorithm = Compression::deflate;  ///< how it was compressed
};

/// Queues them all as one piece of work; among them there is no order. Throws InvalidArgument,
/// naming the block by its index, for null addresses, no or negative bytes, and an algorithm that
/// is none; DeviceError, with the index where the driver tells it.
void decompress_batch(std::span<const Decompression> blocks, StreamRef stream);

}  // namespace treadle::cuda
