// SPDX-License-Identifier: MIT
#include "treadle/opencl/context.hpp"

#include <deque>
#include <mutex>
#include <utility>

#include "opencl/callback.hpp"
#include "opencl/large_stacks.hpp"
#include "opencl/query.hpp"
#include "treadle/opencl/queue.hpp"

namespace treadle::opencl {
namespace {

/// A context's notifier where the platform can reach it. It never goes away, only what it holds
/// does: a platform may call as long as any object of the context lives.
struct NotifierSlot {
  std::mutex mutex;
  ContextNotifier notifier;
};

NotifierSlot* new_slot(ContextNotifier notifier) {
  static std::mutex guard;
  static auto& slots = *new std::deque<NotifierSlot>;
  const std::lock_guard lock(guard);
  NotifierSlot& slot = slots.emplace_back();
  slot.notifier = std::move(notifier);
  return &slot;
}

void CL_CALLBACK notify(const char* text, const void* info, std::size_t size, void* user) {
  auto& slot = *static_cast<NotifierSlot*>(user);
  ContextNotifier notifier;
  {
    const std::lock_guard lock(slot.mutex);
    notifier = slot.notifier;
  }
  // Without the lock: the function may end the context's last copy.
  if (notifier)
    call_safely("an OpenCL context's notifier", notifier,
                std::string_view(text != nullptr ? text : ""),
                std::span(static_cast<const std::byte*>(info), info != nullptr ? size : 0));
}

void CL_CALLBACK call_at_end(RawContext, void* user) {
  const std::unique_ptr<std::function<void()>> callback(static_cast<std::function<void()>*>(user));
  call_safely("a callback for the end of an OpenCL context", *callback);
}

}  // namespace

class ContextState {
 public:
  ContextState(std::vector<Device> devices, std::span<const std::intptr_t> properties,
               ContextNotifier notifier)
      : devices_(std::move(devices)),
        slot_(notifier ? new_slot(std::move(notifier)) : nullptr),
        handle_(create(properties)) {}
  ContextState(Handle<RawContext> handle, std::vector<Device> devices)
      : devices_(std::move(devices)), handle_(std::move(handle)) {}
  ContextState(const ContextState&) = delete;
  ContextState& operator=(const ContextState&) = delete;
  ~ContextState() {
    if (slot_ == nullptr) return;
    const std::lock_guard lock(slot_->mutex);
    slot_->notifier = nullptr;
  }

  const std::vector<Device>& devices() const noexcept { return devices_; }
  const Handle<RawContext>& handle() const noexcept { return handle_; }

 private:
  Handle<RawContext> create(std::span<const std::intptr_t> properties) const {
    const auto& table = devices_.front().shared_table();
    std::vector<cl_context_properties> list(properties.begin(), properties.end());
    if (!list.empty()) list.push_back(0);
    std::vector<RawDevice> raws;
    for (const Device& device : devices_) raws.push_back(device.raw());
    cl_int code = CL_SUCCESS;
    const LargeStacks stacks;
    const RawContext raw = table->clCreateContext(
        list.empty() ? nullptr : list.data(), static_cast<cl_uint>(raws.size()), raws.data(),
        slot_ != nullptr ? &notify : nullptr, slot_, &code);
    check(*table, code, "clCreateContext", [&] {
      return "for " + std::to_string(raws.size()) + " device(s), the first " +
             devices_.front().name();
    });
    return {table, raw, Ownership::adopt};
  }

  std::vector<Device> devices_;
  NotifierSlot* slot_ = nullptr;
  Handle<RawContext> handle_;
};

Context::Context(std::span<const Device> devices, std::span<const std::intptr_t> properties,
                 ContextNotifier notifier) {
  if (devices.empty())
    throw InvalidArgument(
        "a context needs at least one device, and the list of devices is empty: "
        "Loader::system().platforms().front().devices() gives some");
  for (const Device& device : devices)
    if (device.table().platform != devices.front().table().platform)
      throw InvalidArgument("a context cannot join devices of several platforms: " +
                                devices.front().name() + " and " + device.name(),
                            "make one context for each platform");
  state_ = std::make_shared<const ContextState>(std::vector(devices.begin(), devices.end()),
                                                properties, std::move(notifier));
}

Context::Context(std::shared_ptr<const Table> table, RawContext raw, Ownership ownership) {
  Handle<RawContext> owned(table, raw, ownership);  // released if a question below fails
  const auto listed =
      ask_bytes(*table, "clGetContextInfo", "devices",
                [&](std::size_t size, void* data, std::size_t* size_out) {
                  return table->clGetContextInfo(raw, CL_CONTEXT_DEVICES, size, data, size_out);
                });
  const auto raws = std::get<std::vector<RawDevice>>(decode(InfoKind::devices, listed));
  if (table->platform == nullptr && !raws.empty())
    table = Device(table, raws.front(), Ownership::retain).platform().shared_table();
  std::vector<Device> devices;
  for (RawDevice device : raws) devices.emplace_back(table, device, Ownership::retain);
  owned.detach();
  state_ = std::make_shared<const ContextState>(Handle<RawContext>(table, raw, Ownership::adopt),
                                                std::move(devices));
}

InfoValue Context::info(ContextInfo parameter) const {
  return query_object(table(), "clGetContextInfo", table().clGetContextInfo, raw(), parameter);
}

const std::vector<Device>& Context::devices() const {
  if (state_ == nullptr) raise_empty();
  return state_->devices();
}

Platform Context::platform() const { return devices().front().platform(); }

void Context::set_default_device_queue(const Device& device, const Queue& queue) const {
  check(table(), table().clSetDefaultDeviceCommandQueue(raw(), device.raw(), queue.raw()),
        "clSetDefaultDeviceCommandQueue", [&] { return "on " + device.name(); });
}

void Context::on_destruction(std::function<void()> callback) const {
  auto owned = std::make_unique<std::function<void()>>(std::move(callback));
  check(table(), table().clSetContextDestructorCallback(raw(), &call_at_end, owned.get()),
        "clSetContextDestructorCallback");
  static_cast<void>(owned.release());  // call_at_end owns it now
}

void Context::terminate() const {
  check(table(), table().clTerminateContextKHR(raw()), "clTerminateContextKHR");
}

RawContext Context::raw() const {
  if (state_ == nullptr) raise_empty();
  return state_->handle().raw();
}

const std::shared_ptr<const Table>& Context::shared_table() const {
  if (state_ == nullptr) raise_empty();
  return state_->handle().shared_table();
}

bool Context::operator==(const Context& other) const noexcept {
  if (state_ == nullptr || other.state_ == nullptr) return state_ == other.state_;
  return state_->handle() == other.state_->handle();
}

}  // namespace treadle::opencl
