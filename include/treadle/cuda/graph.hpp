// SPDX-License-Identifier: MIT
// Graphs: work with its dependencies, described once and launched many times as a whole.
//
//   Graph graph;
//   const GraphNode copied = graph.add_copy({}, destination, source, size_bytes);
//   graph.add_kernel({copied}, k, {.grid = {64}, .block = {128}}, destination, n);
//   const GraphExec exec = graph.instantiate();
//   exec.launch(stream);
//
// Describing a graph runs nothing. One graph, and one executable graph, is used by one thread at a
// time, as CUDA has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/stream_operations.hpp"

namespace treadle::cuda {

class Graph;
class GraphExec;
class GraphState;

/// Kernels, and what their arguments point to, by the nodes that need them.
using HeldByNodes = std::map<RawGraphNode, std::vector<std::shared_ptr<const void>>>;

/// CUgraphNodeType.
enum class GraphNodeType : int {
  kernel = 0,
  copy = 1,
  fill = 2,
  host = 3,
  child = 4,
  empty = 5,
  wait = 6,
  record = 7,
  signal_semaphore = 8,
  wait_semaphore = 9,
  allocate = 10,
  free = 11,
  memory_operations = 12,
  conditional = 13,
};

/// What a node that fills memory does.
struct GraphFill {
  FillArea area;               ///< `pitch_bytes` counts where there is more than one row
  std::uint32_t value = 0;     ///< of each element; its low bits
  unsigned element_bytes = 4;  ///< 1, 2 or 4
};

/// A kernel with its shape and arguments, checked as Function::launch checks them: what a node
/// launches. Made for the length of a call; `arguments` stay the caller's.
class KernelCall {
 public:
  /// The stream of `config` is not used. Throws InvalidArgument naming the parameter. Whatever
  /// takes the call throws NotSupported where a texture or surface reference of the kernel's module
  /// is bound: pass it objects.
  template <class... Arguments>
  KernelCall(const Function& function, const LaunchConfig& config, const Arguments&... arguments)
      : function_(function),
        config_(config),
        data_{const_cast<void*>(LaunchArgument<Arguments>::data(arguments))...} {
    static constexpr std::size_t sizes[] = {LaunchArgument<Arguments>::size..., 0};
    function_.check_arguments({sizes, sizeof...(Arguments)});
  }
  /// For arguments collected at run time; throws InvalidArgument if one is missing.
  KernelCall(const Function& function, const LaunchConfig& config, ArgumentBuffer& arguments)
      : function_(function), config_(config), collected_(arguments.finish()) {}

  /// Lets `object`, something that the arguments point to, live as long as the node with this call.
  void hold(std::shared_ptr<const void> object) { held_ = std::move(object); }

  /// What is launched, and how.
  const Function& function() const noexcept { return function_; }
  const LaunchConfig& config() const noexcept { return config_; }
  /// As cuLaunchKernel takes them.
  void** arguments() noexcept { return collected_ != nullptr ? collected_ : data_.data(); }
  /// What has to live as long as the node.
  std::vector<std::shared_ptr<const void>> held() const { return {function_.state(), held_}; }

 private:
  Function function_;
  LaunchConfig config_;
  std::vector<void*> data_;
  void** collected_ = nullptr;
  std::shared_ptr<const void> held_;
};

/// What a kernel's node launches, as the driver tells it.
struct NodeKernel {
  RawFunction function = nullptr;                 ///< CUfunction, or CUkernel for one of a Library
  std::string name = {};                          ///< as the module's symbol table has it
  Dim3 grid = {}, block = {};                     ///< the shape
  unsigned shared_bytes = 0;                      ///< dynamic shared memory for each block
  std::vector<std::vector<std::byte>> arguments;  ///< the bytes of each; none before CUDA 12.4
};
/// What a node that calls the host calls: of one that add_host() made, Treadle's own function.
struct NodeHost {
  void (*function)(void*) = nullptr;  ///< CUhostFn
  void* data = nullptr;               ///< what it is called with
};
/// What a node allocates.
struct NodeAllocation {
  DevicePointer address = 0;   ///< the same in every launch
  std::size_t size_bytes = 0;  ///< as it was asked for
};

/// One piece of work of a graph. A value that stands for the node while the graph has it.
class GraphNode {
 public:
  /// What it does.
  GraphNodeType type() const;
  /// The nodes it waits for.
  std::vector<GraphNode> dependencies() const;
  /// The nodes that wait for it.
  std::vector<GraphNode> dependents() const;
  /// Of a child node: the graph in it. Throws DeviceError for other nodes.
  Graph child() const;
  /// Takes it out of its graph, with its edges.
  void remove() const;

  // What the node does in executable graphs that are made later. The type stays.
  /// Of a kernel's node: what it launches. Throws DeviceError for other nodes, as all of these do.
  void set_kernel(KernelCall call) const;
  /// Of a copy: between the same kinds of memory as before.
  void set_copy(const Copy3D& copy) const;
  /// Of a fill.
  void set_fill(const GraphFill& fill) const;
  /// Of a host function, which is kept as add_host() keeps it.
  void set_host(std::function<void()> function) const;
  /// Of a node that records an event or waits for one; `event` must live as long as the graph.
  void set_event(const Event& event) const;
  /// Of a batch of operations on memory.
  void set_operations(std::span<const MemoryOperation> operations) const;
  /// Gives a kernel's node all attributes of `from`, another kernel's.
  void copy_attributes(const GraphNode& from) const;

  // What the node does now. All throw DeviceError for nodes of another type.
  /// Of a kernel's node.
  NodeKernel kernel() const;
  /// Of a kernel's node: those that the driver tells of its attributes, of which there is one for
  /// each that was set, and a cluster of one block where none was. Events are not told.
  LaunchAttributes attributes() const;
  /// Of a copy. The CPU device tells of arrays as memory.
  Copy3D copy() const;
  /// Of a fill.
  GraphFill fill() const;
  /// Of a host function.
  NodeHost host() const;
  /// Of a node that records an event or waits for one: CUevent, which is its maker's.
  RawEvent event() const;
  /// Of a batch of operations on memory.
  std::vector<MemoryOperation> operations() const;
  /// Of an allocation.
  NodeAllocation allocation() const;
  /// Of a node that frees: the address.
  DevicePointer freed() const;

  /// For calls of the driver itself.
  RawGraphNode raw() const noexcept { return raw_; }
  bool operator==(const GraphNode& other) const noexcept { return raw_ == other.raw_; }

 private:
  friend class Graph;
  friend class GraphState;
  GraphNode(std::shared_ptr<GraphState> graph, RawGraphNode raw) noexcept
      : graph_(std::move(graph)), raw_(raw) {}
  std::shared_ptr<GraphState> graph_;
  RawGraphNode raw_;
};

/// The nodes that a new one waits for: {}, a node, {a, b}, or a vector of them.
class After {
 public:
  After() = default;
  After(const GraphNode& node) : raw_{node.raw()} {}
  After(std::initializer_list<GraphNode> nodes) { add({nodes.begin(), nodes.size()}); }
  After(const std::vector<GraphNode>& nodes) { add(nodes); }
  /// As the driver takes them.
  const std::vector<RawGraphNode>& raw() const noexcept { return raw_; }

 private:
  void add(std::span<const GraphNode> nodes) {
    for (const GraphNode& node : nodes) raw_.push_back(node.raw());
  }
  std::vector<RawGraphNode> raw_;
};

/// What a kernel sets by cudaGraphSetConditional(condition.value, n), and a conditional node asks.
struct Condition {
  std::uint64_t value = 0;  ///< CUgraphConditionalHandle: an argument of the kernel
};
template <>
struct LaunchArgument<Condition> {
  static const void* data(const Condition& condition) noexcept { return &condition.value; }
  static constexpr std::size_t size = sizeof(std::uint64_t), alignment = alignof(std::uint64_t);
};
/// A node whose graphs run or not.
struct ConditionalNode;

/// Memory that a graph allocates while it runs.
struct GraphAllocation;

/// CUgraphInstantiate_flags; combine with |.
enum class InstantiateFlags : unsigned {
  none = 0,
  free_on_launch = 1,   ///< memory that the launch before left allocated is freed first
  upload = 2,           ///< moved to the device at once, on the default stream
  device_launch = 4,    ///< kernels may launch it; not on the CPU device
  node_priorities = 8,  ///< each node runs with the priority it was captured with
};
/// Both sets of flags.
constexpr InstantiateFlags operator|(InstantiateFlags a, InstantiateFlags b) noexcept {
  return static_cast<InstantiateFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// A description of work: nodes and what waits for what. Shared ownership, so a copy is the same
/// graph; clone() makes another. Kernels, host functions and what keep() was given live until the
/// graph, its clones and executable graphs, and their last launches are done. Memory and events
/// that nodes use are the caller's to keep, by keep() if nothing else.
class Graph {
 public:
  /// Empty, in the current context.
  Graph();
  explicit Graph(const Context& context);

  /// Each adds a node that waits for `after`, nodes of this graph, and returns it. Throw
  /// DeviceError for what the driver refuses.
  template <class... Arguments>
  GraphNode add_kernel(const After& after, const Function& function, const LaunchConfig& config,
                       const Arguments&... arguments) const {
    return add_kernel(after, KernelCall(function, config, arguments...));
  }
  GraphNode add_kernel(const After& after, KernelCall call) const;
  /// Any mixture of host, device and array. Pageable host memory is read when the node runs.
  GraphNode add_copy(const After& after, const Copy3D& copy) const;
  /// Between any two addresses.
  GraphNode add_copy(const After& after, DevicePointer destination, DevicePointer source,
                     std::size_t size_bytes) const;
  /// Sets elements of 1, 2 or 4 bytes. Throws InvalidArgument for other sizes.
  GraphNode add_fill(const After& after, const GraphFill& fill) const;
  /// A function of the host, which must not call CUDA. What it throws becomes a warning.
  GraphNode add_host(const After& after, std::function<void()> function) const;
  /// The nodes of `child` as they are now.
  GraphNode add_child(const After& after, const Graph& child) const;
  /// Nothing: a place where many nodes meet.
  GraphNode add_empty(const After& after) const;
  /// Records an event that streams outside know too; it must live as long as the graph.
  GraphNode add_record(const After& after, const Event& event) const;
  /// Waits for what `event` has recorded when the graph is launched; it must live as long as that.
  GraphNode add_wait(const After& after, const Event& event) const;
  /// Memory of the current device, at the same address in every launch. Nodes after it use it until
  /// a node frees it; what is not freed is the caller's, to be freed by free_async().
  GraphAllocation add_allocation(const After& after, std::size_t size_bytes) const;
  /// Frees what a node of this graph, or of another, has allocated.
  GraphNode add_free(const After& after, DevicePointer address) const;
  /// A batch of waits for words of memory and writes to them, in order. Throws InvalidArgument for
  /// none.
  GraphNode add_operations(const After& after, std::span<const MemoryOperation> operations) const;
  /// What decides on conditional nodes of this graph. Each launch sets it to `initial`, if given.
  /// Throws NotSupported where the driver is older than CUDA 12.3.
  Condition add_condition(std::optional<unsigned> initial = std::nullopt) const;
  /// The body runs if the condition is not 0; with `has_else` the second body if it is.
  ConditionalNode add_if(const After& after, Condition condition, bool has_else = false) const;
  /// The body runs as long as the condition is not 0.
  ConditionalNode add_while(const After& after, Condition condition) const;
  /// The body whose number is the condition runs; none if there is none.
  ConditionalNode add_switch(const After& after, Condition condition, unsigned bodies) const;

  /// Adds an edge. Throws DeviceError for one that is there already.
  void connect(const GraphNode& before, const GraphNode& behind) const;
  /// Removes an edge. Throws DeviceError for one that is not there.
  void disconnect(const GraphNode& before, const GraphNode& behind) const;
  /// In the order they were added.
  std::vector<GraphNode> nodes() const;
  /// Those of them that wait for none.
  std::vector<GraphNode> roots() const;
  /// Each edge: what is waited for, and what waits.
  std::vector<std::pair<GraphNode, GraphNode>> edges() const;
  /// A graph of its own. Throws DeviceError for graphs that allocate or free memory.
  Graph clone() const;
  /// The node of this clone that was made from `original`.
  GraphNode find(const GraphNode& original) const;
  /// Writes it as text for Graphviz. Throws DeviceError if the file cannot be written.
  void write_dot(const std::filesystem::path& path, bool verbose = false) const;

  /// Keeps `object` as long as the driver may need it (a user object). It is destroyed on a thread
  /// of Treadle's.
  void keep(std::shared_ptr<const void> object) const;

  /// Makes it ready to run, as it is now. Throws DeviceError for nodes that wait for each other in
  /// a circle.
  GraphExec instantiate(InstantiateFlags flags = InstantiateFlags::none) const;

  /// Where it was made.
  const Context& context() const noexcept;
  /// CUgraph, for calls of the driver itself.
  RawGraph raw() const noexcept;
  bool operator==(const Graph& other) const noexcept { return raw() == other.raw(); }
  /// The value that stands for a node of this graph.
  GraphNode node_of(RawGraphNode raw) const { return {state_, raw}; }
  /// Takes over a graph that the driver made, such as a captured one.
  static Graph adopt(const Context& context, RawGraph raw);
  /// A graph that someone else made in `context` and destroys. Kernels and functions that are added
  /// to it live as long as it does. Throws InvalidArgument for null.
  static Graph wrap(const Context& context, RawGraph raw);

 private:
  friend class Capture;
  friend class GraphExec;
  friend class GraphNode;
  explicit Graph(std::shared_ptr<GraphState> state) noexcept : state_(std::move(state)) {}
  GraphNode node(RawGraphNode raw) const { return {state_, raw}; }
  ConditionalNode add_conditional(const After& after, Condition condition, int type,
                                  unsigned bodies) const;
  std::shared_ptr<GraphState> state_;
};

struct ConditionalNode {
  GraphNode node;
  /// To be filled with kernels, copies, fills, children and conditional nodes.
  std::vector<Graph> bodies;
};
/// What Graph::add_allocation() added.
struct GraphAllocation {
  GraphNode node;         ///< what uses the memory comes after it
  DevicePointer address;  ///< the same in every launch
};

/// What a Handle of an executable graph ends with.
void destroy_graph_exec(const Context& context, RawGraphExec raw) noexcept;
template <>
inline constexpr const char* handle_kind<destroy_graph_exec> = "cuda executable graph";

/// Why an executable graph cannot become another graph.
struct UpdateRefusal {
  std::string reason;           ///< as cuda.h says it
  RawGraphNode node = nullptr;  ///< that differs; null if it is none in particular
};

/// A graph that is ready to run: a fixed order, with parameters that can be changed between
/// launches. Destroying it does not wait; the driver finishes its launches first. Only where
/// set_host() was called it waits, for all work of the context.
class GraphExec {
 public:
  /// One that someone else made in `context` and destroys. What set_kernel() and its kin are given
  /// lives as long as the wrapper. Throws InvalidArgument for null.
  static GraphExec wrap(const Context& context, RawGraphExec raw);
  /// Runs the whole graph in the order of `stream`, after the launch before; launches of one
  /// GraphExec never overlap. Errors of kernels surface as those of Function::launch do. Throws
  /// DeviceError for a stream that captures: Graph::add_child() takes a graph into another.
  void launch(StreamRef stream = {}) const;
  /// Moves it to the device, so that the first launch need not.
  void upload(StreamRef stream = {}) const;
  /// Gives later launches the parameters of `graph`, which has the same nodes and edges. Nothing,
  /// or why that is not possible: then instantiate it.
  std::optional<UpdateRefusal> try_update(const Graph& graph);
  /// The same; throws InvalidArgument with the reason.
  void update(const Graph& graph);

  // What a node of the instantiated graph does in later launches. What was given stays alive as
  // long as this object.
  /// Of a kernel's node. Throws DeviceError for a node of another type or graph, as all of these
  /// do.
  void set_kernel(const GraphNode& node, KernelCall call);
  /// Of a copy: between the same kinds of memory as before.
  void set_copy(const GraphNode& node, const Copy3D& copy) const;
  /// Of a fill.
  void set_fill(const GraphNode& node, const GraphFill& fill) const;
  /// Of a host function.
  void set_host(const GraphNode& node, std::function<void()> function);
  /// `child` has the same nodes and edges.
  void set_child(const GraphNode& node, const Graph& child);
  /// Of a node that records an event or waits for one.
  void set_event(const GraphNode& node, const Event& event) const;
  /// Of a batch of operations on memory: as many of the same kinds, with other addresses and
  /// values.
  void set_operations(const GraphNode& node, std::span<const MemoryOperation> operations) const;
  /// What it was instantiated with.
  InstantiateFlags flags() const;
  /// Whether later launches run the node, a kernel, copy or fill.
  void set_enabled(const GraphNode& node, bool enabled) const;
  /// False after set_enabled(node, false).
  bool is_enabled(const GraphNode& node) const;

  /// CUgraphExec, for calls of the driver itself, while this object lives.
  RawGraphExec raw() const noexcept { return handle_.raw(); }
  /// Where it was made, detached or not.
  const Context& context() const noexcept { return handle_.context(); }

  GraphExec(GraphExec&&) noexcept = default;
  GraphExec& operator=(GraphExec&& other) noexcept;
  ~GraphExec();

 private:
  friend class Graph;
  GraphExec(Context context, RawGraphExec raw, HeldByNodes held)
      : held_(std::move(held)), handle_(std::move(context), raw) {}
  explicit GraphExec(Handle<RawGraphExec, destroy_graph_exec> handle)
      : handle_(std::move(handle)) {}

  // Destroyed after the handle.
  HeldByNodes held_;
  std::vector<std::shared_ptr<const void>> functions_;
  Handle<RawGraphExec, destroy_graph_exec> handle_;
};

}  // namespace treadle::cuda
