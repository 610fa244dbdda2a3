// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace treadle::memory {

/// What a pool draws blocks from: one operation.
///
/// `allocate(size_bytes)` makes a Block of at least that size, any Block of which owns its memory:
/// destroying it gives the memory back, throws nothing and reports a failure as a warning. That may
/// happen while queued work still uses the memory, on any thread, after other blocks: the allocator
/// sees to it that the work is safe (CUDA and OpenCL free memory so). Throws OutOfMemory where
/// releasing other blocks could help; whatever else it throws goes to the user as it is.
/// The pool calls it from any thread, several at a time, and holds no lock then.
template <class A>
concept Allocator = requires(A& allocator, std::size_t size_bytes) {
  typename A::Block;
  { allocator.allocate(size_bytes) } -> std::same_as<typename A::Block>;
  requires std::is_nothrow_move_constructible_v<typename A::Block>;
  requires std::is_nothrow_destructible_v<typename A::Block>;
};

/// An allocator of memory that queued work uses: three operations more.
///
/// A Stream is a value that stands for one queue in order, and keeps that queue alive while the
/// pool has it; equal streams are one queue. A Mark stands for the work queued on a stream so far.
/// `is_done(stream)` asks whether that work has ended; `mark(stream)` makes a Mark, and
/// `wait(stream, mark)` makes later work on `stream` start after it. None blocks the host. All may
/// throw; the pool then keeps the block.
template <class A>
concept OrderedAllocator = Allocator<A> && requires(A& allocator, const typename A::Stream& stream,
                                                    const typename A::Mark& mark) {
  requires std::copyable<typename A::Stream>;
  requires std::is_nothrow_move_constructible_v<typename A::Stream>;
  requires std::equality_comparable<typename A::Stream>;
  { allocator.is_done(stream) } -> std::same_as<bool>;
  { allocator.mark(stream) } -> std::same_as<typename A::Mark>;
  allocator.wait(stream, mark);
};

/// The stream of memory that no queue uses, or whose users order its reuse themselves.
struct Unordered {
  constexpr bool operator==(const Unordered&) const = default;
};

/// What stream_of asks; write stream_of.
template <class A>
struct StreamOf {
  using type = Unordered;  ///< nothing is ordered
};
template <OrderedAllocator A>
struct StreamOf<A> {
  using type = typename A::Stream;
};
/// A::Stream of an ordered allocator, otherwise Unordered.
template <Allocator A>
using stream_of = typename StreamOf<A>::type;

}  // namespace treadle::memory
