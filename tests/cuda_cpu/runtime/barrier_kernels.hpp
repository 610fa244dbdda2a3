// SPDX-License-Identifier: MIT
// Kernels with barriers as the compiler would cut them, by hand: a function for each region. Part
// of kernels.cpp.
#pragma once

#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace {

using namespace treadle::cuda_cpu;

template <class T>
T& argument(void** arguments, unsigned index) {
  return *static_cast<T*>(arguments[index]);
}

/// out[t] = in[n - 1 - t] through shared memory.
void reverse_thread_0(void** a, BlockContext* b, unsigned t) {
  reinterpret_cast<int*>(b->shared)[t] = argument<const int*>(a, 0)[t];
  b->state[t] = 1;
}
void reverse_thread_1(void** a, BlockContext* b, unsigned t) {
  const auto* shared = reinterpret_cast<const int*>(b->shared);
  argument<int*>(a, 1)[t] = shared[b->thread_count - 1 - t];
  b->state[t] = region_exited;
}

/// `if (t >= n) return; s[t] = 1; __syncthreads(); out[t] = sum of s;` with an uneven count of
/// threads left.
void early_thread_0(void** a, BlockContext* b, unsigned t) {
  const int n = argument<int>(a, 0);
  auto* shared = reinterpret_cast<int*>(b->shared);
  b->state[t] = static_cast<int>(t) >= n ? region_exited : 1;
  if (static_cast<int>(t) < n) shared[t] = 1;
}
void early_thread_1(void** a, BlockContext* b, unsigned t) {
  const auto* shared = reinterpret_cast<const int*>(b->shared);
  int sum = 0;
  for (int i = 0; i < argument<int>(a, 0); ++i) sum += shared[i];
  argument<int*>(a, 1)[t] = sum;
  b->state[t] = region_exited;
}

/// Warp 0 passes three warp barriers before the block barrier that warp 1 waits at; `log` gets the
/// order of events.
void log_event(void** a, int event) {
  int* log = argument<int*>(a, 0);
  log[++log[0]] = event;
}
void warps_thread_0(void** a, BlockContext* b, unsigned t) { b->state[t] = t < 32 ? 1 : 4; }
template <int next>
void warps_thread_loop(void** a, BlockContext* b, unsigned t) {
  if (t == 0) log_event(a, next);
  b->state[t] = next;
}
void warps_thread_end(void** a, BlockContext* b, unsigned t) {
  if (t == 0 || t == 32) log_event(a, 100 + static_cast<int>(t));
  b->state[t] = region_exited;
}

/// Spin-wait inside a block: thread 1 waits at scheduling barriers until thread 0, held at a warp
/// barrier, ... never is; so threads at scheduling barriers go first, three rounds long, and then
/// all meet at the block barrier.
void yield_thread_0(void** a, BlockContext* b, unsigned t) { b->state[t] = t == 1 ? 1 : 2; }
void yield_thread_1(void** a, BlockContext* b, unsigned t) {
  int* rounds = argument<int*>(a, 0);
  b->state[t] = ++*rounds < 3 ? 1 : 2;
}
void yield_thread_2(void** a, BlockContext* b, unsigned t) {
  if (t == 0) argument<int*>(a, 0)[1] = argument<int*>(a, 0)[0];
  b->state[t] = region_exited;
}

/// `if (lane < 16) meet(0xffff); meet(all);`: the upper half comes first to the second barrier.
void halves_thread_0(void**, BlockContext* b, unsigned t) {
  b->warp_masks[t] = t < 16 ? 0xffffu : ~0u;
  b->state[t] = t < 16 ? 1 : 2;
}
void halves_thread_1(void** a, BlockContext* b, unsigned t) {
  if (t == 0) log_event(a, static_cast<int>(b->warp_masks[t]));
  b->warp_masks[t] = ~0u;
  b->state[t] = 2;
}
void halves_thread_2(void** a, BlockContext* b, unsigned t) {
  if (t == 0 || t == 16) log_event(a, static_cast<int>(b->warp_masks[t]));
  b->state[t] = region_exited;
}

/// `if (lane < 16) meet(all); __syncthreads();`: the lanes named never come.
void stray_thread_0(void**, BlockContext* b, unsigned t) { b->state[t] = t < 16 ? 1 : 2; }
void stray_thread_1(void** a, BlockContext* b, unsigned t) {
  if (t == 15) log_event(a, static_cast<int>(b->warp_masks[t]));
  b->state[t] = 2;
}
void stray_thread_2(void** a, BlockContext* b, unsigned t) {
  if (t == 0) log_event(a, 2);
  b->state[t] = region_exited;
}

/// `if (t < 64) meet(tile of 64); meet(tile of 128);` of 128 threads; number 70 leaves in between.
void tiles_thread_0(void**, BlockContext* b, unsigned t) {
  b->warp_masks[t] = t < 64 ? 64 : 128;
  b->state[t] = t < 64 ? 1 : t == 70 ? region_exited : 2;
}
void tiles_thread_1(void** a, BlockContext* b, unsigned t) {
  if (t == 0) log_event(a, 64);
  b->warp_masks[t] = 128;
  b->state[t] = 2;
}
void tiles_thread_2(void** a, BlockContext* b, unsigned t) {
  if (t == 0 || t == 127) log_event(a, 128);
  b->state[t] = region_exited;
}

/// Lanes come to a place where they want to know each other: 8 and more straight, the others
/// through a detour, and meet behind it all together. As __activemask() does, each names all
/// before.
void detour_thread_0(void**, BlockContext* b, unsigned t) {
  b->warp_masks[t] = ~0u;
  b->state[t] = t < 8 ? 1 : 2;
}
void detour_thread_1(void** a, BlockContext* b, unsigned t) {
  if (t == 7) log_event(a, static_cast<int>(b->warp_masks[t]));
  b->warp_masks[t] = ~0u;
  b->state[t] = 2;
}
void detour_thread_2(void** a, BlockContext* b, unsigned t) {
  if (t == 31) log_event(a, static_cast<int>(b->warp_masks[t]));
  b->state[t] = region_exited;
}

/// cells[block] = block + 1; grid barrier; out[block] = sum of cells. Thread 1 of block 0 leaves
/// before, so that its block is not together.
void grid_thread_0(void** a, BlockContext* b, unsigned t) {
  const unsigned block = b->block_index[0];
  argument<int*>(a, 0)[block] = static_cast<int>(block) + 1;
  b->state[t] = block == 0 && t == 1 ? region_exited : 1;
}
void grid_thread_1(void** a, BlockContext* b, unsigned t) {
  int sum = 0;
  for (unsigned i = 0; i < b->grid_size[0]; ++i) sum += argument<const int*>(a, 0)[i];
  if (t == 0) argument<int*>(a, 1)[b->block_index[0]] = sum;
  b->state[t] = region_exited;
}

/// Block 0 waits in a loop for what the last block does.
void await_thread_0(void** a, BlockContext* b, unsigned t) {
  volatile int* flag = argument<int*>(a, 0);
  if (b->block_index[0] + 1 == b->grid_size[0]) *flag = 7;
  b->state[t] = b->block_index[0] == 0 && *flag == 0 ? 1 : region_exited;
}
void await_thread_1(void** a, BlockContext* b, unsigned t) {
  const int seen = *argument<volatile int*>(a, 0);
  if (seen != 0) argument<int*>(a, 1)[0] = seen;
  b->state[t] = seen == 0 ? 1 : region_exited;
}

using ThreadFunction = void (*)(void**, BlockContext*, unsigned);
template <ThreadFunction thread>
void for_all(void** a, BlockContext* b) {
  for (unsigned t = 0; t < b->thread_count; ++t) thread(a, b, t);
}
template <ThreadFunction thread, unsigned region>
void for_selected(void** a, BlockContext* b) {
  for (unsigned t = 0; t < b->thread_count; ++t)
    if (b->selected[t] == region) thread(a, b, t);
}
/// Both at once, the selected in runs of neighbours.
template <ThreadFunction thread, unsigned region>
void in_runs(void** a, BlockContext* b) {
  const std::uint32_t size = b->block_size[0];
  for (std::uint32_t row = 0; row < b->thread_count; row += size)
    for (std::uint32_t begin = 0, end = size; begin < size; begin = end) {
      if (b->runs_of_rows != 0) {
        const std::uint64_t run = b->services->next_run(b, region, row, begin, nullptr, 0);
        begin = static_cast<std::uint32_t>(run);
        end = static_cast<std::uint32_t>(run >> 32);
      }
      for (std::uint32_t x = begin; x < end; ++x) thread(a, b, row + x);
    }
}
template <ThreadFunction thread, unsigned region>
constexpr Region parting(BarrierKind barrier) {
  return {
      for_all<thread>, for_selected<thread, region>, -1, static_cast<std::uint8_t>(barrier), 0, {}};
}

/// The same kernel for a fiber: its regions in the order in which this one thread runs them.
template <const auto& regions>
void for_one(void** a, BlockContext* b) {
  const unsigned t = b->thread_index[0];
  for (unsigned region = 0;;) {
    for (unsigned i = 0; i < b->thread_count; ++i) b->selected[i] = region_held;
    b->selected[t] = static_cast<std::uint8_t>(region);
    if (regions[region].run_selected != nullptr) {
      regions[region].run_selected(a, b);
    } else {
      b->runs_of_rows = runs_selected;
      regions[region].run_all(a, b);
      b->runs_of_rows = 0;
    }
    region = b->state[t];
    if (region == region_exited) return;
    b->services->meet(b, regions[region].barrier, region);
  }
}

constexpr auto at_block = static_cast<std::uint8_t>(BarrierKind::block);
const Region reverse_regions[] = {
    {for_all<reverse_thread_0>, for_selected<reverse_thread_0, 0>, 1, at_block, 1, {}},
    {for_all<reverse_thread_1>, for_selected<reverse_thread_1, 1>, region_exited, at_block, 1, {}}};
const Region early_regions[] = {
    parting<early_thread_0, 0>(BarrierKind::block),
    {in_runs<early_thread_1, 1>, nullptr, region_exited, at_block, 1, {}}};
const Region warps_regions[] = {parting<warps_thread_0, 0>(BarrierKind::block),
                                parting<warps_thread_loop<2>, 1>(BarrierKind::whole_warp),
                                parting<warps_thread_loop<3>, 2>(BarrierKind::whole_warp),
                                parting<warps_thread_loop<4>, 3>(BarrierKind::whole_warp),
                                parting<warps_thread_end, 4>(BarrierKind::block)};
const Region yield_regions[] = {parting<yield_thread_0, 0>(BarrierKind::block),
                                parting<yield_thread_1, 1>(BarrierKind::scheduling),
                                parting<yield_thread_2, 2>(BarrierKind::block)};

const Region halves_regions[] = {parting<halves_thread_0, 0>(BarrierKind::block),
                                 parting<halves_thread_1, 1>(BarrierKind::named_warp),
                                 parting<halves_thread_2, 2>(BarrierKind::named_warp)};
const Region stray_regions[] = {parting<stray_thread_0, 0>(BarrierKind::block),
                                parting<stray_thread_1, 1>(BarrierKind::whole_warp),
                                parting<stray_thread_2, 2>(BarrierKind::block)};
const Region tiles_regions[] = {parting<tiles_thread_0, 0>(BarrierKind::block),
                                parting<tiles_thread_1, 1>(BarrierKind::tile),
                                parting<tiles_thread_2, 2>(BarrierKind::tile)};
const Region detour_regions[] = {parting<detour_thread_0, 0>(BarrierKind::block),
                                 parting<detour_thread_1, 1>(BarrierKind::converge),
                                 parting<detour_thread_2, 2>(BarrierKind::converge)};
const Region grid_regions[] = {parting<grid_thread_0, 0>(BarrierKind::block),
                               parting<grid_thread_1, 1>(BarrierKind::grid)};
const Region await_regions[] = {parting<await_thread_0, 0>(BarrierKind::block),
                                parting<await_thread_1, 1>(BarrierKind::scheduling)};

}  // namespace
