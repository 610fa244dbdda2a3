// SPDX-License-Identifier: MIT
#include "array/record.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/powers.hpp"
#include "array/stages.hpp"
#include "array/structures.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

constexpr std::size_t most_operands = 3;  // of operations

/// The operands of one operation that are being recorded.
struct Recording {
  std::array<NodeRef, Node::most_operands> nodes;
  std::size_t count = 0;
  Context* context = nullptr;
  const Node* first_array = nullptr;
};

void require_count(const OpInfo& info, std::size_t given) {
  if (info.arity != given)
    throw InvalidArgument(std::string(info.name) + " takes " + std::to_string(info.arity) +
                          " operands, not " + std::to_string(given));
}

void join(Recording& recording, std::string_view operation, const Node& array) {
  if (recording.context == nullptr) {
    recording.context = array.context;
    recording.first_array = &array;
  } else if (recording.context != array.context) {
    require_one_context(operation, *recording.context, *array.context);
  }
}

/// The comparison that gives the same result with its operands exchanged.
Op exchanged(Op op) {
  switch (op) {
    case Op::less:
      return Op::greater;
    case Op::less_equal:
      return Op::greater_equal;
    case Op::greater:
      return Op::less;
    case Op::greater_equal:
      return Op::less_equal;
    default:
      return op;
  }
}

void throw_unless_within(const Number& integer, Scalar dtype) {
  if (const IntegerFit found = fit_of(dtype, integer); found != IntegerFit::within)
    throw_overflow(dtype, found, integer.text());
}

/// Compares an array with an integer beyond the range of its dtype: the result is the same for all
/// elements.
NodeRef compare_beyond_range(Op op, std::span<const Operand> operands, const OpDtypes& dtypes) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Operand &number = operands[i], &array = operands[1 - i];
    if (number.array() != nullptr || number.type() != OperandType(Weak::integer) ||
        array.array() == nullptr)
      continue;
    const IntegerFit found = fit_of(dtypes.operands[i], number.number());
    if (found == IntegerFit::within) continue;
    // NumPy converts a number to int64 before comparing it with truth values.
    if (array.type() == OperandType(Scalar::boolean))
      throw_unless_within(number.number(), Scalar::int64);
    const Node& node = Access::node(*array.array());
    const bool answer = compare_beyond(i == 1 ? op : exchanged(op), found);
    NodeRef made = make_fill(answer, Scalar::boolean, Layout::contiguous(node.layout.shape(), 1),
                             node.context->stream(node.stream));
    made->allocator = node.allocator_now();
    return made;
  }
  return {};
}

NodeRef new_node() {
  NodeRef made = NodeRef::adopt(new Node);
  made->origin = launch_site();
  return made;
}

/// The sums that Caps limits, and the properties of an expression.
struct Within {
  unsigned steps = 0, leaves = 0, computations = 0, instructions = 0;
  bool is_positional = false, is_gathering = false, is_staged = false;
};
Within within(const Recording& recording) {
  Within sum;
  for (std::size_t i = 0; i < recording.count; ++i) {
    const Node& node = *recording.nodes[i];
    if (node.is_leaf()) {
      ++sum.leaves;
      ++sum.instructions;
      continue;
    }
    sum.steps += node.steps;
    sum.leaves += node.leaves;
    sum.computations += node.computations_within();
    sum.instructions += node.instructions;
    sum.is_positional |= node.is_positional;
    sum.is_gathering |= node.is_gathering;
    sum.is_staged |= node.is_staged || node.is_stage;
  }
  return sum;
}

bool is_one_kernel(const Within& sum, const Recording& recording) {
  return sum.steps < Caps::steps && sum.leaves <= Caps::leaves &&
         sum.instructions + recording.count < Caps::instructions;
}

/// Adds what the node contains now. The caller holds the context's lock. The recursion is no deeper
/// than Caps::steps.
void add_now(const Node& node, Within& sum) {
  if (node.is_leaf()) {
    ++sum.leaves;
    ++sum.instructions;
  } else if (node.arity == 0) {
    sum.steps += node.steps;
    sum.instructions += node.instructions;
  } else {
    Within below;
    for (unsigned i = 0; i < node.arity; ++i) add_now(*node.operands[i], below);
    sum.steps += below.steps + 1;
    sum.leaves += below.leaves;
    sum.instructions += below.instructions + 1 + node.arity;
    sum.computations += node.is_stage ? 0 : node.computation != nullptr ? 1 : below.computations;
  }
}

/// Counts what the operands contain. within() sums the counts from the time of recording. If the
/// sum exceeds the limits, counted() counts only the nodes that are still pending. So a node's
/// counts stay small.
Within counted(const Recording& recording) {
  Within sum = within(recording);
  if (is_one_kernel(sum, recording) && sum.computations <= Caps::computations) [[likely]]
    return sum;
  sum.steps = sum.leaves = sum.computations = sum.instructions = 0;
  const std::lock_guard lock(recording.context->mutex);
  for (std::size_t i = 0; i < recording.count; ++i) add_now(*recording.nodes[i], sum);
  return sum;
}

/// Finds the largest pending node below `node` that has a handle.
void find_known(const Node& node, Node*& known) {
  for (std::size_t i = 0; i < node.arity && !node.is_leaf(); ++i) {
    Node& operand = *node.operands[i];
    if (operand.context == nullptr || operand.is_leaf()) continue;
    if (operand.handles() != 0 && (known == nullptr || operand.steps > known->steps))
      known = &operand;
    else
      find_known(operand, known);
  }
}

/// The node to compute so that an expression with the operand `largest` becomes smaller. In a loop
/// such as x = x - f(x) the node is x, which f() reads more than once: x is stored once, and each
/// step cuts the loop at the same place, into the same kernels. If f(x) were computed instead, x
/// would stay pending, later kernels would compute x again, and each kernel would be another one.
NodeRef cut_within(Node& largest) {
  const std::lock_guard lock(largest.context->mutex);  // nodes drop operands under this lock
  Node* known = nullptr;
  find_known(largest, known);
  return NodeRef(known != nullptr && 4 * known->steps >= largest.steps ? known : &largest);
}

/// Computes the largest operand until one kernel can hold the whole expression.
Within keep_within_caps(Recording& recording) {
  for (;;) {
    const Within sum = counted(recording);
    if (is_one_kernel(sum, recording)) [[likely]]
      return sum;
    Node* largest = nullptr;
    for (std::size_t i = 0; i < recording.count; ++i) {
      Node& node = *recording.nodes[i];
      const bool is_larger = largest == nullptr || node.steps > largest->steps;
      if (!node.is_leaf() && node.context != nullptr && is_larger) largest = &node;
    }
    if (largest == nullptr) return sum;
    compute(*cut_within(*largest), Cut::too_large);
  }
}

/// NumPy's layout: the broadcast shape, with the axes ordered in memory as the operands' axes are.
Layout result_layout(std::size_t size_bytes, const Recording& recording) {
  std::array<const Layout*, Node::most_operands> layouts;
  std::size_t count = 0;
  for (std::size_t i = 0; i < recording.count; ++i)
    if (recording.nodes[i]->context != nullptr) layouts[count++] = &recording.nodes[i]->layout;
  return broadcast({layouts.data(), count}, size_bytes);
}

/// Op::iota counts positions in the shape of its own array. So an operand with Op::iota is computed
/// first if the result is larger.
void keep_positions(const Layout& result, Recording& recording) {
  for (std::size_t i = 0; i < recording.count; ++i) {
    Node& node = *recording.nodes[i];
    if (node.is_positional && !node.layout.same_shape(result)) compute(node, Cut::positions);
  }
}

/// Computes operands that contain reductions, unless the result has one element for each of the
/// operand's elements. In that case the operation joins the epilogue of the reduction's kernel.
void keep_reductions(const Layout& result, Recording& recording) {
  const std::span operands(recording.nodes.data(), recording.count);
  while (counted(recording).computations > Caps::computations)
    compute(**std::ranges::max_element(
                operands, {}, [](const NodeRef& node) { return node->computations_within(); }),
            Cut::too_large);
  const bool is_intricate = std::ranges::any_of(operands, [](const NodeRef& node) {
    return (node->is_positional || node->is_gathering) && !node->is_leaf();
  });
  std::shared_ptr<const Computation> first;
  for (const NodeRef& node : operands) {
    auto own = computation_of(*node);
    if (own == nullptr) continue;
    if (is_intricate || !node->layout.same_shape(result) ||
        (first != nullptr && !first->goes_with(*own)))
      compute(*node, Cut::reduction);
    else
      first = std::move(own);
  }
}

/// The allocator of the first operand that has axes. If no operand has axes, that of the first
/// operand.
const std::shared_ptr<Allocator>& allocator_among(const Recording& recording) {
  for (std::size_t i = 0; i < recording.count; ++i) {
    const Node& node = *recording.nodes[i];
    if (node.context != nullptr && node.layout.rank() != 0) return node.allocator_now();
  }
  return recording.first_array->allocator_now();
}

/// Gives the node its operands and adds the node to the context's list.
NodeRef enlisted(NodeRef made, Recording& recording, const Within& sum) {
  made->context = recording.context;
  made->stream = recording.context->stream(recording.first_array->stream);
  if (const auto& allocator = allocator_among(recording)) made->allocator = allocator;
  made->arity = static_cast<std::uint8_t>(recording.count);
  made->steps = static_cast<std::uint16_t>(sum.steps + 1);
  made->leaves = static_cast<std::uint16_t>(sum.leaves);
  made->instructions = static_cast<std::uint16_t>(sum.instructions + 1 + recording.count);
  made->computations = static_cast<std::uint8_t>(sum.computations);
  made->is_positional = sum.is_positional;
  made->is_gathering = sum.is_gathering;
  made->is_staged = sum.is_staged;
  for (std::size_t i = 0; i < recording.count; ++i)
    made->operands[i] = recording.nodes[i].release();
  made->is_scalar = made->layout.rank() == 0 && made->op != Op::where &&
                    (made->op != Op::cast || made->operands[0]->is_scalar);
  if (const Computation* const computation = made->computation.get()) {
    made->computations = 1;
    made->is_positional = made->is_gathering = false;  // both count in the shape of the input
    made->is_stage = !computation->takes_epilogue();
    made->is_staged |= !computation->takes_prologue();
  }
  made->context->enlist(*made);
  return made;
}

NodeRef pending_node(Op op, const DType& dtype, Recording& recording) {
  Within sum = keep_within_caps(recording);
  NodeRef made = new_node();
  made->op = op;
  made->dtype = dtype;
  made->layout = result_layout(dtype.size_bytes(), recording);
  if (sum.is_positional || sum.computations != 0) [[unlikely]] {
    keep_positions(made->layout, recording);
    keep_reductions(made->layout, recording);
    sum = counted(recording);
  }
  return enlisted(std::move(made), recording, sum);
}

/// The operands of a computation. Operands that cannot join its prologue are computed.
Recording inputs_of(const Computation& computation, std::span<Node* const> inputs) {
  Recording recording;
  for (Node* input : inputs) {
    join(recording, computation.name(), *input);
    recording.nodes[recording.count++] = NodeRef(input);
    if (!computation.takes_prologue()) continue;
    if (computation_of(*input) != nullptr) compute(*input, Cut::reduction);
    if (input->is_gathering && !computation.takes_gathers()) compute(*input, Cut::indexed);
  }
  return recording;
}

/// The layout of a reduction's results: the axes have the same order in memory as the elements'
/// axes.
Layout folded_layout(const Layout& elements, const Folding& folding, std::size_t size_bytes) {
  std::vector<std::int64_t> extents, strides;
  for (std::size_t axis = 0; axis < folding.extents.size(); ++axis) {
    if (folding.is_folded(axis)) continue;
    extents.push_back(elements.shape()[axis]);
    strides.push_back(elements.strides()[axis]);
  }
  const Layout kept(extents, strides);
  const Layout* const kept_alone[] = {&kept};
  Layout layout = broadcast(kept_alone, size_bytes);
  for (std::size_t axis = 0; folding.keeps_axes && axis < folding.extents.size(); ++axis)
    if (folding.is_folded(axis)) layout = layout.expanded(static_cast<int>(axis));
  return layout;
}

/// NumPy converts an integer of the host language to 64 bits when it is an operand of a logical
/// operation.
void require_long(Op op, const Operand& operand) {
  if (op_info(op).rule != OpRule::logical || op_info(op).arity != 2) return;
  if (operand.array() == nullptr && operand.type() == OperandType(Weak::integer))
    throw_unless_within(operand.number(), Scalar::int64);
}

/// Refuses a negative number as an exponent of integers, as NumPy does. Only numbers are checked:
/// negative exponents in an array give zeros, and for unsigned integers a negative number is out of
/// range.
void require_power(const Operand& base, const Operand& exponent, Scalar computed) {
  if (exponent.array() != nullptr || !DType(computed).is_integer()) return;
  const Number& number = exponent.number();
  if (!number.is_integer() || !number.is_negative()) return;
  if (exponent.type().is_weak()) require_fit(number, computed);
  if (base.array() != nullptr && base.array()->size() == 0) return;
  throw InvalidArgument("integers to negative integer powers are not allowed",
                        "cast the array to float64");
}

/// Turns the first number into an array without axes, so that the result is on a device.
void place_numbers(Recording& recording, const Node* beside) {
  NodeRef& number = recording.nodes[0];
  const StreamRef stream =
      beside != nullptr ? beside->context->stream(beside->stream) : stream_of({});
  const DType dtype = number->dtype;
  number =
      make_fill(number->number, dtype.scalar(), Layout::contiguous({}, dtype.size_bytes()), stream);
  recording.context = number->context;
  recording.first_array = number.get();
}

/// where() of records picks whole records. Both operands and the result have one dtype.
NodeRef record_choice(std::span<const Operand> operands) {
  const auto dtype_of = [](const Operand& operand) {
    return operand.array() != nullptr ? operand.array()->dtype() : DType(operand.type().scalar());
  };
  const DType dtype = dtype_of(operands[1]), other = dtype_of(operands[2]);
  const DType chooses = dtype_of(operands[0]);
  if (!(dtype == other) || chooses.scalar() == Scalar::structure)
    throw DTypeError("where() of " + chooses.name() + ", " + dtype.name() + " and " + other.name(),
                     "records are not cast: pass two arrays of one dtype, and a mask");
  Recording recording;
  for (const Operand& operand : operands) {
    if (operand.array() != nullptr)
      join(recording, op_info(Op::where).name, Access::node(*operand.array()));
    const NodeRef node = node_of(operand, Scalar::boolean);
    // A kernel with reductions cannot store records.
    if (node->computations_within() != 0) compute(*node, Cut::reduction);
    recording.nodes[recording.count++] = node;
  }
  return pending_node(Op::where, dtype, recording);
}

}  // namespace

NodeRef make_leaf(Ref<Storage> storage, const Layout& layout, const DType& dtype) {
  NodeRef made = NodeRef::adopt(new Node);
  made->op = Op::leaf;
  made->dtype = dtype;
  made->layout = layout;
  made->leaves = 1;
  made->context = &Context::of(storage->buffer.device());
  {
    const std::lock_guard lock(made->context->mutex);  // writers on other streams change the stream
    made->stream = storage->stream();
  }
  made->storage = std::move(storage);
  made->state.store(NodeState::leaf, std::memory_order_release);
  return made;
}

NodeRef make_view(const Node& leaf, const Layout& layout, const DType& dtype) {
  NodeRef made = make_leaf(leaf.storage, layout, dtype);
  made->is_read_only = leaf.is_read_only;
  made->made_by = leaf.made_by;
  made->cut = leaf.cut;
  return made;
}

NodeRef make_number(const Number& number, Scalar dtype) {
  NodeRef made = new_node();
  made->op = Op::scalar;
  made->dtype = dtype;
  made->number = number;
  return made;
}

NodeRef make_fill(const Number& number, Scalar dtype, const Layout& layout,
                  const StreamRef& stream) {
  NodeRef made = make_number(number, dtype);
  made->layout = layout;
  made->instructions = 1;
  made->stream = stream;
  made->context = &Context::of(stream->device());
  made->context->enlist(*made);
  return made;
}

NodeRef make_positions(const Layout& layout, const StreamRef& stream) {
  NodeRef made = new_node();
  made->op = Op::iota;
  made->dtype = Scalar::int64;
  made->layout = layout;
  made->stream = stream;
  made->context = &Context::of(stream->device());
  made->steps = 1;
  made->instructions = 1;
  made->is_positional = true;
  made->context->enlist(*made);
  return made;
}

IntegerFit fit_of(Scalar dtype, const Number& number) {
  if (number.kind() == ScalarKind::floating) {  // an integer beyond 64 bits
    if (!DType(dtype).is_integer()) return IntegerFit::within;
    return number.is_negative() ? IntegerFit::below : IntegerFit::above;
  }
  return number.kind() == ScalarKind::unsigned_integer ? fit(dtype, number.as_uint64())
                                                       : fit(dtype, number.as_int64());
}

void require_fit(const Number& number, Scalar dtype) {
  if (!number.is_integer() || dtype == Scalar::boolean) return;  // any number but 0 is true
  throw_unless_within(number, dtype);
}

NodeRef node_of(const Operand& operand, Scalar dtype) {
  if (operand.array() != nullptr) return NodeRef(&Access::node(*operand.array()));
  if (operand.type() == OperandType(Weak::integer) && dtype != Scalar::boolean)
    throw_unless_within(operand.number(), dtype);
  return make_number(operand.number(), dtype);
}

NodeRef record(Op op, std::span<const Operand> operands, const Node* beside) {
  const OpInfo& info = op_info(op);
  require_count(info, operands.size());
  if (op == Op::where && has_records(operands)) return record_choice(operands);
  std::array<OperandType, most_operands> types = {Scalar::boolean, Scalar::boolean,
                                                  Scalar::boolean};
  std::array<Node*, most_operands> arrays = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].array() != nullptr) arrays[i] = &Access::node(*operands[i].array());
    const bool is_plain = arrays[i] != nullptr && arrays[i]->dtype.scalar() != Scalar::structure;
    types[i] = is_plain ? OperandType(arrays[i]->dtype.scalar()) : operands[i].type();
  }
  const OpDtypes dtypes = resolve(op, std::span(types.data(), operands.size()));
  if (op == Op::power) require_power(operands[0], operands[1], dtypes.operands[1]);
  if (op == Op::power && arrays[0] != nullptr && arrays[1] == nullptr)
    if (const auto power =
            known_power(*operands[0].array(), operands[1].number(), dtypes.operands[0]))
      return NodeRef(&Access::node(*power));
  if (info.rule == OpRule::compare)
    if (NodeRef constant = compare_beyond_range(op, operands, dtypes)) return constant;
  Recording recording;
  recording.count = operands.size();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (arrays[i] != nullptr) join(recording, op_info(op).name, *arrays[i]);
    require_long(op, operands[i]);
    recording.nodes[i] =
        arrays[i] != nullptr ? NodeRef(arrays[i]) : node_of(operands[i], dtypes.operands[i]);
  }
  if (recording.context == nullptr) place_numbers(recording, beside);
  return pending_node(op, dtypes.result, recording);
}

NodeRef record_cast(Node& operand, const DType& dtype) {
  Recording recording;
  join(recording, op_info(Op::cast).name, operand);
  recording.nodes[0] = NodeRef(&operand);
  recording.count = 1;
  return pending_node(Op::cast, dtype, recording);
}

Array in_dtype(const Array& x, const DType& dtype) {
  return x.dtype() == dtype ? x : cast(x, dtype);
}

NodeRef record_element(Node& operand) {
  NodeRef made = record_cast(operand, operand.dtype);
  made->is_scalar = true;
  return made;
}

NodeRef record_gather(Node& source, Node& offset) {
  const NodeRef pinned(&offset);  // computing may let other threads run
  if (offset.computations_within() != 0) compute(offset, Cut::reduction);
  Recording recording;
  for (Node* node : {&source, &offset}) {
    join(recording, op_info(Op::gather).name, *node);
    recording.nodes[recording.count++] = NodeRef(node);
  }
  NodeRef made = pending_node(Op::gather, source.dtype, recording);
  made->is_gathering = true;
  made->layout = Layout::contiguous(source.layout.shape(), source.dtype.size_bytes());
  return made;
}

NodeRef record_fold(Node& elements, Folding folding) {
  const NodeRef pinned(&elements);  // computing may let other threads run
  Node* const inputs[] = {&elements};
  Recording recording = inputs_of(folding, inputs);
  const Within sum = keep_within_caps(recording);
  const Extents extents = elements.layout.shape();
  folding.extents.assign(extents.begin(), extents.end());
  NodeRef made = new_node();
  made->op = Op::leaf;
  made->dtype = folding.folded_dtype();
  made->layout = folded_layout(elements.layout, folding, made->dtype.size_bytes());
  made->computation = std::make_shared<const Folding>(std::move(folding));
  return enlisted(std::move(made), recording, sum);
}

std::vector<NodeRef> record_computation(std::shared_ptr<const Computation> computation,
                                        std::span<const Array> inputs,
                                        std::span<const ResultSpec> results) {
  std::array<NodeRef, Node::most_operands> pinned;
  std::array<Node*, Node::most_operands> nodes = {};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    pinned[i] = NodeRef(&Access::node(inputs[i]));
    nodes[i] = pinned[i].get();
  }
  const Recording recording = inputs_of(*computation, std::span(nodes).first(inputs.size()));
  std::vector<NodeRef> made;
  made.reserve(results.size());
  for (const ResultSpec& result : results) {
    Recording own = recording;
    const Within sum = keep_within_caps(own);
    NodeRef node = new_node();
    node->op = Op::leaf;
    node->dtype = result.dtype;
    node->layout = Layout::contiguous(result.shape, result.dtype.size_bytes());
    node->computation = computation;
    node->result = static_cast<std::uint8_t>(made.size());
    made.push_back(enlisted(std::move(node), own, sum));
  }
  const std::lock_guard lock(recording.context->mutex);
  for (std::size_t k = 0; made.size() > 1 && k < made.size(); ++k)
    made[k]->next_result = made[(k + 1) % made.size()].get();
  return made;
}

bool runs_at_once(const Node& node) {
  if (!is_lazy()) return true;
  for (unsigned i = 0; i < node.arity; ++i) {
    const Node& operand = *node.operands[i];
    if (operand.is_leaf() && operand.storage->buffer.has_escaped()) return !is_fusing();
  }
  return false;
}

}  // namespace treadle::array
