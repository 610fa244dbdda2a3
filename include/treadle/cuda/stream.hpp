// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "treadle/cuda/handle.hpp"

namespace treadle::cuda {

class Event;
class Stream;

/// CUstream_flags.
enum class StreamFlags : unsigned {
  blocking = 0,      ///< ordered with work on the default stream
  non_blocking = 1,  ///< independent of the default stream
};

/// A stream that someone else owns, as functions take it; null is the default stream of the current
/// context.
class StreamRef {
 public:
  constexpr StreamRef() = default;
  /// Implicit: wherever a stream is wanted, a Stream will do, which must live as long as the
  /// reference is used. Throws InvalidState for one that was moved from.
  StreamRef(const Stream& stream);
  constexpr explicit StreamRef(RawStream raw) noexcept : raw_(raw) {}
  /// CUstream; null for the default stream.
  constexpr RawStream raw() const noexcept { return raw_; }
  /// Whether it is the default stream of whichever context is current when it is used.
  constexpr bool is_default() const noexcept { return raw_ == nullptr; }
  constexpr bool operator==(const StreamRef&) const = default;

 private:
  [[noreturn]] static void raise_moved_from();
  RawStream raw_ = nullptr;
};

/// What a Handle of a stream ends with.
void destroy_stream(const Context& context, RawStream raw) noexcept;
template <>
inline constexpr const char* handle_kind<destroy_stream> = "cuda stream";

/// A queue of work on one device: in order within the stream, concurrent with other streams.
/// Destroying it does not wait; the driver finishes queued work first.
class Stream {
 public:
  /// Made in the current context. Priorities outside Context::stream_priorities() are clamped by
  /// the driver.
  explicit Stream(StreamFlags flags = StreamFlags::blocking, int priority = 0);
  explicit Stream(const Context& context, StreamFlags flags = StreamFlags::blocking,
                  int priority = 0);

  /// The stream of another library, which destroys it and must let it live as long as this. Throws
  /// InvalidArgument for null: the default stream is a StreamRef. The context is the stream's own.
  static Stream wrap(RawStream raw, const Driver& driver = default_driver());

  /// Blocks until all work queued so far is done.
  void synchronize() const;
  /// Whether all work queued so far is done; does not block.
  bool is_done() const;
  /// Later work on this stream starts after what `event` recorded; does not block the host.
  void wait(const Event& event) const;
  /// As the driver clamped it; lower is more urgent.
  int priority() const;
  /// As it was made.
  StreamFlags flags() const;
  /// A number that no other stream of the process ever has, as profilers show it.
  std::uint64_t id() const;

  /// For calls of the driver itself, while this Stream lives.
  RawStream raw() const noexcept { return handle_.raw(); }
  /// Where it was made, detached or not.
  const Context& context() const noexcept { return handle_.context(); }

 private:
  friend class GreenContext;
  explicit Stream(Handle<RawStream, destroy_stream> handle) noexcept : handle_(std::move(handle)) {}
  Handle<RawStream, destroy_stream> handle_;
};

/// For those who were given only what the driver calls a stream: while one of these lives, the end
/// of the Stream that owns it does not destroy the driver's. Of streams of other libraries, which
/// destroy them, nothing is kept. Any thread.
class StreamHold {
 public:
  explicit StreamHold(RawStream raw);
  ~StreamHold();
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;

 private:
  RawStream raw_;
};

inline StreamRef::StreamRef(const Stream& stream) : raw_(stream.raw()) {
  // Null would be the default stream, by accident.
  if (raw_ == nullptr) [[unlikely]]
    raise_moved_from();
}

/// Blocks until all work on `stream`, which may be the default stream of the current context, is
/// done.
void synchronize(StreamRef stream);
/// Whether all work queued on it so far is done; does not block.
bool is_done(StreamRef stream);

}  // namespace treadle::cuda
