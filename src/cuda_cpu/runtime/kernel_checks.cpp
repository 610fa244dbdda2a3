// SPDX-License-Identifier: MIT
// One worker runs all threads of a block, so what a block does to its shared memory is kept by the
// worker, without locks: who wrote a byte last and who read it, and between which barriers, for
// single bytes and for rows of threads (shared_accesses.hpp). Blocks of a cooperative launch go
// from worker to worker, and take their record along. What is known of global memory, all workers
// share: global_accesses.hpp.
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

#include "cuda_cpu/runtime/block_record.hpp"
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

/// Where a place's accesses lay last, in one allocation, until memory is allocated or freed or the
/// launch ends: what lies there again, and is written where the check `init` asks, passes without
/// more. Nothing is told from here. A worker's own.
struct KnownPlaces {
  struct Place {
    const CheckedAccess* access = nullptr;
    std::uintptr_t base = 0;
    std::uint64_t bytes = 0;
    /// Null without `init`.
    std::shared_ptr<const WrittenBytes> written;
  };
  std::uint64_t generation = 0;  ///< of memory
  std::array<Place, 32> places;
  Place& of(const CheckedAccess* access) {
    return places[reinterpret_cast<std::uintptr_t>(access) / sizeof(CheckedAccess) % places.size()];
  }
};
/// Null until something is known: what a signal may interrupt allocates nothing.
__attribute__((tls_model("initial-exec"))) thread_local KnownPlaces* known_places = nullptr;

bool is_known_good(std::uintptr_t address, std::uint64_t size, const CheckedAccess& access) {
  if (known_places == nullptr || known_places->generation != memory_generation()) return false;
  const KnownPlaces::Place& place = known_places->of(&access);
  const std::uint64_t first = address - place.base;
  if (place.access != &access || first >= place.bytes || size > place.bytes - first) return false;
  if (access.align > 1 && (address & (access.align - 1)) != 0) return false;
  return place.written == nullptr || place.written->written(first, size) == Share::all;
}

const char* verb(const CheckedAccess& access) {
  return is_atomic(access) ? "atomic operation on" : writes(access) ? "write of" : "read of";
}

/// Whether a program could tell that of what it accesses only this share was written before.
bool reads_unwritten(const CheckedAccess& access, Share written) {
  if (writes(access) && !is_atomic(access)) return false;
  return written == Share::none || (written == Share::some && (access.flags & copies) == 0);
}

std::string index_in(const std::uint32_t* size, std::uint32_t linear) {
  return fmt::format("({},{},{})", linear % size[0], linear / size[0] % size[1],
                     linear / size[0] / size[1]);
}
}  // namespace

std::string BlockRecord::index_of(std::uint32_t linear) const {
  return index_in(block().block_size, linear);
}

std::span<ThreadProgress> BlockProgress::change(std::uint32_t first, std::uint32_t count) {
  if (is_common_ && first == 0 && count == count_) return {&common_, 1};
  if (is_common_) each_.assign(count_, common_);
  is_common_ = false;
  return std::span(each_).subspan(first, count);
}

bool BlockProgress::in_step(std::uint32_t first, std::uint32_t count) const {
  if (is_common_) return true;
  const ThreadProgress& mine = each_[first];
  return std::all_of(&mine, &mine + count, [&](const ThreadProgress& other) {
    return other.block_barriers == mine.block_barriers &&
           other.warp_barriers == mine.warp_barriers && other.waited_at == mine.waited_at &&
           other.grid_barriers == mine.grid_barriers;
  });
}

void BlockProgress::join() {
  if (is_common_) return;
  common_ = each_.front();
  is_common_ = std::all_of(each_.begin(), each_.end(),
                           [&](const ThreadProgress& other) { return other == common_; });
}

Moment BlockRecord::moment_of(std::uint32_t thread, const CheckedAccess& access) const {
  const ThreadProgress& mine = threads_.of(thread);
  return {&access, thread, mine.block_barriers, mine.warp_barriers, waits_, mine.waited_at};
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

/// An access that passed, of memory and init alone.
void BlockRecord::remember(std::uintptr_t address, const CheckedAccess& access) {
  if ((access.flags & (check_race | check_order)) != 0) return;
  const FoundAllocation* const found = allocation_at(address);
  if (found == nullptr) return;
  auto written = wants(access, check_init) ? found->written.lock() : nullptr;
  if (wants(access, check_init) && (written == nullptr || !writes_are_noted(&launch().context())))
    return;
  if (known_places == nullptr) known_places = new KnownPlaces;  // until the launch ends
  KnownPlaces& known = *known_places;
  if (known.generation != generation_) known = {.generation = generation_, .places = {}};
  known.of(&access) = {&access, found->allocation.base, found->allocation.size, std::move(written)};
}

/// Race: `offset` is from the start of the block's shared memory.
bool BlockRecord::apart(std::uint64_t offset, std::uint64_t size, const CheckedAccess& access) {
  const auto race = shared_.note(offset, size, now(access));
  if (!race) return true;
  const Moment& other = race->earlier;
  tell_violation(
      CUDA_ERROR_LAUNCH_FAILED,
      fmt::format("race in shared memory: {} byte {} at {} by thread {} and {} it at {}, with "
                  "no barrier between",
                  verb(*other.access), race->byte, other.access->place, index_of(other.thread),
                  verb(access), access.place));
  return false;
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
  const GlobalMoment mine{now(access), number, in_grid, threads_.of(thread()).grid_barriers,
                          order_.epoch};
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
  const bool local = (access.flags & object_local) != 0;
  Share share = Share::all;
  if (local) {
    const Writer mine{number_, thread()};
    std::uint64_t unknown = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      Writer& last = local_[address + i];
      unknown += last == mine ? 0 : 1;
      if (writes(access)) last = mine;
    }
    share = unknown == 0 ? Share::all : unknown < size ? Share::some : Share::none;
  } else {
    share = shared_.written(shared_offset(address), size);
    if (writes(access)) shared_.note_written(shared_offset(address), size);
  }
  if (!reads_unwritten(access, share)) return true;
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
  shared_.fit(shared_bytes);
  const std::uint64_t offset = shared_offset(address);
  const bool in_shared = offset < shared_bytes && size <= shared_bytes - offset;
  if (!in_shared && (access.flags & object_local) == 0) {
    const bool passes =
        (!is_access || !wants(access, check_init) || written_in_memory(address, size, access)) &&
        (!wants(access, check_race) || apart_in_memory(address, size, access)) &&
        (order == nullptr || is_of_a_thread(address, launch(), block()) ||
         note_order(*order, address, size, access));
    if (passes && base == 0) remember(address, access);
    return passes;
  }
  if (!is_access) return true;
  if (wants(access, check_init) && !written(address, size, access)) return false;
  return !in_shared || !wants(access, check_race) || apart(offset, size, access);
}

std::optional<std::uint32_t> BlockRecord::missing(const ThreadProgress& mine,
                                                  const CheckedAccess& place) const {
  for (std::uint32_t i = 0; i < std::min(threads_.different(), block().thread_count); ++i) {
    const ThreadProgress& other = threads_.of(i);
    if (other.arrivals != mine.arrivals ||
        (other.last_barrier != &place && std::strcmp(other.last_barrier->place, place.place) != 0))
      return i;
  }
  return {};
}

/// At the first thread that goes on behind a barrier every other one has come to it.
bool BlockRecord::all_arrived(const CheckedAccess& place) {
  const auto absent = missing(threads_.of(thread()), place);
  if (!absent) return true;
  const CheckedAccess* last = threads_.of(*absent).last_barrier;
  const std::string where = last == nullptr
                                ? std::string("came to no barrier")
                                : fmt::format("came last to the one at {}", last->place);
  tell_violation(CUDA_ERROR_LAUNCH_FAILED,
                 fmt::format("{}: a barrier that not all threads of the block reach: thread {} {}",
                             place.place, index_of(*absent), where));
  return false;
}

void BlockRecord::start_block() {
  ++number_;
  checked_barriers_ = 0;
  order_ = launch().known_at_start() == nullptr ? BlockOrder() : *launch().known_at_start();
  threads_.start(block().thread_count);
  shared_.start_block();
}

bool BlockRecord::step(CheckedStep step, const CheckedAccess& place) {
  if (const OrderRecord* order = this->order(); order != nullptr && order->is_second()) return true;
  if (step == CheckedStep::start) {
    start_block();
    return true;
  }
  if (step == CheckedStep::fence) {
    order_.is_fenced = true;
    return true;
  }
  ThreadProgress& mine = progress();
  switch (step) {
    case CheckedStep::arrive:
      ++mine.arrivals;
      mine.last_barrier = &place;
      return true;
    case CheckedStep::behind_warp_barrier:
      shared_.part();
      ++mine.warp_barriers;
      return true;
    case CheckedStep::behind_some_threads:
      shared_.part();
      mine.waited_at = ++waits_;
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
  if (first) shared_.start_interval();
  return !first || !wants(place, check_sync) || all_arrived(place);
}

BlockOrder BlockRecord::hand_on_order() {
  BlockOrder handed{.seen = order_.seen, .ended = order_.ended};
  handed.seen[block_key(launch().checked_number(), block_number())] = order_.epoch++;
  return handed;
}

BlockRecord& record_of(BlockContext& block) {
  BlockRecord* record = nullptr;
  if (block.cooperative != 0) {
    if (block.checks == nullptr) block.checks = new BlockRecord;
    record = static_cast<BlockRecord*>(block.checks);
  } else {
    record = &kept_by_thread<BlockRecord>();
  }
  record->enter(block);
  if (!kernels_are_checked()) any_asked.store(true, std::memory_order_relaxed);
  return *record;
}

void check_access(const void* address, std::uint64_t size, const void* base,
                  const CheckedAccess* access) {
  if (is_known_good(reinterpret_cast<std::uintptr_t>(address), size, *access)) return;
  bool good = true;
  {
    const ServiceCall call;
    good = record_of(*current_block())
               .access(reinterpret_cast<std::uintptr_t>(address), size,
                       reinterpret_cast<std::uintptr_t>(base), *access);
  }
  if (!good) leave_guarded(FaultReason::violation);
}

std::shared_ptr<const BlockOrder> order_handed_on() {
  const auto* launch = static_cast<const LaunchCommand*>(current_block()->launch);
  if (launch->checked_number() == 0) return nullptr;
  return std::make_shared<const BlockOrder>(record_of(*current_block()).hand_on_order());
}

void note_ended(std::uint64_t stream, std::uint64_t position) {
  if (kernels_are_checked()) record_of(*current_block()).note_ended(stream, position);
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

void forget_known_places() noexcept { delete std::exchange(known_places, nullptr); }

void forget_checked_block(const BlockContext& block) noexcept {
  delete static_cast<BlockRecord*>(block.checks);
}

bool kernels_are_checked() noexcept { return any_asked.load(std::memory_order_relaxed); }

void check_step(std::uint32_t step, const CheckedAccess* place) {
  // Threads of a block start in order: it starts with the first.
  const auto& [x, y, z, unused] = current_block()->thread_index;
  if (static_cast<CheckedStep>(step) == CheckedStep::start && (x | y | z) != 0) return;
  bool good = true;
  {
    const ServiceCall call;
    good = record_of(*current_block()).step(static_cast<CheckedStep>(step), *place);
  }
  if (!good) leave_guarded(FaultReason::violation);
}

}  // namespace treadle::cuda_cpu
