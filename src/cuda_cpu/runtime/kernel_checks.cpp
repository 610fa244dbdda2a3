// SPDX-License-Identifier: MIT
// One worker runs all threads of a block, so what a block does to its shared memory is kept by the
// worker, without locks: for each byte who wrote it last and who read it, and between which
// barriers. Blocks of a cooperative launch go from worker to worker, and take their record along.
// What is known of global memory, all workers share: global_accesses.hpp.
//
//   s[t] = a[t];              byte 4: written by thread 1, line 7, after 0 barriers
//   b[t] = s[t + 1];          thread 0 reads it after 0 barriers as well: a race of lines 7 and 8
#include "cuda_cpu/runtime/kernel_checks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "cuda_cpu/runtime/diagnostics.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/global_accesses.hpp"
#include "cuda_cpu/runtime/graph.hpp"
#include "cuda_cpu/runtime/kept_by_thread.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/local_stack.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/order_record.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"
#include "cuda_cpu/runtime/stream_order.hpp"

namespace treadle::cuda_cpu {
namespace {

std::atomic<bool> any_asked{false};

constexpr std::uint64_t word_bytes = 4;

/// In a block that a worker runs; it counts them. 0: never.
struct SharedMoment {
  std::uint64_t block = 0;
  Moment moment;
  bool meets(const SharedMoment& later) const {
    return block == later.block && moment.meets(later.moment);
  }
};

/// A word or a byte of shared memory. Of many readers two are enough: a writer is at most one of
/// them.
struct SharedByte {
  SharedMoment writer;
  std::array<SharedMoment, 2> readers;
};

struct ThreadProgress {
  std::uint32_t arrivals = 0, block_barriers = 0, warp_barriers = 0, grid_barriers = 0;
  std::uint32_t waited_at = 0;
  const CheckedAccess* last_barrier = nullptr;
};

const char* verb(const CheckedAccess& access) {
  return is_atomic(access) ? "atomic operation on" : writes(access) ? "write of" : "read of";
}

/// Whether a program could tell that of what it accesses only this share was written before.
bool reads_unwritten(const CheckedAccess& access, Share written) {
  if (writes(access) && !is_atomic(access)) return false;
  return written == Share::none || (written == Share::some && (access.flags & copies) == 0);
}

/// What a worker keeps of the block it runs.
class BlockRecord {
 public:
  /// Before each call of the two below: on whose behalf.
  void enter(const BlockContext& block) { block_ = &block; }
  /// False, with the reason told to the context, if the access must not happen.
  bool access(std::uintptr_t address, std::uint64_t size, std::uintptr_t base,
              const CheckedAccess& access);
  bool step(CheckedStep step, const CheckedAccess& place);
  /// What a launch by the calling thread may count on.
  BlockOrder hand_on_order();
  void note_ended(std::uint64_t stream, std::uint64_t position) {
    join(order_.ended, {{stream, position}});
  }

 private:
  const BlockContext& block() const { return *block_; }
  const LaunchCommand& launch() const { return *static_cast<const LaunchCommand*>(block().launch); }
  OrderRecord* order() const { return static_cast<LaunchCommand*>(block().launch)->order(); }
  std::uint32_t thread() const {
    const auto& [x, y, z, unused] = block().thread_index;
    return x + block().block_size[0] * (y + block().block_size[1] * z);
  }
  std::string index_of(std::uint32_t linear) const;
  std::uint32_t block_number() const {
    const auto& [x, y, z] = block().block_index;
    return x + block().grid_size[0] * (y + block().grid_size[1] * z);
  }
  Moment now(const CheckedAccess& access);
  ThreadProgress& progress();

  bool within(std::uintptr_t address, std::uint64_t size, std::uintptr_t base,
              const CheckedAccess& access);
  struct FoundAllocation;
  const FoundAllocation* allocation_at(std::uintptr_t address);
  bool known(std::uintptr_t address, std::uint64_t size);
  bool apart(std::uint64_t offset, std::uint64_t size, const CheckedAccess& access);
  bool apart_in_memory(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access);
  void split_shared();
  bool changed_nothing(std::uintptr_t address, std::uint64_t size);
  void tell(const GlobalRace& race, const GlobalMoment& mine, std::uint64_t size) const;
  bool written(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access);
  bool written_in_memory(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access);
  bool note_order(OrderRecord& order, std::uintptr_t address, std::uint64_t size,
                  const CheckedAccess& access);
  bool all_arrived(const CheckedAccess& place);

  const BlockContext* block_ = nullptr;
  std::uint64_t number_ = 0;  ///< of the block
  std::uint32_t waits_ = 0;   ///< for some threads, that have ended
  std::uint32_t checked_barriers_ = 0;
  std::vector<ThreadProgress> threads_;
  BlockOrder order_;
  /// A store that races if it changes anything, between the calls before and behind it.
  struct {
    bool is_pending = false;
    GlobalRace race;
    GlobalMoment mine;
    std::byte before[16];
  } doubtful_;
  /// For each word of shared memory; for each byte once a part of a word was accessed.
  std::vector<SharedByte> shared_;
  std::uint64_t shared_step_ = word_bytes;
  /// Bytes of threads' own arrays, by address: who wrote them last.
  std::unordered_map<std::uintptr_t, SharedMoment> local_;
  std::uint64_t generation_ = 0;  ///< of `found_`
  /// Found last: a thread goes from array to array, its neighbours to the same ones.
  struct FoundAllocation {
    Allocation allocation;
    std::weak_ptr<WrittenBytes> written;
  };
  std::array<FoundAllocation, 8> found_;
  std::size_t next_found_ = 0;
};

std::string index_in(const std::uint32_t* size, std::uint32_t linear) {
  return fmt::format("({},{},{})", linear % size[0], linear / size[0] % size[1],
                     linear / size[0] / size[1]);
}
std::string BlockRecord::index_of(std::uint32_t linear) const {
  return index_in(block().block_size, linear);
}

ThreadProgress& BlockRecord::progress() {
  if (threads_.size() < block().thread_count) threads_.resize(block().thread_count);
  return threads_[thread()];
}

Moment BlockRecord::now(const CheckedAccess& access) {
  const ThreadProgress& mine = progress();
  return {&access, thread(), mine.block_barriers, mine.warp_barriers, waits_, mine.waited_at};
}

const BlockRecord::FoundAllocation* BlockRecord::allocation_at(std::uintptr_t address) {
  if (const std::uint64_t generation = memory_generation(); generation != generation_) {
    found_ = {};
    generation_ = generation;
  }
  for (const FoundAllocation& each : found_)
    if (address - each.allocation.base < each.allocation.size) return &each;
  auto found = find_memory(address);
  if (!found) return nullptr;
  FoundAllocation& made = found_[next_found_++ % found_.size()];
  // They must not live longer for this.
  found->context = nullptr;
  made.written = std::exchange(found->written, nullptr);
  made.allocation = *std::move(found);
  return &made;
}

bool BlockRecord::known(std::uintptr_t address, std::uint64_t size) {
  const FoundAllocation* const found = allocation_at(address);
  return found != nullptr && size <= found->allocation.base + found->allocation.size - address;
}

/// Memory that no other thread of the kernel writes: the worker's stacks, arguments, a thread's
/// arrays, conditions of graphs.
bool is_of_a_thread(std::uintptr_t address, const LaunchCommand& launch,
                    const BlockContext& block) {
  if (on_own_stack(address) || on_local_stack(address) || launch.holds_argument(address))
    return true;
  const auto local = reinterpret_cast<std::uintptr_t>(block.local_memory);
  if (block.local_memory != nullptr &&
      address - local < launch.kernel().local_size * block.thread_count)
    return true;
  return is_condition(address);
}

bool BlockRecord::within(std::uintptr_t address, std::uint64_t size, std::uintptr_t base,
                         const CheckedAccess& access) {
  if (access.align > 1 && address % access.align != 0) {
    tell_violation(CUDA_ERROR_MISALIGNED_ADDRESS,
                   fmt::format("{}: {} {} bytes at {:#x}, which is no multiple of {}", access.place,
                               verb(access), size, address, access.align));
    return false;
  }
  const auto shared = reinterpret_cast<std::uintptr_t>(block().shared);
  std::string what;
  if (base != 0) {
    if (address >= base && address + size <= base + access.object_size) return true;
    what = fmt::format("{} '{}' of {} bytes",
                       address >= base ? fmt::format("{} bytes past the end of",
                                                     address + size - (base + access.object_size))
                                       : fmt::format("{} bytes before", base - address),
                       access.object, access.object_size);
  } else if (address - shared < launch().shared_bytes()) {
    if (address + size <= shared + launch().shared_bytes()) return true;
    what = "partly behind the block's shared memory";
  } else if ((access.flags & object_shared) != 0) {
    what = fmt::format(
        "{} bytes from the start of the {} bytes of the block's shared memory, '{}' among them",
        static_cast<std::int64_t>(address - shared), launch().shared_bytes(), access.object);
  } else if (known(address, size) || is_of_a_thread(address, launch(), block()) ||
             launch().module().holds_constant(address)) {
    return true;
  } else {
    what = describe_address(address, size);
    if (what.empty()) what = "in no memory of the device";
  }
  tell_violation(
      CUDA_ERROR_ILLEGAL_ADDRESS,
      fmt::format("{}: {} {} bytes at {:#x}, {}", access.place, verb(access), size, address, what));
  return false;
}

void BlockRecord::split_shared() {
  if (shared_step_ == 1) return;
  std::vector<SharedByte> bytes(shared_.size() * word_bytes);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = shared_[k / word_bytes];
  shared_ = std::move(bytes);
  shared_step_ = 1;
}

/// Race: `offset` is from the start of the block's shared memory.
bool BlockRecord::apart(std::uint64_t offset, std::uint64_t size, const CheckedAccess& access) {
  const SharedMoment mine{number_, now(access)};
  const auto meets = [&](const SharedMoment& other) {
    return other.meets(mine) && !(is_atomic(access) && is_atomic(*other.moment.access));
  };
  if (offset % word_bytes != 0 || size % word_bytes != 0) split_shared();
  for (std::uint64_t at = offset; at < offset + size; at += shared_step_) {
    SharedByte& byte = shared_[at / shared_step_];
    const SharedMoment* found = meets(byte.writer) ? &byte.writer : nullptr;
    if (writes(access))
      for (const SharedMoment& reader : byte.readers)
        if (meets(reader)) found = &reader;
    if (found != nullptr && wants(access, check_race)) {
      const Moment* const other = &found->moment;
      tell_violation(
          CUDA_ERROR_LAUNCH_FAILED,
          fmt::format("race in shared memory: {} byte {} at {} by thread {} and {} it at {}, with "
                      "no barrier between",
                      verb(*other->access), at, other->access->place, index_of(other->thread),
                      verb(access), access.place));
      return false;
    }
    if (writes(access)) byte.writer = mine;
    if (writes(access)) continue;
    const SharedMoment& first = byte.readers[0];
    const bool gives_way = first.block != mine.block ||
                           first.moment.block_barriers != mine.moment.block_barriers ||
                           first.moment.thread == mine.moment.thread;
    byte.readers[gives_way ? 0 : 1] = mine;
  }
  return true;
}

bool BlockRecord::apart_in_memory(std::uintptr_t address, std::uint64_t size,
                                  const CheckedAccess& access) {
  if (allocation_at(address) == nullptr && is_of_a_thread(address, launch(), block())) return true;
  const std::uint32_t number = launch().checked_number(), in_grid = block_number();
  if (number == 0) return true;
  if ((access.flags & check_acquires) != 0) {
    acquire_block(address, number, order_);
    return true;
  }
  const GlobalMoment mine{now(access), number, in_grid, progress().grid_barriers, order_.epoch};
  if (const auto race = note_global_access(address, size, mine, order_)) {
    // Several threads that write the same value, true into a flag, say, do no harm.
    doubtful_.is_pending = (access.flags & check_stored) != 0 && size <= sizeof doubtful_.before &&
                           writes(*race->earlier.moment.access);
    if (!doubtful_.is_pending) {
      tell(*race, mine, size);
      return false;
    }
    doubtful_.race = *race;
    doubtful_.mine = mine;
    std::memcpy(doubtful_.before, reinterpret_cast<const void*>(address), size);
  }
  const bool is_strong = (access.flags & (check_atomic | check_volatile)) != 0;
  if (is_strong && writes(access) && order_.is_fenced)
    release_block(address, block_key(number, in_grid), order_);
  return true;
}

/// Behind a store that writes what another thread wrote.
bool BlockRecord::changed_nothing(std::uintptr_t address, std::uint64_t size) {
  if (!std::exchange(doubtful_.is_pending, false)) return true;
  if (std::memcmp(doubtful_.before, reinterpret_cast<const void*>(address), size) == 0) return true;
  tell(doubtful_.race, doubtful_.mine, size);
  return false;
}

void BlockRecord::tell(const GlobalRace& race, const GlobalMoment& mine, std::uint64_t size) const {
  const CheckedAccess& access = *mine.moment.access;
  const GlobalMoment& earlier = race.earlier;
  const CheckedLaunch& launch = checked_launch(earlier.launch);
  std::string who = fmt::format("thread {}", index_in(launch.block.data(), earlier.moment.thread));
  std::string why = "with no barrier between";
  if (earlier.launch != mine.launch) {
    const bool is_above = is_below(mine.launch, earlier.launch);
    const bool is_child = is_below(earlier.launch, mine.launch);
    who += fmt::format(" of block {} of a launch of kernel {}{}",
                       index_in(launch.grid.data(), earlier.block), launch.kernel,
                       is_above   ? ", which launched this one"
                       : is_child ? ", which this one launched"
                                  : " in another stream");
    why = is_above   ? "with no launch between"
          : is_child ? "with no cudaDeviceSynchronize() between"
                     : "with no event or wait between";
  } else if (earlier.block != mine.block) {
    who += fmt::format(" of block {}", index_in(launch.grid.data(), earlier.block));
    why = "with nothing that puts these blocks in order";
  }
  const std::string where = describe_address(race.address, 1);
  tell_violation(
      CUDA_ERROR_LAUNCH_FAILED,
      fmt::format("race in global memory: {} {:#x}{} at {} by {}, and {} {} bytes from "
                  "{:#x} on at {}, {}",
                  verb(*earlier.moment.access), race.address,
                  where.empty() ? std::string() : ", " + where + ",", earlier.moment.access->place,
                  who, verb(access), size, race.address, access.place, why));
}

bool BlockRecord::written(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access) {
  const auto shared = reinterpret_cast<std::uintptr_t>(block().shared);
  const bool local = (access.flags & object_local) != 0;
  const SharedMoment mine{number_, now(access)};
  std::uint64_t unknown = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    bool known_value = true;
    if (local) {
      SharedMoment& last = local_[address + i];
      known_value = last.block == mine.block && last.moment.thread == mine.moment.thread;
      if (writes(access)) last = mine;
    } else if (address + i - shared < launch().shared_bytes()) {
      known_value = shared_[(address + i - shared) / shared_step_].writer.block == mine.block;
    }
    unknown += known_value ? 0 : 1;
  }
  if (!reads_unwritten(access, unknown == 0     ? Share::all
                               : unknown < size ? Share::some
                                                : Share::none))
    return true;
  tell_violation(CUDA_ERROR_LAUNCH_FAILED,
                 fmt::format("{}: {} {} bytes of {} memory that nobody has written{}", access.place,
                             verb(access), size, local ? "local" : "shared",
                             access.object == nullptr ? std::string()
                                                      : fmt::format(", in '{}'", access.object)));
  return false;
}

bool BlockRecord::written_in_memory(std::uintptr_t address, std::uint64_t size,
                                    const CheckedAccess& access) {
  const bool is_known = writes_are_noted(&launch().context());
  const FoundAllocation* const found = is_known ? allocation_at(address) : nullptr;
  const auto noted = found != nullptr ? found->written.lock() : nullptr;
  if (noted == nullptr) return true;
  const std::size_t first = address - found->allocation.base,
                    count = std::min(size, found->allocation.size - first);
  const Share before = noted->written(first, count);
  if (writes(access)) noted->note(first, count);
  if (!reads_unwritten(access, before)) return true;
  tell_violation(CUDA_ERROR_LAUNCH_FAILED,
                 fmt::format("{}: {} {} bytes at {:#x} that nobody has written, {}", access.place,
                             verb(access), size, address, describe_address(address, size)));
  return false;
}

/// Determinism. What does not lie in memory of the device is nobody's result; a fault, maybe.
bool BlockRecord::note_order(OrderRecord& order, std::uintptr_t address, std::uint64_t size,
                             const CheckedAccess& access) {
  if ((access.flags & (check_acquires | check_is_stored)) != 0) return true;
  const WordWriter who{&access, block_number(), thread()};
  if (writes(access) && known(address, size)) order.note(address, size, who);
  const bool may_wait = (access.flags & (check_atomic | check_volatile)) != 0;
  return !order.is_second() || !may_wait || !order.waits_in_vain(address, who);
}

bool BlockRecord::access(std::uintptr_t address, std::uint64_t size, std::uintptr_t base,
                         const CheckedAccess& access) {
  if (size == 0) return true;
  OrderRecord* const order = this->order();
  // What the second run does was checked in the first.
  if (order != nullptr && order->is_second())
    return (access.flags & object_local) != 0 ||
           address - reinterpret_cast<std::uintptr_t>(block().shared) < launch().shared_bytes() ||
           is_of_a_thread(address, launch(), block()) || note_order(*order, address, size, access);
  if ((access.flags & check_is_stored) != 0) return changed_nothing(address, size);
  const bool is_access = (access.flags & check_acquires) == 0;
  if (is_access && wants(access, check_memory) && !within(address, size, base, access))
    return false;
  const std::uint64_t shared_bytes = launch().shared_bytes();
  if (shared_.size() * shared_step_ < shared_bytes)
    shared_.resize((shared_bytes + shared_step_ - 1) / shared_step_);
  const auto offset = address - reinterpret_cast<std::uintptr_t>(block().shared);
  const bool in_shared = offset < shared_bytes && size <= shared_bytes - offset;
  if (!in_shared && (access.flags & object_local) == 0)
    return (!is_access || !wants(access, check_init) || written_in_memory(address, size, access)) &&
           (!wants(access, check_race) || apart_in_memory(address, size, access)) &&
           (order == nullptr || is_of_a_thread(address, launch(), block()) ||
            note_order(*order, address, size, access));
  if (!is_access) return true;
  if (wants(access, check_init) && !written(address, size, access)) return false;
  const bool noted = wants(access, check_race) || wants(access, check_init);
  return !in_shared || !noted || apart(offset, size, access);
}

/// At the first thread that goes on behind a barrier every other one has come to it.
bool BlockRecord::all_arrived(const CheckedAccess& place) {
  const ThreadProgress& mine = progress();
  for (std::uint32_t i = 0; i < block().thread_count; ++i) {
    const ThreadProgress& other = threads_[i];
    if (other.arrivals == mine.arrivals && std::strcmp(other.last_barrier->place, place.place) == 0)
      continue;
    const std::string where =
        other.last_barrier == nullptr
            ? std::string("came to no barrier")
            : fmt::format("came last to the one at {}", other.last_barrier->place);
    tell_violation(
        CUDA_ERROR_LAUNCH_FAILED,
        fmt::format("{}: a barrier that not all threads of the block reach: thread {} {}",
                    place.place, index_of(i), where));
    return false;
  }
  return true;
}

bool BlockRecord::step(CheckedStep step, const CheckedAccess& place) {
  if (const OrderRecord* order = this->order(); order != nullptr && order->is_second()) return true;
  if (step == CheckedStep::start) {
    if (thread() != 0) return true;
    ++number_;  // threads of a block start in order
    checked_barriers_ = 0;
    order_ = launch().known_at_start() == nullptr ? BlockOrder() : *launch().known_at_start();
    threads_.assign(block().thread_count, {});
    return true;
  }
  ThreadProgress& mine = progress();
  switch (step) {
    case CheckedStep::arrive:
      ++mine.arrivals;
      mine.last_barrier = &place;
      return true;
    case CheckedStep::behind_warp_barrier:
      ++mine.warp_barriers;
      return true;
    case CheckedStep::behind_some_threads:
      mine.waited_at = ++waits_;
      return true;
    case CheckedStep::fence:
      order_.is_fenced = true;
      return true;
    case CheckedStep::behind_grid_barrier:
      ++mine.grid_barriers;
      break;
    default:
      break;
  }
  mine.block_barriers = mine.arrivals;
  const bool first = checked_barriers_ < mine.arrivals;
  checked_barriers_ = mine.arrivals;
  return !first || !wants(place, check_sync) || all_arrived(place);
}

BlockOrder BlockRecord::hand_on_order() {
  BlockOrder handed{.seen = order_.seen, .ended = order_.ended};
  handed.seen[block_key(launch().checked_number(), block_number())] = order_.epoch++;
  return handed;
}

/// In a block of a cooperative launch the record goes along with it; else it is the worker's.
BlockRecord& record_of(BlockContext& block) {
  if (block.cooperative != 0) {
    if (block.checks == nullptr) block.checks = new BlockRecord;
    return *static_cast<BlockRecord*>(block.checks);
  }
  return kept_by_thread<BlockRecord>();
}

BlockRecord& record_of_block() {
  BlockContext& block = *current_block();
  BlockRecord& record = record_of(block);
  record.enter(block);
  return record;
}

}  // namespace

void check_access(const void* address, std::uint64_t size, const void* base,
                  const CheckedAccess* access) {
  bool good = true;
  {
    const ServiceCall call;
    good = record_of_block().access(reinterpret_cast<std::uintptr_t>(address), size,
                                    reinterpret_cast<std::uintptr_t>(base), *access);
  }
  if (!good) leave_guarded(FaultReason::violation);
}

std::shared_ptr<const BlockOrder> order_handed_on() {
  const auto* launch = static_cast<const LaunchCommand*>(current_block()->launch);
  if (launch->checked_number() == 0) return nullptr;
  return std::make_shared<const BlockOrder>(record_of_block().hand_on_order());
}

void note_ended(std::uint64_t stream, std::uint64_t position) {
  if (kernels_are_checked()) record_of_block().note_ended(stream, position);
}

std::string describe_difference(const WordDifference& found, const LaunchShape& shape) {
  const auto run = [&](unsigned number) {
    const WordWriter& writer = found.writers[number];
    if (writer.access == nullptr) return fmt::format("{:#010x}, as before", found.words[number]);
    return fmt::format("{:#010x}, by the {} {} by thread {} of block {}", found.words[number],
                       is_atomic(*writer.access) ? "atomic operation at" : "write at",
                       writer.access->place, index_in(shape.block.data(), writer.thread),
                       index_in(shape.grid.data(), writer.block));
  };
  const std::string where = describe_address(found.address, 4);
  return fmt::format(
      "the result depends on the order of blocks and warps: the word at {:#x}{} is in the end {}, "
      "and, if the last ones run first, {}",
      found.address, where.empty() ? std::string() : ", " + where + ",", run(0), run(1));
}

void forget_checked_block(const BlockContext& block) noexcept {
  delete static_cast<BlockRecord*>(block.checks);
}

bool kernels_are_checked() noexcept { return any_asked.load(std::memory_order_relaxed); }

void check_step(std::uint32_t step, const CheckedAccess* place) {
  bool good = true;
  {
    const ServiceCall call;
    any_asked.store(true, std::memory_order_relaxed);
    good = record_of_block().step(static_cast<CheckedStep>(step), *place);
  }
  if (!good) leave_guarded(FaultReason::violation);
}

}  // namespace treadle::cuda_cpu
