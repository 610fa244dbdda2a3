// SPDX-License-Identifier: MIT
// Uses ucontext, which is portable; code on fibers need not be fast. A switch takes about a third
// of a microsecond, most of it for the signal mask.
#include "cuda_cpu/runtime/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/local_stack.hpp"
#include "cuda_cpu/runtime/process.hpp"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace treadle::cuda_cpu {
namespace {

// Calls that were not inlined; only what is touched takes memory.
constexpr std::size_t stack_bytes = 256u << 10;
constexpr std::size_t local_bytes = 1u << 20;  // arrays: twice what a thread may have
constexpr std::size_t gap = 64u << 10;         // of addresses where nothing is mapped

std::size_t page() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

#if defined(__SANITIZE_THREAD__)
void* sanitizer_fiber() { return __tsan_create_fiber(0); }
void* sanitizer_current() { return __tsan_get_current_fiber(); }
void sanitizer_release(void* fiber) { __tsan_destroy_fiber(fiber); }
// Part of its caller: a function of its own would return into the other fiber's list of calls.
[[gnu::always_inline]] inline void sanitizer_switch(void* fiber) {
  __tsan_switch_to_fiber(fiber, 0);
}
#else
void* sanitizer_fiber() { return nullptr; }
void* sanitizer_current() { return nullptr; }
void sanitizer_release(void*) {}
void sanitizer_switch(void*) {}
#endif

std::size_t all_bytes() { return page() + stack_bytes; }

}  // namespace

void Fiber::release() {
  if (memory_ == nullptr) return;
  if (sanitizer_inside_ != nullptr) sanitizer_release(std::exchange(sanitizer_inside_, nullptr));
  munmap(std::exchange(memory_, nullptr), all_bytes());
  void* const arrays = std::exchange(arrays_, nullptr);
  if (!process_forked()) unmap_guarded(arrays, local_bytes, gap);
}

bool Fiber::reserve() {
  if (memory_ != nullptr) return true;
  void* const memory = mmap(nullptr, all_bytes(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  // Each guard counts towards the limit of 65530 mappings of a process, while adjacent stacks
  // would share one mapping. Without it deep recursion would write into another stack.
  // Arrays lie among device memory: an index out of bounds leads to no memory of the host.
  arrays_ = mprotect(memory, page(), PROT_NONE) == 0 ? map_guarded(local_bytes, gap) : nullptr;
  if (arrays_ == nullptr) {
    munmap(memory, all_bytes());
    return false;
  }
  memory_ = static_cast<std::byte*>(memory);
  sanitizer_inside_ = sanitizer_fiber();
  return true;
}

void Fiber::start(Body body, void* argument) {
  body_ = body;
  argument_ = argument;
  ended_ = false;
  getcontext(&inside_);
  local_ = static_cast<std::byte*>(arrays_) + local_bytes;
  inside_.uc_stack.ss_sp = memory_ + page();
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  // The arguments of a context are ints: the pointer goes in two halves.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::run), 2,
              static_cast<unsigned>(std::uint64_t{self} >> 32), static_cast<unsigned>(self));
}

void Fiber::run(unsigned high, unsigned low) {
  const auto self = static_cast<std::uintptr_t>((std::uint64_t{high} << 32) | low);
  auto& fiber = *reinterpret_cast<Fiber*>(self);
  fiber.body_(fiber.argument_);
  fiber.ended_ = true;
  fiber.leave();
}

void Fiber::enter() {
  sanitizer_outside_ = sanitizer_current();
  sanitizer_switch(sanitizer_inside_);
  local_ = exchange_local_stack(local_);
  swapcontext(&outside_, &inside_);
}

void Fiber::leave() {
  sanitizer_switch(sanitizer_outside_);
  local_ = exchange_local_stack(local_);
  swapcontext(&inside_, &outside_);
}

}  // namespace treadle::cuda_cpu
