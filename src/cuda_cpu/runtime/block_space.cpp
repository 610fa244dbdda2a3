// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/block_space.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/process.hpp"
#include "cuda_cpu/runtime/services.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t alignment = 64;
// Vector code reads under a mask, `t >= d ? s[t - d] : 0` for instance: lanes that are off may
// point before or behind the memory. That is no fault, but a page that is not there costs hundreds
// of cycles a load, so ordinary memory that was touched lies around ours.
constexpr std::size_t margin = 4096;
std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

}  // namespace

BlockSpace& BlockSpace::of_this_thread() {
  thread_local BlockSpace space;
  return space;
}

BlockSpace::~BlockSpace() {
  if (memory_ != nullptr && !process_forked()) device_heap_release(memory_, size_);
}

bool BlockSpace::reserve(std::size_t size) {
  if (size <= size_) return true;
  if (memory_ != nullptr)
    device_heap_release(std::exchange(memory_, nullptr), std::exchange(size_, 0));
  // Never from the small blocks: as a mapping of its own it has guard pages, and stray indices
  // fault.
  size = std::max<std::size_t>(size + size / 2, 256u << 10);
  memory_ = static_cast<std::byte*>(device_heap_allocate(size));
  if (memory_ == nullptr) return false;
  size_ = size;
  std::memset(memory_, 0, margin);
  std::memset(memory_ + size - margin, 0, margin);
  return true;
}

// shared (static, exchange, dynamic) | states | selected | uniform frame | varying frame | local
// memory
BlockContext* BlockSpace::prepare(const Kernel& kernel, const LaunchShape& shape, void* launch) {
  const auto threads = static_cast<std::size_t>(shape.threads());
  const std::size_t padded = aligned(threads);
  const std::size_t before_dynamic = kernel.static_shared + kernel.exchange_shared;
  const std::size_t sizes[] = {aligned(before_dynamic + shape.dynamic_shared),
                               padded,
                               padded,
                               aligned(kernel.uniform_frame_size),
                               aligned(kernel.varying_frame_size * padded),
                               aligned(kernel.local_size * threads)};
  const bool has_barrier = (kernel.flags & kernel_has_barrier) != 0;
  std::size_t total = sizes[0] + 2 * margin;
  if (has_barrier)
    for (std::size_t i = 1; i < std::size(sizes); ++i) total += sizes[i];
  if (!reserve(total)) return nullptr;

  BlockContext& b = block_;
  for (unsigned i = 0; i < 3; ++i) {
    b.block_size[i] = shape.block[i];
    b.grid_size[i] = shape.grid[i];
  }
  b.shared = memory_ + margin;
  b.dynamic_shared_offset = static_cast<std::uint32_t>(before_dynamic);
  b.thread_count = static_cast<std::uint32_t>(threads);
  b.services = &services();
  b.launch = launch;
  if (has_barrier) {
    std::byte* at = b.shared + sizes[0];
    b.state = reinterpret_cast<std::uint8_t*>(at);
    b.selected = reinterpret_cast<std::uint8_t*>(at += sizes[1]);
    b.uniform_frame = at += sizes[2];
    b.varying_frame = at += sizes[3];
    b.local_memory = at += sizes[4];
  }
  return &b;
}

}  // namespace treadle::cuda_cpu
