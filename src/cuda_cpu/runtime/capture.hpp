// SPDX-License-Identifier: MIT
// Streams whose work becomes nodes of a graph. Every call that queues work asks Stream::capturing
// and hands what it would have queued to capture_work().
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "cuda_cpu/runtime/graph.hpp"

namespace treadle::cuda_cpu {

/// One capture, from its begin to its end. Guarded by the lock of capture.cpp.
struct CaptureSequence {
  std::uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;  ///< that began it
  std::shared_ptr<Graph> graph;
  bool graph_is_new = true;  ///< not one that the program had before
  bool invalidated = false;
  bool ended = false;
  std::vector<std::shared_ptr<Stream>> streams;  ///< that take part; the first began it
};

/// Where work of a stream goes. Guarded by the same lock.
class StreamCapture {
 public:
  std::shared_ptr<CaptureSequence> sequence;
  std::vector<GraphNode*> last;                  ///< what the stream's next node depends on
  std::vector<CUgraphNode> handles;              ///< of these, as cuStreamGetCaptureInfo shows them
  std::optional<NodeWork>* described = nullptr;  ///< describe_work() asks: there is no graph
};

/// What an event that was recorded in a capture stands for.
struct CapturedPoint {
  std::shared_ptr<CaptureSequence> sequence;
  std::vector<GraphNode*> nodes;
};

/// Makes `work` the next node of the stream's graph; its handle comes back in `made`.
CUresult capture_work(const std::shared_ptr<Stream>& stream, NodeWork work,
                      CUgraphNode* made = nullptr);
/// cuEventRecord on a capturing stream, and cuStreamWaitEvent for the event it made.
CUresult capture_record(const std::shared_ptr<Stream>& stream, Event& event);
CUresult capture_wait(const std::shared_ptr<Stream>& stream, const Event& event);

/// Ends the capture that the stream takes part in, or all of a context, without a graph: what it
/// captures is going.
void abandon_capture(Stream& stream);
void abandon_captures(const Context& context);

/// Why a call that waits for this stream cannot do it: it captures. Ends the capture's validity.
CUresult refuse_captured(Stream& stream);
/// The same for all streams of a context.
CUresult refuse_captured(const Context& context);
/// The same for a call that CUDA calls potentially unsafe, such as an allocation: it depends on the
/// modes of all captures and of this thread.
CUresult refuse_unsafe_in_capture();
/// The same for work on the default stream, which would wait for streams that capture.
CUresult refuse_implicit_in_capture(const Context& context);

}  // namespace treadle::cuda_cpu
