// SPDX-License-Identifier: MIT
// Stream capture. A stream joins a capture by waiting for an event that another stream of it has
// recorded. A call that CUDA forbids during a capture makes it invalid; the program learns that
// when it ends it.
#include "cuda_cpu/runtime/capture.hpp"

#include <algorithm>
#include <set>

#include "cuda_cpu/runtime/entry.hpp"

namespace treadle::cuda_cpu {
namespace {

using Lock = std::lock_guard<std::mutex>;

std::mutex& capture_mutex() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

/// All that were begun and not ended.
struct Captures {
  std::vector<std::shared_ptr<CaptureSequence>> open;
  std::uint64_t last_id = 0;
  std::atomic<unsigned> count{0};  ///< of `open`, to be read without the lock
};
Captures& captures() {
  static Captures* const all = new Captures;
  return *all;
}

CUstreamCaptureMode& mode_of_this_thread() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

void set_last(StreamCapture& capture, std::vector<GraphNode*> nodes) {
  capture.last = std::move(nodes);
  capture.handles.clear();
  for (const GraphNode* node : capture.last) capture.handles.push_back(node->handle);
}

void join_sequence(const std::shared_ptr<Stream>& stream,
                   const std::shared_ptr<CaptureSequence>& sequence,
                   std::vector<GraphNode*> after) {
  stream->capture = std::make_shared<StreamCapture>();
  stream->capture->sequence = sequence;
  set_last(*stream->capture, std::move(after));
  sequence->streams.push_back(stream);
  stream->capturing = true;
}

void end_sequence(CaptureSequence& sequence) {
  sequence.ended = true;
  for (const auto& stream : sequence.streams) {
    stream->capturing = false;
    stream->capture.reset();
  }
  sequence.streams.clear();
  auto& open = captures().open;
  std::erase_if(open, [&](const auto& each) { return each.get() == &sequence; });
  captures().count = static_cast<unsigned>(open.size());
}

/// By value: the last stream to let go of it may be one that is ended here.
void abandon(const std::shared_ptr<CaptureSequence> sequence) {
  if (sequence == nullptr) return;
  end_sequence(*sequence);
  if (sequence->graph_is_new) graph_handles().remove(sequence->graph->handle);
}

/// Whether every stream's work comes before the end of the stream that began the capture.
bool all_joined(const CaptureSequence& sequence) {
  std::set<const GraphNode*> before;
  std::vector<GraphNode*> unseen = sequence.streams.front()->capture->last;
  while (!unseen.empty()) {
    GraphNode* const node = unseen.back();
    unseen.pop_back();
    if (!before.insert(node).second) continue;
    unseen.insert(unseen.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::all_of(sequence.streams.begin(), sequence.streams.end(), [&](const auto& stream) {
    const auto& last = stream->capture->last;
    return std::all_of(last.begin(), last.end(),
                       [&](const GraphNode* node) { return before.count(node) != 0; });
  });
}

CUresult invalidate(CaptureSequence& sequence, CUresult code) {
  sequence.invalidated = true;
  return code;
}

CUresult begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                       std::shared_ptr<Graph> into, std::vector<GraphNode*> after) {
  if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  if (stream->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const Lock lock(capture_mutex());
  if (stream->capturing) return CUDA_ERROR_ILLEGAL_STATE;
  auto sequence = std::make_shared<CaptureSequence>();
  sequence->id = ++captures().last_id;
  sequence->mode = mode;
  sequence->thread = std::this_thread::get_id();
  sequence->graph_is_new = into == nullptr;
  sequence->graph = into ? std::move(into) : make_public_graph();
  captures().open.push_back(sequence);
  captures().count = static_cast<unsigned>(captures().open.size());
  join_sequence(stream, sequence, std::move(after));
  return CUDA_SUCCESS;
}

template <class Belongs>
CUresult refuse_where(Belongs&& belongs, CUresult code) {
  if (captures().count.load(std::memory_order_relaxed) == 0) return CUDA_SUCCESS;
  const Lock lock(capture_mutex());
  CUresult result = CUDA_SUCCESS;
  for (const auto& sequence : captures().open)
    if (belongs(*sequence)) result = invalidate(*sequence, code);
  return result;
}

}  // namespace

CUresult capture_work(const std::shared_ptr<Stream>& stream, NodeWork work, CUgraphNode* made) {
  const Lock lock(capture_mutex());
  const auto capture = stream->capture;
  if (!capture) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;  // another thread has just ended it
  if (capture->described != nullptr) {
    *capture->described = std::move(work);
    return CUDA_SUCCESS;
  }
  if (capture->sequence->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  GraphNode& node = capture->sequence->graph->add(std::move(work), capture->last);
  set_last(*capture, {&node});
  if (made != nullptr) *made = node.handle;
  return CUDA_SUCCESS;
}

CUresult capture_record(const std::shared_ptr<Stream>& stream, Event& event) {
  const Lock lock(capture_mutex());
  if (!stream->capture) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  const auto& sequence = stream->capture->sequence;
  if (sequence->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  event.set_captured(
      std::make_shared<CapturedPoint>(CapturedPoint{sequence, stream->capture->last}));
  return CUDA_SUCCESS;
}

CUresult capture_wait(const std::shared_ptr<Stream>& stream, const Event& event) {
  const auto captured = event.captured();
  const Lock lock(capture_mutex());
  const auto capture = stream->capture;
  if (!captured)
    return capture ? invalidate(*capture->sequence, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
                   : CUDA_SUCCESS;
  if (captured->sequence->ended) return CUDA_ERROR_CAPTURED_EVENT;
  if (captured->sequence->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream->legacy) return invalidate(*captured->sequence, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (!capture) {
    join_sequence(stream, captured->sequence, captured->nodes);
    return CUDA_SUCCESS;
  }
  if (capture->sequence != captured->sequence) {
    invalidate(*captured->sequence, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    return invalidate(*capture->sequence, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  std::vector<GraphNode*> both = capture->last;
  for (GraphNode* node : captured->nodes)
    if (std::find(both.begin(), both.end(), node) == both.end()) both.push_back(node);
  set_last(*capture, std::move(both));
  return CUDA_SUCCESS;
}

void abandon_capture(Stream& stream) {
  if (!stream.capturing) return;
  const Lock lock(capture_mutex());
  if (stream.capture) abandon(stream.capture->sequence);
}

void abandon_captures(const Context& context) {
  if (captures().count == 0) return;
  const Lock lock(capture_mutex());
  const auto open = captures().open;
  for (const auto& sequence : open)
    if (sequence->streams.front()->context.get() == &context) abandon(sequence);
}

CUresult refuse_captured(Stream& stream) {
  if (!stream.capturing) return CUDA_SUCCESS;
  const Lock lock(capture_mutex());
  return stream.capture
             ? invalidate(*stream.capture->sequence, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
             : CUDA_SUCCESS;
}

CUresult refuse_captured(const Context& context) {
  return refuse_where(
      [&](const CaptureSequence& sequence) {
        return sequence.streams.front()->context.get() == &context;
      },
      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult refuse_implicit_in_capture(const Context& context) {
  return refuse_where(
      [&](const CaptureSequence& sequence) {
        return std::any_of(sequence.streams.begin(), sequence.streams.end(), [&](const auto& each) {
          return each->context.get() == &context && each->blocking();
        });
      },
      CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

CUresult refuse_unsafe_in_capture() {
  const CUstreamCaptureMode mode = mode_of_this_thread();
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  return refuse_where(
      [&](const CaptureSequence& sequence) {
        if (sequence.mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
        return sequence.thread == std::this_thread::get_id() ||
               (mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                sequence.mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
      },
      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    const CUresult failure = resolve_stream(context, handle, stream);
    return failure != CUDA_SUCCESS ? failure : begin_capture(stream, mode, nullptr, {});
  });
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle,
                                     const CUgraphNode* dependencies, const CUgraphEdgeData* edges,
                                     size_t count, CUstreamCaptureMode mode) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    const auto graph = graph_handles().find(graph_handle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    std::vector<GraphNode*> after;
    if (const CUresult failure = find_nodes(*graph, dependencies, count, after);
        failure != CUDA_SUCCESS)
      return failure;
    if (!plain_edges(edges, count)) return CUDA_ERROR_NOT_SUPPORTED;
    return begin_capture(stream, mode, graph, std::move(after));
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *graph = nullptr;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    const Lock lock(capture_mutex());
    if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    const auto sequence = stream->capture->sequence;
    if (sequence->streams.front() != stream)
      return invalidate(*sequence, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (sequence->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        sequence->thread != std::this_thread::get_id())
      return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const CUresult failure = sequence->invalidated   ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                             : all_joined(*sequence) ? CUDA_SUCCESS
                                                     : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    end_sequence(*sequence);
    if (failure == CUDA_SUCCESS)
      *graph = sequence->graph->handle;
    else if (sequence->graph_is_new)
      graph_handles().remove(sequence->graph->handle);
    return failure;
  });
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return cuStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                CUgraph* graph, const CUgraphNode** dependencies,
                                const CUgraphEdgeData** edges, size_t* count) {
  return with_context([&](const auto& context) -> CUresult {
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    const Lock lock(capture_mutex());
    if (!stream->capture) return CUDA_SUCCESS;
    const StreamCapture& capture = *stream->capture;
    *status = capture.sequence->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                            : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (id != nullptr) *id = capture.sequence->id;
    if (graph != nullptr) *graph = capture.sequence->graph->handle;
    if (dependencies != nullptr) *dependencies = capture.handles.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = capture.handles.size();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* dependencies,
                                           const CUgraphEdgeData* edges, size_t count,
                                           unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    const Lock lock(capture_mutex());
    if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    StreamCapture& capture = *stream->capture;
    if (capture.sequence->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    std::vector<GraphNode*> given;
    if (const CUresult failure = find_nodes(*capture.sequence->graph, dependencies, count, given);
        failure != CUDA_SUCCESS || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
      return failure != CUDA_SUCCESS ? failure : CUDA_ERROR_INVALID_VALUE;
    if (!plain_edges(edges, count)) return CUDA_ERROR_NOT_SUPPORTED;
    if (flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES)
      for (GraphNode* node : capture.last)
        if (std::find(given.begin(), given.end(), node) == given.end()) given.push_back(node);
    set_last(capture, std::move(given));
    return CUDA_SUCCESS;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return with_process([&]() -> CUresult {
    if (mode == nullptr || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    std::swap(*mode, mode_of_this_thread());
    return CUDA_SUCCESS;
  });
}
