// SPDX-License-Identifier: MIT
#include "treadle/opencl/queue.hpp"

#include <utility>
#include <vector>

#include "opencl/ordering.hpp"
#include "opencl/property_list.hpp"
#include "opencl/query.hpp"
#include "opencl/svm_users.hpp"

namespace treadle::opencl {
namespace {

std::string creating(const Device& device) { return "creating a queue on " + device.name(); }

// PoCL ends the process if it is asked for a queue on the device, which it has not.
void check_on_device(const Context& context, const Device& device, std::uint64_t bits) {
  if ((bits & CL_QUEUE_ON_DEVICE) == 0) return;
  try {
    if (device.get<DeviceInfo::queue_on_device_properties>() != 0) return;
  } catch (const DeviceError&) {  // it does not know the question
  }
  raise(context.table(), CL_INVALID_QUEUE_PROPERTIES, "clCreateCommandQueueWithProperties",
        creating(device) + ": it has no queues on the device; leave ON_DEVICE out");
}

Handle<RawQueue> create_with_list(const Context& context, const Device& device,
                                  const std::vector<cl_queue_properties>& list) {
  const Table& cl = context.table();
  cl_int code = CL_SUCCESS;
  const RawQueue raw =
      cl.clCreateCommandQueueWithProperties(context.raw(), device.raw(), list.data(), &code);
  check(cl, code, "clCreateCommandQueueWithProperties", [&] { return creating(device); });
  return {context.shared_table(), raw, Ownership::adopt};
}

Handle<RawQueue> create(const Context& context, const Device& device,
                        CommandQueueProperties properties) {
  const Table& cl = context.table();
  const auto bits = static_cast<cl_command_queue_properties>(properties);
  check_on_device(context, device, bits);
  if (is_present(cl.clCreateCommandQueueWithProperties))
    return create_with_list(context, device, {CL_QUEUE_PROPERTIES, bits, 0});
  cl_int code = CL_SUCCESS;
  const RawQueue raw = cl.clCreateCommandQueue(context.raw(), device.raw(), bits, &code);
  check(cl, code, "clCreateCommandQueue", [&] { return creating(device); });
  return {context.shared_table(), raw, Ownership::adopt};
}

template <class Raw>
Raw ask_object(const Handle<RawQueue>& queue, cl_uint parameter) {
  return ask_value<Raw>(queue.table(), "clGetCommandQueueInfo", queue.table().clGetCommandQueueInfo,
                        queue.raw(), parameter);
}

}  // namespace

Queue::Queue(Context context, Device device, Handle<RawQueue> handle)
    : state_(new State{std::move(context), std::move(device), std::move(handle)},
             [](const State* state) {
               note_svm_queue_end(state->context, state->handle);
               delete state;
             }) {}

Queue::Queue(const Context& context, const Device& device, CommandQueueProperties properties)
    : Queue(context, device, create(context, device, properties)) {}

Queue::Queue(const Context& context, CommandQueueProperties properties)
    : Queue(context, context.devices().front(), properties) {}

Queue Queue::with_properties(const Context& context, const Device& device,
                             std::span<const std::uint64_t> properties) {
  const std::vector<cl_queue_properties> list =
      ended_pairs(properties, "clCreateCommandQueueWithProperties");
  for (std::size_t i = 0; i + 1 < list.size() && list[i] != 0; i += 2)
    if (list[i] == CL_QUEUE_PROPERTIES) check_on_device(context, device, list[i + 1]);
  return {context, device, create_with_list(context, device, list)};
}

namespace {

struct Parts {
  Context context;
  Device device;
  Handle<RawQueue> handle;
};

Parts parts_of(std::shared_ptr<const Table> table, RawQueue raw, Ownership ownership) {
  Handle<RawQueue> owned(table, raw, ownership);
  Context context(table, ask_object<RawContext>(owned, CL_QUEUE_CONTEXT), Ownership::retain);
  Device device(context.shared_table(), ask_object<RawDevice>(owned, CL_QUEUE_DEVICE),
                Ownership::retain);
  Handle<RawQueue> handle(context.shared_table(), owned.detach(), Ownership::adopt);
  return {std::move(context), std::move(device), std::move(handle)};
}

}  // namespace

Queue::Queue(std::shared_ptr<const Table> table, RawQueue raw, Ownership ownership)
    : Queue([&] {
        Parts parts = parts_of(std::move(table), raw, ownership);
        return Queue(std::move(parts.context), std::move(parts.device), std::move(parts.handle));
      }()) {}

InfoValue Queue::info(CommandQueueInfo parameter) const {
  return query_object(table(), "clGetCommandQueueInfo", table().clGetCommandQueueInfo, raw(),
                      parameter);
}

CommandQueueProperties Queue::properties() const {
  return static_cast<CommandQueueProperties>(get<CommandQueueInfo::properties>());
}

void Queue::flush() const { check(table(), table().clFlush(raw()), "clFlush"); }
void Queue::finish() const { check(table(), table().clFinish(raw()), "clFinish"); }

namespace {

/// Before OpenCL 1.2 markers and barriers have no wait list: commands behind the first call start
/// after the events. Then the marker, which alone has an event.
Event mark_in_steps(const Queue& queue, const Order& order, bool is_barrier) {
  const Table& cl = queue.table();
  Ordering o(order);
  if (o.count() > 0)
    check(cl, cl.clEnqueueWaitForEvents(queue.raw(), o.count(), o.list()),
          "clEnqueueWaitForEvents");
  else if (is_barrier)
    check(cl, cl.clEnqueueBarrier(queue.raw()), "clEnqueueBarrier");
  // Without a place for its event the call is refused.
  RawEvent event = nullptr;
  check(cl, cl.clEnqueueMarker(queue.raw(), &event), "clEnqueueMarker");
  Event done(queue.shared_table(), event, Ownership::adopt);
  if (order.without_event) return {};
  return done;
}

}  // namespace

Event Queue::marker(const Order& order) const {
  if (!is_present(table().clEnqueueMarkerWithWaitList)) return mark_in_steps(*this, order, false);
  Ordering o(order);
  check(table(), table().clEnqueueMarkerWithWaitList(raw(), o.count(), o.list(), o.event()),
        "clEnqueueMarkerWithWaitList");
  return o.take(*this);
}

Event Queue::barrier(const Order& order) const {
  if (!is_present(table().clEnqueueBarrierWithWaitList)) return mark_in_steps(*this, order, true);
  Ordering o(order);
  check(table(), table().clEnqueueBarrierWithWaitList(raw(), o.count(), o.list(), o.event()),
        "clEnqueueBarrierWithWaitList");
  return o.take(*this);
}

}  // namespace treadle::opencl
