// SPDX-License-Identifier: MIT
#include "treadle/device/null.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "device/launch_check.hpp"
#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/c_parameters.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/host_wait.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/process/kept_memory.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::device {
namespace {

/// What happened, shared with streams and events so that a device's last stream may record too.
class Record {
 public:
  void add(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  /// A call that may be refused.
  void attempt(std::string call) {
    may_fail<DeviceError>(call);
    add(std::move(call));
  }
  /// Throws if it is this one's turn.
  template <class Refusal>
  void may_fail(const std::string& call) {
    if (++attempts_ != failing_) return;
    throw Refusal(DeviceFailure{.code = 3,
                                .code_name = "NULL_REFUSED",
                                .call = call,
                                .driver_text = "refused for a test",
                                .detail = "call " + std::to_string(failing_)});
  }
  std::size_t fail(std::size_t call) {
    failing_ = call;
    return attempts_.exchange(0);
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
  std::atomic<std::size_t> attempts_ = 0, failing_ = 0;
};

void call_guarded(const std::function<void()>& callback) noexcept {
  try {
    callback();
  } catch (const std::exception& error) {
    warn(std::string("a host callback of the null device: ") + error.what());
  }
}

std::byte* address(Location location) {
  return reinterpret_cast<std::byte*>(location.handle) + location.offset;
}

class NullEvent final : public Event {
 public:
  using Clock = std::chrono::steady_clock;
  NullEvent(std::shared_ptr<Device> device, Timing timing)
      : Event(std::move(device)), timing_(timing) {}

  void synchronize() override {
    wait_as_set(device(), [] { return true; }, [] {});
  }
  bool is_done() override { return true; }
  double elapsed_seconds(const Event& start) override {
    if (timing_ == Timing::off || static_cast<const NullEvent&>(start).timing_ == Timing::off)
      throw InvalidState("an event whose time was asked for takes none", "make it with Timing::on");
    const auto end_time = time_.load();
    const auto start_time = static_cast<const NullEvent&>(start).time_.load();
    if (end_time == Clock::time_point{} || start_time == Clock::time_point{})
      throw InvalidState("an event whose time was asked for was not recorded");
    return std::chrono::duration<double>(end_time - start_time).count();
  }
  void record() { time_ = Clock::now(); }

 private:
  Timing timing_;
  std::atomic<Clock::time_point> time_{Clock::time_point{}};
};

/// Everything is done at once: the host is the device.
class NullStream final : public Stream {
 public:
  NullStream(Device& device, std::uint64_t raw, std::shared_ptr<Record> record)
      : Stream(device, raw), record_(std::move(record)) {}

  bool is_done() override { return true; }

 private:
  void wait_until_done() override {
    wait_as_set(device(), [] { return true; }, [this] { record_->attempt("synchronize"); });
  }
  void queue_copy(const Copy& copy, const Order& order) override {
    using enum Copy::Direction;
    const bool from_host = copy.direction == to_device, to_host_memory = copy.direction == to_host;
    constexpr const char* names[] = {"copy_in ", "copy_out ", "copy ", "copy_to_peer ",
                                     "copy_from_peer "};
    const auto& [row_bytes, rows, slices] = copy.box;
    note(names[static_cast<std::size_t>(copy.direction)] +
             (copy.is_linear() ? std::to_string(row_bytes)
                               : std::to_string(row_bytes) + "x" + std::to_string(rows) + "x" +
                                     std::to_string(slices)),
         order);
    auto* const to =
        static_cast<std::byte*>(to_host_memory ? copy.host : address(copy.destination));
    const auto* const from = static_cast<std::byte*>(from_host ? copy.host : address(copy.source));
    for (std::size_t z = 0; z < slices; ++z)
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(
            to + z * copy.destination_pitch.slice_bytes + y * copy.destination_pitch.row_bytes,
            from + z * copy.source_pitch.slice_bytes + y * copy.source_pitch.row_bytes, row_bytes);
    finish(order);
  }
  void queue_fill(Location destination, std::span<const std::byte> pattern, std::size_t count,
                  const Order& order) override {
    note("fill " + std::to_string(pattern.size()) + " " + std::to_string(count), order);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(address(destination) + i * pattern.size(), pattern.data(), pattern.size());
    finish(order);
  }
  void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                    std::span<const Argument> arguments, const Order& order) override {
    note("launch " + kernel.name() + " " + extent_text(shape.groups) + " " +
             extent_text(shape.group_size) + " " + std::to_string(arguments.size()) +
             (shape.cooperative ? " cooperative" : ""),
         order);
    device().launches().note(kernel, shape);
    finish(order);
  }
  void queue_record(Event& event) override {
    record_->attempt("record");
    static_cast<NullEvent&>(event).record();
  }
  void queue_wait(const Event&) override { record_->attempt("wait"); }
  void queue_callback(std::function<void()> callback) override {
    record_->attempt("call_host");
    call_guarded(callback);
  }

  /// "... after 2", where it waits for events.
  void note(std::string call, const Order& order) {
    if (!order.after.empty()) call += " after " + std::to_string(order.after.size());
    record_->attempt(std::move(call));
  }
  static void finish(const Order& order) {
    if (order.done != nullptr) static_cast<NullEvent*>(order.done)->record();
  }

  std::shared_ptr<Record> record_;
};

struct NullKernel final : KernelState {
  unsigned resident_groups(unsigned group_items, std::size_t) const override {
    return device->info().limits.compute_unit_items / group_items;
  }
};

class NullModule final : public Module {
 public:
  NullModule(std::shared_ptr<Device> device, std::vector<KernelText> kernels)
      : Module(std::move(device)), kernels_(std::move(kernels)) {}

  Kernel kernel(std::string_view name) override {
    const auto found = std::ranges::find(kernels_, name, &KernelText::name);
    if (found == kernels_.end()) raise_unknown_kernel(name, kernel_names());
    auto state = std::make_shared<NullKernel>();
    state->device = device().shared_from_this();
    state->name = found->name;
    state->parameters = found->parameters;
    state->parameters_known = true;
    state->resources.max_group_items = device().info().limits.max_group_items;
    return Kernel(std::move(state));
  }
  std::vector<std::string> kernel_names() override {
    std::vector<std::string> names;
    for (const KernelText& kernel : kernels_) names.push_back(kernel.name);
    return names;
  }

 private:
  Global find_global(std::string_view name) override {
    throw InvalidArgument("the null device knows no variable \"" + std::string(name) + "\"");
  }

  std::vector<KernelText> kernels_;
};

DeviceInfo null_info(const NullOptions& options) {
  DeviceInfo info;
  info.id = "null";
  info.name = "Null device";
  info.runtime = "null";
  info.kind = DeviceKind::null;
  info.memory_bytes = options.memory_bytes;
  info.language = options.language;
  info.build_identity = {{"runtime", "null"}};
  const bool is_cuda = options.language == Language::cuda_c;
  info.limits.max_groups = {0x7FFFFFFF, 65535, 65535};
  info.limits.max_group_size = {1024, 1024, 64};
  info.limits.max_group_items = 1024;
  info.limits.local_memory_bytes = info.limits.opt_in_local_memory_bytes = 48 * 1024;
  info.limits.compute_unit_local_bytes = 48 * 1024;
  info.limits.compute_unit_registers = 65536;
  info.limits.compute_unit_items = 2048;
  info.limits.max_allocation_bytes = options.memory_bytes;
  info.limits.parameter_bytes = 4096;
  info.limits.allocation_alignment = 256;
  info.limits.least_priority = 0;
  info.limits.greatest_priority = -1;
  info.traits.sub_group_width = 32;
  info.traits.fp64 = info.traits.exact_division = info.traits.atomics_64 =
      info.traits.forward_progress = true;
  info.traits.unified_memory = true;
  info.traits.schedule = options.schedule;
  info.traits.builds_text = true;
  info.traits.shape_local_memory = is_cuda;
  info.traits.cooperative_launch = is_cuda;
  info.traits.kernel_occupancy = true;
  info.traits.runs_kernels = false;
  info.performance.compute_units = 1;
  return info;
}

/// All null devices wait for each other's events: everything is done at once.
const void* null_domain() {
  static const char domain = 0;
  return &domain;
}

class NullDevice final : public Device {
 public:
  explicit NullDevice(const NullOptions& options)
      : Device(null_info(options), options.is_adopted, null_domain()),
        record_(std::make_shared<Record>()) {}
  ~NullDevice() override { end(); }
  Record& record() const { return *record_; }

 private:
  static constexpr std::align_val_t alignment{256};
  static void release(Location location) { ::operator delete(address(location), alignment); }

  Allocated allocate_memory(MemoryKind kind, std::size_t size_bytes) override {
    std::string call = kind == MemoryKind::device ? "allocate " : "allocate_host ";
    call += std::to_string(size_bytes);
    record_->may_fail<OutOfMemory>(call);
    record_->add(std::move(call));
    void* const memory = with_kept_memory([&] { return new_memory(size_bytes); },
                                          [](const void* made) { return made == nullptr; });
    if (memory == nullptr) raise_exhausted(size_bytes);
    return {{reinterpret_cast<std::uint64_t>(memory), 0},
            kind == MemoryKind::page_locked ? static_cast<std::byte*>(memory) : nullptr};
  }
  void* new_memory(std::size_t size_bytes) {
    const std::lock_guard lock(mutex_);
    if (size_bytes > info().memory_bytes - used_bytes_) return nullptr;
    constexpr auto free = [](void* memory) { ::operator delete(memory, alignment); };
    std::unique_ptr<void, decltype(free)> memory(
        ::operator new(size_bytes, alignment, std::nothrow), free);
    if (memory == nullptr) return nullptr;
    sizes_[reinterpret_cast<std::uint64_t>(memory.get())] = size_bytes;
    used_bytes_ += size_bytes;
    return memory.release();
  }
  [[noreturn]] void raise_exhausted(std::size_t size_bytes) {
    std::string detail =
        "allocating " + std::to_string(size_bytes) + " bytes on the null device, of whose " +
        std::to_string(info().memory_bytes) + " " +
        std::to_string(info().memory_bytes - query_memory().free_bytes) + " are in use";
    add_kept_memory(detail);
    throw OutOfMemory(DeviceFailure{.code = 1,
                                    .code_name = "NULL_OUT_OF_MEMORY",
                                    .call = "allocate",
                                    .driver_text = "out of memory",
                                    .detail = std::move(detail)});
  }
  void free_memory(MemoryKind, Location location) override {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(location.handle);
    record_->add("free " + std::to_string(found->second));
    used_bytes_ -= found->second;
    sizes_.erase(found);
    release(location);
  }
  MemoryInfo query_memory() override {
    const std::lock_guard lock(mutex_);
    return {.free_bytes = info().memory_bytes - used_bytes_, .is_measured = true};
  }
  AddressInfo query_address(std::uint64_t address) override {
    const std::lock_guard lock(mutex_);
    auto after = sizes_.upper_bound(address);
    if (after == sizes_.begin()) return {};
    const auto& [handle, size_bytes] = *--after;
    if (address - handle >= size_bytes) return {};
    return {.kind = AddressInfo::Kind::device,
            .location = {handle, 0},
            .size_bytes = size_bytes,
            .offset = address - handle,
            .is_own = true};
  }
  std::unique_ptr<Stream> create_stream(const StreamSource& source) override {
    record_->may_fail<DeviceError>("make a stream");
    return std::make_unique<NullStream>(*this, source.raw, record_);
  }
  std::shared_ptr<Event> create_event(Timing timing, std::uint64_t) override {
    record_->may_fail<DeviceError>("make an event");
    return std::make_shared<NullEvent>(shared_from_this(), timing);
  }
  std::shared_ptr<Module> load_module(const ModuleImage& image) override {
    record_->attempt("load " + std::to_string(image.code.size()));
    const auto* text = reinterpret_cast<const char*>(image.code.data());
    std::vector<KernelText> kernels = kernels_in({text, image.code.size()});
    if (kernels.empty())
      throw DeviceError(DeviceFailure{.code = 2,
                                      .code_name = "NULL_INVALID_IMAGE",
                                      .call = "load",
                                      .driver_text = "no kernel in it",
                                      .detail = std::to_string(image.code.size()) + " bytes"});
    return std::make_shared<NullModule>(shared_from_this(), std::move(kernels));
  }
  BuildResult build_text(const BuildRequest& request) override {
    record_->attempt("build " + std::to_string(request.source.size()));
    BuildResult result;
    const auto* text = reinterpret_cast<const std::byte*>(request.source.data());
    if (request.wants_image) result.image.code.assign(text, text + request.source.size());
    std::vector<KernelText> kernels = kernels_in(request.source);
    if (kernels.empty())
      throw CompileError("the null device found no kernel in the text", "", request.source,
                         request.options, "write kernels out, without macros");
    result.module = std::make_shared<NullModule>(shared_from_this(), std::move(kernels));
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
  std::vector<std::shared_ptr<Device>> devices() override {
    static auto& mutex = *new std::mutex;  // never destroyed: static objects may look devices up
    static auto& known = *new std::weak_ptr<Device>;
    const std::lock_guard lock(mutex);
    auto device = known.lock();
    if (!device) known = device = make_null_device();
    return {device};
  }
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
std::size_t fail_null_call(Device& device, std::size_t call) {
  return record_of(device).fail(call);
}

}  // namespace treadle::device
