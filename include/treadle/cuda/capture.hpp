// SPDX-License-Identifier: MIT
// Stream capture: a graph made from the calls that would queue work.
//
//   Capture capture(stream);
//   k.launch({.grid = {64}, .block = {128}, .stream = stream}, memory, n);
//   const Graph graph = capture.end();
//
// Other streams take part by waiting for an event that a capturing stream has recorded; they must
// be joined the same way before the end. Memory, events and modules that the captured calls use are
// the caller's to keep, by Graph::keep() if nothing else.
#pragma once

#include "treadle/cuda/graph.hpp"

namespace treadle::cuda {

/// CUstreamCaptureMode: which calls that CUDA calls potentially unsafe, such as allocations, end
/// the capture with an error.
enum class CaptureMode : int {
  global = 0,         ///< of every thread
  thread_local_ = 1,  ///< of this thread
  relaxed = 2,        ///< none; another thread may end the capture
};

/// Records `event` on `stream` for streams outside of the graph too, where the stream captures:
/// the graph gets a node for it, as by Graph::add_record(). Else as Event::record().
void record_external(const Event& event, StreamRef stream);

/// CUstreamCaptureStatus.
enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

/// Records the work of a stream from its construction to end(). Use it on one thread.
class Capture {
 public:
  /// Throws DeviceError for the default stream, and for one that captures already.
  explicit Capture(StreamRef stream, CaptureMode mode = CaptureMode::thread_local_);
  /// Adds to `graph`, a body of a conditional node for instance: the first node waits for `after`.
  /// Throws NotSupported where the driver is older than CUDA 12.3.
  Capture(const Graph& graph, const After& after, StreamRef stream,
          CaptureMode mode = CaptureMode::thread_local_);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  /// Ends a capture that was not ended, and drops the graph it made.
  ~Capture();

  /// The graph. Throws DeviceError where a call in between has made the capture invalid, or where
  /// streams that took part were not joined; the message says what to do. The stream captures no
  /// more, either way. Throws InvalidState the second time.
  Graph end();
  /// Whether a call in between has made it invalid. None once it was ended.
  CaptureStatus status() const;
  /// The graph as it is so far, to add nodes to. Throws InvalidState once it was ended.
  Graph graph() const;
  /// What the stream's next node waits for.
  std::vector<GraphNode> last() const;
  /// Lets the stream's next node wait for `nodes` of the graph, instead of last().
  void set_last(const After& nodes) const;

 private:
  Context context_;
  StreamRef stream_;
  std::optional<Graph> into_;
  // Of graph(): the stream owns the driver's until the capture ends.
  std::shared_ptr<GraphState> owner_;
  bool ended_ = false;
};

/// Whether work on `stream` becomes nodes of a graph.
CaptureStatus capture_status(StreamRef stream);
/// The same of a stream of the driver that has these entry points.
CaptureStatus capture_status(const Table& cu, StreamRef stream);

/// While it lives, potentially unsafe calls of this thread are judged by `mode`: with `relaxed` an
/// allocation in the middle of a capture is allowed.
class CaptureModeScope {
 public:
  explicit CaptureModeScope(CaptureMode mode);
  CaptureModeScope(const CaptureModeScope&) = delete;
  CaptureModeScope& operator=(const CaptureModeScope&) = delete;
  ~CaptureModeScope();

 private:
  const Table* table_;
  int before_;
};

}  // namespace treadle::cuda
