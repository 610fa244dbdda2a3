// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy_batch.hpp"

#include <string>
#include <vector>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "cuda/copy_check.hpp"
#include "cuda/raw_copy.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

CUmemLocation raw_hint(const std::optional<MemoryLocation>& place) {
  CUmemLocation raw{};
  if (!place) return raw;
  raw.type = static_cast<CUmemLocationType>(place->kind);
  raw.id = place->id;
  return raw;
}

unsigned raw_flags(const BatchCopyHints& hints) {
  return hints.overlaps_compute ? CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE
                                : CU_MEMCPY_FLAG_DEFAULT;
}

void refuse_default_stream(const char* call, StreamRef stream) {
  if (stream.is_default())
    throw InvalidArgument(std::string(call) + ": the default stream takes no batches",
                          "make a Stream, or copy one by one");
}

[[noreturn]] void refuse_copy(const char* call, std::size_t index, const std::string& problem,
                              const char* advice) {
  throw InvalidArgument(std::string(call) + ": copy " + std::to_string(index) + " " + problem,
                        advice);
}

void check_access(const char* call, std::size_t index, const BatchCopyHints& hints) {
  const int access = static_cast<int>(hints.source_access);
  if (access < 1 || access > 3)
    refuse_copy(call, index, "has the source access " + std::to_string(access),
                "take one of SourceAccess");
}

CUmemcpySrcAccessOrder raw_access(const BatchCopyHints& hints) {
  return static_cast<CUmemcpySrcAccessOrder>(hints.source_access);
}

/// Elements of `bytes` that rows or boxes beside an array are counted in.
std::size_t whole_elements(std::size_t index, const char* what, std::size_t bytes,
                           std::size_t element_bytes) {
  if (bytes % element_bytes != 0)
    refuse_copy("cuMemcpy3DBatchAsync", index,
                std::string("has ") + what + " of " + std::to_string(bytes) +
                    " bytes, and elements of " + std::to_string(element_bytes),
                "beside an array everything is counted in its elements");
  return bytes / element_bytes;
}

CUmemcpy3DOperand raw_operand(std::size_t index, const CopySide& side, const Copy3D& copy,
                              std::size_t element_bytes,
                              const std::optional<MemoryLocation>& hint) {
  CUmemcpy3DOperand raw{};
  if (side.level_of_detail != 0)
    refuse_copy("cuMemcpy3DBatchAsync", index, "has a level of detail",
                "copy from or to MipmappedArray::level()");
  if (side.type == MemoryType::array) {
    raw.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    raw.op.array.array = side.array.raw();
    raw.op.array.offset = {whole_elements(index, "an offset", side.x_bytes, element_bytes), side.y,
                           side.z};
    return raw;
  }
  const std::size_t pitch = side.pitch_bytes == 0 ? copy.width_bytes : side.pitch_bytes;
  const std::size_t height = side.height == 0 ? copy.height : side.height;
  raw.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  raw.op.ptr.ptr =
      (side.type == MemoryType::host ? reinterpret_cast<DevicePointer>(side.host) : side.device) +
      side.x_bytes + pitch * (side.y + height * side.z);
  raw.op.ptr.rowLength = whole_elements(index, "a pitch", pitch, element_bytes);
  raw.op.ptr.layerHeight = height;
  raw.op.ptr.locHint = raw_hint(hint);
  return raw;
}

std::size_t element_of(std::size_t index, const Copy3D& copy) {
  const auto bytes = [](const CopySide& side) {
    return side.type == MemoryType::array ? side.array.shape().element_bytes() : 0;
  };
  const std::size_t from = bytes(copy.source), to = bytes(copy.destination);
  if (from != 0 && to != 0 && from != to)
    refuse_copy("cuMemcpy3DBatchAsync", index,
                "is between arrays with elements of " + std::to_string(from) + " and " +
                    std::to_string(to) + " bytes",
                "elements must be of one size");
  return from != 0 ? from : to != 0 ? to : 1;
}

}  // namespace

void copy_batch(std::span<const BatchCopy> copies, StreamRef stream) {
  constexpr const char* call = "cuMemcpyBatchAsync";
  refuse_default_stream(call, stream);
  if (copies.empty()) return;
  std::vector<CUdeviceptr> to, from;
  std::vector<std::size_t> sizes, first_of;
  std::vector<CUmemcpyAttributes> attributes;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const BatchCopy& copy = copies[i];
    if (copy.destination == 0 || copy.source == 0)
      refuse_copy(call, i, copy.source == 0 ? "has no source" : "has no destination",
                  "pass the address of memory");
    if (copy.size_bytes == 0) refuse_copy(call, i, "has no bytes: size_bytes is 0", "leave it out");
    refuse_negative(call, "size_bytes", copy.size_bytes);
    check_access(call, i, copy.hints);
    to.push_back(copy.destination);
    from.push_back(copy.source);
    sizes.push_back(copy.size_bytes);
    if (i != 0 && copy.hints == copies[i - 1].hints) continue;
    first_of.push_back(i);
    attributes.push_back({raw_access(copy.hints), raw_hint(copy.hints.source),
                          raw_hint(copy.hints.destination), raw_flags(copy.hints)});
  }
  const Table& cu = current_table();
  check(cu,
        cu.cuMemcpyBatchAsync(to.data(), from.data(), sizes.data(), copies.size(),
                              attributes.data(), first_of.data(), attributes.size(), stream.raw()),
        call, [&] { return std::to_string(copies.size()) + " copies"; });
}

void copy_3d_batch(std::span<const BatchCopy3D> copies, StreamRef stream) {
  constexpr const char* call = "cuMemcpy3DBatchAsync";
  refuse_default_stream(call, stream);
  if (copies.empty()) return;
  std::vector<CUDA_MEMCPY3D_BATCH_OP> operations;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copy3D& copy = copies[i].copy;
    if (copy.width_bytes == 0 || copy.height == 0 || copy.depth == 0)
      refuse_copy(call, i, "has a size of 0", "width_bytes, height and depth are at least 1");
    check_access(call, i, copies[i].hints);
    check_current(call, copy.source, copy.destination);
    check_copy(call, copy);
    const std::size_t element = element_of(i, copy);
    CUDA_MEMCPY3D_BATCH_OP raw{};
    raw.src = raw_operand(i, copy.source, copy, element, copies[i].hints.source);
    raw.dst = raw_operand(i, copy.destination, copy, element, copies[i].hints.destination);
    raw.extent = {whole_elements(i, "rows", copy.width_bytes, element), copy.height, copy.depth};
    raw.srcAccessOrder = raw_access(copies[i].hints);
    raw.flags = raw_flags(copies[i].hints);
    operations.push_back(raw);
  }
  const Table& cu = current_table();
  check(cu, cu.cuMemcpy3DBatchAsync(operations.size(), operations.data(), 0, stream.raw()), call,
        [&] { return std::to_string(copies.size()) + " copies"; });
}

}  // namespace treadle::cuda
