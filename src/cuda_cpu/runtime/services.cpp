// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/services.hpp"

#include <cstdarg>
#include <cstdio>
#include <limits>
#include <new>

#include "cuda_cpu/runtime/device_runtime.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/fiber_scheduler.hpp"
#include "cuda_cpu/runtime/global_accesses.hpp"
#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/local_stack.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/order_record.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"
#include "cuda_cpu/runtime/texture.hpp"

namespace treadle::cuda_cpu {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local BlockContext* block_of_thread = nullptr;

Context* launching_context() {
  const BlockContext* block = current_block();
  return block == nullptr ? nullptr : launch_context(*block).get();
}

/// Of a launch that is checked for determinism; else null.
OrderRecord* order_record() {
  const BlockContext* block = current_block();
  return block == nullptr ? nullptr : static_cast<LaunchCommand*>(block->launch)->order();
}

int print(const char* format, ...) {
  const ServiceCall call;
  if (const OrderRecord* order = order_record(); order != nullptr && order->is_second()) return 0;
  const Context* context = launching_context();
  std::va_list arguments;
  va_start(arguments, format);
  const int count = print_formatted(
      format, arguments, context == nullptr ? 0 : context->limit(CU_LIMIT_PRINTF_FIFO_SIZE));
  va_end(arguments);
  return count;
}

void assert_failed(const char* message, const char* file, unsigned line, const char* function) {
  leave_compiled_code();  // for good
  char thread[48] = "?,?,?";
  const BlockContext* block = current_block();
  const std::uint32_t* const b = block->block_index;
  const std::uint32_t* const t = block->thread_index;
  if (t[0] != thread_unknown) std::snprintf(thread, sizeof thread, "%u,%u,%u", t[0], t[1], t[2]);
  char text[1024];
  std::snprintf(text, sizeof text,
                "%s:%u: %s: block: [%u,%u,%u], thread: [%s] Assertion `%s` failed.\n", file, line,
                function, b[0], b[1], b[2], thread, message);
  std::fputs(text, stderr);
  leave_guarded(FaultReason::assertion);
}

void trap() { leave_guarded(FaultReason::trap); }

Allocation heap_block(const void* block, std::size_t size) {
  return {.base = reinterpret_cast<std::uintptr_t>(block),
          .size = size,
          .kind = MemoryKind::kernel_heap,
          .flags = 0,
          .id = 0,
          .context = launch_context(*current_block()),
          .site = {}};
}

void* allocate(std::size_t size_bytes) try {
  const ServiceCall call;
  Context* context = launching_context();
  if (context == nullptr) return nullptr;
  if (OrderRecord* order = order_record()) order->give_up();
  void* const block =
      context->kernel_heap.allocate(size_bytes, context->limit(CU_LIMIT_MALLOC_HEAP_SIZE));
  if (block != nullptr && kernels_are_checked()) {
    add_memory(heap_block(block, size_bytes));
    forget_global_accesses(reinterpret_cast<std::uintptr_t>(block), size_bytes);
  }
  return block;
} catch (const std::bad_alloc&) {  // of the host's memory, for the tables about the block
  return nullptr;
}

void release(void* pointer) {
  const ServiceCall call;
  Context* context = launching_context();
  if (context == nullptr || pointer == nullptr) return;
  if (OrderRecord* order = order_record()) order->give_up();
  if (kernels_are_checked())
    remove_memory(reinterpret_cast<std::uintptr_t>(pointer), {MemoryKind::kernel_heap});
  context->kernel_heap.release(pointer);
}

/// Behind the last of the indices, from `begin` on, each of which is the one before plus 1: a sum
/// that wraps in neither sign.
template <class Index>
std::uint32_t end_of_order(const void* indices, std::uint32_t begin, std::uint32_t end) {
  const Index* const index = static_cast<const Index*>(indices);
  constexpr Index most = std::numeric_limits<Index>::max(), most_signed = most / 2;
  std::uint32_t at = begin + 1;
  while (at < end && index[at] == static_cast<Index>(index[at - 1] + 1) && index[at - 1] != most &&
         index[at - 1] != most_signed)
    ++at;
  return at;
}

std::uint64_t next_run(const BlockContext* block, std::uint32_t region, std::uint32_t row,
                       std::uint32_t from, const void* indices, std::uint32_t index_bytes) {
  const std::uint8_t* const selected = block->selected + row;
  const std::uint32_t size = block->block_size[0];
  std::uint32_t begin = from, end = size;
  if ((block->runs_of_rows & runs_selected) != 0) {
    while (begin < size && selected[begin] != region) ++begin;
    end = begin;
    while (end < size && selected[end] == region) ++end;
  }
  if ((block->runs_of_rows & runs_in_order) != 0 && indices != nullptr && begin < end)
    end = index_bytes == 4 ? end_of_order<std::uint32_t>(indices, begin, end)
                           : end_of_order<std::uint64_t>(indices, begin, end);
  return begin | std::uint64_t{end} << 32;
}

long long device_clock() { return monotonic_nanoseconds(); }

}  // namespace

BlockContext* current_block() { return block_of_thread; }
void set_current_block(BlockContext* block) { block_of_thread = block; }

const Services& services() {
  static constexpr Services table{.size = sizeof(Services),
                                  .current = current_block,
                                  .print = print,
                                  .assert_failed = assert_failed,
                                  .trap = trap,
                                  .allocate = allocate,
                                  .release = release,
                                  .clock = device_clock,
                                  .check_access = check_access,
                                  .check_step = check_step,
                                  .meet = meet_on_fibers,
                                  .next_run = next_run,
                                  .sample_texture = sample_texture,
                                  .local_stack = local_stack_end,
                                  .stage_launch = stage_launch,
                                  .runtime_call = runtime_call,
                                  .check_row = check_row};
  return table;
}

}  // namespace treadle::cuda_cpu
