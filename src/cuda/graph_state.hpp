// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cuda/context_state.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Keeps `object` as long as the driver may need it for `graph`.
void keep_for_graph(const Context& context, RawGraph graph, std::shared_ptr<const void> object);

/// A graph of the driver: owned, somebody else's, or part of a node of another one, which is then
/// kept.
class GraphState {
 public:
  GraphState(Context context, RawGraph raw, std::shared_ptr<GraphState> parent = nullptr,
             bool is_borrowed = false) noexcept
      : context_(std::move(context)),
        raw_(raw),
        parent_(std::move(parent)),
        is_borrowed_(is_borrowed) {}
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;
  ~GraphState();

  const Context& context() const noexcept { return context_; }
  RawGraph raw() const noexcept { return raw_; }
  /// Keeps `object` as long as the driver may need it.
  void keep(std::shared_ptr<const void> object) {
    keep_for_graph(context_, raw_, std::move(object));
  }
  /// Kernels are held here and not by the driver, so that modules and memory go when the program
  /// expects it: the driver waits for launches before it frees them. What is somebody else's may
  /// live longer than this, so that there the driver keeps them.
  void hold(RawGraphNode node, std::vector<std::shared_ptr<const void>> objects) {
    GraphState& all = root();
    if (!all.is_borrowed_)
      all.held_[node] = std::move(objects);
    else
      for (auto& object : objects)
        if (object != nullptr) all.keep(std::move(object));
  }
  void hold(const HeldByNodes& held) {
    for (const auto& [node, objects] : held)
      if (!root().held_.contains(node)) hold(node, objects);
  }
  const HeldByNodes& held() const noexcept { return parent_ ? parent_->held() : held_; }

 private:
  GraphState& root() noexcept { return parent_ ? parent_->root() : *this; }

  HeldByNodes held_;
  Context context_;
  RawGraph raw_;
  std::shared_ptr<GraphState> parent_;
  bool is_borrowed_;
};

/// What a stream captures.
struct CaptureInfo {
  CaptureStatus status = CaptureStatus::none;
  RawGraph graph = nullptr;
  std::vector<RawGraphNode> last;
};
CaptureInfo ask_capture(const Table& cu, RawStream stream);

/// A host function as the driver calls it: `function` is what it is told to call, `data` with what.
struct HostCall {
  explicit HostCall(std::function<void()> called) : function(std::move(called)) {}
  static void call(void* data) noexcept;
  std::function<void()> function;
};
/// Throws InvalidArgument for an empty function.
std::shared_ptr<HostCall> make_host_call(std::function<void()> function);

/// What the driver takes for each kind of node; `call` and `area` must outlive the result.
CUDA_KERNEL_NODE_PARAMS raw_kernel(KernelCall& call);
CUDA_MEMSET_NODE_PARAMS raw_fill(const GraphFill& fill);
/// Operations on memory as the driver takes them.
std::vector<CUstreamBatchMemOpParams> raw_operations(std::span<const MemoryOperation> operations);
/// A batch of them as a node's, in `context`; `raw` must outlive the result. Throws InvalidArgument
/// for none.
CUDA_BATCH_MEM_OP_NODE_PARAMS raw_batch(const Context& context,
                                        std::vector<CUstreamBatchMemOpParams>& raw);

}  // namespace treadle::cuda
