// SPDX-License-Identifier: MIT
// Which Device object stands for which context, and what the waist's objects are in the shell.
#include <map>
#include <mutex>
#include <utility>

#include "device/cuda/device.hpp"
#include "device/cuda/event.hpp"
#include "device/cuda/module.hpp"
#include "device/cuda/stream.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/stream.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/device/cuda.hpp"

namespace treadle::device {
namespace {

/// The Device objects that somebody holds.
struct Known {
  std::mutex mutex;
  std::map<std::pair<const cuda::Table*, int>, std::weak_ptr<CudaDevice>> native;
  std::map<const cuda::ContextState*, std::weak_ptr<CudaDevice>> adopted;
};
Known& known() {
  static auto& all = *new Known;  // never destroyed: static objects may look devices up
  return all;
}

template <class Key>
void forget_expired(std::map<Key, std::weak_ptr<CudaDevice>>& devices) {
  std::erase_if(devices, [](const auto& entry) { return entry.second.expired(); });
}

/// The one that works in the primary context. A live one keeps its driver's table, so equal
/// addresses mean the same table.
std::shared_ptr<CudaDevice> native_device(const cuda::Device& device) {
  const std::pair<const cuda::Table*, int> key(&device.driver().table(), device.raw());
  const auto find = [&]() -> std::shared_ptr<CudaDevice> {
    const auto found = known().native.find(key);
    auto live = found != known().native.end() ? found->second.lock() : nullptr;
    return live && !live->is_lost() ? live : nullptr;
  };
  {
    const std::lock_guard lock(known().mutex);
    if (auto live = find()) return live;
  }
  auto fresh = std::make_shared<CudaDevice>(device);  // asks the driver, so without the lock
  const std::lock_guard lock(known().mutex);
  if (auto live = find()) return live;
  forget_expired(known().native);
  known().native[key] = fresh;
  return fresh;
}

std::shared_ptr<CudaDevice> adopted_device(const cuda::Context& context) {
  const auto find = [&]() -> std::shared_ptr<CudaDevice> {
    const auto found = known().adopted.find(context.state());
    return found != known().adopted.end() ? found->second.lock() : nullptr;
  };
  {
    const std::lock_guard lock(known().mutex);
    if (auto live = find()) return live;
  }
  auto fresh = std::make_shared<CudaDevice>(context.device(), context);
  const std::lock_guard lock(known().mutex);
  if (auto live = find()) return live;
  forget_expired(known().adopted);
  known().adopted[context.state()] = fresh;
  return fresh;
}

std::shared_ptr<CudaDevice> find_device_of(const cuda::Context& context) {
  if (context.is_primary()) {
    auto native = native_device(context.device());
    if (native->context() == context) return native;
  }
  return adopted_device(context);
}

/// What this thread asked for last. A live Device keeps its context's state, so equal addresses
/// mean the same context.
struct Last {
  const cuda::ContextState* state = nullptr;
  std::weak_ptr<Device> device;
  Device* raw = nullptr;
};
Last& last_found() {
  static thread_local Last last;
  return last;
}

class CudaDriver final : public Driver {
 public:
  explicit CudaDriver(const cuda::Driver& driver)
      : Driver(driver.provider() == cuda::Provider::cpu ? "cpu" : "cuda"), driver_(driver) {}

  std::vector<std::shared_ptr<Device>> devices() override {
    std::vector<std::shared_ptr<Device>> all;
    for (const cuda::Device& device : driver_.devices()) all.push_back(native_device(device));
    return all;
  }

 private:
  cuda::Driver driver_;
};

}  // namespace

std::shared_ptr<Driver> cuda_driver(const cuda::Driver& driver) {
  return std::make_shared<CudaDriver>(driver);
}
std::shared_ptr<Driver> nvidia_driver() { return cuda_driver(cuda::Driver::nvidia()); }
std::shared_ptr<Driver> cpu_driver() { return cuda_driver(cuda::Driver::cpu()); }

std::shared_ptr<Device> device_of(const cuda::Context& context) {
  Last& last = last_found();
  if (context.state() == last.state && context.is_valid()) [[likely]]
    if (auto device = last.device.lock()) [[likely]]
      return device;
  if (!context.is_valid())
    throw InvalidState("the context whose device was asked for was detached, or is none",
                       "ask for the device of a live context");
  std::shared_ptr<Device> device = find_device_of(context);
  last = {context.state(), device, device.get()};
  return device;
}

std::shared_ptr<Device> in_new_context(Device& device) {
  const cuda::Context* const context = cuda_context(device);
  if (context == nullptr) return nullptr;
  return device_of(cuda::Context::create(context->device()));
}

Device* last_device_of(const cuda::Context& context) noexcept {
  const Last& last = last_found();
  const bool is_it = context.state() == last.state && context.is_valid() && !last.device.expired();
  return is_it ? last.raw : nullptr;
}

std::shared_ptr<Device> device_of_address(const cuda::Driver& driver, std::uint64_t address) {
  if (address == 0) return nullptr;
  driver.initialize();
  const cuda::Table& cu = driver.table();
  const auto ask = [&]<class T>(T& answer, CUpointer_attribute name) {
    return cu.cuPointerGetAttribute(&answer, name, address) == CUDA_SUCCESS;
  };
  CUcontext owner = nullptr;
  if (ask(owner, CU_POINTER_ATTRIBUTE_CONTEXT) && owner != nullptr)
    return device_of(cuda::Context::wrap(driver, owner));
  // Memory of the driver's pools belongs to a device, and to no context of it.
  int ordinal = -1;
  if (ask(ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) && ordinal >= 0)
    return native_device(driver.device(ordinal));
  return nullptr;
}

std::shared_ptr<Stream> stream_of(const cuda::Stream& stream) {
  if (stream.raw() == nullptr)
    throw InvalidState("the stream was moved from", "use the one it went to");
  return device_of(stream.context())->adopt_stream(reinterpret_cast<std::uint64_t>(stream.raw()));
}

std::shared_ptr<Event> event_of(const cuda::Event& event) {
  return device_of(event.context())->adopt_event(reinterpret_cast<std::uint64_t>(event.raw()));
}

const cuda::Context* cuda_context(Device& device) {
  auto* cuda = dynamic_cast<CudaDevice*>(&device);
  return cuda != nullptr ? &cuda->context() : nullptr;
}
const cuda::Stream* cuda_stream(const Stream& stream) noexcept {
  const auto* cuda = dynamic_cast<const CudaStream*>(&stream);
  return cuda != nullptr ? cuda->shell() : nullptr;
}
std::uint64_t cuda_event(const Event& event) noexcept {
  const auto* cuda = dynamic_cast<const CudaEvent*>(&event);
  return cuda != nullptr ? reinterpret_cast<std::uint64_t>(cuda->raw()) : 0;
}
const cuda::Module* cuda_module(const Module& module) noexcept {
  const auto* cuda = dynamic_cast<const CudaModule*>(&module);
  return cuda != nullptr ? &cuda->shell() : nullptr;
}
const cuda::Function* cuda_function(const Kernel& kernel) noexcept {
  const bool is_cuda = dynamic_cast<const CudaDevice*>(&kernel.device()) != nullptr;
  return is_cuda ? &function_of(kernel) : nullptr;
}

}  // namespace treadle::device
