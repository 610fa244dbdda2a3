// SPDX-License-Identifier: MIT
// Graphs of work. As CUDA has it, the caller keeps threads from using one graph at once; what a
// handle stands for is looked up safely all the same.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "cuda_cpu/runtime/event.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/transfer.hpp"

namespace treadle::cuda_cpu {

class Graph;

struct KernelWork {
  std::shared_ptr<Function> function;
  LaunchShape shape;
  std::vector<std::byte> packed;  ///< its arguments
  std::vector<void*> addresses = {};

  /// Where each argument is, for a caller that asks; valid until the work changes.
  void** argument_addresses();
};
struct CopyWork {
  Copy copy;
};
struct FillWork {
  Fill fill;
};
struct HostWork {
  CUhostFn function;
  void* data;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct WaitWork {
  std::shared_ptr<Event> event;
  CUevent handle;
};
struct RecordWork {
  std::shared_ptr<Event> event;
  CUevent handle;
};
/// Memory that a node stands for. Its address is fixed when the node is made; it goes with the last
/// graph that has the node.
struct GraphMemory {
  /// Takes over an allocation of the device with the flag graph_memory.
  explicit GraphMemory(std::uintptr_t start);
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory();
  const std::uintptr_t address;

 private:
  std::uint64_t id_;
  std::size_t size_;
};
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters;
};
struct FreeWork {
  CUdeviceptr address;
};
/// Asks the condition, a word that kernels write, which body to run.
struct ConditionalWork {
  std::shared_ptr<Context> context;
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::shared_ptr<std::vector<CUgraph>> body_handles;  ///< what the caller reads them from
};
/// Words of memory that are written, or waited for.
struct OperationsWork {
  std::vector<CUstreamBatchMemOpParams> operations;
};
using NodeWork =
    std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, WaitWork,
                 RecordWork, AllocateWork, FreeWork, OperationsWork, ConditionalWork>;

/// One of them as a command; null for one that has nothing to do.
std::unique_ptr<Command> make_operation(Context& context,
                                        const CUstreamBatchMemOpParams& operation);

struct GraphNode {
  CUgraphNode handle = nullptr;    ///< null in graphs that nobody has a handle of
  CUgraphNode original = nullptr;  ///< the node this one is a copy of
  Graph* graph = nullptr;          ///< null once it was removed
  NodeWork work;
  std::vector<GraphNode*> dependencies, dependents;
  bool enabled = true;  ///< of an executable graph

  CUgraphNodeType type() const;
};

/// What a program keeps alive by giving it to graphs.
struct UserObject {
  UserObject(void* kept, CUhostFn destroy_function) : data(kept), destroy(destroy_function) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject() { destroy(data); }
  void* const data;
  const CUhostFn destroy;
};

/// A word that says what a conditional node does, and what a launch sets it to.
struct Condition {
  Condition(std::uint32_t at_first, bool set_by_launch);
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  ~Condition();

  std::uint32_t value;
  const std::uint32_t initial;
  const bool is_set_by_launch;
};
/// Whether it is the address of a condition's word, which kernels may write.
bool is_condition(std::uintptr_t address);

class Graph {
 public:
  CUgraph handle = nullptr;
  CUgraph original = nullptr;  ///< the graph this one is a copy of
  bool owned_by_node = false;  ///< a child or a body: not destroyed by itself
  std::vector<std::shared_ptr<GraphNode>> nodes;
  std::vector<std::pair<CUuserObject, std::shared_ptr<UserObject>>> kept;  ///< once per reference
  std::vector<std::shared_ptr<Condition>> conditions;
  std::vector<GraphNode*> order;  ///< of a copy that nobody has a handle of: ordered()

  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// A new node after `dependencies`, which are nodes of this graph.
  GraphNode& add(NodeWork work, std::span<GraphNode* const> dependencies);
  void remove(GraphNode& node);
  /// In an order in which each follows those it depends on, by age otherwise; nothing if they
  /// depend on each other in a circle.
  std::optional<std::vector<GraphNode*>> ordered() const;
  /// Whether any node, of children and bodies too, satisfies `is`.
  bool any(const std::function<bool(const GraphNode&)>& is) const;
  /// The node that was copied from `original`, in children and bodies too; null if there is none.
  GraphNode* find_copy_of(CUgraphNode original) const;
  /// A copy with everything in it. Its nodes have handles if it is to be `public_`.
  std::shared_ptr<Graph> clone(bool public_) const;
};

using GraphHandles = HandleRegistry<Graph, CUgraph, HandleKind::graph>;
GraphHandles& graph_handles();
using GraphNodeHandles = HandleRegistry<GraphNode, CUgraphNode, HandleKind::graph_node>;
GraphNodeHandles& graph_node_handles();

/// A new graph that the program can name.
std::shared_ptr<Graph> make_public_graph();
/// For calls on a graph: `body(const std::shared_ptr<Graph>&)`.
template <class Body>
CUresult with_graph(CUgraph handle, Body&& body) {
  return with_process([&]() -> CUresult {
    const auto graph = graph_handles().find(handle);
    return graph ? body(graph) : CUDA_ERROR_INVALID_VALUE;
  });
}
/// For calls on a node of a graph that is still there: `body(GraphNode&)`.
template <class Body>
CUresult with_node(CUgraphNode handle, Body&& body) {
  return with_process([&]() -> CUresult {
    const auto node = graph_node_handles().find(handle);
    return node && node->graph != nullptr ? body(*node) : CUDA_ERROR_INVALID_VALUE;
  });
}
/// The nodes behind handles, all of `graph`.
CUresult find_nodes(const Graph& graph, const CUgraphNode* handles, std::size_t count,
                    std::vector<GraphNode*>& nodes);
/// Whether all of `count` edges, whose nodes were found, are those that this device has: the later
/// node waits for the end of the earlier.
bool plain_edges(const CUgraphEdgeData* data, std::size_t count);

/// The work that `call(stream)`, one of the driver's calls that queue something, describes.
CUresult describe_work(const std::shared_ptr<Context>& context,
                       const std::function<CUresult(CUstream)>& call, NodeWork& work);
/// The work that the parameters of a node describe; children are copied, public ones to be named.
CUresult describe_kernel(const CUDA_KERNEL_NODE_PARAMS& parameters, NodeWork& work);
CUresult describe_copy(const CUDA_MEMCPY3D& parameters, CUcontext context, NodeWork& work);
CUresult describe_fill(const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context,
                       NodeWork& work);
CUresult describe_host(const CUDA_HOST_NODE_PARAMS& parameters, NodeWork& work);
CUresult describe_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& parameters, NodeWork& work);
CUresult describe_wait(CUevent event, NodeWork& work);
CUresult describe_record(CUevent event, NodeWork& work);
/// Any of the above, as cuGraphNodeSetParams takes them.
CUresult describe_node(const CUgraphNodeParams& parameters, NodeWork& work);

}  // namespace treadle::cuda_cpu
