// SPDX-License-Identifier: MIT
// Entry points of batches of copies. They are queued one after the other, which is an order, too.
#include <vector>

#include "cuda_cpu/runtime/array.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/stream.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// CUDA has no batches on the default stream.
CUresult check_batch_stream(CUstream handle) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (handle == nullptr || handle == CU_STREAM_LEGACY) return CUDA_ERROR_INVALID_VALUE;
    return resolve_stream(context, handle, stream);
  });
}

bool is_access_order(CUmemcpySrcAccessOrder order) {
  return order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
         order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
         order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

bool are_attributes(const CUmemcpyAttributes* attributes, const std::size_t* first_of,
                    std::size_t kinds, std::size_t count) {
  if (attributes == nullptr || first_of == nullptr || kinds == 0 || kinds > count) return false;
  for (std::size_t i = 0; i < kinds; ++i) {
    const bool in_order =
        i == 0 ? first_of[0] == 0 : first_of[i] > first_of[i - 1] && first_of[i] < count;
    if (!in_order || !is_access_order(attributes[i].srcAccessOrder)) return false;
  }
  return true;
}

/// Memory of ours as far as it goes, or any of the host's.
bool is_memory(CUdeviceptr address, std::size_t size) {
  return address != 0 && (!find_memory(address) || known_memory(address, size));
}

bool is_during_call(CUmemcpySrcAccessOrder order) {
  return order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
}

/// The source may be gone once the call has returned.
CUresult wait_for_sources(bool is_needed, CUstream stream) {
  return is_needed ? cuStreamSynchronize(stream) : CUDA_SUCCESS;
}

std::size_t element_bytes_of(const CUmemcpy3DOperand& side) {
  if (side.type != CU_MEMCPY_OPERAND_TYPE_ARRAY) return 0;
  const auto array = array_handles().find(side.op.array.array);
  return array ? array->format.bytes() : 0;
}

bool is_operand(const CUmemcpy3DOperand& side, const CUextent3D& extent) {
  if (side.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) return element_bytes_of(side) != 0;
  const auto& place = side.op.ptr;
  return side.type == CU_MEMCPY_OPERAND_TYPE_POINTER && place.ptr != 0 &&
         (place.rowLength == 0 || place.rowLength >= extent.width) &&
         (place.layerHeight == 0 || place.layerHeight >= extent.height);
}

/// As a copy of bytes.
CUresult as_copy(const CUDA_MEMCPY3D_BATCH_OP& operation, CUDA_MEMCPY3D& copy) {
  const CUextent3D& extent = operation.extent;
  if (!is_operand(operation.src, extent) || !is_operand(operation.dst, extent) ||
      !is_access_order(operation.srcAccessOrder) || extent.width == 0 || extent.height == 0 ||
      extent.depth == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t from = element_bytes_of(operation.src), to = element_bytes_of(operation.dst);
  if (from != 0 && to != 0 && from != to) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t element = from != 0 ? from : to != 0 ? to : 1;
  copy = {};
  if (from != 0) {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = operation.src.op.array.array;
    copy.srcXInBytes = operation.src.op.array.offset.x * element;
    copy.srcY = operation.src.op.array.offset.y;
    copy.srcZ = operation.src.op.array.offset.z;
  } else {
    const auto& place = operation.src.op.ptr;
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = place.ptr;
    copy.srcPitch = (place.rowLength == 0 ? extent.width : place.rowLength) * element;
    copy.srcHeight = place.layerHeight == 0 ? extent.height : place.layerHeight;
  }
  if (to != 0) {
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = operation.dst.op.array.array;
    copy.dstXInBytes = operation.dst.op.array.offset.x * element;
    copy.dstY = operation.dst.op.array.offset.y;
    copy.dstZ = operation.dst.op.array.offset.z;
  } else {
    const auto& place = operation.dst.op.ptr;
    copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.dstDevice = place.ptr;
    copy.dstPitch = (place.rowLength == 0 ? extent.width : place.rowLength) * element;
    copy.dstHeight = place.layerHeight == 0 ? extent.height : place.layerHeight;
  }
  copy.WidthInBytes = extent.width * element;
  copy.Height = extent.height;
  copy.Depth = extent.depth;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attributes, size_t* first_of, size_t kinds,
                            CUstream stream) {
  return guarded([&]() -> CUresult {
    if (const CUresult failure = check_batch_stream(stream); failure != CUDA_SUCCESS)
      return failure;
    if (to == nullptr || from == nullptr || sizes == nullptr || count == 0 ||
        !are_attributes(attributes, first_of, kinds, count))
      return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i)
      if (sizes[i] == 0 || !is_memory(to[i], sizes[i]) || !is_memory(from[i], sizes[i]))
        return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i)
      if (const CUresult failure = cuMemcpyAsync(to[i], from[i], sizes[i], stream);
          failure != CUDA_SUCCESS)
        return failure;
    bool waits = false;
    for (std::size_t i = 0; i < kinds; ++i)
      waits = waits || is_during_call(attributes[i].srcAccessOrder);
    return wait_for_sources(waits, stream);
  });
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP* operations,
                              unsigned long long flags, CUstream stream) {
  return guarded([&]() -> CUresult {
    if (const CUresult failure = check_batch_stream(stream); failure != CUDA_SUCCESS)
      return failure;
    if (operations == nullptr || count == 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUDA_MEMCPY3D> copies(count);
    bool waits = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (const CUresult failure = as_copy(operations[i], copies[i]); failure != CUDA_SUCCESS)
        return failure;
      waits = waits || is_during_call(operations[i].srcAccessOrder);
    }
    for (const CUDA_MEMCPY3D& copy : copies)
      if (const CUresult failure = cuMemcpy3DAsync(&copy, stream); failure != CUDA_SUCCESS)
        return failure;
    return wait_for_sources(waits, stream);
  });
}
