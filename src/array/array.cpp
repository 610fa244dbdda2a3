// SPDX-License-Identifier: MIT
#include "treadle/array/array.hpp"

#include <algorithm>

#include "array/access.hpp"
#include "array/bfloat16.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "array/structures.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/transfer.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/host_wait.hpp"

namespace treadle::array {

std::pair<Array, bool> recorded_array(NodeRef node) {
  // After become_handle() another thread may compute the node, and the node then drops its
  // operands. Code that learns an operand's address before that does not find the node.
  const Context& context = *node->context;
  const std::uint32_t escapes = context.escapes();
  const bool at_once = runs_at_once(*node);
  Array array = Access::array(std::move(node));
  return {std::move(array), at_once || escapes != context.escapes()};
}

Array finished(NodeRef node) {
  auto made = recorded_array(std::move(node));
  if (made.second) compute(Access::node(made.first), is_lazy() ? Cut::escaped : Cut::eager);
  return std::move(made.first);
}

Operand Operand::weak(Number number) noexcept {
  switch (number.kind()) {
    case ScalarKind::boolean:
      return {number, OperandType(Scalar::boolean)};
    case ScalarKind::floating:
      return {number, OperandType(Weak::floating)};
    case ScalarKind::complex:
      return {number, OperandType(Weak::complex)};
    default:
      return {number, OperandType(Weak::integer)};
  }
}

OperandType Operand::type() const {
  if (array_ == nullptr) return type_;
  const DType& dtype = array_->dtype();
  if (dtype.scalar() == Scalar::structure)
    throw DTypeError("records of " + dtype.name() + " are no numbers to compute with",
                     is_bfloat16(dtype) ? "cast it to float32" : "compute with one of its fields");
  return dtype.scalar();
}

Array::Array(Node* node) noexcept : node_(node) { node_->become_handle(); }

Array::Array(const Array& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->add_handle();
}

Array::~Array() {
  if (node_ != nullptr) node_->remove_handle();
}

Node& Array::node() const {
  if (node_ == nullptr)
    throw InvalidState("there is no array", "it was made by Array(), or moved from");
  return *node_;
}

Array Array::from(const void* values, const Shape& shape, const DType& dtype,
                  const Placement& placement) {
  const Array made = empty(shape, dtype, placement);
  if (made.size() != 0) {
    const Node& leaf = Access::node(made);
    const WithoutHostLock released;
    const device::LeaveDeferred leave;  // new memory
    order(leaf.stream, leaf.stream);    // the pool may hand out memory that this queue still uses
    device::store(*leaf.stream, leaf.storage->buffer, values,
                  static_cast<std::size_t>(made.size_bytes()));
  }
  return made;
}

Array Array::view_of(memory::Buffer buffer, const Layout& layout, const DType& dtype,
                     const Placement& placement) {
  const auto [low, high] = layout.byte_range(dtype.size_bytes());
  if (low < high && (low < 0 || high > static_cast<std::int64_t>(buffer.size_bytes())))
    throw InvalidArgument("the array reaches from byte " + std::to_string(low) + " to " +
                          std::to_string(high) + " of a buffer of " +
                          std::to_string(buffer.size_bytes()) + " bytes");
  std::shared_ptr<device::Stream> stream = placement.stream;
  if (stream == nullptr) stream = Context::of(buffer.device()).stream({});
  if (!placement.is_unshared) (void)buffer.location();
  auto storage = Ref<Storage>::adopt(new Storage(std::move(buffer), stream));
  NodeRef leaf = make_leaf(std::move(storage), layout, dtype);
  leaf->is_read_only = placement.is_read_only;
  return Access::array(std::move(leaf));
}

const Layout& Array::layout() const { return node().layout; }
const DType& Array::dtype() const { return node().dtype; }
std::int64_t Array::size_bytes() const {
  return size() * static_cast<std::int64_t>(dtype().size_bytes());
}
device::Device& Array::device() const { return node().context->device(); }
std::shared_ptr<device::Stream> Array::stream() const {
  Node& own = node();
  if (!own.is_leaf()) return own.stream;
  const std::lock_guard lock(own.context->mutex);
  return own.storage->stream();
}
bool Array::is_pending() const { return !node().is_leaf(); }
bool Array::is_scalar() const { return node().is_scalar; }
bool Array::is_writable() const {
  const Node& own = node();
  return !own.is_leaf() ||
         (!own.is_read_only && !own.layout.may_repeat_elements(own.dtype.size_bytes()));
}

bool Array::is_shared() const {
  const Node& own = node();
  return own.references() > 1 || (own.is_leaf() && own.storage->owners() > 1);
}

std::uint64_t Array::writes() const { return computed(*this)->storage->writes(); }

memory::Buffer Array::buffer() const { return computed(*this)->storage->buffer; }

std::pair<device::Location, device::WatchedMemory*> Array::for_launch() const {
  const NodeRef own = computed(*this);
  return {own->storage->first_element(own->layout), own->storage.get()};
}

memory::Buffer Array::buffer(const StreamRef& stream) const {
  const NodeRef own = computed(*this);
  before_write(*own->storage);  // the caller may write to it
  const AnnouncedUse write(*own->context, *own->storage, stream, device::MemoryUse::writes);
  return own->storage->buffer;
}

device::Location Array::location() const {
  const NodeRef own = computed(*this);
  return own->storage->buffer.location() + static_cast<std::uint64_t>(own->layout.offset_bytes());
}

void Array::require_host(const DType& wanted, std::size_t count) const {
  if (!(wanted == dtype()))
    throw DTypeError("an array of " + dtype().name() + " is not read as " + wanted.name(),
                     "cast(x, dtype) converts the elements");
  if (count < static_cast<std::size_t>(size()))
    throw ShapeError("the host range has " + std::to_string(count) + " elements, the array " +
                     std::to_string(size()));
}

void Array::get(void* values) const {
  const Array shared = *this;  // another thread may give `this` another node
  const NodeRef own = computed(shared);
  const StreamRef stream = own->context->stream(own->stream);
  const WithoutHostLock released;
  const device::LeaveDeferred leave;  // other expressions may wait
  fetch(shared, values, stream, [&] { stream->synchronize(); });
}

void Array::set(const void* values) const {
  const Array shared = *this;
  const StreamRef stream = node().context->stream({});
  const WithoutHostLock released;
  device::wait_before_copy(*stream);
  copy_in(shared, values, stream);
  const device::LeaveDeferred leave;  // other expressions may wait
  const device::WaitToTheEnd nothing_else_is_queued;
  stream->synchronize();
}

Number Array::item() const {
  if (size() != 1)
    throw ShapeError("an array of shape " + shape_text(shape()) + " is not one number",
                     "index it first: x[{i}].item()");
  if (dtype().scalar() == Scalar::structure)
    throw DTypeError("a record of " + dtype().name() + " is not one number");
  ElementBytes bytes = {};
  get(bytes.data());
  return Number::stored(dtype().scalar(), bytes.data());
}

void Array::require_row(std::size_t expected, std::size_t found) {
  if (found != expected)
    throw ShapeError(
        "a row of " + std::to_string(found) + " numbers beside rows of " + std::to_string(expected),
        "give each row as many numbers");
}

Array Array::at(List<Index> index) const {
  const Layout view = layout().indexed(index);
  const NodeRef own = computed(*this);
  return Access::array(make_view(*own, view, own->dtype));
}

Array Array::viewed(const Layout& view, const DType& dtype) const {
  const NodeRef own = computed(*this);
  const auto [low, high] = view.byte_range(dtype.size_bytes());
  const auto size_bytes = static_cast<std::int64_t>(own->storage->buffer.size_bytes());
  if (low < high && (low < 0 || high > size_bytes))
    throw InvalidArgument("the view reaches from byte " + std::to_string(low) + " to " +
                          std::to_string(high) + " of a buffer of " + std::to_string(size_bytes) +
                          " bytes");
  return Access::array(make_view(*own, view, dtype));
}

Array Array::read_only() const {
  const NodeRef own = computed(*this);
  NodeRef view = make_view(*own, own->layout, own->dtype);
  view->is_read_only = true;
  return Access::array(std::move(view));
}

Array apply(Op op, std::span<const Operand> operands) {
  if (op_info(op).rule == OpRule::compare)
    if (std::optional<Array> compared = compared_records(op, operands)) return *std::move(compared);
  return finished(record(op, operands));
}

Array cast(const Array& x, const DType& dtype) {
  Node& node = Access::node(x);
  if (node.dtype == dtype) return copy(x);
  if (is_bfloat16(node.dtype)) return cast(from_bfloat16(x), dtype);
  if (is_bfloat16(dtype)) return to_bfloat16(cast(x, Scalar::float32));
  if (dtype.scalar() == Scalar::structure || node.dtype.scalar() == Scalar::structure)
    throw DTypeError("a cast from " + node.dtype.name() + " to " + dtype.name(),
                     "records are not cast");
  return finished(record_cast(node, dtype.scalar()));
}

Array element(const Array& x) {
  if (x.rank() != 0)
    throw ShapeError("element() of an array of shape " + shape_text(x.shape()),
                     "x.at() with an index for each axis has no axes");
  return finished(record_element(Access::node(x)));
}

Array dense_copy(const Array& x) {
  NodeRef node = record_cast(Access::node(x), x.dtype());
  node->layout = Layout::contiguous(x.shape(), x.dtype().size_bytes());
  Array result = Access::array(std::move(node));
  compute(Access::node(result));
  return result;
}

Array copy(const Array& x) {
  Array result = Access::array(record_cast(Access::node(x), x.dtype()));
  compute(Access::node(result));
  return result;
}

bool may_share_memory(const Array& x, const Array& y) {
  const Node &a = Access::node(x), &b = Access::node(y);
  if (&a == &b) return x.size() > 0;
  if (a.context != b.context || !a.is_leaf() || !b.is_leaf()) return false;
  const auto distance = a.storage->distance_to(*b.storage);
  if (!distance) return false;
  const Layout other(b.layout.shape(), b.layout.strides(), b.layout.offset_bytes() + *distance);
  return overlap(a.layout, a.dtype.size_bytes(), other, b.dtype.size_bytes()) != Overlap::none;
}

}  // namespace treadle::array
