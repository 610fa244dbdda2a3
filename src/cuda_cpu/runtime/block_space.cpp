// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/block_space.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/process.hpp"
#include "cuda_cpu/runtime/region_scheduler.hpp"
#include "cuda_cpu/runtime/services.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t alignment = 64;
// Vector code uses masked loads, for `t >= d ? s[t - d] : 0` for instance: the addresses of lanes
// that are off may lie before or behind the memory. That does not fault, but an unmapped page costs
// hundreds of cycles per load. So there is a margin of resident memory on both sides.
constexpr std::size_t margin = 4096;
// Any 32-bit index of 4-byte elements (`threadIdx.x - 1` is unsigned) leads to the block's own
// memory or to addresses where nothing is mapped.
constexpr std::size_t wide_guard = std::size_t{16} << 30;
constexpr std::size_t narrow_guard = 64u << 10;  // a page, on every system
std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

// states | selected | warp masks | uniform frame | varying frame | local memory | shared (static,
// exchange, dynamic): who writes behind shared memory overwrites nothing.
struct Layout {
  std::size_t states, selected, warp_masks, uniform_frame, varying_frame, local_memory, shared, end;
};

Layout lay_out(const Kernel& kernel, const LaunchShape& shape) {
  const auto threads = static_cast<std::size_t>(shape.threads());
  const std::size_t padded = aligned(threads);
  Layout at{};
  if (runs_regions(kernel, shape.block[0])) {
    at.selected = at.states + padded;
    at.warp_masks = at.selected + padded;
    at.uniform_frame = at.warp_masks + padded * sizeof(std::uint32_t);
    at.varying_frame = at.uniform_frame + aligned(kernel.uniform_frame_size);
    at.local_memory = at.varying_frame + aligned(kernel.varying_frame_size * padded);
    at.shared = at.local_memory + aligned(kernel.local_size * threads);
  }
  at.end = at.shared + aligned(kernel.static_shared + kernel.exchange_shared +
                               std::size_t{shape.dynamic_shared});
  return at;
}

}  // namespace

std::size_t block_bytes(const Kernel& kernel, const LaunchShape& shape) {
  return lay_out(kernel, shape).end;
}

BlockContext block_context_in(std::byte* memory, const Kernel& kernel, const LaunchShape& shape,
                              void* launch) {
  const Layout at = lay_out(kernel, shape);
  // Between exchanges the slots of warp operations (warp.h) are zero. Only the compiler knows where
  // among the static variables they lie.
  if (kernel.exchange_shared != 0)
    std::memset(memory + at.shared, 0, kernel.static_shared + kernel.exchange_shared);
  BlockContext b{};
  for (unsigned i = 0; i < 3; ++i) {
    b.block_size[i] = shape.block[i];
    b.grid_size[i] = shape.grid[i];
  }
  b.blocks_in_row = 1;
  b.shared = memory + at.shared;
  b.dynamic_shared_offset =
      static_cast<std::uint32_t>(kernel.static_shared + kernel.exchange_shared);
  b.thread_count = static_cast<std::uint32_t>(shape.threads());
  b.services = &services();
  b.launch = launch;
  b.shared_size = b.dynamic_shared_offset + shape.dynamic_shared;
  b.cooperative = shape.cooperative ? 1 : 0;
  if (runs_regions(kernel, shape.block[0])) {
    b.state = reinterpret_cast<std::uint8_t*>(memory + at.states);
    b.selected = reinterpret_cast<std::uint8_t*>(memory + at.selected);
    b.warp_masks = reinterpret_cast<std::uint32_t*>(memory + at.warp_masks);
    b.uniform_frame = memory + at.uniform_frame;
    b.varying_frame = memory + at.varying_frame;
    b.local_memory = memory + at.local_memory;
    b.local_size = at.shared - at.local_memory;
  }
  return b;
}

BlockSpace& BlockSpace::of_this_thread() {
  // On the heap: signal handlers read some of this library's thread-local variables, so all of them
  // are in static TLS, of which a process has little, and other libraries need some of it too.
  thread_local BlockSpace* space = nullptr;
  struct End {
    // Null afterwards: destructors of the program's own thread-local objects may still launch.
    ~End() { delete std::exchange(space, nullptr); }
  };
  thread_local const End end;
  if (space == nullptr) space = new BlockSpace;
  return *space;
}

BlockSpace::~BlockSpace() {
  if (!process_forked()) release();
}

void BlockSpace::release() {
  if (memory_ != nullptr) unmap_guarded(memory_, size_, guard_);
  memory_ = nullptr;
  size_ = 0;
}

bool BlockSpace::reserve(std::size_t size) {
  if (size <= size_) return true;
  release();
  size = std::max<std::size_t>(size + size / 2, 256u << 10);
  void* memory = map_guarded(size, guard_ = wide_guard);
  if (memory == nullptr) memory = map_guarded(size, guard_ = narrow_guard);
  if (memory == nullptr) return false;
  memory_ = static_cast<std::byte*>(memory);
  size_ = size;
  std::memset(memory_, 0, margin);
  std::memset(memory_ + size - margin, 0, margin);
  return true;
}

std::byte* BlockSpace::memory_for(std::size_t size) {
  return reserve(size + 2 * margin) ? memory_ + margin : nullptr;
}

BlockContext* BlockSpace::prepare(const Kernel& kernel, const LaunchShape& shape, void* launch) {
  std::byte* const memory = memory_for(block_bytes(kernel, shape));
  if (memory == nullptr) return nullptr;
  block_ = block_context_in(memory, kernel, shape, launch);
  return &block_;
}

}  // namespace treadle::cuda_cpu
