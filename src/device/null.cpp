// SPDX-License-Identifier: MIT
#include "treadle/device/null.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "device/c_parameters.hpp"
#include "device/launch_check.hpp"
#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {
namespace {

/// What happened, shared with streams and events so that a device's last stream may record too.
class Record {
 public:
  void add(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  std::vector<std::string> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    calls_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> calls_;
};

std::byte* address(Location location) {
  return reinterpret_cast<std::byte*>(location.handle) + location.offset;
}

class NullEvent final : public Event {
 public:
  using Clock = std::chrono::steady_clock;
  explicit NullEvent(std::shared_ptr<Device> device) : Event(std::move(device)) {}

  void synchronize() override {}
  bool is_done() override { return true; }
  double elapsed_seconds(const Event& start) override {
    const auto end_time = time_.load();
    const auto start_time = static_cast<const NullEvent&>(start).time_.load();
    if (end_time == Clock::time_point{} || start_time == Clock::time_point{})
      throw InvalidState("an event whose time was asked for was not recorded");
    return std::chrono::duration<double>(end_time - start_time).count();
  }
  void record() { time_ = Clock::now(); }

 private:
  std::atomic<Clock::time_point> time_{Clock::time_point{}};
};

/// Everything is done at once: the host is the device.
class NullStream final : public Stream {
 public:
  NullStream(Device& device, std::shared_ptr<Record> record)
      : Stream(device), record_(std::move(record)) {}

  void synchronize() override { record_->add("synchronize"); }
  bool is_done() override { return true; }

 private:
  void queue_copy(const Copy& copy) override {
    const bool from_host = copy.direction == Copy::Direction::to_device;
    const bool to_host = copy.direction == Copy::Direction::to_host;
    constexpr const char* names[] = {"copy_in ", "copy_out ", "copy "};
    record_->add(names[static_cast<std::size_t>(copy.direction)] + std::to_string(copy.size_bytes));
    std::memcpy(to_host ? copy.host : address(copy.destination),
                from_host ? copy.host : address(copy.source), copy.size_bytes);
  }
  void queue_fill(Location destination, std::span<const std::byte> pattern,
                  std::size_t count) override {
    record_->add("fill " + std::to_string(pattern.size()) + " " + std::to_string(count));
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(address(destination) + i * pattern.size(), pattern.data(), pattern.size());
  }
  void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                    std::span<const Argument> arguments) override {
    record_->add("launch " + kernel.name() + " " + extent_text(shape.groups) + " " +
                 extent_text(shape.group_size) + " " + std::to_string(arguments.size()) +
                 (shape.cooperative ? " cooperative" : ""));
    device().launches().note(kernel, shape);
  }
  void queue_record(Event& event) override {
    record_->add("record");
    static_cast<NullEvent&>(event).record();
  }
  void queue_wait(const Event&) override { record_->add("wait"); }

  std::shared_ptr<Record> record_;
};

class NullModule final : public Module {
 public:
  NullModule(std::shared_ptr<Device> device, const std::vector<std::byte>& code)
      : Module(std::move(device)),
        kernels_(kernels_in({reinterpret_cast<const char*>(code.data()), code.size()})) {}

  Kernel kernel(std::string_view name) override {
    const auto found = std::ranges::find(kernels_, name, &KernelText::name);
    if (found == kernels_.end()) raise_unknown_kernel(name, kernel_names());
    auto state = std::make_shared<KernelState>();
    state->device = device().shared_from_this();
    state->name = found->name;
    state->parameters = found->parameters;
    state->parameters_known = true;
    state->max_group_items = device().info().max_group_items;
    return Kernel(std::move(state));
  }
  std::vector<std::string> kernel_names() override {
    std::vector<std::string> names;
    for (const KernelText& kernel : kernels_) names.push_back(kernel.name);
    return names;
  }

 private:
  std::vector<KernelText> kernels_;
};

DeviceInfo null_info(const NullOptions& options) {
  DeviceInfo info;
  info.id = "null";
  info.name = "Null device";
  info.runtime = "null";
  info.kind = DeviceKind::null;
  info.memory_bytes = options.memory_bytes;
  info.max_groups = {0x7FFFFFFF, 65535, 65535};
  info.max_group_size = {1024, 1024, 64};
  info.max_group_items = 1024;
  info.local_memory_bytes = 48 * 1024;
  info.compute_units = 1;
  info.allocation_alignment = 256;
  info.language = options.language;
  info.builds_text = true;
  info.build_identity = {{"runtime", "null"}};
  info.has_shape_local_memory = options.language == Language::cuda_c;
  info.has_cooperative_launch = options.language == Language::cuda_c;
  info.runs_kernels = false;
  return info;
}

class NullDevice final : public Device {
 public:
  explicit NullDevice(const NullOptions& options)
      : Device(null_info(options)), record_(std::make_shared<Record>()) {}
  ~NullDevice() override {
    for (const auto& [handle, bytes] : sizes_) release({handle, 0});
  }
  Record& record() const { return *record_; }

 private:
  static constexpr std::align_val_t alignment{256};
  static void release(Location location) { ::operator delete(address(location), alignment); }

  Location allocate_memory(std::size_t size_bytes) override {
    record_->add("allocate " + std::to_string(size_bytes));
    const std::lock_guard lock(mutex_);
    void* memory =
        used_bytes_ + size_bytes <= info().memory_bytes && size_bytes <= info().memory_bytes
            ? ::operator new(size_bytes, alignment, std::nothrow)
            : nullptr;
    if (memory == nullptr)
      throw OutOfMemory(DeviceFailure{.code = 1,
                                      .code_name = "NULL_OUT_OF_MEMORY",
                                      .call = "allocate",
                                      .driver_text = "out of memory",
                                      .detail = "allocating " + std::to_string(size_bytes) +
                                                " bytes on the null device, of whose " +
                                                std::to_string(info().memory_bytes) + " " +
                                                std::to_string(used_bytes_) + " are in use"});
    const auto handle = reinterpret_cast<std::uint64_t>(memory);
    sizes_[handle] = size_bytes;
    used_bytes_ += size_bytes;
    return {handle, 0};
  }
  void free_memory(Location location) override {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(location.handle);
    record_->add("free " + std::to_string(found->second));
    used_bytes_ -= found->second;
    sizes_.erase(found);
    release(location);
  }
  std::unique_ptr<Stream> create_stream() override {
    return std::make_unique<NullStream>(*this, record_);
  }
  std::shared_ptr<Event> create_event() override {
    return std::make_shared<NullEvent>(shared_from_this());
  }
  std::shared_ptr<Module> load_module(const ModuleImage& image) override {
    record_->add("load " + std::to_string(image.code.size()));
    const auto* text = reinterpret_cast<const char*>(image.code.data());
    if (kernels_in({text, image.code.size()}).empty())
      throw DeviceError(DeviceFailure{.code = 2,
                                      .code_name = "NULL_INVALID_IMAGE",
                                      .call = "load",
                                      .driver_text = "no kernel in it",
                                      .detail = std::to_string(image.code.size()) + " bytes"});
    return std::make_shared<NullModule>(shared_from_this(), image.code);
  }
  BuildResult build_text(const BuildRequest& request) override {
    record_->add("build " + std::to_string(request.source.size()));
    BuildResult result;
    const auto* text = reinterpret_cast<const std::byte*>(request.source.data());
    result.image.code.assign(text, text + request.source.size());
    if (kernels_in(request.source).empty())
      throw CompileError("the null device found no kernel in the text", "", request.source,
                         request.options, "write kernels out, without macros");
    result.module = std::make_shared<NullModule>(shared_from_this(), result.image.code);
    return result;
  }

  std::shared_ptr<Record> record_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t used_bytes_ = 0;
  std::map<std::uint64_t, std::size_t> sizes_;
};

class NullDriver final : public Driver {
 public:
  NullDriver() : Driver("null") {}
  std::vector<std::shared_ptr<Device>> devices() override { return {make_null_device()}; }
};

Record& record_of(const Device& device) {
  const auto* null = dynamic_cast<const NullDevice*>(&device);
  if (null == nullptr) throw InvalidArgument(device.info().id + " is no null device");
  return null->record();
}

}  // namespace

std::shared_ptr<Driver> null_driver() { return std::make_shared<NullDriver>(); }

std::shared_ptr<Device> make_null_device(const NullOptions& options) {
  return std::make_shared<NullDevice>(options);
}

std::vector<std::string> null_calls(const Device& device) { return record_of(device).calls(); }
void clear_null_calls(Device& device) { record_of(device).clear(); }

}  // namespace treadle::device
