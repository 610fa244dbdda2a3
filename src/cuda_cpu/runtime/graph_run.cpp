// SPDX-License-Identifier: MIT
// Launches of graphs with conditional nodes. What comes after such a node is known only once the
// kernels before it have run, so the launch is queued a stretch at a time, in a stream of its own;
// in the program's stream stands a marker that is opened at the end.
#include "cuda_cpu/runtime/graph_exec.hpp"

namespace treadle::cuda_cpu {
namespace {

class GraphRun : public std::enable_shared_from_this<GraphRun> {
 public:
  explicit GraphRun(std::shared_ptr<Context> context)
      : context_(std::move(context)),
        inner_(std::make_shared<Stream>(context_, CU_STREAM_NON_BLOCKING, 0, false)) {}

  void start(const std::shared_ptr<Graph>& graph, const std::shared_ptr<Stream>& stream,
             Stretch before) {
    context_->add_stream(inner_);
    Stretch first;
    first.wait_for(before.mark());
    end_ = Scheduler::instance().submit_closed(stream, before.steps, inner_);
    enter(graph);
    advance(std::move(first));
  }

 private:
  /// A graph that is being run, and how far.
  struct Frame {
    std::shared_ptr<Graph> graph;
    std::size_t next = 0;
    const GraphNode& node() const { return *graph->order[next]; }
    bool ended() const { return next == graph->order.size(); }
  };

  void enter(const std::shared_ptr<Graph>& graph) { frames_.push_back({graph}); }

  /// Queues all up to the next condition, and the question what follows it.
  void advance(Stretch stretch) {
    CUresult failure = context_->error();
    while (failure == CUDA_SUCCESS && !frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.ended()) {
        frames_.pop_back();
        continue;
      }
      if (std::holds_alternative<ConditionalWork>(frame.node().work)) break;
      failure = stretch.add(frame.node(), *context_);
      ++frame.next;
    }
    if (failure != CUDA_SUCCESS) {
      context_->fail(failure, "launch of a graph");  // the first failure stays
      frames_.clear();
    }
    const auto self = shared_from_this();
    stretch.add(std::make_unique<TaskCommand>([self](std::uint64_t) { self->decide(); }));
    stretch.submit(inner_);
  }

  /// The kernels before the condition have run.
  void decide() {
    if (frames_.empty()) {
      inner_->abandoned = true;
      return Scheduler::instance().open(*end_);
    }
    Frame& frame = frames_.back();
    const auto& condition = std::get<ConditionalWork>(frame.node().work);
    const unsigned value =
        __atomic_load_n(reinterpret_cast<const unsigned*>(condition.handle), __ATOMIC_RELAXED);
    const bool is_switch = condition.type == CU_GRAPH_COND_TYPE_SWITCH;
    const std::size_t chosen = is_switch ? value : value != 0 ? 0 : 1;
    if (condition.type != CU_GRAPH_COND_TYPE_WHILE || value == 0) ++frame.next;
    if (chosen < condition.bodies.size()) enter(condition.bodies[chosen]);
    advance({});
  }

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<Stream> inner_;
  Command* end_ = nullptr;
  std::vector<Frame> frames_;
};

}  // namespace

void run_conditional(const GraphExec& exec, const std::shared_ptr<Stream>& stream, Stretch before) {
  // The program may change the executable graph as soon as this call returns.
  std::make_shared<GraphRun>(exec.context)
      ->start(exec.graph->clone(false), stream, std::move(before));
}

}  // namespace treadle::cuda_cpu
