// SPDX-License-Identifier: MIT
#include "treadle/array/transfer.hpp"

#include <optional>
#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"

namespace treadle::array {
namespace {

void require_own_stream(const Node& node, const StreamRef& stream) {
  if (&stream->device() != &node.context->device())
    throw InvalidArgument("a stream of " + stream->device().info().id + " for an array of " +
                              node.context->device().info().id,
                          "pass one of the array's device");
}

/// Whether the elements fill all bytes from the first to the last element, in any order of axes.
bool is_dense(const Layout& layout, std::size_t item_bytes) {
  const auto [begin, end] = layout.byte_range(item_bytes);
  return end - begin == layout.size() * static_cast<std::int64_t>(item_bytes) &&
         !layout.may_repeat_elements(item_bytes);
}

/// Calls `read(announced use, first, size_bytes)` with the elements dense and in C's order. Does
/// not call `read` for an array of no elements.
template <class Read>
void with_elements(const Array& x, const StreamRef& stream, Read&& read) {
  Node& own = Access::node(x);
  require_own_stream(own, stream);
  compute(own);
  if (own.layout.size() == 0) return;
  if (!own.layout.is_contiguous(own.dtype.size_bytes()))
    return with_elements(dense_copy(x), stream, read);
  std::optional<AnnouncedUse> use(std::in_place, *own.context, *own.storage, stream,
                                  device::MemoryUse::reads);
  read(use, own.storage->first_element(own.layout), static_cast<std::size_t>(x.size_bytes()));
}

}  // namespace

Array to_device(const Array& x, const Placement& placement) {
  const StreamRef stream = stream_of(placement);
  Node& own = Access::node(x);
  if (&own.context->device() == &stream->device()) return x;
  compute(own);
  const std::size_t item_bytes = own.dtype.size_bytes();
  if (!is_dense(own.layout, item_bytes)) return to_device(copy(x), placement);
  const ByteRange range = own.layout.byte_range(item_bytes);
  const Layout layout(own.layout.shape(), own.layout.strides(),
                      own.layout.offset_bytes() - range.begin);
  Ref<Storage> storage = Storage::dense(stream, layout, own.dtype);
  if (range.begin != range.end) {
    const StreamRef source = own.context->stream(own.stream);
    const AnnouncedUse read(*own.context, *own.storage, source, device::MemoryUse::reads);
    order(source, stream);
    const device::LeaveDeferred leave;  // new memory
    order(stream, stream);              // the pool may hand out memory that this queue still uses
    const device::Location begin = own.storage->buffer;
    stream->copy_from_peer(storage->buffer, own.context->device(),
                           begin + static_cast<std::uint64_t>(range.begin),
                           static_cast<std::size_t>(range.end - range.begin));
    order(stream, source);
  }
  return Access::array(make_leaf(std::move(storage), layout, own.dtype));
}

void copy_out(const Array& x, void* values, const StreamRef& stream) {
  with_elements(x, stream, [&](auto&, device::Location first, std::size_t size_bytes) {
    stream->copy_out(values, first, size_bytes);
  });
}

void fetch(const Array& x, void* values, const StreamRef& stream,
           const std::function<void()>& wait) {
  with_elements(x, stream, [&](auto& use, device::Location first, std::size_t size_bytes) {
    stream->fetch(values, first, size_bytes, [&] {
      use.reset();  // the copy is queued: others may queue writes now
      wait();
    });
  });
}

void copy_in(const Array& x, const void* values, const StreamRef& stream) {
  Node& own = Access::node(x);
  require_own_stream(own, stream);
  compute(own);
  require_writable(own);
  if (own.layout.size() == 0) return;
  if (!own.layout.is_contiguous(own.dtype.size_bytes())) {
    const Array staged = empty(shape_of(x), own.dtype, {.stream = stream});
    copy_in(staged, values, stream);
    const device::StreamScope scope(stream);
    return x.assign(staged);
  }
  before_write(*own.storage);
  const AnnouncedUse write(*own.context, *own.storage, stream, device::MemoryUse::writes);
  const device::LeaveDeferred leave;  // computing the pending readers is done
  stream->copy_in(own.storage->first_element(own.layout), values,
                  static_cast<std::size_t>(x.size_bytes()));
}

}  // namespace treadle::array
