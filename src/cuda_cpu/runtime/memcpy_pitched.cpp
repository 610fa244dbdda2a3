// SPDX-License-Identifier: MIT
// Entry points of the two- and three-dimensional copies.
#include "cuda_cpu/runtime/array.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/transfer.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// One side of a copy: where it starts, how far its rows and slices are apart.
struct End {
  CUmemorytype type;
  std::uintptr_t address;
  std::size_t x, y, z, pitch, height;
  CUarray array;
};

struct CopySize {
  std::size_t width, height, depth;
};

struct Placed {
  std::byte* start = nullptr;
  std::size_t pitch = 0, slice = 0;
  bool stays_valid = false;
};

bool multiply_add(std::size_t a, std::size_t b, std::size_t& sum) {
  std::size_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

bool lies_in(std::size_t begin, std::size_t count, std::size_t size) {
  return begin <= size && count <= size - begin;
}

/// An array says itself how far its rows and slices are apart.
CUresult place_in_array(const End& end, const CopySize& extent, Placed& placed) {
  const auto array = array_handles().find(end.array);
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  if (!lies_in(end.x, extent.width, array->row_bytes()) ||
      !lies_in(end.y, extent.height, array->rows()) ||
      !lies_in(end.z, extent.depth, array->slices()))
    return CUDA_ERROR_INVALID_VALUE;
  // Texels are copied whole.
  if (end.x % array->format.bytes() != 0 || extent.width % array->format.bytes() != 0)
    return CUDA_ERROR_INVALID_VALUE;
  placed.pitch = array->row_bytes();
  placed.slice = array->row_bytes() * array->rows();
  placed.start = reinterpret_cast<std::byte*>(array->address()) + end.x + end.y * placed.pitch +
                 end.z * placed.slice;
  placed.stays_valid = true;
  return CUDA_SUCCESS;
}

/// Finds the first byte and checks that the last one lies in the same memory.
CUresult place(const End& end, const CopySize& extent, Placed& placed) {
  if (end.type == CU_MEMORYTYPE_ARRAY) return place_in_array(end, extent, placed);
  if (end.type != CU_MEMORYTYPE_HOST && end.type != CU_MEMORYTYPE_DEVICE &&
      end.type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  const bool one_row = extent.height == 1 && extent.depth == 1 && end.y == 0 && end.z == 0;
  placed.pitch = end.pitch != 0 ? end.pitch : extent.width + end.x;
  if (!one_row && placed.pitch < extent.width + end.x) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t height = end.height != 0 ? end.height : extent.height + end.y;
  if ((extent.depth > 1 || end.z > 0) && height < extent.height + end.y)
    return CUDA_ERROR_INVALID_VALUE;
  if (__builtin_mul_overflow(placed.pitch, height, &placed.slice)) return CUDA_ERROR_INVALID_VALUE;
  std::size_t offset = end.x, span = extent.width;
  const bool fits = multiply_add(end.y, placed.pitch, offset) &&
                    multiply_add(end.z, placed.slice, offset) &&
                    multiply_add(extent.height - 1, placed.pitch, span) &&
                    multiply_add(extent.depth - 1, placed.slice, span);
  if (!fits || end.address == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::uintptr_t start = end.address + offset;
  placed.stays_valid = known_memory(start, span);
  const bool may_be_unknown = end.type != CU_MEMORYTYPE_DEVICE && !find_memory(start);
  if (!placed.stays_valid && !may_be_unknown) return CUDA_ERROR_INVALID_VALUE;
  placed.start = reinterpret_cast<std::byte*>(start);
  return CUDA_SUCCESS;
}

CUresult copy_pitched(CUstream handle, const End& to, const End& from, const CopySize& extent,
                      Blocking blocking) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return CUDA_SUCCESS;
    Placed target, source;
    if (const CUresult failure = place(to, extent, target); failure != CUDA_SUCCESS) return failure;
    if (const CUresult failure = place(from, extent, source); failure != CUDA_SUCCESS)
      return failure;
    // Pageable memory may be changed or freed as soon as the call returns: then it has to be done.
    if (!target.stays_valid || !source.stays_valid) blocking = Blocking::yes;
    return submit_copy(stream,
                       {.to = target.start,
                        .from = source.start,
                        .width = extent.width,
                        .height = extent.height,
                        .depth = extent.depth,
                        .to_pitch = target.pitch,
                        .from_pitch = source.pitch,
                        .to_slice = target.slice,
                        .from_slice = source.slice,
                        .staged = {}},
                       blocking);
  });
}

std::uintptr_t pick(CUmemorytype type, const void* host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host) : device;
}

template <class Parameters>
CUresult copy_2d(const Parameters* p, CUstream stream, Blocking blocking) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return copy_pitched(stream,
                      {p->dstMemoryType, pick(p->dstMemoryType, p->dstHost, p->dstDevice),
                       p->dstXInBytes, p->dstY, 0, p->dstPitch, 0, p->dstArray},
                      {p->srcMemoryType, pick(p->srcMemoryType, p->srcHost, p->srcDevice),
                       p->srcXInBytes, p->srcY, 0, p->srcPitch, 0, p->srcArray},
                      {p->WidthInBytes, p->Height, 1}, blocking);
}

template <class Parameters>
CUresult copy_3d(const Parameters* p, CUstream stream, Blocking blocking) {
  if (p == nullptr || p->srcLOD != 0 || p->dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  return copy_pitched(stream,
                      {p->dstMemoryType, pick(p->dstMemoryType, p->dstHost, p->dstDevice),
                       p->dstXInBytes, p->dstY, p->dstZ, p->dstPitch, p->dstHeight, p->dstArray},
                      {p->srcMemoryType, pick(p->srcMemoryType, p->srcHost, p->srcDevice),
                       p->srcXInBytes, p->srcY, p->srcZ, p->srcPitch, p->srcHeight, p->srcArray},
                      {p->WidthInBytes, p->Height, p->Depth}, blocking);
}

}  // namespace

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) { return copy_2d(copy, nullptr, Blocking::yes); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) {
  return copy_2d(copy, nullptr, Blocking::yes);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy_2d(copy, stream, Blocking::no);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy) { return copy_3d(copy, nullptr, Blocking::yes); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copy_3d(copy, stream, Blocking::no);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy) {
  return copy_3d(copy, nullptr, Blocking::yes);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  return copy_3d(copy, stream, Blocking::no);
}
