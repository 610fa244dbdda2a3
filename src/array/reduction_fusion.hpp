// SPDX-License-Identifier: MIT
// One reduction of a graph of nodes: what is below the folds is its map, what is above its
// epilogue.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array/folding.hpp"
#include "array/fusion.hpp"

namespace treadle::array {

/// As Fusion, for nodes that depend on pending reductions.
class ReductionFusion {
 public:
  /// For results of the shape `results`, which have the folds of these nodes below them.
  ReductionFusion(Context& context, std::shared_ptr<const Folding> folding, Extents results,
                  std::span<const NodeRef> nodes);

  /// An output in new memory, which is to be the node's value.
  void add_output(Storage* target, const Layout& layout, const DType& dtype) {
    epilogue_.add_output(target, layout, dtype);
  }
  void store(Node& node) { epilogue_.store(node); }

  /// As Fusion has them.
  Context& context() const noexcept { return map_.context(); }
  bool is_held_up() const;
  void order(const StreamRef& stream);
  KernelNote run(device::Stream& stream) const;
  KernelNote described() const;
  std::string name() const { return codegen::kernel_name(expression()); }

 private:
  void fold(Node& node);
  codegen::ReductionExpression expression() const {
    return {map_.builder_.expression(), folds_, epilogue_.builder_.expression()};
  }
  template <class Use>
  void with_launch(Use use) const;

  std::shared_ptr<const Folding> folding_;
  Fusion map_, epilogue_;
  std::vector<codegen::Fold> folds_;
  std::vector<codegen::Value> mapped_, folded_;  // of each fold, in map and epilogue
};

}  // namespace treadle::array
