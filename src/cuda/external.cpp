// SPDX-License-Identifier: MIT
#include "treadle/cuda/external.hpp"

#include <string>
#include <vector>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/context_state.hpp"
#include "treadle/base/error.hpp"

namespace treadle::cuda {
namespace {

void destroy_external_memory(const Context& context, RawExternalMemory raw) noexcept {
  clean_up(context, "external memory", "cuDestroyExternalMemory", &Table::cuDestroyExternalMemory,
           raw);
}
void destroy_external_semaphore(const Context& context, RawExternalSemaphore raw) noexcept {
  clean_up(context, "an external semaphore", "cuDestroyExternalSemaphore",
           &Table::cuDestroyExternalSemaphore, raw);
}
void free_external_buffer(const Context& context, DevicePointer address) noexcept {
  clean_up(context, "a buffer of external memory", "cuMemFree", &Table::cuMemFree, address);
}

void check_descriptor(const char* call, int descriptor) {
  if (descriptor < 0)
    throw InvalidArgument(std::string(call) + ": descriptor is " + std::to_string(descriptor) +
                              ", and 0 or more was expected",
                          "look at what the other interface's export returned");
}

}  // namespace

template <>
inline constexpr const char* handle_kind<destroy_external_memory> = "cuda external memory";
template <>
inline constexpr const char* handle_kind<destroy_external_semaphore> = "cuda external semaphore";
template <>
inline constexpr const char* handle_kind<free_external_buffer> = "cuda external buffer";

class ExternalMemoryState {
 public:
  Handle<RawExternalMemory, destroy_external_memory> handle;
  std::size_t size_bytes;
};

class ExternalSemaphoreState {
 public:
  Handle<RawExternalSemaphore, destroy_external_semaphore> handle;
};

class ExternalBuffer::State {
 public:
  std::shared_ptr<ExternalMemoryState> memory;  // ends after the buffer
  Handle<DevicePointer, free_external_buffer> handle;
  std::size_t size_bytes;
};

DevicePointer ExternalBuffer::address() const noexcept { return state_->handle.raw(); }
std::size_t ExternalBuffer::size_bytes() const noexcept { return state_->size_bytes; }
const void* LaunchArgument<ExternalBuffer>::data(const ExternalBuffer& buffer) noexcept {
  return buffer.state_->handle.raw_address();
}

ExternalMemory ExternalMemory::import_file(int descriptor, std::size_t size_bytes,
                                           ExternalMemoryType type, bool is_dedicated) {
  constexpr const char* call = "cuImportExternalMemory";
  check_descriptor(call, descriptor);
  refuse_negative(call, "size_bytes", size_bytes);
  if (size_bytes == 0)
    throw InvalidArgument(std::string(call) + ": size_bytes is 0",
                          "pass the size that the other interface allocated");
  const Context context = Context::current();
  const Activation active(context);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = static_cast<CUexternalMemoryHandleType>(type);
  description.handle.fd = descriptor;
  description.size = size_bytes;
  description.flags = is_dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
  RawExternalMemory raw = nullptr;
  check(active.table(), active.table().cuImportExternalMemory(&raw, &description), call, [&] {
    return "file descriptor " + std::to_string(descriptor) + ", " + std::to_string(size_bytes) +
           " bytes";
  });
  auto state = std::make_shared<ExternalMemoryState>();
  state->handle = {context, raw};
  state->size_bytes = size_bytes;
  return ExternalMemory(std::move(state));
}

ExternalBuffer ExternalMemory::buffer(std::size_t offset, std::size_t size_bytes) const {
  constexpr const char* call = "cuExternalMemoryGetMappedBuffer";
  refuse_negative(call, "offset", offset);
  refuse_negative(call, "size_bytes", size_bytes);
  if (offset > this->size_bytes() || size_bytes > this->size_bytes() - offset)
    throw InvalidArgument(std::string(call) + ": offset " + std::to_string(offset) + " and " +
                              std::to_string(size_bytes) + " bytes are beyond " +
                              std::to_string(this->size_bytes()),
                          "map less, or from an earlier offset");
  const Activation active(context());
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
  description.offset = offset;
  description.size = size_bytes;
  DevicePointer address = 0;
  check(active.table(),
        active.table().cuExternalMemoryGetMappedBuffer(&address, raw(), &description), call,
        [&] { return std::to_string(size_bytes) + " bytes from " + std::to_string(offset); });
  auto state = std::make_shared<ExternalBuffer::State>();
  state->memory = state_;
  state->handle = {context(), address};
  state->size_bytes = size_bytes;
  return ExternalBuffer(std::move(state));
}

MipmappedArray ExternalMemory::image(std::size_t offset, const ArrayShape& shape,
                                     unsigned levels) const {
  constexpr const char* call = "cuExternalMemoryGetMappedMipmappedArray";
  refuse_negative(call, "offset", offset);
  const auto map = [&](const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
    const Activation active(context());
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
    description.offset = offset;
    description.arrayDesc = descriptor;
    description.numLevels = levels;
    RawMipmappedArray raw_array = nullptr;
    check(active.table(),
          active.table().cuExternalMemoryGetMappedMipmappedArray(&raw_array, raw(), &description),
          call, [&] {
            return std::to_string(levels) + " levels from byte " + std::to_string(offset) + " of " +
                   std::to_string(size_bytes());
          });
    return raw_array;
  };
  return MipmappedArray::made_by(context(), shape, levels, map, state_);
}

std::size_t ExternalMemory::size_bytes() const noexcept { return state_->size_bytes; }
const Context& ExternalMemory::context() const noexcept { return state_->handle.context(); }
RawExternalMemory ExternalMemory::raw() const noexcept { return state_->handle.raw(); }

ExternalSemaphore ExternalSemaphore::import_file(int descriptor, ExternalSemaphoreType type) {
  constexpr const char* call = "cuImportExternalSemaphore";
  check_descriptor(call, descriptor);
  const Context context = Context::current();
  const Activation active(context);
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = static_cast<CUexternalSemaphoreHandleType>(type);
  description.handle.fd = descriptor;
  RawExternalSemaphore raw = nullptr;
  check(active.table(), active.table().cuImportExternalSemaphore(&raw, &description), call,
        [&] { return "file descriptor " + std::to_string(descriptor); });
  auto state = std::make_shared<ExternalSemaphoreState>();
  state->handle = {context, raw};
  return ExternalSemaphore(std::move(state));
}

const Context& ExternalSemaphore::context() const noexcept { return state_->handle.context(); }
RawExternalSemaphore ExternalSemaphore::raw() const noexcept { return state_->handle.raw(); }

namespace {

/// As the driver takes them, of either kind: `Raw` is the parameters of a signal or a wait.
template <class Raw>
struct RawSemaphores {
  explicit RawSemaphores(const char* call, std::span<const SemaphoreValue> values) {
    if (values.empty())
      throw InvalidArgument(std::string(call) + ": there are no semaphores", "pass at least one");
    for (const SemaphoreValue& value : values) {
      handles.push_back(value.semaphore.raw());
      Raw raw{};
      raw.params.fence.value = value.value;
      parameters.push_back(raw);
    }
  }
  unsigned count() const { return static_cast<unsigned>(handles.size()); }
  std::vector<RawExternalSemaphore> handles;
  std::vector<Raw> parameters;
};
using RawSignals = RawSemaphores<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;
using RawWaits = RawSemaphores<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

CUDA_EXT_SEM_SIGNAL_NODE_PARAMS node_of(RawSignals& raw) {
  return {raw.handles.data(), raw.parameters.data(), raw.count()};
}
CUDA_EXT_SEM_WAIT_NODE_PARAMS node_of(RawWaits& raw) {
  return {raw.handles.data(), raw.parameters.data(), raw.count()};
}

/// What a graph keeps as long as the driver may need them.
void keep_semaphores(const Graph& graph, std::span<const SemaphoreValue> values) {
  graph.keep(std::make_shared<const std::vector<SemaphoreValue>>(values.begin(), values.end()));
}

/// Adds a node by `slot`.
template <class Raw, class Slot>
RawGraphNode add_semaphores(const Graph& graph, const After& after, const char* call,
                            Slot Table::* slot, std::span<const SemaphoreValue> values) {
  Raw raw(call, values);
  const auto node = node_of(raw);
  keep_semaphores(graph, values);
  const Activation active(graph.context());
  RawGraphNode made = nullptr;
  check(active.table(),
        (active.table().*slot)(&made, graph.raw(), after.raw().data(), after.raw().size(), &node),
        call);
  return made;
}

}  // namespace

void signal(std::span<const SemaphoreValue> values, StreamRef stream) {
  constexpr const char* call = "cuSignalExternalSemaphoresAsync";
  const RawSignals raw(call, values);
  const Activation active(values.front().semaphore.context());
  check(active.table(),
        active.table().cuSignalExternalSemaphoresAsync(raw.handles.data(), raw.parameters.data(),
                                                       raw.count(), stream.raw()),
        call);
}
void signal(const SemaphoreValue& value, StreamRef stream) { signal(std::span(&value, 1), stream); }

void wait(std::span<const SemaphoreValue> values, StreamRef stream) {
  constexpr const char* call = "cuWaitExternalSemaphoresAsync";
  const RawWaits raw(call, values);
  const Activation active(values.front().semaphore.context());
  check(active.table(),
        active.table().cuWaitExternalSemaphoresAsync(raw.handles.data(), raw.parameters.data(),
                                                     raw.count(), stream.raw()),
        call);
}
void wait(const SemaphoreValue& value, StreamRef stream) { wait(std::span(&value, 1), stream); }

GraphNode add_signal(const Graph& graph, const After& after,
                     std::span<const SemaphoreValue> values) {
  return graph.node_of(
      add_semaphores<RawSignals>(graph, after, "cuGraphAddExternalSemaphoresSignalNode",
                                 &Table::cuGraphAddExternalSemaphoresSignalNode, values));
}
GraphNode add_wait(const Graph& graph, const After& after, std::span<const SemaphoreValue> values) {
  return graph.node_of(
      add_semaphores<RawWaits>(graph, after, "cuGraphAddExternalSemaphoresWaitNode",
                               &Table::cuGraphAddExternalSemaphoresWaitNode, values));
}

void set_semaphores(const Graph& graph, const GraphNode& node,
                    std::span<const SemaphoreValue> values) {
  const bool signals = node.type() == GraphNodeType::signal_semaphore;
  const Activation active(graph.context());
  const Table& cu = active.table();
  if (signals) {
    constexpr const char* call = "cuGraphExternalSemaphoresSignalNodeSetParams";
    RawSignals raw(call, values);
    const auto parameters = node_of(raw);
    keep_semaphores(graph, values);
    return check(cu, cu.cuGraphExternalSemaphoresSignalNodeSetParams(node.raw(), &parameters),
                 call);
  }
  constexpr const char* call = "cuGraphExternalSemaphoresWaitNodeSetParams";
  RawWaits raw(call, values);
  const auto parameters = node_of(raw);
  keep_semaphores(graph, values);
  check(cu, cu.cuGraphExternalSemaphoresWaitNodeSetParams(node.raw(), &parameters), call);
}

void set_semaphores(const GraphExec& exec, const GraphNode& node,
                    std::span<const SemaphoreValue> values) {
  const bool signals = node.type() == GraphNodeType::signal_semaphore;
  const Activation active(exec.context());
  const Table& cu = active.table();
  if (signals) {
    constexpr const char* call = "cuGraphExecExternalSemaphoresSignalNodeSetParams";
    RawSignals raw(call, values);
    const auto parameters = node_of(raw);
    return check(
        cu,
        cu.cuGraphExecExternalSemaphoresSignalNodeSetParams(exec.raw(), node.raw(), &parameters),
        call);
  }
  constexpr const char* call = "cuGraphExecExternalSemaphoresWaitNodeSetParams";
  RawWaits raw(call, values);
  const auto parameters = node_of(raw);
  check(cu, cu.cuGraphExecExternalSemaphoresWaitNodeSetParams(exec.raw(), node.raw(), &parameters),
        call);
}

std::vector<std::pair<RawExternalSemaphore, std::uint64_t>> semaphores(const Graph& graph,
                                                                       const GraphNode& node) {
  const bool signals = node.type() == GraphNodeType::signal_semaphore;
  const Activation active(graph.context());
  const Table& cu = active.table();
  std::vector<std::pair<RawExternalSemaphore, std::uint64_t>> found;
  const auto collect = [&](const auto& raw) {
    for (unsigned i = 0; i < raw.numExtSems; ++i)
      found.emplace_back(raw.extSemArray[i], raw.paramsArray[i].params.fence.value);
  };
  if (signals) {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS raw{};
    check(cu, cu.cuGraphExternalSemaphoresSignalNodeGetParams(node.raw(), &raw),
          "cuGraphExternalSemaphoresSignalNodeGetParams");
    collect(raw);
  } else {
    CUDA_EXT_SEM_WAIT_NODE_PARAMS raw{};
    check(cu, cu.cuGraphExternalSemaphoresWaitNodeGetParams(node.raw(), &raw),
          "cuGraphExternalSemaphoresWaitNodeGetParams");
    collect(raw);
  }
  return found;
}

}  // namespace treadle::cuda
