// SPDX-License-Identifier: MIT
#include "treadle/cuda/capture.hpp"

#include <string>
#include <utility>

#include "cuda/context_state.hpp"
#include "cuda/graph_state.hpp"

namespace treadle::cuda {
namespace {

/// What to do about a capture that failed.
std::string capture_advice(int code) {
  switch (code) {
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
      return "a call during the capture was not allowed: waiting for the stream, an allocation, or "
             "work on the default stream; it has failed with its own error";
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
      return "a stream that joined the capture has work that this stream does not wait for: record "
             "an event there and wait for it here";
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
      return "another stream began this capture: end it there";
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return "another thread began this capture: end it there, or begin it with mode relaxed";
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
      return "the default stream cannot be captured: make a stream";
    case CUDA_ERROR_ILLEGAL_STATE:
      return "the stream captures already";
    default:
      return {};
  }
}

}  // namespace

CaptureInfo ask_capture(const Table& cu, RawStream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CaptureInfo info;
  cuuint64_t id = 0;
  const CUgraphNode* last = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  check(cu, cu.cuStreamGetCaptureInfo(stream, &status, &id, &info.graph, &last, &edges, &count),
        "cuStreamGetCaptureInfo");
  info.status = static_cast<CaptureStatus>(status);
  if (info.status == CaptureStatus::active) info.last.assign(last, last + count);
  return info;
}

Capture::Capture(StreamRef stream, CaptureMode mode)
    : context_(Context::current()),
      stream_(stream),
      owner_(std::make_shared<GraphState>(context_, nullptr)) {
  const Activation active(context_);
  const int code =
      active.table().cuStreamBeginCapture(stream.raw(), static_cast<CUstreamCaptureMode>(mode));
  check(active.table(), code, "cuStreamBeginCapture", [&] { return capture_advice(code); });
}

Capture::Capture(const Graph& graph, const After& after, StreamRef stream, CaptureMode mode)
    : context_(graph.context()), stream_(stream), into_(graph) {
  const Activation active(context_);
  const int code = active.table().cuStreamBeginCaptureToGraph(
      stream.raw(), graph.raw(), after.raw().data(), nullptr, after.raw().size(),
      static_cast<CUstreamCaptureMode>(mode));
  check(active.table(), code, "cuStreamBeginCaptureToGraph", [&] { return capture_advice(code); });
}

Capture::~Capture() {
  if (ended_ || !context_.is_valid()) return;
  try {
    end();
  } catch (const Error&) {
    // The graph is dropped either way.
  }
}

Graph Capture::end() {
  if (std::exchange(ended_, true))
    throw InvalidState("the capture was ended", "keep the graph that end() returned");
  const Activation active(context_);
  RawGraph raw = nullptr;
  const int code = active.table().cuStreamEndCapture(stream_.raw(), &raw);
  check(active.table(), code, "cuStreamEndCapture", [&] { return capture_advice(code); });
  if (into_) return *into_;
  const Graph graph = Graph::adopt(context_, raw);
  graph.state_->hold(owner_->held());
  return graph;
}

CaptureStatus Capture::status() const {
  if (ended_) return CaptureStatus::none;
  const Activation active(context_);
  return ask_capture(active.table(), stream_.raw()).status;
}

Graph Capture::graph() const {
  if (ended_) throw InvalidState("the capture was ended", "use the graph that end() returned");
  if (into_) return *into_;
  const Activation active(context_);
  return Graph(std::make_shared<GraphState>(
      context_, ask_capture(active.table(), stream_.raw()).graph, owner_));
}

std::vector<GraphNode> Capture::last() const {
  const Graph so_far = graph();
  const Activation active(context_);
  std::vector<GraphNode> nodes;
  for (RawGraphNode raw : ask_capture(active.table(), stream_.raw()).last)
    nodes.push_back(so_far.node(raw));
  return nodes;
}

void Capture::set_last(const After& nodes) const {
  const Activation active(context_);
  auto raw = nodes.raw();
  check(active.table(),
        active.table().cuStreamUpdateCaptureDependencies(
            stream_.raw(), raw.data(), nullptr, raw.size(), CU_STREAM_SET_CAPTURE_DEPENDENCIES),
        "cuStreamUpdateCaptureDependencies");
}

CaptureStatus capture_status(StreamRef stream) { return capture_status(current_table(), stream); }

CaptureStatus capture_status(const Table& cu, StreamRef stream) {
  return ask_capture(cu, stream.raw()).status;
}

CaptureModeScope::CaptureModeScope(CaptureMode mode)
    : table_(&current_table()), before_(static_cast<int>(mode)) {
  auto raw = static_cast<CUstreamCaptureMode>(mode);
  check(*table_, table_->cuThreadExchangeStreamCaptureMode(&raw),
        "cuThreadExchangeStreamCaptureMode");
  before_ = static_cast<int>(raw);
}

CaptureModeScope::~CaptureModeScope() {
  auto raw = static_cast<CUstreamCaptureMode>(before_);
  warn_if_failed(*table_, table_->cuThreadExchangeStreamCaptureMode(&raw),
                 "cuThreadExchangeStreamCaptureMode", "a capture mode");
}

void record_external(const Event& event, StreamRef stream) {
  refuse_moved_from("event", event.raw());
  const Activation active(event.context());
  const bool captures = ask_capture(active.table(), stream.raw()).status != CaptureStatus::none;
  check(
      active.table(),
      active.table().cuEventRecordWithFlags(
          event.raw(), stream.raw(), captures ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT),
      "cuEventRecordWithFlags");
}

}  // namespace treadle::cuda
