// SPDX-License-Identifier: MIT
// Writing into existing memory: in-place operators, assignment, out=.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array/access.hpp"
#include "array/broadcast.hpp"
#include "array/computation_fusion.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/fusion.hpp"
#include "array/record.hpp"
#include "array/repeats.hpp"
#include "array/stages.hpp"
#include "array/structures.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

/// Throws unless the value broadcasts to the target. Leading axes of length 1 are ignored.
void require_shape(Extents value, Extents target) {
  const std::size_t extra = value.size() > target.size() ? value.size() - target.size() : 0;
  const bool fits =
      std::ranges::all_of(value.first(extra), [](std::int64_t extent) { return extent == 1; }) &&
      broadcasts_to(value.subspan(extra), target);
  if (!fits)
    throw ShapeError("a value of shape " + shape_text(value) +
                         " does not fit into an array of shape " + shape_text(target),
                     "its lengths must be those of the array, or 1");
}

/// Throws unless in-place operators and out= can store the result in the existing array.
void require_storable(std::string_view what, const Node& value, const Node& target,
                      OutShape shape) {
  if (!can_cast(value.dtype.scalar(), target.dtype.scalar(), Casting::same_kind))
    throw DTypeError(std::string(what) + " gives " + value.dtype.name() +
                         ", which is not stored in an array of " + target.dtype.name(),
                     "make a new array, or pass an output of " + value.dtype.name());
  if (value.layout.same_shape(target.layout)) return;
  if (shape == OutShape::broadcast && broadcasts_to(value.layout.shape(), target.layout.shape()))
    return;
  throw ShapeError("a result of shape " + shape_text(value.layout.shape()) +
                       " does not fit into an array of shape " + shape_text(target.layout.shape()),
                   "pass an array of the shape of the result, or none");
}

/// Finds the nodes of an expression that have to be read before the target is written. The places
/// of gathered or scattered elements are unknown, so that one shared byte of memory is a conflict.
void find_conflicts(Node& node, const Write& what, std::vector<NodeRef>& found) {
  const auto shares = [&](const Node& leaf) {
    return what.target.storage->distance_to(*leaf.storage).has_value();
  };
  if (node.is_leaf()) {
    if (what.offset != nullptr ? shares(node) : needs_copy(node, what.target))
      found.emplace_back(&node);
  } else if (node.op == Op::gather && shares(*node.operands[0])) {
    found.emplace_back(&node);
  } else {
    for (unsigned i = 0; i < node.arity; ++i) find_conflicts(*node.operands[i], what, found);
  }
}

void require_mask(const Array& mask) {
  if (mask.dtype().scalar() != Scalar::boolean)
    throw DTypeError("a mask is bool, not " + mask.dtype().name(), "compare: x[x > 0] = 0");
}

NodeRef copied(Node& node) {
  NodeRef copy = record_cast(node, node.dtype);
  compute(*copy, Cut::overlap);
  return copy;
}

/// Makes one kernel of value, mask and offset. If the kernel would be too large, computes mask and
/// offset first.
void keep_within_caps(const Write& what) {
  for (Node* node : {what.mask, what.offset}) {
    if (node == nullptr) continue;
    if (what.value.is_leaf() || node->is_leaf()) continue;
    if (what.value.steps + node->steps > Caps::steps ||
        what.value.leaves + node->leaves > Caps::leaves ||
        what.value.instructions + node->instructions > Caps::instructions)
      compute(*node, Cut::too_large);
  }
}

/// How many kernels store the elements, each to its part of the places. Stores in no order cost
/// little as long as the memory that they reach stays in the last cache: on an H200 two kernels
/// that store 2^24 floats take 0.35 ms, and one 0.77. Each kernel reads all offsets.
std::int64_t parts_of(const Write& what) {
  if (!is_lazy()) return 1;  // each operation of offsets_by_parts() would be a kernel
  constexpr std::int64_t most = 8;
  const device::DeviceInfo& info = what.target.context->device().info();
  const auto cached = static_cast<std::int64_t>(info.limits.l2_bytes * 2 / 3);
  const bool are_many = what.places > 0 && what.target.layout.size() >= what.places / 2;
  if (!are_many || cached == 0 || info.traits.schedule != Schedule::wide) return 1;
  constexpr unsigned own_steps = 8, own_leaves = 6;  // of offsets_by_parts()
  if (what.value.steps + own_steps > Caps::steps || what.value.leaves + own_leaves > Caps::leaves ||
      what.value.instructions + 2 * own_steps > Caps::instructions)
    return 1;
  const auto bytes = what.places * static_cast<std::int64_t>(what.target.dtype.size_bytes());
  const std::int64_t parts = (bytes + cached - 1) / cached;
  return parts <= most ? parts : 1;
}

/// For each of several kernels, the offsets of the elements that it stores; of others they are
/// negative. Empty: one kernel stores all, also because no memory is left for the offsets, which
/// are computed once.
std::vector<Array> offsets_by_parts(const Write& what) {
  std::vector<Array> made;
  const std::int64_t parts = parts_of(what);
  const NodeRef offset(what.offset);
  if (parts == 1 || !compute_before({&offset, 1})) return made;
  const Array all = Access::array(offset);
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t low = what.places * part / parts, high = what.places * (part + 1) / parts;
    made.push_back(where((all >= low) & (all < high), all, Operand(-1)));
  }
  return made;
}

/// Whether the value needs no memory of its own.
bool is_for_target_alone(const Write& what) {
  const Node &target = what.target, &value = what.value;
  return what.mask == nullptr && what.offset == nullptr &&
         (value.handles() == 0 || (what.is_value_done && value.parents == 0)) &&
         value.layout.same_shape(target.layout);
}

/// The same of the one result of a computation without an epilogue, which expects memory as
/// result_memory() would give it.
bool is_result_for_target_alone(const Write& what) {
  const Node &target = what.target, &value = what.value;
  const std::size_t size = target.dtype.size_bytes();
  return !value.is_leaf() && value.is_stage && value.next_result == nullptr &&
         is_for_target_alone(what) && value.dtype == target.dtype &&
         target.layout.offset_bytes() == 0 && target.layout.is_contiguous(size);
}

/// Lets a computation write its results directly into the target's memory. Returns false without
/// doing anything in two cases: the computation reads the target's memory, or an array stands for
/// the value and needs memory of its own.
bool write_results(const Write& what) {
  Node &target = what.target, &value = what.value;
  Context& context = *target.context;
  if (!is_for_target_alone(what)) return false;
  const StreamRef stream = context.stream(target.stream);
  for (;;) {
    std::unique_lock lock(context.mutex);
    if (computation_below(value) == nullptr || Context::reads(value, *target.storage)) return false;
    const NodeRef one(&value);
    ComputationFusion fusion(context, target.layout.shape(), std::span(&one, 1));
    fusion.add_output(target.storage.get(), target.layout, target.dtype);
    fusion.store(value);
    if (try_run(fusion, stream, lock)) return true;
  }
}

}  // namespace

void require_number_of(const Operand& value, Scalar target) {
  if (value.array() != nullptr || !value.type().is_weak()) return;
  const ScalarKind kind = value.number().kind();
  const std::string into = " for an array of " + DType(target).name();
  if (kind == ScalarKind::complex && target != Scalar::boolean &&
      DType(target).kind() != ScalarKind::complex)
    throw DTypeError("complex " + value.number().text() + " is no real number" + into,
                     "store its real part, or use an array of complex numbers");
  if (!DType(target).is_integer()) return;
  if (kind != ScalarKind::floating) return;
  const double number = std::trunc(value.number().as_double());
  if (std::isnan(number))
    throw InvalidArgument("cannot convert float NaN to integer" + into,
                          "store an integer, or use an array of floats");
  if (std::isinf(number))
    throw OverflowError("cannot convert float infinity to integer" + into,
                        "store an integer, or use an array of floats");
  const bool is_below = number < 0;
  constexpr double end = 0x1p64;
  const IntegerFit found =
      is_below
          ? (number < -end / 2 ? IntegerFit::below : fit(target, static_cast<std::int64_t>(number)))
          : (number >= end ? IntegerFit::above : fit(target, static_cast<std::uint64_t>(number)));
  if (found != IntegerFit::within) throw_overflow(target, found, value.number().text());
}

void require_writable(const Node& target) {
  if (target.is_leaf() && target.is_read_only)
    throw InvalidArgument("the array is read-only, by what it is a view of or how it was made",
                          "copy() gives one that can be changed");
  if (target.layout.may_repeat_elements(target.dtype.size_bytes()))
    throw InvalidArgument("several elements of this view of shape " +
                              shape_text(target.layout.shape()) + " are the same memory",
                          "copy() gives an array whose elements can be changed one by one");
}

NodeRef value_node(const Operand& value, const DType& target) {
  const DType own = value.array() != nullptr ? value.array()->dtype() : value.type().scalar();
  const bool has_records =
      own.scalar() == Scalar::structure || target.scalar() == Scalar::structure;
  if (has_records && !(own == target))
    throw DTypeError("a value of " + own.name() + " is not stored in an array of " + target.name(),
                     "records are not cast: assign to one of their fields");
  require_number_of(value, target.scalar());
  return node_of(value, target.scalar());
}

void write(const Write& what) {
  Node& target = what.target;
  Context& context = *target.context;
  Node* const all[] = {&what.value, what.mask, what.offset};
  for (const Node* node : all)
    if (node != nullptr && node->context != nullptr)
      require_one_context(what.what, context, *node->context);
  if (what.offset == nullptr) require_writable(target);
  require_shape(what.value.layout.shape(), target.layout.shape());
  if (what.mask != nullptr) require_shape(what.mask->layout.shape(), target.layout.shape());
  compute(target);
  const bool is_result = is_result_for_target_alone(what);
  compute_stages(context, all, is_result ? &what.value : nullptr);
  // Op::iota counts positions in the shape of its own array.
  for (Node* node : all)
    if (node != nullptr && node->is_positional && !node->layout.same_shape(target.layout))
      compute(*node, Cut::positions);
  keep_within_caps(what);
  keep_repeats(context, all);
  before_write(*target.storage);
  if (target.layout.size() == 0) return;
  const std::vector<Array> offsets = offsets_by_parts(what);
  std::span<const Array> parts = offsets;
  const WithoutHostLock released;
  const device::LeaveDeferred leave;  // computing the pending readers is done
  if (is_result || what.value.computations_within() != 0) {
    if (write_results(what)) return;
    compute(what.value, Cut::reduction);
  }
  for (Node* node : {what.mask, what.offset})
    if (node != nullptr && node->computations_within() != 0) compute(*node, Cut::reduction);
  // What each kernel would gather again is gathered once; without memory for it one kernel stores.
  const NodeRef value(&what.value);
  if (!parts.empty() && what.value.is_gathering && !compute_before({&value, 1})) parts = {};
  std::vector<NodeRef> conflicts;
  {
    const std::lock_guard lock(context.mutex);
    for (Node* node : all)
      if (node != nullptr) find_conflicts(*node, what, conflicts);
  }
  std::vector<NodeRef> copies;
  for (const NodeRef& leaf : conflicts) copies.push_back(copied(*leaf));
  const StreamRef stream = context.stream(target.stream);
  for (std::size_t part = 0; part < std::max<std::size_t>(parts.size(), 1);) {
    std::unique_lock lock(context.mutex);
    Fusion fusion(context, target.layout.shape());
    for (std::size_t i = 0; i < conflicts.size(); ++i) fusion.substitute(*conflicts[i], copies[i]);
    fusion.add_output(target.storage.get(), target.layout, target.dtype);
    fusion.store(what.value, what.mask);
    if (what.offset != nullptr)
      fusion.scatter(parts.empty() ? *what.offset : Access::node(parts[part]));
    if (try_run(fusion, stream, lock)) ++part;
  }
}

void store(std::string_view what, Node& value, Node& target, OutShape shape) {
  require_storable(what, value, target, shape);
  write({what, target, value, nullptr});
}

void before_write(Storage& storage) {
  // Memory that was adopted twice has two storages, and the other storage may have more readers.
  if (storage.pending.load(std::memory_order_acquire) == 0 && !storage.buffer.has_escaped())
      [[likely]]
    return;
  Context::of(storage.buffer.device()).compute_readers(storage);
}

void Storage::before_use(device::Stream& stream, device::MemoryUse use) {
  if (use == device::MemoryUse::writes) array::before_write(*this);
  const AnnouncedUse order(Context::of(stream.device()), *this, stream.shared_from_this(), use);
}

void Array::assign(const Operand& value) const {
  const NodeRef target(&node());
  const NodeRef source = value_node(value, target->dtype);
  write({"assign", *target, *source, nullptr});
}

void Array::assign_where(const Array& mask, const Operand& value) const {
  const NodeRef target(&node());
  require_mask(mask);
  const NodeRef source = value_node(value, target->dtype), where(&mask.node());
  write({"assign_where", *target, *source, where.get()});
}

Array& Array::update(Op op, const Operand& other) {
  for (;;) {
    const NodeRef target(&node());
    const Operand operands[] = {*this, other};
    NodeRef value = record(op, operands);
    require_storable(op_info(op).name, *value, *target, OutShape::same);
    // If only the caller holds a pending array, the result becomes a new node, and nothing is
    // overwritten.
    if (!target->is_leaf() && target->handles() == 1 && is_lazy()) {
      const bool reads_escaped = runs_at_once(*value);
      if (!(value->dtype == target->dtype)) value = record_cast(*value, target->dtype);
      // Recording may have computed operands, and other threads may have changed this array
      // meanwhile.
      if (node_ != target.get()) continue;
      auto [array, at_once] = recorded_array(std::move(value));
      *this = std::move(array);
      if (reads_escaped || at_once) compute(node(), Cut::escaped);
      return *this;
    }
    const Array shared = *this;  // a second handle stops other threads from replacing the node
    if (node_ != target.get()) continue;
    write({op_info(op).name, *target, *value, nullptr});
    return *this;
  }
}

void apply_into(const Array& out, Op op, std::span<const Operand> operands, const Array* mask) {
  if (mask != nullptr) require_mask(*mask);
  const NodeRef target(&Access::node(out));
  const std::optional<Array> compared = compared_records(op, operands);
  const NodeRef value =
      compared ? NodeRef(&Access::node(*compared)) : record(op, operands, target.get());
  const NodeRef where = mask != nullptr ? NodeRef(&Access::node(*mask)) : NodeRef();
  require_storable(op_info(op).name, *value, *target, OutShape::broadcast);
  if (mask != nullptr && !broadcasts_to(mask->shape(), out.shape()))
    throw ShapeError("a mask of shape " + shape_text(mask->shape()) +
                         " for a result in an array of shape " + shape_text(out.shape()),
                     "pass a mask that broadcasts to that shape");
  write({op_info(op).name, *target, *value, where.get()});
}

void write_into(const Array& out, const Array& result, OutShape shape) {
  const NodeRef target(&Access::node(out)), value(&Access::node(result));
  require_storable("the function", *value, *target, shape);
  write({.what = "the function",
         .target = *target,
         .value = *value,
         .mask = nullptr,
         .is_value_done = true});
}

}  // namespace treadle::array
