// SPDX-License-Identifier: MIT
// The launch of a computation: what is below it is its prologue, what is above it its epilogue.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "array/fusion.hpp"
#include "treadle/array/computation.hpp"

namespace treadle::array {

/// As Fusion, for nodes that are results of pending computations, or depend on some.
class ComputationFusion {
 public:
  /// `nodes` have the shape `results`, and below them computations that go together.
  ComputationFusion(Context& context, Extents results, std::span<const NodeRef> nodes);

  /// Adds an output: memory that nothing else shares, in which the node's value is stored.
  void add_output(Storage* target, const Layout& layout, const DType& dtype) {
    epilogue_.add_output(target, layout, dtype);
  }
  void store(Node& node) { epilogue_.store(node); }

  /// These are as in Fusion.
  Context& context() const noexcept { return epilogue_.context(); }
  bool is_held_up() const;
  void order(const StreamRef& stream);
  KernelNote run(device::Stream& stream) const;
  KernelNote described() const;
  std::string name() const;

 private:
  /// A result of a computation, of values of the inputs.
  struct Part {
    const Node* node;
    std::vector<codegen::Value> values;  // of each input
    codegen::Value leaf;                 // in the epilogue
  };
  void collect(Node& node);
  Part& part_of(Node& node);
  template <class Use>
  auto with_launch(Use use) const;

  std::shared_ptr<const Computation> computation_;  // the first
  std::deque<Fusion> inputs_;
  Fusion epilogue_;
  std::vector<Part> parts_;
};

}  // namespace treadle::array
