// SPDX-License-Identifier: MIT
#include "treadle/device/opencl.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "device/argument_room.hpp"
#include "device/c_parameters.hpp"
#include "device/kernel_list.hpp"
#include "device/launch_check.hpp"
#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/settings.hpp"
#include "treadle/base/warning.hpp"
#include "treadle/opencl/context.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/error.hpp"
#include "treadle/opencl/event.hpp"
#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/program_binary.hpp"
#include "treadle/opencl/queue.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::device {
namespace {

using opencl::RawMemory;

RawMemory raw_memory(Location location) { return reinterpret_cast<RawMemory>(location.handle); }

DeviceKind kind_of(opencl::DeviceType type) {
  if ((type & opencl::DeviceType::gpu) != opencl::DeviceType{}) return DeviceKind::gpu;
  if ((type & opencl::DeviceType::cpu) != opencl::DeviceType{}) return DeviceKind::cpu;
  return DeviceKind::accelerator;
}

DeviceInfo info_of(const opencl::Device& device, std::string id) {
  using enum opencl::DeviceInfo;
  DeviceInfo info;
  info.id = std::move(id);
  info.name = device.name();
  info.runtime = device.platform().get<opencl::PlatformInfo::version>();
  info.kind = kind_of(device.type());
  info.memory_bytes = device.total_memory();
  constexpr unsigned many = 0x7FFFFFFF;  // OpenCL sets no limit
  info.max_groups = {many, many, many};
  std::array<unsigned, 3> sizes = {1, 1, 1};
  const auto allowed = device.get<max_work_item_sizes>();
  for (std::size_t i = 0; i < std::min(sizes.size(), allowed.size()); ++i)
    sizes[i] = static_cast<unsigned>(std::min<std::uint64_t>(allowed[i], many));
  info.max_group_size = {sizes[0], sizes[1], sizes[2]};
  info.max_group_items = static_cast<unsigned>(device.get<max_work_group_size>());
  info.local_memory_bytes = device.get<local_mem_size>();
  info.compute_units = static_cast<unsigned>(device.get<max_compute_units>());
  // OpenCL tells bits. The one rule is for where allocations start and where parts of one may.
  info.allocation_alignment = std::max<std::size_t>(device.get<mem_base_addr_align>() / 8, 1);
  info.offset_alignment = info.allocation_alignment;
  info.language = Language::opencl_c;
  info.builds_text = true;
  info.build_identity = opencl::binary_identity(device);
  info.has_shape_local_memory = false;
  return info;
}

class OpenclEvent final : public Event {
 public:
  explicit OpenclEvent(std::shared_ptr<Device> device) : Event(std::move(device)) {}

  void synchronize() override {
    if (const opencl::Event event = recorded()) naming_launches(device(), [&] { event.wait(); });
  }
  bool is_done() override {
    const opencl::Event event = recorded();
    return !event || naming_launches(device(), [&] { return event.is_done(); });
  }

  void set(opencl::Event event) {
    const std::lock_guard lock(mutex_);
    std::swap(event_, event);
  }
  opencl::Event recorded() const {
    const std::lock_guard lock(mutex_);
    return event_;
  }

 private:
  static std::uint64_t end_time(const opencl::Event& event) {
    if (!event || !event.is_done())
      throw InvalidState(
          std::string("an event whose time was asked for is not ") + (event ? "done" : "recorded"),
          "synchronize() it first");
    return event.profiling(opencl::ProfilingInfo::end);
  }
  double elapsed_seconds(const Event& start) override {
    const std::uint64_t to = end_time(recorded());
    const std::uint64_t from = end_time(static_cast<const OpenclEvent&>(start).recorded());
    return 1e-9 * static_cast<double>(static_cast<std::int64_t>(to - from));
  }

  mutable std::mutex mutex_;  // guards event_, never held while waiting
  opencl::Event event_;
};

/// An opencl::ArgumentView for each argument of a launch, and what they point to.
class ArgumentList {
 public:
  ArgumentList(const Device& device, std::span<const Argument> arguments)
      : list_(arguments.size()), memory_(arguments.size()), count_(arguments.size()) {
    std::size_t i = 0;
    for (const Argument& argument : arguments) {
      list_[i] = convert(device, argument, memory_[i]);
      ++i;
    }
  }
  std::span<const opencl::ArgumentView> get() const noexcept { return {list_.get(), count_}; }

 private:
  using Kind = opencl::ArgumentView::Kind;

  opencl::ArgumentView convert(const Device& device, const Argument& argument, RawMemory& memory) {
    if (argument.kind() == Argument::Kind::value)
      return {is_number(argument) ? Kind::value : Kind::bytes, argument.size_bytes(),
              argument.data()};
    if (argument.kind() == Argument::Kind::local)
      return {Kind::local, argument.size_bytes(), nullptr};
    memory = raw_memory(argument.location());
    if (argument.location().offset != 0) [[unlikely]]
      memory = part(device, argument.location());
    return {Kind::bytes, sizeof memory, &memory};
  }
  static bool is_number(const Argument& argument) noexcept {
    return argument.value_kind() == ParameterKind::integer ||
           argument.value_kind() == ParameterKind::floating;
  }
  /// OpenCL has no pointer into a buffer: a place inside one is passed as a part of it. The command
  /// keeps the part until it has run.
  RawMemory part(const Device& device, Location location) {
    const opencl::Buffer whole = opencl_buffer(device, location);
    parts_.push_back(whole.sub_buffer(location.offset, whole.size_bytes() - location.offset));
    return parts_.back().raw();
  }

  ArgumentRoom<opencl::ArgumentView> list_;
  ArgumentRoom<RawMemory> memory_;
  std::size_t count_;
  std::vector<opencl::Buffer> parts_;
};

struct OpenclKernel final : KernelState {
  explicit OpenclKernel(opencl::Kernel shell) : kernel(std::move(shell)) {}
  opencl::Kernel kernel;
};

const opencl::Kernel& shell_of(const Kernel& kernel) noexcept {
  return static_cast<const OpenclKernel&>(kernel.state()).kernel;
}

// Not in braces: those would be a list of four sizes.
opencl::WorkSize global_size(const LaunchShape& shape, unsigned dimensions) {
  const Extent &groups = shape.groups, &size = shape.group_size;
  return opencl::WorkSize(dimensions, std::size_t{groups.x} * size.x,
                          std::size_t{groups.y} * size.y, std::size_t{groups.z} * size.z);
}
opencl::WorkSize local_size(const LaunchShape& shape, unsigned dimensions) {
  const Extent& size = shape.group_size;
  return opencl::WorkSize(dimensions, size.x, size.y, size.z);
}
unsigned dimensions_of(const LaunchShape& shape) {
  if (shape.groups.z != 1 || shape.group_size.z != 1) return 3;
  return shape.groups.y != 1 || shape.group_size.y != 1 ? 2 : 1;
}

class OpenclStream final : public Stream {
 public:
  OpenclStream(Device& device, const opencl::Context& context, const opencl::Device& shell)
      : Stream(device),
        queue_(context, shell, opencl::CommandQueueProperties::profiling_enable),
        waits_after_launch_(settings().sync) {}

  void synchronize() override {
    const opencl::Event seen = marker();
    has_unmarked_ = false;
    try {
      naming_launches(device(), [&] { queue_.finish(); });
    } catch (...) {
      has_unmarked_ = true;  // ask again
      throw;
    }
    forget(seen);
  }

  bool is_done() override {
    const opencl::Event last = mark();
    if (!last) return true;
    if (!naming_launches(device(), [&] { return last.is_done(); })) return false;
    forget(last);
    return true;
  }

  const opencl::Queue& shell() const noexcept { return queue_; }

 private:
  static constexpr auto no_wait = opencl::Blocking::no;
  static opencl::Order no_event() { return {.after = {}, .without_event = true}; }

  opencl::Event marker() {
    const std::lock_guard lock(mutex_);
    return marker_;
  }
  /// One marker for all questions about the same work; none if all of it is known to be done.
  opencl::Event mark() {
    const std::lock_guard lock(mutex_);
    if (!has_unmarked_.exchange(false)) return marker_;
    try {
      marker_ = queue_.marker();
      queue_.flush();
    } catch (...) {
      has_unmarked_ = true;
      throw;
    }
    return marker_;
  }
  void forget(const opencl::Event& done) {
    const std::lock_guard lock(mutex_);
    if (marker_ == done) marker_ = {};
  }
  /// After a command, so that a marker that is made meanwhile is not taken for one behind it. A
  /// plain store: counting would cost a launch more than all its checks.
  void note_work() noexcept { has_unmarked_.store(true, std::memory_order_release); }

  void queue_copy(const Copy& copy) override {
    queue_one(copy);
    note_work();
  }

  void queue_one(const Copy& copy) {
    const std::span<std::byte> host(static_cast<std::byte*>(copy.host),
                                    copy.host == nullptr ? 0 : copy.size_bytes);
    switch (copy.direction) {
      case Copy::Direction::to_device:
        opencl::write(queue_, buffer(copy.destination), host, copy.destination.offset, no_event(),
                      no_wait);
        return;
      case Copy::Direction::to_host:
        opencl::read(queue_, buffer(copy.source), host, copy.source.offset, no_event(), no_wait);
        return;
      case Copy::Direction::on_device:
        opencl::copy(queue_, buffer(copy.source), buffer(copy.destination),
                     {.size_bytes = copy.size_bytes,
                      .from_offset = copy.source.offset,
                      .to_offset = copy.destination.offset},
                     no_event());
        return;
    }
  }

  void queue_fill(Location destination, std::span<const std::byte> pattern,
                  std::size_t count) override {
    opencl::fill(queue_, buffer(destination), pattern, destination.offset, count * pattern.size(),
                 no_event());
    note_work();
  }

  void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                    std::span<const Argument> arguments) override {
    const ArgumentList list(device(), arguments);
    const unsigned dimensions = dimensions_of(shape);
    shell_of(kernel).launch_list({.queue = queue_,
                                  .global = global_size(shape, dimensions),
                                  .local = local_size(shape, dimensions),
                                  .order = no_event()},
                                 list.get());
    note_work();
    device().launches().note(kernel, shape);
    if (waits_after_launch_) [[unlikely]]
      naming_launch(kernel, shape, [&] { queue_.finish(); });
  }

  void queue_record(Event& event) override {
    static_cast<OpenclEvent&>(event).set(queue_.marker());
    // Another queue may wait for it, and would wait for ever for what was never handed over.
    queue_.flush();
  }

  void queue_wait(const Event& event) override {
    const opencl::Event recorded = static_cast<const OpenclEvent&>(event).recorded();
    if (!recorded) return;
    queue_.barrier({.after = recorded, .without_event = true});
    note_work();
  }

  opencl::Buffer buffer(Location location) const { return opencl_buffer(device(), location); }

  opencl::Queue queue_;
  bool waits_after_launch_;
  std::atomic<bool> has_unmarked_ = false;  // commands that marker_ may not stand behind
  std::mutex mutex_;                        // guards what follows
  opencl::Event marker_;                    // empty: all that it stood behind is done
};

constexpr int invalid_kernel_name = -46;

KernelList list_kernels(const opencl::Program& program) {
  KernelList list;
  for (const opencl::Kernel& kernel : program.kernels())
    for (auto& parameters = list[kernel.name()]; const auto& p : kernel.parameters())
      parameters.push_back(
          c_parameter(p.type, p.name, p.address == opencl::KernelArgAddressQualifier::local));
  return list;
}

class OpenclModule final : public Module {
 public:
  OpenclModule(std::shared_ptr<Device> device, opencl::Program program, KernelList kernels)
      : Module(std::move(device)), program_(std::move(program)), kernels_(std::move(kernels)) {}

  Kernel kernel(std::string_view name) override {
    auto state = std::make_shared<OpenclKernel>(find(name));
    const opencl::Kernel& shell = state->kernel;
    state->device = device().shared_from_this();
    state->name = shell.name();
    state->parameters_known = true;
    const std::size_t count = shell.argument_count();
    const auto known = kernels_.find(shell.name());
    if (known != kernels_.end() && known->second.size() == count) state->parameters = known->second;
    state->parameters.resize(count);  // at least their number is known
    const auto limit = std::get<std::uint64_t>(shell.work_group_info(
        *opencl_device(device()), opencl::KernelWorkGroupInfo::work_group_size));
    state->max_group_items = static_cast<unsigned>(limit);
    return Kernel(std::move(state));
  }

  std::vector<std::string> kernel_names() override { return program_.kernel_names(); }
  const opencl::Program& shell() const noexcept { return program_; }

 private:
  opencl::Kernel find(std::string_view name) {
    try {
      return program_.kernel(std::string(name));
    } catch (const DeviceError& error) {
      if (error.code() != invalid_kernel_name) throw;
      raise_unknown_kernel(name, kernel_names());
    }
  }

  opencl::Program program_;
  KernelList kernels_;
};

std::string joined(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) {
    const bool has_blank = option.find(' ') != std::string::npos && option.starts_with("-I");
    text += has_blank ? "-I \"" + option.substr(2) + "\" " : option + " ";
  }
  return text;
}

/// NVIDIA's assembler refuses what its own compiler made of the text, which was therefore correct.
bool is_refused_by_assembler(const opencl::BuildError& error) {
  return error.log().find("ptxas") != std::string::npos;
}

bool is_spirv(std::span<const std::byte> code) {
  constexpr std::uint32_t magic = 0x07230203;
  return code.size() > sizeof magic && std::memcmp(code.data(), &magic, sizeof magic) == 0;
}

class OpenclDevice final : public Device {
 public:
  OpenclDevice(const opencl::Device& device, std::string id)
      : Device(info_of(device, std::move(id))), device_(device) {}

  const opencl::Device& shell() const noexcept { return device_; }
  const opencl::Context& context() {
    std::call_once(context_made_, [this] { context_ = opencl::Context(device_); });
    return context_;
  }

  opencl::Buffer buffer_at(Location location) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto own = buffers_.find(location.handle); own != buffers_.end())
        return own->second;
    }
    require_memory(location, 1, "the memory");  // throws unless somebody's was adopted
    return {device_.shared_table(), raw_memory(location), opencl::Ownership::retain};
  }

 private:
  Location allocate_memory(std::size_t size_bytes) override {
    require_allowed(size_bytes);
    opencl::Buffer buffer(context(), size_bytes);
    const Location location{reinterpret_cast<std::uint64_t>(buffer.raw()), 0};
    const std::lock_guard lock(mutex_);
    buffers_.emplace(location.handle, std::move(buffer));
    return location;
  }

  /// What is more than a device can ever have is out of memory here, as it is on other run-times.
  void require_allowed(std::size_t size_bytes) const {
    const std::uint64_t most = device_.get<opencl::DeviceInfo::max_mem_alloc_size>();
    if (size_bytes <= most) return;
    constexpr int invalid_buffer_size = -61;
    throw OutOfMemory(DeviceFailure{.code = invalid_buffer_size,
                                    .code_name = opencl::error_name(invalid_buffer_size),
                                    .call = "clCreateBuffer",
                                    .driver_text = opencl::error_text(invalid_buffer_size),
                                    .detail = "allocating " + std::to_string(size_bytes) +
                                              " bytes on " + info().name + ", which allows " +
                                              std::to_string(most) + " in one piece"});
  }

  void free_memory(Location location) override {
    opencl::Buffer ended;  // released after the lock
    const std::lock_guard lock(mutex_);
    if (auto node = buffers_.extract(location.handle)) ended = std::move(node.mapped());
  }

  std::unique_ptr<Stream> create_stream() override {
    return std::make_unique<OpenclStream>(*this, context(), device_);
  }
  std::shared_ptr<Event> create_event() override {
    return std::make_shared<OpenclEvent>(shared_from_this());
  }

  std::shared_ptr<Module> load_module(const ModuleImage& image) override {
    auto [kernels, binary] = split_kernel_list(image.code);
    const opencl::Program program = load_binary(binary);
    try {
      program.build();
    } catch (const opencl::BuildError& error) {
      // Nobody's source is at fault: the binary is refused.
      throw DeviceError(DeviceFailure{.code = error.code(),
                                      .code_name = opencl::error_name(error.code()),
                                      .call = error.call(),
                                      .driver_text = opencl::error_text(error.code()),
                                      .detail = error.log()});
    }
    if (kernels.empty()) kernels = list_kernels(program);
    return std::make_shared<OpenclModule>(shared_from_this(), program, std::move(kernels));
  }

  opencl::Program load_binary(std::span<const std::byte> binary) {
    if (is_spirv(binary)) return opencl::Program::from_il(context(), binary);
    const opencl::Bytes bytes(binary.begin(), binary.end());
    return opencl::Program::from_binaries(context(), {&device_, 1}, {&bytes, 1});
  }

  BuildResult build_text(const BuildRequest& request) override {
    const std::string options = joined(request.options);
    auto program = opencl::Program::from_source(context(), request.source);
    KernelList kernels;
    try {
      program.build(options + "-cl-kernel-arg-info");  // so that arguments can be checked
      kernels = list_kernels(program);
    } catch (const opencl::BuildError& error) {
      if (!is_refused_by_assembler(error)) throw;
      // Asked for argument info, NVIDIA's compiler (580.159) makes PTX with a syntax error of each
      // kernel without parameters. Then the text says what its kernels take, where it says so
      // plainly.
      program = opencl::Program::from_source(context(), request.source);
      program.build(options);
      for (KernelText& kernel : kernels_in(request.source))
        kernels[kernel.name] = std::move(kernel.parameters);
    }
    BuildResult result;
    result.image.code = with_kernel_list(kernels, program.binaries().front());
    result.log = program.build_log(device_);
    result.module = std::make_shared<OpenclModule>(shared_from_this(), program, std::move(kernels));
    return result;
  }

  opencl::Device device_;
  std::once_flag context_made_;
  opencl::Context context_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::uint64_t, opencl::Buffer> buffers_;
};

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
          all.push_back(std::make_shared<OpenclDevice>(
              devices[d], "opencl:" + std::to_string(p) + ":" + std::to_string(d)));
      } catch (const Error& error) {
        warn("OpenCL platform " + std::to_string(p) + " is passed over: " + error.message());
      }
    }
    return all;
  }

 private:
  opencl::Loader loader_;
};

const OpenclDevice* opencl_cast(const Device& device) noexcept {
  return dynamic_cast<const OpenclDevice*>(&device);
}

}  // namespace

std::shared_ptr<Driver> opencl_driver(const opencl::Loader& loader) {
  return std::make_shared<OpenclDriver>(loader);
}
std::shared_ptr<Driver> opencl_driver() { return opencl_driver(opencl::Loader::system()); }

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
  return own != nullptr ? &own->shell() : nullptr;
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
  return own->buffer_at(location);
}

}  // namespace treadle::device
