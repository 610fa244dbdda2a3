// SPDX-License-Identifier: MIT
// Memory and semaphores of other interfaces, such as Vulkan, which gave a file descriptor for them.
//
//   const auto memory = cuda::ExternalMemory::import_file(descriptor, size_bytes);
//   const cuda::ExternalBuffer pixels = memory.buffer(0, size_bytes);
//   const auto ready = cuda::ExternalSemaphore::import_file(other);
//   cuda::wait({ready, 1}, stream);
//   kernel.launch({.grid = {64}, .block = {256}, .stream = stream}, pixels);
//   cuda::signal({ready, 2}, stream);
//
// NVIDIA's driver takes a descriptor over. One that it refuses it may have closed as well
// (CUDA 13.0 closes that of a plain file): import a duplicate of one that is still needed. The CPU
// device shares memory with nobody so: NotSupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "treadle/cuda/array.hpp"
#include "treadle/cuda/graph.hpp"

struct CUextMemory_st;
struct CUextSemaphore_st;

namespace treadle::cuda {

using RawExternalMemory = CUextMemory_st*;        ///< CUexternalMemory
using RawExternalSemaphore = CUextSemaphore_st*;  ///< CUexternalSemaphore

/// CUexternalMemoryHandleType, of descriptors.
enum class ExternalMemoryType : int {
  opaque = 1,      ///< as Vulkan exports memory
  dma_buffer = 9,  ///< of another driver of Linux. Since CUDA 13.0
};
/// CUexternalSemaphoreHandleType, of descriptors.
enum class ExternalSemaphoreType : int {
  binary = 1,    ///< signalled or not; values do not count
  timeline = 9,  ///< a number that grows
};

class ExternalMemoryState;
class ExternalSemaphoreState;

/// Bytes of external memory as kernels see them, until the last copy of it ends. Keeps the memory.
/// Ending it does not wait for work that uses it.
class ExternalBuffer {
 public:
  /// Where they are.
  DevicePointer address() const noexcept;
  /// How many.
  std::size_t size_bytes() const noexcept;

 private:
  friend class ExternalMemory;
  friend struct LaunchArgument<ExternalBuffer>;
  class State;
  explicit ExternalBuffer(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};
/// The address.
template <>
struct LaunchArgument<ExternalBuffer> {
  static const void* data(const ExternalBuffer& buffer) noexcept;
  static constexpr std::size_t size = sizeof(DevicePointer), alignment = alignof(DevicePointer);
};

/// Memory that another interface made. A cheap value; what is mapped of it keeps it.
class ExternalMemory {
 public:
  /// In the current context. `is_dedicated`: made for one image or buffer alone, as the other
  /// interface says. Throws InvalidArgument for a descriptor below 0 and for no bytes; DeviceError;
  /// NotSupported.
  static ExternalMemory import_file(int descriptor, std::size_t size_bytes,
                                    ExternalMemoryType type = ExternalMemoryType::opaque,
                                    bool is_dedicated = false);

  /// `size_bytes` from `offset` on. Throws InvalidArgument for what is beyond.
  ExternalBuffer buffer(std::size_t offset, std::size_t size_bytes) const;
  /// An image that begins at `offset`, laid out as the other interface's of the same shape. Throws
  /// as MipmappedArray.
  MipmappedArray image(std::size_t offset, const ArrayShape& shape, unsigned levels = 1) const;

  /// As it was imported.
  std::size_t size_bytes() const noexcept;
  /// Where it was imported.
  const Context& context() const noexcept;
  /// CUexternalMemory, while this lives.
  RawExternalMemory raw() const noexcept;

 private:
  explicit ExternalMemory(std::shared_ptr<ExternalMemoryState> state) noexcept
      : state_(std::move(state)) {}
  std::shared_ptr<ExternalMemoryState> state_;
};

/// A semaphore that another interface made. A cheap value. It must live until the work that uses it
/// is done; graphs keep theirs.
class ExternalSemaphore {
 public:
  /// In the current context. Throws InvalidArgument for a descriptor below 0; DeviceError;
  /// NotSupported.
  static ExternalSemaphore import_file(
      int descriptor, ExternalSemaphoreType type = ExternalSemaphoreType::timeline);

  /// Where it was imported.
  const Context& context() const noexcept;
  /// CUexternalSemaphore, while this lives.
  RawExternalSemaphore raw() const noexcept;

 private:
  explicit ExternalSemaphore(std::shared_ptr<ExternalSemaphoreState> state) noexcept
      : state_(std::move(state)) {}
  std::shared_ptr<ExternalSemaphoreState> state_;
};

/// A semaphore, and the number it is set to or waited for.
struct SemaphoreValue {
  ExternalSemaphore semaphore;  ///< imported
  std::uint64_t value = 0;      ///< does not count for binary ones
};

/// Sets them all once `stream` is past the work queued so far.
void signal(std::span<const SemaphoreValue> values, StreamRef stream = {});
/// The same for one.
void signal(const SemaphoreValue& value, StreamRef stream = {});
/// Later work of `stream` starts once all of them have these numbers, or greater ones.
void wait(std::span<const SemaphoreValue> values, StreamRef stream = {});
/// The same for one.
void wait(const SemaphoreValue& value, StreamRef stream = {});

// ---- nodes of graphs, which keep their semaphores

/// Adds a node that sets them. Throws InvalidArgument for none.
GraphNode add_signal(const Graph& graph, const After& after,
                     std::span<const SemaphoreValue> values);
/// Adds a node that waits for them.
GraphNode add_wait(const Graph& graph, const After& after, std::span<const SemaphoreValue> values);
/// What a node of either kind does in executable graphs that are made later. Throws DeviceError for
/// other nodes. `graph` is the node's.
void set_semaphores(const Graph& graph, const GraphNode& node,
                    std::span<const SemaphoreValue> values);
/// What it does in later launches of an executable graph. The semaphores are the caller's to keep.
void set_semaphores(const GraphExec& exec, const GraphNode& node,
                    std::span<const SemaphoreValue> values);
/// The driver's semaphores and numbers of a node of either kind.
std::vector<std::pair<RawExternalSemaphore, std::uint64_t>> semaphores(const Graph& graph,
                                                                       const GraphNode& node);

}  // namespace treadle::cuda
