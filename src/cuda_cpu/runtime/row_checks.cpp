// SPDX-License-Identifier: MIT
// Rows of threads that ask at once (Services::check_row). A row passes if each of its accesses is
// allowed whatever the order of its threads: then it is noted as the threads would have been, one
// after the other. In doubt it does not pass, and they ask one by one: what is wrong is found, and
// told, there only. What was noted of a row that does not pass in the end does no harm: it is what
// the same threads note again.
#include <algorithm>
#include <array>

#include "cuda_cpu/runtime/block_record.hpp"
#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/order_record.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"

namespace treadle::cuda_cpu {
namespace {

bool asks(const RowAccess& access, CheckFlags check) {
  return wants(*access.access, check) && (access.ignore & check) == 0;
}
bool is_step(const RowAccess& access) { return access.size == 0; }
bool arrives(const RowAccess& access) {
  return is_step(access) && access.step == CheckedStep::arrive;
}
std::uint32_t count_of(const RowPlace& place) { return place.end - place.begin; }

std::uint64_t distance(std::int64_t stride) {
  return static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
}

/// Whether two threads of the row may access the same byte, one here and one there.
bool may_cross(const RowAccess& one, const RowPlace& at, const RowAccess& other,
               const RowPlace& there) {
  const auto low = [](const RowAccess& access, const RowPlace& place) {
    const std::uint64_t way = distance(access.stride) * (count_of(place) - 1);
    return access.stride < 0 ? place.address - way : place.address;
  };
  const auto high = [&](const RowAccess& access, const RowPlace& place) {
    return low(access, place) + distance(access.stride) * (count_of(place) - 1) + access.size;
  };
  if (high(one, at) <= low(other, there) || high(other, there) <= low(one, at)) return false;
  if (count_of(at) == 1 && count_of(there) == 1 && at.begin == there.begin) return false;
  if (one.stride != other.stride) return true;
  // Of the same thread; then each thread's bytes are its own if they fit between two of them.
  const auto of_zero = [](const RowAccess& access, const RowPlace& place) {
    return static_cast<std::int64_t>(place.address) - access.stride * place.begin;
  };
  const std::int64_t apart = of_zero(other, there) - of_zero(one, at);
  const auto step = static_cast<std::int64_t>(distance(one.stride));
  return apart + step < static_cast<std::int64_t>(one.size) ||
         apart + static_cast<std::int64_t>(other.size) > step;
}

/// Whether the order of the row's threads may matter.
bool threads_cross(std::span<const RowAccess> accesses, const RowPlace* places) {
  const auto counts = [&](std::size_t i) {
    return !is_step(accesses[i]) && count_of(places[i]) != 0 &&
           (asks(accesses[i], check_race) || asks(accesses[i], check_init));
  };
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!counts(i) || !writes(*accesses[i].access)) continue;
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      const bool is_own = k == i;
      if (k < i && writes(*accesses[k].access)) continue;  // held against each other already
      if (is_own ? count_of(places[i]) > 1 && distance(accesses[i].stride) < accesses[i].size
                 : counts(k) && may_cross(accesses[i], places[i], accesses[k], places[k]))
        return true;
    }
  }
  return false;
}

}  // namespace

std::optional<BlockRecord::Span> BlockRecord::span_of(const RowAccess& access,
                                                      const RowPlace& place) const {
  const std::uint64_t way = distance(access.stride) * (count_of(place) - 1);
  Span span;
  span.low = access.stride < 0 ? place.address - way : place.address;
  span.bytes = way + access.size;
  const std::uint64_t offset = shared_offset(span.low), shared = launch().shared_bytes();
  span.is_shared = offset < shared;
  if (span.is_shared && span.bytes > shared - offset) return {};
  const std::uint64_t first = span.is_shared ? shared_offset(place.address) : place.address;
  span.row = {first, access.size, access.stride, count_of(place)};
  return span;
}

bool BlockRecord::row_within(const Span& span, const RowAccess& access, const RowPlace& place) {
  const CheckedAccess& what = *access.access;
  if (what.align > 1 &&
      (place.address % what.align != 0 || distance(access.stride) % what.align != 0))
    return false;
  if (place.base != 0)
    return span.low >= place.base && span.low + span.bytes <= place.base + what.object_size;
  if (span.is_shared) return true;
  return (what.flags & object_shared) == 0 && known(span.low, span.bytes);
}

bool BlockRecord::row_is_written(const Span& span, const CheckedAccess& access) {
  const bool reads = !writes(access) || is_atomic(access);
  const bool is_dense =
      span.row.threads == 1 || distance(span.row.stride) == span.row.size || !writes(access);
  if (!is_dense) return false;
  if (span.is_shared) {
    const std::uint64_t first = shared_offset(span.low);
    if (reads && shared_.written(first, span.bytes) != Share::all) return false;
    if (writes(access)) shared_.note_written(first, span.bytes);
    return true;
  }
  if (!writes_are_noted(&launch().context())) return true;
  const FoundAllocation* const found = allocation_at(span.low);
  const auto noted = found->written.lock();
  if (noted == nullptr) return true;
  const std::size_t first = span.low - found->allocation.base;
  if (reads && noted->written(first, span.bytes) != Share::all) return false;
  if (writes(access)) noted->note(first, span.bytes);
  return true;
}

/// Whether these threads have come by as many barriers.
bool BlockRecord::in_step(std::uint32_t first, std::uint32_t count) const {
  if (!has_progress_) return true;
  const ThreadProgress& mine = threads_[first];
  return std::all_of(&mine, &mine + count, [&](const ThreadProgress& other) {
    return other.block_barriers == mine.block_barriers &&
           other.warp_barriers == mine.warp_barriers && other.waited_at == mine.waited_at &&
           other.grid_barriers == mine.grid_barriers;
  });
}

/// `thread`: the first one.
bool BlockRecord::row_apart(const Span& span, const CheckedAccess& access, std::uint32_t thread) {
  if (!in_step(thread, span.row.threads)) return false;
  const Moment moment = moment_of(thread, access);
  if (span.is_shared) return shared_.note_row(span.row, moment);
  const std::uint32_t number = launch().checked_number();
  if (number == 0) return true;
  const GlobalMoment mine{moment, number, block_number(), threads_[thread].grid_barriers,
                          order_.epoch};
  return note_global_row(span.row, mine, order_);
}

/// A step that is taken again does no harm, but for arrivals: row() takes those last.
bool BlockRecord::row_step(const RowAccess& access, const RowPlace& place, std::uint32_t thread) {
  const std::span<ThreadProgress> threads(&threads_[thread], count_of(place));
  if (access.step == CheckedStep::start) {
    if (thread == 0) start_block();
    return true;
  }
  has_progress_ = true;
  if (access.step == CheckedStep::arrive) {
    for (ThreadProgress& each : threads) {
      ++each.arrivals;
      each.last_barrier = access.access;
    }
    return true;
  }
  const ThreadProgress& first = threads.front();
  if (checked_barriers_ < first.arrivals) {
    if (wants(*access.access, check_sync) && missing(first, *access.access)) return false;
    checked_barriers_ = first.arrivals;
    shared_.start_interval();
  }
  for (ThreadProgress& each : threads) {
    if (each.arrivals != first.arrivals) return false;
    each.block_barriers = each.arrivals;
  }
  return true;
}

bool BlockRecord::row(std::span<const RowAccess> accesses, const RowPlace* places,
                      std::uint32_t thread) {
  if (order() != nullptr || accesses.size() > most_row_accesses) return false;
  shared_.fit(launch().shared_bytes());
  std::array<Span, most_row_accesses> spans;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (is_step(accesses[i]) || count_of(places[i]) == 0) continue;
    const auto span = span_of(accesses[i], places[i]);
    if (!span) return false;
    spans[i] = *span;
    if (asks(accesses[i], check_memory) && !row_within(*span, accesses[i], places[i])) return false;
    const bool is_noted = asks(accesses[i], check_race) || asks(accesses[i], check_init);
    if (is_noted && !span->is_shared && !known(span->low, span->bytes)) return false;
  }
  if (threads_cross(accesses, places)) return false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (count_of(places[i]) == 0 || arrives(accesses[i])) continue;
    const std::uint32_t first = thread + places[i].begin;
    const CheckedAccess& access = *accesses[i].access;
    const bool passes =
        is_step(accesses[i])
            ? row_step(accesses[i], places[i], first)
            : (!asks(accesses[i], check_init) || row_is_written(spans[i], access)) &&
                  (!asks(accesses[i], check_race) || row_apart(spans[i], access, first));
    if (!passes) return false;
  }
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (arrives(accesses[i]) && count_of(places[i]) != 0)
      row_step(accesses[i], places[i], thread + places[i].begin);
  return true;
}

std::uint32_t check_row(BlockContext* block, const RowAccess* accesses, const RowPlace* places,
                        std::uint32_t count, std::uint32_t thread) {
  const ServiceCall call;
  if (!record_of(*block).row({accesses, count}, places, thread)) return 0;
  block->thread_index[0] = thread_unknown;  // until a thread of the row says so
  return 1;
}

}  // namespace treadle::cuda_cpu
