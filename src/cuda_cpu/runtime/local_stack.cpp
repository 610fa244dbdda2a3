// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/local_stack.hpp"

#include <utility>

#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/process.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t local_stack_bytes = 16u << 20;  // as deep as the workers' stacks
// Any 32-bit index of 4-byte elements leads to the stack or to addresses where nothing is mapped.
constexpr std::size_t widest_gap = std::size_t{16} << 30;
// Where a process may have less. More than the arrays of a function, copies for rows included.
constexpr std::size_t least_gap = 4u << 20;

// Read in a signal handler: initial-exec, because the general model may allocate on first use.
__attribute__((tls_model("initial-exec"))) thread_local void* end_of_local = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local std::byte* lowest_local = nullptr;

/// The thread's, for as long as it lives.
class LocalStack {
 public:
  LocalStack() {
    void* memory = map_guarded(local_stack_bytes, guard_ = widest_gap);
    if (memory == nullptr) memory = map_guarded(local_stack_bytes, guard_ = least_gap);
    lowest_local = static_cast<std::byte*>(memory);
  }
  LocalStack(const LocalStack&) = delete;
  LocalStack& operator=(const LocalStack&) = delete;
  ~LocalStack() {
    void* const memory = std::exchange(lowest_local, nullptr);
    if (memory != nullptr && !process_forked()) unmap_guarded(memory, local_stack_bytes, guard_);
  }

 private:
  std::size_t guard_ = 0;
};

}  // namespace

bool prepare_local_stack() {
  if (lowest_local == nullptr) {
    // On the heap, as a worker's BlockSpace is, and for the same reasons.
    thread_local LocalStack* stack = nullptr;
    struct End {
      ~End() { delete std::exchange(stack, nullptr); }
    };
    thread_local const End end;
    delete std::exchange(stack, nullptr);  // there was no memory then; there may be now
    stack = new LocalStack;
    if (lowest_local == nullptr) return false;
  }
  end_of_local = lowest_local + local_stack_bytes;
  return true;
}

bool on_local_stack(std::uintptr_t address) {
  return lowest_local != nullptr &&
         address - reinterpret_cast<std::uintptr_t>(lowest_local) < local_stack_bytes;
}

bool beyond_local_stack(std::uintptr_t address) {
  if (lowest_local == nullptr) return false;
  constexpr std::uintptr_t near = 64u << 10;
  const auto low = reinterpret_cast<std::uintptr_t>(lowest_local);
  const auto end = reinterpret_cast<std::uintptr_t>(end_of_local);
  return address < low && address + least_gap >= low && end < low + near && end + least_gap >= low;
}

void** local_stack_end() { return &end_of_local; }

void* exchange_local_stack(void* end) { return std::exchange(end_of_local, end); }

}  // namespace treadle::cuda_cpu
