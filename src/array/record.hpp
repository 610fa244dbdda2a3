// SPDX-License-Identifier: MIT
// Making nodes: shapes and dtypes are checked here, and nothing is computed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "array/folding.hpp"
#include "array/node.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/operand.hpp"

namespace treadle::array {

/// A view of storage.
NodeRef make_leaf(Ref<Storage> storage, const Layout& layout, const DType& dtype);
/// A view of a leaf's memory, which cannot be changed where the leaf cannot.
NodeRef make_view(const Node& leaf, const Layout& layout, const DType& dtype);
/// A number that has a dtype, as an operand; it is not listed.
NodeRef make_number(const Number& number, Scalar dtype);
/// One number for all elements of an array that is to be.
NodeRef make_fill(const Number& number, Scalar dtype, const Layout& layout,
                  const StreamRef& stream);
/// 0, 1, 2, ... in C's order of positions, as int64.
NodeRef make_positions(const Layout& layout, const StreamRef& stream);
/// Whether a dtype has an integer of the host language; one beyond 64 bits is a floating number.
IntegerFit fit_of(Scalar dtype, const Number& number);
/// Throws OverflowError for an integer beyond the dtype.
void require_fit(const Number& number, Scalar dtype);
/// The operation on its operands, pending. Throws as apply(). Of numbers alone the result is on the
/// device of `beside`, or the current one.
NodeRef record(Op op, std::span<const Operand> operands, const Node* beside = nullptr);
/// The elements in another dtype, or in the same as a copy.
NodeRef record_cast(Node& operand, const DType& dtype);
/// The one element as it is now, as a result without axes.
NodeRef record_element(Node& operand);
/// Elements of a leaf, each of them `offset` (int64) elements behind its place in the leaf's shape,
/// to which the offsets broadcast; pending.
NodeRef record_gather(Node& source, Node& offset);
/// A reduction of the elements, whose extents become those of `folding`. Computes elements that are
/// made of other reductions.
NodeRef record_fold(Node& elements, Folding folding);
/// A node for each result of a computation.
std::vector<NodeRef> record_computation(std::shared_ptr<const Computation> computation,
                                        std::span<const Array> inputs,
                                        std::span<const ResultSpec> results);
/// The node of an array, or a number with the dtype it has beside `dtype`. Throws OverflowError for
/// an integer beyond it.
NodeRef node_of(const Operand& operand, Scalar dtype);
/// Whether what was recorded has to be computed at once.
bool runs_at_once(const Node& node);

}  // namespace treadle::array
