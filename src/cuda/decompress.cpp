// SPDX-License-Identifier: MIT
#include "treadle/cuda/decompress.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

constexpr const char* decompress_call = "cuMemBatchDecompressAsync";

[[noreturn]] void refuse_block(std::size_t index, const std::string& problem, const char* advice) {
  throw InvalidArgument(
      std::string(decompress_call) + ": block " + std::to_string(index) + " " + problem, advice);
}

CUmemDecompressParams raw_block(std::size_t index, const Decompression& block) {
  refuse_negative(decompress_call, "source_bytes", block.source_bytes);
  refuse_negative(decompress_call, "destination_bytes", block.destination_bytes);
  for (const auto& [name, address] : {std::pair{"destination", block.destination},
                                      {"source", block.source},
                                      {"written_bytes", block.written_bytes}})
    if (address == 0)
      refuse_block(index, std::string("has no ") + name, "pass the address of device memory");
  if (block.source_bytes == 0)
    refuse_block(index, "has no bytes: source_bytes is 0", "leave it out");
  const int algorithm = static_cast<int>(block.algorithm);
  if (algorithm != 1 && algorithm != 2 && algorithm != 4)
    refuse_block(index, "has the algorithm " + std::to_string(algorithm),
                 "take one of Compression");
  CUmemDecompressParams raw{};
  raw.srcNumBytes = block.source_bytes;
  raw.dstNumBytes = block.destination_bytes;
  raw.dstActBytes = reinterpret_cast<cuuint32_t*>(block.written_bytes);
  raw.src = reinterpret_cast<const void*>(block.source);
  raw.dst = reinterpret_cast<void*>(block.destination);
  raw.algo = static_cast<CUmemDecompressAlgorithm>(algorithm);
  return raw;
}

}  // namespace

void decompress_batch(std::span<const Decompression> blocks, StreamRef stream) {
  if (blocks.empty()) return;
  std::vector<CUmemDecompressParams> all;
  for (std::size_t i = 0; i < blocks.size(); ++i) all.push_back(raw_block(i, blocks[i]));
  std::size_t failing = SIZE_MAX;
  const Table& cu = current_table();
  check(cu, cu.cuMemBatchDecompressAsync(all.data(), all.size(), 0, &failing, stream.raw()),
        decompress_call, [&] {
          const std::string which =
              failing < all.size() ? "block " + std::to_string(failing) + " of " : std::string();
          return which + std::to_string(all.size()) +
                 " blocks; DeviceAttribute::mem_decompress_algorithm_mask tells what the device "
                 "decompresses";
        });
}

}  // namespace treadle::cuda
