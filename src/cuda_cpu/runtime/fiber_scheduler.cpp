// SPDX-License-Identifier: MIT
// Runs a block as CUDA describes it: every thread has its own stack and goes on until it waits.
// In each round all threads that may run do so, the last one first, which exposes programs that
// rely on the order of threads; then the threads whose barrier is complete are released:
//   named_warp, whole_warp   all the lanes named that have not exited wait at such a barrier, and
//                            name the same ones
//   warp, converge           no other thread of the warp can run: those at the same place in the
//                            source (converge), or all (warp)
//   tile                     all threads of the tile that have not exited wait at one of this size
//   block                    all threads of the block that have not exited wait at one
// Threads at scheduling barriers only let the others run first. If no thread can run, masks name
// lanes that never arrive: threads that wait for lanes go on with those at the same place.
// These are the rules of region_scheduler.cpp, implemented independently for single threads: each
// implementation tests the other.
#include "cuda_cpu/runtime/fiber_scheduler.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/driver_api.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/fiber.hpp"
#include "cuda_cpu/runtime/process.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned most_threads = 1024;
using Lanes = std::uint32_t;

std::atomic<bool> wanted{false};

struct Thread {
  enum class State : std::uint8_t { runs, waits, exited };
  Fiber fiber;
  State state = State::exited;
  BarrierKind kind = BarrierKind::scheduling;  ///< of the barrier it waits at
  std::uint32_t place = 0;                     ///< in the text

  bool waits_at(BarrierKind barrier) const { return state == State::waits && kind == barrier; }
  bool waits_for_named() const {
    return waits_at(BarrierKind::named_warp) || waits_at(BarrierKind::whole_warp);
  }
};

class FiberBlock {
 public:
  /// The calling thread's.
  static FiberBlock& of_this_thread();

  bool reserve(unsigned count);
  void run(const Kernel& kernel, void** arguments, BlockContext& block);
  void wait(BarrierKind kind, std::uint32_t place);

 private:
  static void run_thread(void* self);
  void start_all();
  /// Runs the threads that may run, each until it waits. False when all have exited.
  bool run_ready();
  bool release();
  void release_named(unsigned first);
  void release_unnamed(unsigned first);
  void release_stranded(unsigned first);
  void release_tile(unsigned number);
  void set_thread_index(unsigned number);
  void go_on_from(BarrierKind kind) {
    for (unsigned i = 0; i < count_; ++i)
      if (threads_[i].waits_at(kind)) threads_[i].state = Thread::State::runs;
  }

  unsigned warp_end(unsigned first) const { return std::min(first + warp_size, count_); }
  template <class Condition>
  Lanes lanes(unsigned first, Condition&& condition) const {
    Lanes found = 0;
    for (unsigned i = first; i < warp_end(first); ++i)
      if (condition(threads_[i])) found |= 1u << (i - first);
    return found;
  }
  Lanes alive(unsigned first) const {
    return lanes(first, [](const Thread& t) { return t.state != Thread::State::exited; });
  }
  bool any_runs() const {
    return std::any_of(threads_.begin(), threads_.begin() + count_,
                       [](const Thread& t) { return t.state == Thread::State::runs; });
  }
  Lanes named_by(unsigned first, unsigned lane) const {
    const bool whole = threads_[first + lane].kind == BarrierKind::whole_warp;
    return (whole ? ~0u : block_->warp_masks[first + lane]) & alive(first);
  }
  /// Releases them; warp_masks tells each which lanes met.
  void let_go(unsigned first, Lanes group) {
    for (unsigned i = first; i < warp_end(first); ++i)
      if ((group >> (i - first) & 1) != 0) {
        threads_[i].state = Thread::State::runs;
        block_->warp_masks[i] = group;
      }
  }

  std::array<Thread, most_threads> threads_;
  unsigned count_ = 0, current_ = 0;
  const Kernel* kernel_ = nullptr;
  void** arguments_ = nullptr;
  BlockContext* block_ = nullptr;
};

FiberBlock& FiberBlock::of_this_thread() {
  // On the heap, as a worker's BlockSpace is, and for the same reasons.
  thread_local FiberBlock* block = nullptr;
  struct End {
    ~End() {
      if (process_forked()) return;
      delete std::exchange(block, nullptr);
    }
  };
  thread_local const End end;
  if (block == nullptr) block = new FiberBlock;
  return *block;
}

bool FiberBlock::reserve(unsigned count) {
  const bool enough = std::all_of(threads_.begin(), threads_.begin() + count,
                                  [](Thread& thread) { return thread.fiber.reserve(); });
  // Give all stacks back: otherwise not even malloc may succeed with what is left.
  if (!enough)
    for (Thread& thread : threads_) thread.fiber.release();
  return enough;
}

void FiberBlock::set_thread_index(unsigned number) {
  const std::uint32_t* const size = block_->block_size;
  block_->thread_index[0] = number % size[0];
  block_->thread_index[1] = number / size[0] % size[1];
  block_->thread_index[2] = number / size[0] / size[1];
}

void FiberBlock::run_thread(void* self) {
  auto& all = *static_cast<FiberBlock*>(self);
  all.kernel_->thread(all.arguments_, all.block_);
}

void FiberBlock::start_all() {
  for (unsigned i = 0; i < count_; ++i) {
    threads_[i].fiber.start(run_thread, this);
    threads_[i].state = Thread::State::runs;
  }
}

bool FiberBlock::run_ready() {
  bool any_left = false;
  for (current_ = count_; current_-- > 0;) {
    Thread& thread = threads_[current_];
    if (thread.state == Thread::State::runs) {
      set_thread_index(current_);
      thread.fiber.enter();
      if (thread.fiber.ended()) thread.state = Thread::State::exited;
    }
    any_left |= thread.state != Thread::State::exited;
  }
  return any_left;
}

void FiberBlock::wait(BarrierKind kind, std::uint32_t place) {
  Thread& thread = threads_[current_];
  thread.kind = kind;
  thread.place = place;
  if (kind != BarrierKind::scheduling) thread.state = Thread::State::waits;
  thread.fiber.leave();
}

void FiberBlock::release_named(unsigned first) {
  for (unsigned lane = 0; first + lane < warp_end(first); ++lane) {
    if (!threads_[first + lane].waits_for_named()) continue;
    const Lanes named = named_by(first, lane);
    Lanes agree = 0;
    for (unsigned other = 0; first + other < warp_end(first); ++other)
      if (threads_[first + other].waits_for_named() && named_by(first, other) == named)
        agree |= 1u << other;
    if ((named & ~agree) == 0) let_go(first, agree);
  }
}

/// Threads at places where ways come together.
void FiberBlock::release_unnamed(unsigned first) {
  if (lanes(first, [](const Thread& t) { return t.state == Thread::State::runs; }) != 0) return;
  std::uint32_t place = ~0u;
  for (unsigned i = first; i < warp_end(first); ++i)
    if (threads_[i].waits_at(BarrierKind::converge)) place = std::min(place, threads_[i].place);
  let_go(first, lanes(first, [place](const Thread& t) {
           return t.waits_at(BarrierKind::converge) && t.place == place;
         }));
}

void FiberBlock::release_stranded(unsigned first) {
  for (unsigned i = first; i < warp_end(first); ++i) {
    if (!threads_[i].waits_for_named()) continue;
    const std::uint32_t place = threads_[i].place;
    let_go(first, lanes(first, [place](const Thread& t) {
             return t.waits_for_named() && t.place == place;
           }));
  }
}

void FiberBlock::release_tile(unsigned number) {
  if (!threads_[number].waits_at(BarrierKind::tile)) return;
  const unsigned size = block_->warp_masks[number], first = number / size * size;
  const auto begin = threads_.begin() + first;
  const auto end = threads_.begin() + std::min(first + size, count_);
  const bool complete = std::all_of(begin, end, [&](const Thread& thread) {
    const auto other = static_cast<std::size_t>(&thread - threads_.data());
    return thread.state == Thread::State::exited ||
           (thread.waits_at(BarrierKind::tile) && block_->warp_masks[other] == size);
  });
  if (!complete) return;
  for (auto thread = begin; thread != end; ++thread)
    if (thread->waits_at(BarrierKind::tile)) thread->state = Thread::State::runs;
}

bool FiberBlock::release() {
  for (unsigned first = 0; first < count_; first += warp_size) {
    release_named(first);
    release_unnamed(first);
  }
  for (unsigned number = 0; number < count_; ++number) release_tile(number);
  if (any_runs()) return true;
  const auto at_block_barrier = [](const Thread& t) {
    return t.waits_at(BarrierKind::block) || t.state == Thread::State::exited;
  };
  const auto end = threads_.begin() + count_;
  if (!std::all_of(threads_.begin(), end, at_block_barrier))
    for (unsigned first = 0; first < count_; first += warp_size) release_stranded(first);
  go_on_from(BarrierKind::tile);
  if (any_runs()) return true;
  go_on_from(BarrierKind::block);
  return any_runs();
}

void FiberBlock::run(const Kernel& kernel, void** arguments, BlockContext& block) {
  kernel_ = &kernel;
  arguments_ = arguments;
  block_ = &block;
  count_ = block.thread_count;
  start_all();
  while (run_ready())
    if (!release()) leave_guarded(FaultReason::trap);  // a grid barrier
}

FiberBlock& reserved_fibers(unsigned count) {
  FiberBlock* block = nullptr;
  bool enough = false;
  {
    const ServiceCall pause;  // a thread that allocates is not taken out
    block = &FiberBlock::of_this_thread();
    enough = block->reserve(count);
    if (!enough)
      tell_violation(CUDA_ERROR_OUT_OF_MEMORY,
                     "no room for the stacks of " + std::to_string(count) +
                         " threads on fibers; sysctl vm.max_map_count limits them, too");
  }
  if (!enough) leave_guarded(FaultReason::violation);  // it jumps: past no destructor
  return *block;
}

}  // namespace

bool runs_on_fibers(const Kernel& kernel) {
  return kernel.thread != nullptr && wanted.load(std::memory_order_relaxed);
}

void run_block_on_fibers(const Kernel& kernel, void** arguments, BlockContext& block) {
  reserved_fibers(block.thread_count).run(kernel, arguments, block);
}

void meet_on_fibers(BlockContext*, std::uint32_t kind, std::uint32_t place) {
  FiberBlock::of_this_thread().wait(static_cast<BarrierKind>(kind), place);
}

}  // namespace treadle::cuda_cpu

/// From now on launches of kernels that were compiled with --treadle-fibers run each thread on a
/// stack of its own (1), or by regions as all others do (0). For the whole process.
TREADLE_CPU_EXPORT CUresult treadle_cpu_run_on_fibers(unsigned wanted) {
  treadle::cuda_cpu::wanted = wanted != 0;
  return CUDA_SUCCESS;
}
