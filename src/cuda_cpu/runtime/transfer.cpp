// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/transfer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/machine.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::size_t piece_bytes = 1u << 20;
constexpr std::size_t eager_bytes = 4u << 20;

/// Rows are cut into segments so that one long row is shared as well as many short ones.
struct Pieces {
  std::size_t segments_per_row, rows_per_piece, rows;
  std::uint64_t count() const {
    return segments_per_row * ((rows + rows_per_piece - 1) / rows_per_piece);
  }
};

Pieces cut(std::size_t row_bytes, std::size_t rows) {
  const std::size_t segments =
      std::max<std::size_t>(1, (row_bytes + piece_bytes - 1) / piece_bytes);
  const std::size_t together =
      segments > 1 ? 1
                   : std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, row_bytes));
  return {segments, together, rows};
}

/// Calls visit(row, first byte, bytes) for what a piece holds.
template <class Visit>
void for_piece(const Pieces& pieces, std::size_t row_bytes, std::uint64_t piece, Visit&& visit) {
  const std::size_t first_row = piece / pieces.segments_per_row * pieces.rows_per_piece;
  const std::size_t begin =
      pieces.segments_per_row > 1 ? piece % pieces.segments_per_row * piece_bytes : 0;
  const std::size_t end =
      pieces.segments_per_row > 1 ? std::min(row_bytes, begin + piece_bytes) : row_bytes;
  for (std::size_t row = first_row; row < std::min(pieces.rows, first_row + pieces.rows_per_piece);
       ++row)
    visit(row, begin, end - begin);
}

void copy_piece(const Copy& copy, const Pieces& pieces, std::uint64_t piece) {
  for_piece(pieces, copy.width, piece, [&](std::size_t row, std::size_t begin, std::size_t bytes) {
    const std::size_t y = row % copy.height, z = row / copy.height;
    std::byte* const to = copy.to + z * copy.to_slice + y * copy.to_pitch + begin;
    const std::byte* const from = copy.from + z * copy.from_slice + y * copy.from_pitch + begin;
    std::memmove(to, from, bytes);
    note_copied(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from),
                bytes);
  });
}

struct Wide {
  std::uint64_t low, high;
};

template <class Element>
void fill_elements(std::byte* to, Element element, std::size_t bytes) {
  auto* const first = reinterpret_cast<Element*>(to);
  std::fill(first, first + bytes / sizeof(Element), element);
}

void fill_piece(const Fill& fill, const Pieces& pieces, std::uint64_t piece) {
  for_piece(pieces, fill.width * fill.element_size, piece,
            [&](std::size_t row, std::size_t begin, std::size_t bytes) {
              std::byte* const to = fill.to + row * fill.pitch + begin;
              note_written(reinterpret_cast<std::uintptr_t>(to), bytes);
              switch (fill.element_size) {
                case 1:
                  std::memset(to, static_cast<int>(fill.value & 0xff), bytes);
                  break;
                case 2:
                  fill_elements(to, static_cast<std::uint16_t>(fill.value), bytes);
                  break;
                case 4:
                  fill_elements(to, static_cast<std::uint32_t>(fill.value), bytes);
                  break;
                case 8:
                  fill_elements(to, fill.value, bytes);
                  break;
                default:
                  fill_elements(to, Wide{fill.value, fill.high}, bytes);
                  break;
              }
            });
}

/// Shared by a blocking call and its command, which may outlive the call: the wait hook can end it.
struct BlockingCall {
  enum State : int { queued, started, abandoned };
  std::atomic<int> state{queued};
  std::atomic<bool> faulted{false};
  /// For the command: false if the caller has gone, and its memory perhaps with it.
  bool start() {
    int expected = queued;
    return state.compare_exchange_strong(expected, started) || expected == started;
  }
  /// For the caller: false if the work has begun and has to be waited for.
  bool abandon() {
    int expected = queued;
    return state.compare_exchange_strong(expected, abandoned);
  }
};

/// Runs one piece under guard; what faults is noted where a blocking caller looks, or fails the
/// context.
template <class Body>
void run_piece(Body&& body, Context& context, BlockingCall* call) {
  if (call != nullptr && !call->start()) return;
  Fault fault;
  prepare_for_faults();
  const auto invoke = [](void* argument) {
    (*static_cast<std::remove_reference_t<Body>*>(argument))();
  };
  if (run_guarded(fault, invoke, &body)) return;
  if (call != nullptr)
    call->faulted = true;
  else
    context.fail(CUDA_ERROR_ILLEGAL_ADDRESS, "asynchronous copy: " + fault_description(fault));
}

using Call = std::shared_ptr<BlockingCall>;

/// `bytes` in all, cut into `count` pieces.
template <class Body>
std::unique_ptr<Command> make_pieces(Context* context, std::uint64_t count, std::size_t bytes,
                                     const Call& call, Body body) {
  auto command = std::make_unique<TaskCommand>(
      [body = std::move(body), context, call](std::uint64_t piece) {
        if (context->error() == CUDA_SUCCESS) run_piece([&] { body(piece); }, *context, call.get());
      },
      count);
  command->limit = static_cast<unsigned>(std::min<std::uint64_t>(count, machine().threads));
  command->eager = bytes >= eager_bytes;
  return command;
}

std::unique_ptr<Command> make_copy(Context* context, Copy copy, const Call& call) {
  const std::size_t rows = copy.height * copy.depth;
  Pieces pieces = cut(copy.width, rows);
  // Where source and destination overlap the order matters: one piece, and memmove for a single
  // row.
  const auto overlap = [&](const std::byte* a, const std::byte* b) {
    return a <= b && b < a + copy.width;
  };
  if (rows == 1 && (overlap(copy.to, copy.from) || overlap(copy.from, copy.to))) pieces = {1, 1, 1};
  const std::size_t bytes = copy.width * rows;
  return make_pieces(
      context, pieces.count(), bytes, call,
      [copy = std::move(copy), pieces](std::uint64_t piece) { copy_piece(copy, pieces, piece); });
}

std::unique_ptr<Command> make_fill(Context* context, const Fill& fill, const Call& call) {
  const std::size_t row_bytes = fill.width * fill.element_size;
  const Pieces pieces = cut(row_bytes, fill.height);
  return make_pieces(context, pieces.count(), row_bytes * fill.height, call,
                     [fill, pieces](std::uint64_t piece) { fill_piece(fill, pieces, piece); });
}

/// Submits what `make(call)` makes, and waits if the call blocks.
template <class Make>
CUresult submit_made(const std::shared_ptr<Stream>& stream, Blocking blocking, Make&& make) {
  const Call call = blocking == Blocking::yes ? std::make_shared<BlockingCall>() : nullptr;
  Context* const context = stream->context.get();
  std::unique_ptr<Command> command = make(context, call);
  Scheduler& scheduler = Scheduler::instance();
  const std::uint64_t position = scheduler.submit(std::move(command), stream);
  if (blocking == Blocking::no) return CUDA_SUCCESS;
  if (!scheduler.wait(*stream, position, Hook::asked)) {
    if (call->abandon()) return CUDA_ERROR_NOT_READY;
    scheduler.wait(*stream, position);
  }
  flush_printed();
  return call->faulted ? CUDA_ERROR_INVALID_VALUE : context->error();
}

}  // namespace

CUresult submit_copy(const std::shared_ptr<Stream>& stream, Copy copy, Blocking blocking) {
  if (stream->capturing) return capture_work(stream, CopyWork{.copy = std::move(copy)});
  return submit_made(stream, blocking, [&](Context* context, const Call& call) {
    return make_copy(context, std::move(copy), call);
  });
}

CUresult submit_fill(const std::shared_ptr<Stream>& stream, const Fill& fill, Blocking blocking) {
  if (stream->capturing) return capture_work(stream, FillWork{fill});
  return submit_made(stream, blocking, [&](Context* context, const Call& call) {
    return make_fill(context, fill, call);
  });
}

std::unique_ptr<Command> make_copy(Context& context, Copy copy) {
  return make_copy(&context, std::move(copy), nullptr);
}
std::unique_ptr<Command> make_fill(Context& context, const Fill& fill) {
  return make_fill(&context, fill, nullptr);
}

bool copy_readable(std::byte* to, const std::byte* from, std::size_t size) {
  struct Span {
    std::byte* to;
    const std::byte* from;
    std::size_t size;
  } span{to, from, size};
  Fault fault;
  prepare_for_faults();
  return run_guarded(
      fault,
      [](void* argument) {
        const auto& s = *static_cast<Span*>(argument);
        std::memcpy(s.to, s.from, s.size);
      },
      &span);
}

}  // namespace treadle::cuda_cpu
