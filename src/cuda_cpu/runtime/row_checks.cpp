// SPDX-License-Identifier: MIT
// Rows of threads that ask at once, one or several (Services::check_row). They pass if
// each of their accesses is allowed whatever the order of their threads: then all is noted as the
// threads would have done, one after the other. In doubt they do not pass, and ask one by one: what
// is wrong is found, and told, there only. What was noted of rows that do not pass in the end does
// no harm: it is what the same threads note again. Several rows of which each begins where the last
// one ends are one long row.
#include <algorithm>

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

std::uint64_t distance(std::int64_t stride) {
  return static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
}

/// Further apart is no memory.
constexpr std::uint64_t largest_pitch = std::uint64_t{1} << 40;

/// Bytes between the first and the last of so many.
std::uint64_t way_of(std::int64_t stride, std::uint32_t count) {
  return distance(stride) * (count - 1);
}

}  // namespace

/// False if that is nothing to note as a whole.
bool BlockRecord::fill(Span& span, const RowAccess& access, const RowPlace& place,
                       std::uint32_t thread, std::uint32_t rows) const {
  const std::uint32_t threads = place.end - place.begin, in_row = block().block_size[0];
  const bool is_of_blocks = thread == thread_unknown;
  if (distance(place.pitch) > largest_pitch) return false;
  span.address = place.address;
  span.row = {place.address, access.size, access.stride, threads};
  span.rows = rows;
  span.pitch = place.pitch;
  span.thread = (is_of_blocks ? 0 : thread) + place.begin;
  span.threads = in_row;
  if (threads == in_row && place.pitch == access.stride * in_row) {
    span.row.threads *= rows;
    span.rows = 1;
  }
  const std::uint64_t along = way_of(access.stride, span.row.threads);
  const std::uint64_t down = way_of(span.pitch, span.rows);
  span.low = place.address - (access.stride < 0 ? along : 0) - (span.pitch < 0 ? down : 0);
  span.bytes = along + down + access.size;
  const std::uint64_t offset = shared_offset(span.low), shared = launch().shared_bytes();
  span.is_shared = offset < shared;
  if (span.is_shared && (is_of_blocks || span.bytes > shared - offset)) return false;
  if (span.is_shared) span.row.first = shared_offset(place.address);
  return true;
}

/// Whether two threads may access the same byte, both here.
bool BlockRecord::crosses_itself(const Span& span) {
  const auto& [first, size, stride, threads] = span.row;
  const auto lie_apart = [&](std::int64_t step, std::uint64_t bytes) {
    return distance(step) >= bytes;
  };
  if (span.rows == 1) return threads > 1 && !lie_apart(stride, size);
  const bool by_rows = (threads == 1 || lie_apart(stride, size)) &&
                       lie_apart(span.pitch, way_of(stride, threads) + size);
  const bool by_columns =
      lie_apart(span.pitch, size) && lie_apart(stride, way_of(span.pitch, span.rows) + size);
  return !by_rows && !by_columns;
}

/// Whether two threads may access the same byte, one here and one there; the first one does not
/// cross itself.
bool BlockRecord::may_cross(const Span& one, const Span& other) {
  if (one.low + one.bytes <= other.low || other.low + other.bytes <= one.low) return false;
  if (one.rows != 1 || other.rows != 1)
    return one.address != other.address || one.row != other.row || one.rows != other.rows ||
           one.pitch != other.pitch || one.thread != other.thread;
  if (one.row.threads == 1 && other.row.threads == 1 && one.thread == other.thread) return false;
  if (one.row.stride != other.row.stride) return true;
  // Of the same thread; then each thread's bytes are its own if they fit between two of them.
  const auto of_zero = [](const Span& span) {
    return static_cast<std::int64_t>(span.address) - span.row.stride * span.thread;
  };
  const std::int64_t apart = of_zero(other) - of_zero(one);
  const auto step = static_cast<std::int64_t>(distance(one.row.stride));
  return apart + step < static_cast<std::int64_t>(one.row.size) ||
         apart + static_cast<std::int64_t>(other.row.size) > step;
}

/// Whether the order of the threads may matter.
bool BlockRecord::threads_cross(std::span<const RowAccess> accesses, const Span* spans) {
  const auto counts = [&](std::size_t i) {
    return spans[i].row.threads != 0 &&
           (asks(accesses[i], check_race) || asks(accesses[i], check_init));
  };
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!counts(i) || !writes(*accesses[i].access)) continue;
    if (crosses_itself(spans[i])) return true;
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (k == i || !counts(k)) continue;
      if (k < i && writes(*accesses[k].access)) continue;  // held against each other already
      if (may_cross(spans[i], spans[k])) return true;
    }
  }
  return false;
}

bool BlockRecord::rows_within(const Span& span, const RowAccess& access, const RowPlace& place) {
  const CheckedAccess& what = *access.access;
  const auto is_aligned = [&](std::uint64_t bytes) { return bytes % what.align == 0; };
  if (what.align > 1 && !(is_aligned(place.address) && is_aligned(distance(access.stride)) &&
                          is_aligned(distance(place.pitch))))
    return false;
  if (place.base != 0) {
    const std::uint64_t offset = span.low - place.base;
    return offset <= what.object_size && span.bytes <= what.object_size - offset;
  }
  if (span.is_shared) return true;
  return (what.flags & object_shared) == 0 && known(span.low, span.bytes);
}

bool BlockRecord::rows_are_written(const Span& span, const CheckedAccess& access) {
  const bool notes = writes(access), reads = !notes || is_atomic(access);
  const RowOfAccesses& row = span.row;
  if (notes && row.threads != 1 && distance(row.stride) != row.size) return false;
  const std::uint64_t along = way_of(row.stride, row.threads);
  const std::uintptr_t low = span.address - (row.stride < 0 ? along : 0);
  const auto ask = [&](std::uintptr_t base, const auto& written, const auto& note) {
    const std::uint32_t rows = span.pitch == 0 ? 1 : span.rows;
    for (std::uint32_t number = 0; number < rows; ++number) {
      const std::uint64_t first = low + static_cast<std::uint64_t>(span.pitch) * number - base;
      if (reads && written(first, along + row.size) != Share::all) return false;
      if (notes) note(first, along + row.size);
    }
    return true;
  };
  if (span.is_shared)
    return ask(
        reinterpret_cast<std::uintptr_t>(block().shared),
        [&](auto... bytes) { return shared_.written(bytes...); },
        [&](auto... bytes) { shared_.note_written(bytes...); });
  if (!writes_are_noted(&launch().context())) return true;
  const FoundAllocation* const found = allocation_at(span.low);
  const auto noted = found->written.lock();
  return noted == nullptr ||
         ask(
             found->allocation.base, [&](auto... bytes) { return noted->written(bytes...); },
             [&](auto... bytes) { noted->note(bytes...); });
}

bool BlockRecord::rows_apart(const Span& span, const CheckedAccess& access) {
  const std::uint32_t launched = launch().checked_number();
  for (std::uint32_t number = 0; number < span.rows; ++number) {
    const std::uint32_t thread = span.thread + number * span.threads;
    if (!threads_.in_step(thread, span.row.threads)) return false;
    const Moment moment = moment_of(thread, access);
    const RowOfAccesses row = span.at(number);
    if (span.is_shared) {
      if (!shared_.note_row(row, moment)) return false;
    } else if (launched != 0) {
      const GlobalMoment mine{moment, launched, block_number(), threads_.of(thread).grid_barriers,
                              order_.epoch};
      if (!note_global_row(row, mine, order_)) return false;
    }
  }
  return true;
}

/// A step that is taken again does no harm, but for arrivals: rows() takes those last.
bool BlockRecord::row_step(const RowAccess& access, std::uint32_t first, std::uint32_t count) {
  if (access.step == CheckedStep::start) {
    if (first == 0) start_block();
    return true;
  }
  const std::span<ThreadProgress> threads = threads_.change(first, count);
  if (access.step == CheckedStep::arrive) {
    for (ThreadProgress& each : threads) {
      ++each.arrivals;
      each.last_barrier = access.access;
    }
    return true;
  }
  const std::uint32_t arrivals = threads.front().arrivals;
  if (checked_barriers_ < arrivals) {
    if (wants(*access.access, check_sync) && missing(threads.front(), *access.access)) return false;
    checked_barriers_ = arrivals;
    shared_.start_interval();
  }
  for (ThreadProgress& each : threads) {
    if (each.arrivals != arrivals) return false;
    each.block_barriers = each.arrivals;
  }
  if (count == block().thread_count) threads_.join();
  return true;
}

bool BlockRecord::rows_step(const RowAccess& access, const RowPlace& place, std::uint32_t thread,
                            std::uint32_t rows) {
  const std::uint32_t count = place.end - place.begin, in_row = block().block_size[0];
  if (count == in_row) return row_step(access, thread, count * rows);
  for (std::uint32_t number = 0; number < rows; ++number)
    if (!row_step(access, thread + number * in_row + place.begin, count)) return false;
  return true;
}

bool BlockRecord::rows(std::span<const RowAccess> accesses, const RowPlace* places,
                       std::uint32_t thread, std::uint32_t rows) {
  if (order() != nullptr || accesses.size() > most_row_accesses) return false;
  shared_.fit(launch().shared_bytes());
  const auto is_done = [&](std::size_t i) { return places[i].begin != places[i].end; };
  if (spans_.size() < accesses.size()) spans_.resize(accesses.size());
  const std::span<Span> spans(spans_);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Span& span = spans[i];
    span.row.threads = 0;
    if (is_step(accesses[i]) || !is_done(i)) continue;
    if (!fill(span, accesses[i], places[i], thread, rows)) return false;
    if (asks(accesses[i], check_memory) && !rows_within(span, accesses[i], places[i])) return false;
    const bool is_noted = asks(accesses[i], check_race) || asks(accesses[i], check_init);
    if (is_noted && !span.is_shared && !known(span.low, span.bytes)) return false;
  }
  if (threads_cross(accesses, spans.data())) return false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!is_done(i) || arrives(accesses[i])) continue;
    const CheckedAccess& access = *accesses[i].access;
    const bool passes =
        is_step(accesses[i])
            ? rows_step(accesses[i], places[i], thread, rows)
            : (!asks(accesses[i], check_init) || rows_are_written(spans[i], access)) &&
                  (!asks(accesses[i], check_race) || rows_apart(spans[i], access));
    if (!passes) return false;
  }
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (arrives(accesses[i]) && is_done(i)) rows_step(accesses[i], places[i], thread, rows);
  return true;
}

std::uint32_t check_row(BlockContext* block, const RowAccess* accesses, const RowPlace* places,
                        std::uint32_t count, std::uint32_t thread, std::uint32_t rows) {
  const ServiceCall call;
  if (!record_of(*block).rows({accesses, count}, places, thread, rows)) return 0;
  block->thread_index[0] = thread_unknown;  // until a thread of the row says so
  return 1;
}

}  // namespace treadle::cuda_cpu
