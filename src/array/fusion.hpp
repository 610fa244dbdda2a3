// SPDX-License-Identifier: MIT
// One expression of a graph of nodes, with what its launch passes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "array/context.hpp"
#include "treadle/kernel/elementwise.hpp"

namespace treadle::array {

/// The nodes of one kernel, walked under the context's lock. The leaves are kept alive, so that the
/// launch may be queued after it was given up.
class Fusion {
 public:
  /// Over the index space `shape`.
  Fusion(Context& context, Extents shape);

  /// An output in memory that begins where `layout` says; `target` is its storage. Leaves that are
  /// its elements, one to one, are read through it.
  void add_output(Ref<Storage> target, const Layout& layout, const DType& dtype);
  /// What the output added last is to be: the node's value, cast to the output's dtype; where the
  /// mask is false what it was.
  void store(Node& node, Node* mask = nullptr);
  /// That output is stored `offset` elements behind its places.
  void scatter(Node& offset) { builder_.scatter(value_of(offset)); }
  /// Reads `copied` where the graph reads `leaf`.
  void substitute(Node& leaf, NodeRef copied) { copies_.emplace_back(&leaf, std::move(copied)); }

  /// Work queued on `stream` from now on comes after what it depends on. The lock is held.
  void order(const StreamRef& stream);
  /// Queues the kernel; no lock is held.
  KernelNote run(device::Stream& stream) const;
  /// The same without a launch, and for outputs that have no memory yet; blocking, compiles the
  /// kernel if nobody did.
  KernelNote described() const;

 private:
  friend class ReductionFusion;
  struct Operand {
    Ref<Storage> storage;
    Layout layout;  // over the whole index space
    DType dtype;
    bool is_gathered = false;
    /// Of its first element; of memory that is to be allocated what is aligned as that.
    device::Location location() const;
    /// Of the elements that are there; what is broadcast counts once.
    std::uint64_t size_bytes() const;
  };
  KernelNote note(const std::string& name, const std::string& text,
                  const codegen::Expression& expression) const;
  codegen::Value value_of(Node& node);
  Operand operand_of(const Node& leaf) const;
  codegen::Value leaf(Operand operand);
  codegen::Value gathered(Node& node);
  template <class Use>
  void with_launch(Use use) const;

  Context& context_;
  std::vector<std::int64_t> shape_;
  std::uint32_t mark_;
  codegen::ExpressionBuilder builder_;
  std::vector<Operand> outputs_, leaves_;
  std::vector<codegen::Value> leaf_values_;
  std::vector<ElementBytes> scalars_;
  std::vector<std::pair<Node*, NodeRef>> copies_;
};

/// Whether writing elements of `target` while `leaf` is read gives anything else than reading all
/// of it before: they share memory, and not element by element.
bool needs_copy(const Node& leaf, const Node& target);

}  // namespace treadle::array
