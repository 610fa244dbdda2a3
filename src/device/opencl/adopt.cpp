// SPDX-License-Identifier: MIT
// From OpenCL's objects to those of the waist, and back.
#include "treadle/device/opencl.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "device/opencl/device.hpp"
#include "device/opencl/module.hpp"
#include "device/opencl/stream.hpp"
#include "treadle/base/error.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::device {
namespace {

using Pair = std::pair<opencl::RawContext, opencl::RawDevice>;

/// The Device objects that somebody holds.
struct Known {
  std::mutex mutex;
  std::map<std::pair<const opencl::Table*, opencl::RawDevice>, std::weak_ptr<Device>> natives;
  // A live one keeps its context, so equal handles mean the same context.
  std::map<Pair, std::weak_ptr<Device>> of_contexts;
};
Known& known() {
  static auto& all = *new Known;  // never destroyed: static objects may keep devices
  return all;
}

/// One native Device for each device of each table. A live one keeps its table, so equal addresses
/// mean the same table.
std::shared_ptr<Device> native_device(const opencl::Device& device, std::string id) {
  auto& [mutex, natives, of_contexts] = known();
  const std::lock_guard lock(mutex);
  auto& slot = natives[{&device.table(), device.raw()}];
  if (auto live = slot.lock()) return live;
  auto made = std::make_shared<OpenclDevice>(device, opencl_info(device, std::move(id)));
  slot = made;
  return made;
}

/// Whether the context has the device. PoCL lists the whole device for a context of parts of it,
/// so a part of a listed device counts: OpenCL itself refuses a queue on one that is not there.
bool has(const opencl::Context& context, const opencl::Device& device) {
  const auto& devices = context.devices();
  const auto lists = [&](opencl::RawDevice raw) {
    return std::ranges::find(devices, raw, &opencl::Device::raw) != devices.end();
  };
  if (lists(device.raw())) return true;
  try {
    auto whole = device.get<opencl::DeviceInfo::parent_device>();
    while (whole != nullptr && !lists(whole))
      whole = opencl::Device(context.shared_table(), whole, opencl::Ownership::retain)
                  .get<opencl::DeviceInfo::parent_device>();
    return whole != nullptr;
  } catch (const DeviceError&) {
    return false;  // a platform of OpenCL 1.1 has no parts
  }
}

std::shared_ptr<Device> make_adopted(const opencl::Context& context, const opencl::Device& device) {
  if (!has(context, device))
    throw InvalidArgument(
        "the device is none of the " + std::to_string(context.devices().size()) + " of the context",
        "Context::devices() lists them");
  return std::make_shared<OpenclDevice>(context, device, opencl_info(device));
}

std::shared_ptr<Device> find_or_adopt(const opencl::Context& context,
                                      const opencl::Device& device) {
  const Pair pair{context.raw(), device.raw()};
  auto& [mutex, natives, devices] = known();
  const std::lock_guard lock(mutex);
  if (const auto found = devices.find(pair); found != devices.end())
    if (auto live = found->second.lock()) return live;
  std::erase_if(devices, [](const auto& entry) { return entry.second.expired(); });
  auto made = make_adopted(context, device);
  devices[pair] = made;
  return made;
}

/// What this thread asked for last.
struct Last {
  Pair pair = {};
  std::weak_ptr<Device> device;
  Device* raw = nullptr;
};
Last& last_found() {
  static thread_local Last last;
  return last;
}

class OpenclDriver final : public Driver {
 public:
  explicit OpenclDriver(const opencl::Loader& loader) : Driver("opencl"), loader_(loader) {}

  std::vector<std::shared_ptr<Device>> devices() override {
    std::vector<std::shared_ptr<Device>> all;
    const auto platforms = loader_.platforms();
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      try {
        const auto devices = platforms[p].devices();
        for (std::size_t d = 0; d < devices.size(); ++d)
          all.push_back(
              native_device(devices[d], "opencl:" + std::to_string(p) + ":" + std::to_string(d)));
      } catch (const Error& error) {
        warn("OpenCL platform " + std::to_string(p) + " is passed over: " + error.message());
      }
    }
    return all;
  }

 private:
  opencl::Loader loader_;
};

}  // namespace

std::shared_ptr<Driver> opencl_driver(const opencl::Loader& loader) {
  return std::make_shared<OpenclDriver>(loader);
}
std::shared_ptr<Driver> opencl_driver() { return opencl_driver(opencl::Loader::system()); }

void remember(opencl::RawContext context, opencl::RawDevice device, std::weak_ptr<Device> native) {
  auto& [mutex, natives, devices] = known();
  const std::lock_guard lock(mutex);
  devices[{context, device}] = std::move(native);
}

std::shared_ptr<Device> device_of(const opencl::Context& context, const opencl::Device& device) {
  Last& last = last_found();
  const Pair pair{context.raw(), device.raw()};
  if (last.pair == pair) [[likely]]
    if (auto live = last.device.lock()) return live;
  auto found = find_or_adopt(context, device);
  last = {pair, found, found.get()};
  return found;
}

Device* last_device_of(const opencl::Context& context, const opencl::Device& device) noexcept {
  const Last& last = last_found();
  const bool is_it = last.pair == Pair{context.raw(), device.raw()} && !last.device.expired();
  return is_it ? last.raw : nullptr;
}

std::shared_ptr<Stream> stream_of(const opencl::Queue& queue) {
  return device_of(queue.context(), queue.device())
      ->adopt_stream(reinterpret_cast<std::uint64_t>(queue.raw()));
}

std::shared_ptr<Event> event_of(Device& device, const opencl::Event& event) {
  if (opencl_cast(device) == nullptr)
    throw InvalidArgument(device.info().id + " is no device of OpenCL");
  return device.adopt_event(reinterpret_cast<std::uint64_t>(event.raw()));
}

// ---- what the waist's objects wrap

const opencl::Device* opencl_device(const Device& device) noexcept {
  const auto* own = opencl_cast(device);
  return own != nullptr ? &own->shell() : nullptr;
}
const opencl::Context* opencl_context(Device& device) {
  auto* own = dynamic_cast<OpenclDevice*>(&device);
  return own != nullptr ? &own->context() : nullptr;
}
const opencl::Queue* opencl_queue(const Stream& stream) noexcept {
  const auto* own = dynamic_cast<const OpenclStream*>(&stream);
  if (own == nullptr) return nullptr;
  own->share();
  return &own->shell();
}
const opencl::Program* opencl_program(const Module& module) noexcept {
  const auto* own = dynamic_cast<const OpenclModule*>(&module);
  return own != nullptr ? &own->shell() : nullptr;
}
const opencl::Kernel* opencl_kernel(const Kernel& kernel) noexcept {
  return opencl_cast(kernel.device()) != nullptr ? &shell_of(kernel) : nullptr;
}
opencl::Event opencl_event(const Event& event) {
  const auto* own = dynamic_cast<const OpenclEvent*>(&event);
  if (own == nullptr)
    throw InvalidArgument("an event of " + event.device().info().id + " is none of OpenCL");
  return own->recorded();
}
opencl::Buffer opencl_buffer(const Device& device, Location location) {
  const auto* own = opencl_cast(device);
  if (own == nullptr) throw InvalidArgument(device.info().id + " is no device of OpenCL");
  return own->memory_at(location).buffer;
}

}  // namespace treadle::device
