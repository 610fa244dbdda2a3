// SPDX-License-Identifier: MIT
// Entry points of the linear copies.
#include <cstdint>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/transfer.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// From pageable memory up to this size, an asynchronous copy takes the bytes along and returns at
/// once.
constexpr std::size_t largest_staged = 64u << 10;

enum class Side { device, host, any };  ///< any: whatever the address is, as in cuMemcpy

bool valid(std::uintptr_t address, std::size_t size, Side side) {
  switch (side) {
    case Side::device:
      return known_memory(address, size);
    case Side::host:
      return address != 0;
    default: {
      const auto found = find_memory(address);
      return address != 0 && (!found || known_memory(address, size));
    }
  }
}

/// Page-locked or the device's own: it stays valid until the copy runs. Pageable memory may be gone
/// by then.
bool stays_valid(std::uintptr_t address, std::size_t size) { return known_memory(address, size); }

/// One end of a copy.
struct Place {
  std::uintptr_t address;
  Side side;
};
Place on_device(CUdeviceptr address) { return {address, Side::device}; }
Place on_host(const void* pointer) {
  return {reinterpret_cast<std::uintptr_t>(pointer), Side::host};
}
Place anywhere(CUdeviceptr address) { return {address, Side::any}; }

bool passes_the_last_address(std::uintptr_t address, std::size_t size) {
  return size > UINTPTR_MAX - address;
}

CUresult copy_linear(Place target, Place source, std::size_t size, CUstream handle,
                     Blocking blocking) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    if (size == 0) return CUDA_SUCCESS;
    const std::uintptr_t to = target.address, from = source.address;
    if (!valid(to, size, target.side) || !valid(from, size, source.side) ||
        passes_the_last_address(to, size) || passes_the_last_address(from, size))
      return CUDA_ERROR_INVALID_VALUE;
    Copy copy{.to = reinterpret_cast<std::byte*>(to),
              .from = reinterpret_cast<const std::byte*>(from),
              .width = size,
              .staged = {}};
    if (stream->capturing) return submit_copy(stream, std::move(copy), Blocking::no);
    // As CUDA has it, an asynchronous copy of pageable memory returns when the caller may change
    // that memory.
    if (blocking == Blocking::no && !stays_valid(to, size)) blocking = Blocking::yes;
    if (blocking == Blocking::no && !stays_valid(from, size)) {
      if (size > largest_staged) {
        blocking = Blocking::yes;
      } else {
        copy.staged = std::shared_ptr<std::byte[]>(new std::byte[size]);
        if (!copy_readable(copy.staged.get(), copy.from, size)) return CUDA_ERROR_INVALID_VALUE;
        copy.from = copy.staged.get();
      }
    }
    return submit_copy(stream, std::move(copy), blocking);
  });
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy_linear(anywhere(to), anywhere(from), size, nullptr, Blocking::yes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  return copy_linear(anywhere(to), anywhere(from), size, stream, Blocking::no);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size) {
  return copy_linear(on_device(to), on_host(from), size, nullptr, Blocking::yes);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size, CUstream stream) {
  return copy_linear(on_device(to), on_host(from), size, stream, Blocking::no);
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size) {
  return copy_linear(on_host(to), on_device(from), size, nullptr, Blocking::yes);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size, CUstream stream) {
  return copy_linear(on_host(to), on_device(from), size, stream, Blocking::no);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return copy_linear(on_device(to), on_device(from), size, nullptr, Blocking::yes);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  return copy_linear(on_device(to), on_device(from), size, stream, Blocking::no);
}

namespace {

/// All contexts share one device and one memory; both must only be alive.
CUresult check_peers(CUcontext to, CUcontext from) {
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    const CUresult failure = find_context(to, context);
    return failure != CUDA_SUCCESS ? failure : find_context(from, context);
  });
}

}  // namespace

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t size) {
  const CUresult failure = check_peers(to_context, from_context);
  return failure != CUDA_SUCCESS ? failure : cuMemcpyDtoD(to, from, size);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t size, CUstream stream) {
  const CUresult failure = check_peers(to_context, from_context);
  return failure != CUDA_SUCCESS ? failure : cuMemcpyDtoDAsync(to, from, size, stream);
}
