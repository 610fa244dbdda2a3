// SPDX-License-Identifier: MIT
#include "treadle/array/sort.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "array/access.hpp"
#include "array/axes.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/sort.hpp"

namespace treadle::array {
namespace {

/// An array that the sort changes. The array is computed, dense in C's order, and its use is
/// announced.
class Sorted {
 public:
  Sorted(Node& node, const StreamRef& stream)
      : node_(node), use_(*node.context, *node.storage, stream, device::MemoryUse::writes) {}

  kernel::SortElements elements() const {
    return {node_.storage->first_element(node_.layout), node_.dtype.scalar()};
  }

 private:
  Node& node_;
  AnnouncedUse use_;
};

bool lies_dense(const Node& node) { return node.layout.is_contiguous(node.dtype.size_bytes()); }

void require_together(const Node& x, const Node& carried) {
  require_one_context("sort", *x.context, *carried.context);
  if (!std::ranges::equal(x.layout.shape(), carried.layout.shape()))
    throw ShapeError("a bitonic sort of shape " + shape_text(x.layout.shape()) +
                         " with elements of shape " + shape_text(carried.layout.shape()),
                     "what is carried along has the shape of what is sorted");
}

void sort_dense(Node& x, Node* carried, int axis) {
  const StreamRef stream = x.context->stream(x.stream);
  kernel::Sort sort{.values = {}, .carried = {}, .outer = 1, .length = 1, .inner = 1};
  const auto shape = x.layout.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto length = static_cast<std::uint64_t>(shape[i]);
    if (const auto line = static_cast<std::size_t>(axis); i == line)
      sort.length = length;
    else
      (i < line ? sort.outer : sort.inner) *= length;
  }
  if (x.layout.size() == 0) return;
  const WithoutHostLock released;
  before_write(*x.storage);
  if (carried != nullptr) before_write(*carried->storage);
  const Sorted values(x, stream);
  sort.values = values.elements();
  std::optional<Sorted> beside;
  if (carried != nullptr) sort.carried = beside.emplace(*carried, stream).elements();
  const device::LeaveDeferred leave;  // computing the pending readers is done
  kernel::sort(*stream, sort);
}

}  // namespace

void sort(const Array& x, const Array& carried, int axis) {
  // As in reductions, an array without axes has one element along axis 0.
  const bool is_one = x.rank() == 0 && (axis == 0 || axis == -1);
  const std::uint64_t axes = is_one ? 0 : axes_of(axis, x.layout(), "sort");
  Node& target = Access::node(x);
  Node* const beside = carried.has_value() ? &Access::node(carried) : nullptr;
  if (beside != nullptr) require_together(target, *beside);
  for (Node* const node : {&target, beside}) {
    if (node == nullptr) continue;
    compute(*node);
    require_writable(*node);
  }
  if (beside != nullptr && may_share_memory(x, carried))
    throw InvalidArgument("a bitonic sort carries an array that shares memory with the sorted one",
                          "copy() one of them");
  const int line = axes == 0 ? 0 : std::countr_zero(axes);
  if (lies_dense(target) && (beside == nullptr || lies_dense(*beside)))
    return sort_dense(target, beside, line);
  const Array values = dense_copy(x), others = carried.has_value() ? dense_copy(carried) : Array();
  sort(values, others, line);
  x.assign(values);
  if (carried.has_value()) carried.assign(others);
}

}  // namespace treadle::array
