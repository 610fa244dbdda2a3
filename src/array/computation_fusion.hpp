// SPDX-License-Identifier: MIT
// The launch of a computation with its prologue, the operations below the computation, and its
// epilogue, the operations above the computation.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "array/fusion.hpp"
#include "treadle/array/computation.hpp"

namespace treadle::array {

/// Serves as Fusion does, for results of pending computations and for nodes that depend on such
/// results.
class ComputationFusion {
 public:
  /// `nodes` have the shape `results`. The computations below `nodes` go together in one kernel.
  ComputationFusion(Context& context, Extents results, std::span<const NodeRef> nodes);

  /// Adds an output that stores the node's value. No other array may use the output's memory.
  void add_output(Storage* target, const Layout& layout, const DType& dtype) {
    epilogue_.add_output(target, layout, dtype);
  }
  void store(Node& node) { epilogue_.store(node); }

  /// The following functions do the same as those of Fusion.
  Context& context() const noexcept { return epilogue_.context(); }
  bool is_held_up() const;
  void order(const StreamRef& stream);
  KernelNote run(device::Stream& stream) const;
  KernelNote described() const;
  std::string name() const;

 private:
  /// One result of a computation, as a function of the values of the inputs.
  struct Part {
    const Node* node;
    std::array<codegen::Value, Node::most_operands> values;  // one of each input
    codegen::Value leaf;  // stands for the result in the epilogue
  };
  void collect(Node& node);
  Part& part_of(Node& node);
  template <class Use>
  auto with_launch(Use use) const;

  std::shared_ptr<const Computation> computation_;  // of the first node
  // In place: a small product is queued within some microseconds of the host.
  std::array<std::optional<Fusion>, Node::most_operands> inputs_;
  std::size_t input_count_ = 0;
  Fusion epilogue_;
  std::vector<Part> parts_;
};

}  // namespace treadle::array
