// SPDX-License-Identifier: MIT
// Makes nodes. Checks shapes and dtypes, and computes nothing.
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
/// A view of a leaf's memory. The view is read-only if the leaf is.
NodeRef make_view(const Node& leaf, const Layout& layout, const DType& dtype);
/// A number that has a dtype, as an operand; it is not listed.
NodeRef make_number(const Number& number, Scalar dtype);
/// An array of the layout's shape whose elements are one number.
NodeRef make_fill(const Number& number, Scalar dtype, const Layout& layout,
                  const StreamRef& stream);
/// 0, 1, 2, ... in C's order of positions, as int64.
NodeRef make_positions(const Layout& layout, const StreamRef& stream);
/// Tells whether the dtype can hold an integer of the host language. An integer beyond 64 bits
/// arrives as a floating number.
IntegerFit fit_of(Scalar dtype, const Number& number);
/// Throws OverflowError for an integer beyond the dtype's range.
void require_fit(const Number& number, Scalar dtype);
/// Records the operation on its operands; the result is pending. Throws as apply(). If all operands
/// are numbers, the result is on the device of `beside`, or on the current device.
NodeRef record(Op op, std::span<const Operand> operands, const Node* beside = nullptr);
/// Records a cast to another dtype. A cast to the same dtype copies.
NodeRef record_cast(Node& operand, const DType& dtype);
/// Records a copy of the one element, as a result without axes.
NodeRef record_element(Node& operand);
/// Records a gather from a leaf: each element lies `offset` (int64) elements behind its place in
/// the leaf's shape. The offsets broadcast to that shape.
NodeRef record_gather(Node& source, Node& offset);
/// Records a reduction. The shape of `elements` becomes the extents of `folding`. Computes elements
/// that depend on other reductions.
NodeRef record_fold(Node& elements, Folding folding);
/// A node for each result of a computation.
std::vector<NodeRef> record_computation(std::shared_ptr<const Computation> computation,
                                        std::span<const Array> inputs,
                                        std::span<const ResultSpec> results);
/// Returns the node of an array, or a number in the dtype that it takes beside `dtype`. Throws
/// OverflowError for an integer beyond the dtype's range.
NodeRef node_of(const Operand& operand, Scalar dtype);
/// Whether a recorded node has to be computed at once.
bool runs_at_once(const Node& node);

}  // namespace treadle::array
