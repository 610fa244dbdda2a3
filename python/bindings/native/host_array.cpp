// SPDX-License-Identifier: MIT
#include "native/host_array.hpp"

#include <string>
#include <utility>

#include "left_uses.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"

namespace treadle::bindings {

using device::Order;
using device::Stream;

HostArray::HostArray(nb::handle object, Access access) {
  const int flags = PyBUF_STRIDES | (access == Access::write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nb::python_error();
  try {
    if (view_.len != 0 && PyBuffer_IsContiguous(&view_, 'A') == 0) join_dimensions();
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

void HostArray::join_dimensions() {
  row_bytes_ = static_cast<std::size_t>(view_.itemsize);
  for (int i = view_.ndim; i-- > 0;) {
    const auto count = static_cast<std::size_t>(view_.shape[i]);
    if (count == 1) continue;
    if (view_.strides[i] < 0)
      throw InvalidArgument("the array of the host has a stride of " +
                                std::to_string(view_.strides[i]) + " bytes in dimension " +
                                std::to_string(i),
                            "numpy.ascontiguousarray() gives one that can be copied");
    const auto stride = static_cast<std::size_t>(view_.strides[i]);
    if (levels_.empty() && stride == row_bytes_)
      row_bytes_ *= count;
    else if (!levels_.empty() && stride == levels_.front().stride * levels_.front().count)
      levels_.front().count *= count;
    else
      levels_.insert(levels_.begin(), {count, stride});
  }
}

std::vector<HostArray::Part> HostArray::parts() const {
  std::vector<Part> all;
  auto* const host = static_cast<std::byte*>(view_.buf);
  if (size_bytes() == 0) return all;
  if (is_contiguous())
    all.push_back({0, host, {}, {}, {.row_bytes = size_bytes()}});
  else
    add_parts(all, 0, 0, host);
  return all;
}

void HostArray::add_parts(std::vector<Part>& parts, std::size_t level, std::size_t offset,
                          std::byte* host) const {
  const std::span<const Level> left = std::span(levels_).subspan(level);
  const Level rows = left.back();
  const std::size_t slice_bytes = row_bytes_ * rows.count;
  // Interleaved slices, such as those of a transposed matrix, are separate copies.
  const bool is_box =
      left.size() == 1 ||
      (left.size() == 2 && left.front().stride >= row_bytes_ + (rows.count - 1) * rows.stride);
  if (is_box) {
    const Level slices = left.size() == 2 ? left.front() : Level{1, 0};
    return parts.push_back({offset,
                            host,
                            {row_bytes_, slice_bytes},
                            {rows.stride, slices.stride},
                            {row_bytes_, rows.count, slices.count}});
  }
  std::size_t inner_bytes = row_bytes_;
  for (const Level& inner : left.subspan(1)) inner_bytes *= inner.count;
  for (std::size_t i = 0; i < left.front().count; ++i)
    add_parts(parts, level + 1, offset + i * inner_bytes, host + i * left.front().stride);
}

// ---- memory of copies that nobody waits for

namespace {

/// Keeps `what` until `after` is done. If the context's work has failed, is_done() throws, and
/// queued copies may still run. They are over when the Device, and with it the context, is gone.
/// Without an event, `what` is also kept until then.
void keep_for(Stream& stream, std::shared_ptr<void> what, std::shared_ptr<device::Event> after) {
  keep_left_use(
      [after = std::move(after), device = stream.device().weak_from_this()]() mutable {
        if (after == nullptr) return device.expired();
        try {
          return after->is_done();
        } catch (const Error&) {
          after.reset();
          return device.expired();
        }
      },
      std::move(what));
}

}  // namespace

void keep_until_past(Stream& stream, std::shared_ptr<void> what) {
  std::shared_ptr<device::Event> after;
  try {
    after = stream.device().make_event(device::Timing::off);
    stream.record(*after);
  } catch (const Error&) {
    after.reset();  // the context has failed meanwhile
  }
  keep_for(stream, std::move(what), std::move(after));
}

std::shared_ptr<void> end_in_order(std::shared_ptr<void> owner, std::shared_ptr<Stream> stream) {
  void* const place = owner.get();
  auto end = [owner = std::move(owner), device = stream->device().shared_from_this(),
              stream](void*) mutable {
    if (Py_IsInitialized() == 0) {  // the interpreter's objects are gone
      new std::shared_ptr<void>(std::move(owner));
      return;
    }
    const nb::gil_scoped_acquire gil;
    bool is_done = true;
    try {
      is_done = stream->is_done();
    } catch (const Error&) {
      // The work has failed, and so is over.
    }
    if (!is_done) keep_until_past(*stream, owner);
    owner.reset();
  };
  return {place, std::move(end)};
}

bool is_filled_at_once(device::Device& device, const void* host) {
  using Kind = device::AddressInfo::Kind;
  return device::cuda_context(device) != nullptr &&
         device.address_info(reinterpret_cast<std::uintptr_t>(host)).kind == Kind::unknown;
}

HostCopy::HostCopy(nb::handle host, HostArray::Access access)
    : host_((release_left_uses(), std::make_unique<HostArray>(host, access))), access_(access) {}

void HostCopy::queue(Stream& stream, const memory::Buffer& memory, const Order& order) {
  if (host_->size_bytes() > memory.size_bytes())
    throw InvalidArgument("the array of the host has " + std::to_string(host_->size_bytes()) +
                          " bytes, the buffer only " + std::to_string(memory.size_bytes()));
  try {
    const nb::gil_scoped_release released;  // a driver copies memory that is not page-locked
    queue_parts(stream, memory, order);
  } catch (const DeviceError&) {
    // A part of the work may be queued even if a later part, such as the event's record, was
    // refused.
    keep_for(stream, std::move(host_), nullptr);
    throw;
  }
}

void HostCopy::queue_parts(Stream& stream, const memory::Buffer& memory, const Order& order) {
  const std::vector<HostArray::Part> parts = host_->parts();
  const bool is_in = access_ == HostArray::Access::read;
  // There is nothing to copy, but the order must hold.
  if (parts.empty())
    return is_in ? stream.copy_in(memory, nullptr, 0, order)
                 : stream.copy_out(nullptr, memory, 0, order);
  for (const HostArray::Part& part : parts) {
    Order own;
    if (&part == &parts.front()) own.after = order.after;
    if (&part == &parts.back()) own.done = order.done;
    const device::Location place = device::Location(memory) + part.offset;
    if (is_in)
      stream.copy_in(place, part.device_pitch, part.host, part.host_pitch, part.box, own);
    else
      stream.copy_out(part.host, part.host_pitch, place, part.device_pitch, part.box, own);
  }
}

void HostCopy::keep(Stream& stream) {
  if (host_->size_bytes() != 0) keep_until_past(stream, std::move(host_));
}

}  // namespace treadle::bindings
