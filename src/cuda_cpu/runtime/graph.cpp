// SPDX-License-Identifier: MIT
// Graphs, their nodes and edges, and the entry points that name and connect them.
#include "cuda_cpu/runtime/graph.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"

namespace treadle::cuda_cpu {

GraphHandles& graph_handles() {
  static GraphHandles* const handles = new GraphHandles;
  return *handles;
}
GraphNodeHandles& graph_node_handles() {
  static GraphNodeHandles* const handles = new GraphNodeHandles;
  return *handles;
}

namespace {

struct ConditionAddresses {
  std::mutex mutex;
  std::set<std::uintptr_t> known;
  std::atomic<bool> has_any{false};
};
ConditionAddresses& condition_addresses() {
  static ConditionAddresses* const addresses = new ConditionAddresses;
  return *addresses;
}

}  // namespace

Condition::Condition(std::uint32_t at_first, bool set_by_launch)
    : value(at_first), initial(at_first), is_set_by_launch(set_by_launch) {
  ConditionAddresses& addresses = condition_addresses();
  const std::lock_guard lock(addresses.mutex);
  addresses.known.insert(reinterpret_cast<std::uintptr_t>(&value));
  addresses.has_any.store(true, std::memory_order_relaxed);
}

Condition::~Condition() {
  ConditionAddresses& addresses = condition_addresses();
  const std::lock_guard lock(addresses.mutex);
  addresses.known.erase(reinterpret_cast<std::uintptr_t>(&value));
}

bool is_condition(std::uintptr_t address) {
  ConditionAddresses& addresses = condition_addresses();
  if (!addresses.has_any.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(addresses.mutex);
  return addresses.known.contains(address);
}

namespace {

/// Bytes that graphs hold: a graph has its memory from when it is described on.
struct GraphBytes {
  std::mutex mutex;
  std::uint64_t now = 0, most = 0;

  void change(std::size_t added, std::size_t removed) {
    const std::lock_guard lock(mutex);
    now += added - removed;
    most = std::max(most, now);
  }
};
GraphBytes& graph_bytes() {
  static GraphBytes* const bytes = new GraphBytes;
  return *bytes;
}

}  // namespace

GraphMemory::GraphMemory(std::uintptr_t start) : address(start) {
  const auto found = find_memory(start);
  id_ = found->id;
  size_ = found->size;
  graph_bytes().change(size_, 0);
}

GraphMemory::~GraphMemory() {
  graph_bytes().change(0, size_);
  const auto found = find_memory(address);
  if (!found || found->id != id_) return;  // it went with its context
  if (const auto allocation = remove_memory(address, {MemoryKind::device}))
    release_memory(*allocation);
}

void** KernelWork::argument_addresses() {
  const Kernel& kernel = function->kernel;
  addresses.clear();
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    addresses.push_back(packed.data() + kernel.parameters[i].offset);
  return addresses.data();
}

CUgraphNodeType GraphNode::type() const {
  constexpr CUgraphNodeType types[] = {
      CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMCPY,
      CU_GRAPH_NODE_TYPE_MEMSET,       CU_GRAPH_NODE_TYPE_HOST,
      CU_GRAPH_NODE_TYPE_GRAPH,        CU_GRAPH_NODE_TYPE_EMPTY,
      CU_GRAPH_NODE_TYPE_WAIT_EVENT,   CU_GRAPH_NODE_TYPE_EVENT_RECORD,
      CU_GRAPH_NODE_TYPE_MEM_ALLOC,    CU_GRAPH_NODE_TYPE_MEM_FREE,
      CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_CONDITIONAL};
  static_assert(std::size(types) == std::variant_size_v<NodeWork>);
  return types[work.index()];
}

Graph::~Graph() {
  for (const auto& node : nodes) {
    node->graph = nullptr;
    if (node->handle != nullptr) graph_node_handles().remove(node->handle);
    if (const auto* child = std::get_if<ChildWork>(&node->work); child && child->graph->handle)
      graph_handles().remove(child->graph->handle);
    if (const auto* condition = std::get_if<ConditionalWork>(&node->work))
      for (const auto& body : condition->bodies)
        if (body->handle != nullptr) graph_handles().remove(body->handle);
  }
}

GraphNode& Graph::add(NodeWork work, std::span<GraphNode* const> dependencies) {
  auto node = std::make_shared<GraphNode>();
  node->graph = this;
  node->work = std::move(work);
  node->dependencies.assign(dependencies.begin(), dependencies.end());
  if (handle != nullptr) node->handle = graph_node_handles().insert(node);
  for (GraphNode* before : dependencies) before->dependents.push_back(node.get());
  nodes.push_back(std::move(node));
  return *nodes.back();
}

void Graph::remove(GraphNode& node) {
  for (GraphNode* before : node.dependencies) std::erase(before->dependents, &node);
  for (GraphNode* behind : node.dependents) std::erase(behind->dependencies, &node);
  graph_node_handles().remove(node.handle);
  node.graph = nullptr;
  std::erase_if(nodes, [&](const auto& each) { return each.get() == &node; });
}

std::optional<std::vector<GraphNode*>> Graph::ordered() const {
  std::map<const GraphNode*, std::size_t> unmet;
  for (const auto& node : nodes) unmet[node.get()] = node->dependencies.size();
  std::vector<GraphNode*> sorted;
  std::vector<bool> taken(nodes.size());
  // Nodes are mostly made after those they depend on: one pass then, and few more otherwise.
  while (sorted.size() < nodes.size()) {
    const std::size_t before = sorted.size();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (taken[i] || unmet[nodes[i].get()] != 0) continue;
      taken[i] = true;
      sorted.push_back(nodes[i].get());
      for (GraphNode* behind : nodes[i]->dependents) --unmet[behind];
    }
    if (sorted.size() == before) return std::nullopt;
  }
  return sorted;
}

bool Graph::any(const std::function<bool(const GraphNode&)>& is) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
    if (is(*node)) return true;
    if (const auto* child = std::get_if<ChildWork>(&node->work)) return child->graph->any(is);
    const auto* condition = std::get_if<ConditionalWork>(&node->work);
    return condition != nullptr && std::any_of(condition->bodies.begin(), condition->bodies.end(),
                                               [&](const auto& body) { return body->any(is); });
  });
}

GraphNode* Graph::find_copy_of(CUgraphNode wanted) const {
  for (const auto& node : nodes) {
    if (node->original == wanted) return node.get();
    if (const auto* child = std::get_if<ChildWork>(&node->work))
      if (GraphNode* found = child->graph->find_copy_of(wanted)) return found;
    if (const auto* condition = std::get_if<ConditionalWork>(&node->work))
      for (const auto& body : condition->bodies)
        if (GraphNode* found = body->find_copy_of(wanted)) return found;
  }
  return nullptr;
}

std::shared_ptr<Graph> Graph::clone(bool public_) const {
  const auto copy = public_ ? make_public_graph() : std::make_shared<Graph>();
  copy->original = handle;
  copy->kept = kept;
  copy->conditions = conditions;
  std::map<const GraphNode*, GraphNode*> copies;
  const auto owned = [&](const Graph& graph) {
    auto made = graph.clone(public_);
    made->owned_by_node = true;
    return made;
  };
  for (const auto& node : nodes) {
    NodeWork work = node->work;
    if (auto* child = std::get_if<ChildWork>(&work)) child->graph = owned(*child->graph);
    if (auto* condition = std::get_if<ConditionalWork>(&work)) {
      condition->body_handles = std::make_shared<std::vector<CUgraph>>();
      for (auto& body : condition->bodies) {
        body = owned(*body);
        condition->body_handles->push_back(body->handle);
      }
    }
    GraphNode& made = copy->add(std::move(work), {});
    made.original = node->handle != nullptr ? node->handle : node->original;
    made.enabled = node->enabled;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes)
    for (GraphNode* before : node->dependencies) {
      copies[node.get()]->dependencies.push_back(copies[before]);
      copies[before]->dependents.push_back(copies[node.get()]);
    }
  if (!public_) copy->order = copy->ordered().value_or(std::vector<GraphNode*>());
  return copy;
}

std::shared_ptr<Graph> make_public_graph() {
  auto graph = std::make_shared<Graph>();
  graph->handle = graph_handles().insert(graph);
  return graph;
}

CUresult find_nodes(const Graph& graph, const CUgraphNode* handles, std::size_t count,
                    std::vector<GraphNode*>& nodes) {
  if (count > 0 && handles == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = graph_node_handles().find(handles[i]);
    if (!found || found->graph != &graph) return CUDA_ERROR_INVALID_VALUE;
    if (std::find(nodes.begin(), nodes.end(), found.get()) != nodes.end())
      return CUDA_ERROR_INVALID_VALUE;
    nodes.push_back(found.get());
  }
  return CUDA_SUCCESS;
}

bool plain_edges(const CUgraphEdgeData* data, std::size_t count) {
  return data == nullptr || std::all_of(data, data + count, [](const CUgraphEdgeData& edge) {
           return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0;
         });
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuGraphCreate(CUgraph* handle, unsigned flags) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *handle = make_public_graph()->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph handle) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    if (graph->owned_by_node) return CUDA_ERROR_INVALID_VALUE;
    graph_handles().remove(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
  return with_graph(original, [&](const auto& graph) -> CUresult {
    if (clone == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const bool has_memory = graph->any([](const GraphNode& node) {
      return node.type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
             node.type() == CU_GRAPH_NODE_TYPE_MEM_FREE;
    });
    if (has_memory) return CUDA_ERROR_NOT_SUPPORTED;  // two graphs would own one address
    *clone = graph->clone(true)->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
  return with_graph(clone, [&](const auto& graph) -> CUresult {
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const GraphNode* const node = graph->find_copy_of(original);
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *found = node->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  return with_node(handle, [&](const GraphNode& node) -> CUresult {
    if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *type = node.type();
    return CUDA_SUCCESS;
  });
}

namespace {

/// CUDA's way to hand out a list: its length if there is no room, else as much as fits, and how
/// much that is; the room left is set to null.
template <class List, class Handle>
CUresult hand_out(const List& list, CUgraphNode* handles, size_t* count, Handle&& handle_of) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (handles == nullptr) {
    *count = list.size();
    return CUDA_SUCCESS;
  }
  for (std::size_t i = 0; i < *count; ++i)
    handles[i] = i < list.size() ? handle_of(list[i]) : nullptr;
  *count = std::min(*count, list.size());
  return CUDA_SUCCESS;
}

CUgraphNode handle_of(const GraphNode* node) { return node->handle; }

/// All edges here are plain ones.
void clear_edges(CUgraphEdgeData* data, const size_t* count) {
  if (data != nullptr && count != nullptr) std::fill_n(data, *count, CUgraphEdgeData{});
}

}  // namespace

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return with_graph(handle, [&](const auto& graph) {
    return hand_out(graph->nodes, nodes, count, [](const auto& node) { return node->handle; });
  });
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode* roots, size_t* count) {
  return with_graph(handle, [&](const auto& graph) {
    std::vector<GraphNode*> found;
    for (const auto& node : graph->nodes)
      if (node->dependencies.empty()) found.push_back(node.get());
    return hand_out(found, roots, count, handle_of);
  });
}

CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                         size_t* count) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    if (count == nullptr || (from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<std::pair<GraphNode*, GraphNode*>> edges;
    for (const auto& node : graph->nodes)
      for (GraphNode* before : node->dependencies) edges.emplace_back(before, node.get());
    size_t both = *count;
    hand_out(edges, from, &both, [](const auto& edge) { return edge.first->handle; });
    const CUresult result =
        hand_out(edges, to, count, [](const auto& edge) { return edge.second->handle; });
    if (from != nullptr) clear_edges(data, count);
    return result;
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode* nodes, CUgraphEdgeData* data,
                                    size_t* count) {
  return with_node(handle, [&](const GraphNode& node) {
    const CUresult result = hand_out(node.dependencies, nodes, count, handle_of);
    if (nodes != nullptr) clear_edges(data, count);
    return result;
  });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode* nodes, CUgraphEdgeData* data,
                                      size_t* count) {
  return with_node(handle, [&](const GraphNode& node) {
    const CUresult result = hand_out(node.dependents, nodes, count, handle_of);
    if (nodes != nullptr) clear_edges(data, count);
    return result;
  });
}

namespace {

using Edge = std::pair<GraphNode*, GraphNode*>;

CUresult find_edges(const Graph& graph, const CUgraphNode* from, const CUgraphNode* to,
                    std::size_t count, std::vector<Edge>& edges) {
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<GraphNode*> before, behind;
    if (const CUresult failure = find_nodes(graph, from + i, 1, before); failure != CUDA_SUCCESS)
      return failure;
    if (const CUresult failure = find_nodes(graph, to + i, 1, behind); failure != CUDA_SUCCESS)
      return failure;
    edges.emplace_back(before.front(), behind.front());
  }
  return CUDA_SUCCESS;
}

bool is_edge(const Edge& edge) {
  const auto& of = edge.second->dependencies;
  return std::find(of.begin(), of.end(), edge.first) != of.end();
}

}  // namespace

CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                                const CUgraphEdgeData* data, size_t count) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    if (count > 0 && (from == nullptr || to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Edge> edges;
    if (const CUresult failure = find_edges(*graph, from, to, count, edges);
        failure != CUDA_SUCCESS)
      return failure;
    if (!plain_edges(data, count)) return CUDA_ERROR_NOT_SUPPORTED;
    for (const Edge& edge : edges)
      if (edge.first == edge.second || is_edge(edge)) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& [before, behind] : edges) {
      before->dependents.push_back(behind);
      behind->dependencies.push_back(before);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphRemoveDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, size_t count) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    if (count > 0 && (from == nullptr || to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Edge> edges;
    if (const CUresult failure = find_edges(*graph, from, to, count, edges);
        failure != CUDA_SUCCESS)
      return failure;
    if (!plain_edges(data, count)) return CUDA_ERROR_NOT_SUPPORTED;
    if (!std::all_of(edges.begin(), edges.end(), is_edge)) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& [before, behind] : edges) {
      std::erase(before->dependents, behind);
      std::erase(behind->dependencies, before);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  return with_node(handle, [&](GraphNode& node) -> CUresult {
    const auto kept = graph_handles().find(node.graph->handle);
    node.graph->remove(node);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    constexpr const char* names[] = {"kernel", "memcpy", "memset", "host",       "graph",
                                     "empty",  "wait",   "record", "",           "",
                                     "alloc",  "free",   "",       "conditional"};
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return CUDA_ERROR_OPERATING_SYSTEM;
    std::fputs("digraph {\n", file);
    std::map<const GraphNode*, std::size_t> numbers;
    for (const auto& node : graph->nodes) {
      const std::size_t number = numbers.emplace(node.get(), numbers.size()).first->second;
      const auto* const kernel = std::get_if<KernelWork>(&node->work);
      std::fprintf(file, "  node%zu [label=\"%zu: %s%s%s\"];\n", number, number,
                   names[node->type()], kernel == nullptr ? "" : " ",
                   kernel == nullptr ? "" : kernel->function->kernel.name);
    }
    for (const auto& node : graph->nodes)
      for (const GraphNode* before : node->dependencies)
        std::fprintf(file, "  node%zu -> node%zu;\n", numbers[before], numbers[node.get()]);
    std::fputs("}\n", file);
    return std::fclose(file) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
  });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return with_process([&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    GraphBytes& bytes = graph_bytes();
    const std::lock_guard lock(bytes.mutex);
    switch (attribute) {
      case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        *static_cast<cuuint64_t*>(value) = bytes.now;
        return CUDA_SUCCESS;
      case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        *static_cast<cuuint64_t*>(value) = bytes.most;
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return with_process([&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    const bool is_most = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
                         attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
    if (!is_most || value == nullptr || *static_cast<const cuuint64_t*>(value) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    GraphBytes& bytes = graph_bytes();
    const std::lock_guard lock(bytes.mutex);
    bytes.most = bytes.now;
    return CUDA_SUCCESS;
  });
}

/// Graphs keep nothing that none of them uses.
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return with_process([&] { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; });
}
