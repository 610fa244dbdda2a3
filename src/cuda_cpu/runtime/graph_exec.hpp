// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/runtime/graph.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

namespace treadle::cuda_cpu {

/// A graph's order of work, fixed. Its nodes are queued in one stream, one after the other: each
/// uses all cores by itself.
class GraphExec {
 public:
  CUgraphExec handle = nullptr;
  cuuint64_t flags = 0;
  std::shared_ptr<Context> context;
  std::shared_ptr<Graph> graph;       ///< a copy, which nobody else changes
  bool is_conditional = false;        ///< the work depends on what kernels write meanwhile
  std::shared_ptr<StreamPoint> done;  ///< of its latest launch: the next one waits for it
};

using GraphExecHandles = HandleRegistry<GraphExec, CUgraphExec, HandleKind::graph_exec>;
GraphExecHandles& graph_exec_handles();

/// Commands that are queued together, and the events that they record.
struct Stretch {
  std::vector<Step> steps;
  std::vector<std::pair<std::shared_ptr<Event>, std::shared_ptr<StreamPoint>>> records;

  void add(std::unique_ptr<Command> command) { steps.push_back({.command = std::move(command)}); }
  void wait_for(std::shared_ptr<StreamPoint> point);
  /// A point to wait for; `kept` lives until it is reached.
  std::shared_ptr<StreamPoint> mark(std::shared_ptr<const void> kept = nullptr);
  /// Appends what the node does, no conditional one.
  CUresult add(const GraphNode& node, Context& context);
  /// The same for every node of an executable graph without conditional ones.
  CUresult add(const Graph& graph, Context& context);
  void submit(const std::shared_ptr<Stream>& stream);
};

/// Queues a launch whose course depends on conditions, after `before`.
void run_conditional(const GraphExec& exec, const std::shared_ptr<Stream>& stream, Stretch before);

}  // namespace treadle::cuda_cpu
