// SPDX-License-Identifier: MIT
#include "treadle/device/cuda.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "cuda/kernel_names.hpp"
#include "device/argument_room.hpp"
#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/device.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/launch_log.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/stream.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::device {
namespace {

using cuda::Activation;
using cuda::check;

/// On CUDA a place in memory is an address.
cuda::DevicePointer address(Location location) { return location.handle + location.offset; }

Extent extent_of(const cuda::Device& device, const std::array<cuda::DeviceAttribute, 3>& names) {
  const auto size = [&](std::size_t i) {
    return static_cast<unsigned>(device.attribute(names[i]));
  };
  return {size(0), size(1), size(2)};
}

std::string version_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceInfo info_of(const cuda::Device& device, int ordinal) {
  using enum cuda::DeviceAttribute;
  const bool is_cpu = device.driver().provider() == cuda::Provider::cpu;
  const auto number = [&](cuda::DeviceAttribute name) {
    return static_cast<unsigned>(device.attribute(name));
  };
  DeviceInfo info;
  info.id = is_cpu ? "cpu" : "cuda:" + std::to_string(ordinal);
  info.name = device.name();
  info.runtime = version_text(device.driver().version());
  info.kind = is_cpu ? DeviceKind::cpu : DeviceKind::gpu;
  info.memory_bytes = device.total_memory();
  info.max_groups = extent_of(device, {max_grid_dim_x, max_grid_dim_y, max_grid_dim_z});
  info.max_group_size = extent_of(device, {max_block_dim_x, max_block_dim_y, max_block_dim_z});
  info.max_group_items = number(max_threads_per_block);
  info.local_memory_bytes = number(max_shared_memory_per_block);
  info.compute_units = number(multiprocessor_count);
  info.has_cooperative_launch = device.attribute(cooperative_launch) != 0;
  info.allocation_alignment = 256;  // what the driver promises for every allocation
  info.language = Language::cuda_c;
  info.target = device.target();
  return info;
}

class CudaEvent final : public Event {
 public:
  CudaEvent(std::shared_ptr<Device> device, const cuda::Context& context)
      : Event(std::move(device)), event_(context) {}

  void synchronize() override { event_.synchronize(); }
  bool is_done() override { return event_.is_done(); }
  double elapsed_seconds(const Event& start) override {
    const auto& from = static_cast<const CudaEvent&>(start);
    for (const CudaEvent* event : {static_cast<const CudaEvent*>(this), &from})
      if (!event->was_recorded_ || !event->event_.is_done())
        throw InvalidState(std::string("an event whose time was asked for is not ") +
                               (event->was_recorded_ ? "done" : "recorded"),
                           "synchronize() it first");
    return 1e-3 * static_cast<double>(event_.milliseconds_since(from.event_));
  }

  void record(const cuda::Stream& stream) {
    event_.record(stream);
    was_recorded_ = true;
  }
  const cuda::Event& shell() const noexcept { return event_; }

 private:
  cuda::Event event_;
  std::atomic<bool> was_recorded_ = false;
};

/// One pointer to each argument's bytes, as the driver takes them.
class ArgumentPointers {
 public:
  explicit ArgumentPointers(std::span<const Argument> arguments)
      : addresses_(arguments.size()), pointers_(arguments.size()) {
    std::size_t i = 0;
    for (const Argument& argument : arguments) {
      addresses_[i] = address(argument.location());
      pointers_[i] = argument.kind() == Argument::Kind::memory ? static_cast<void*>(&addresses_[i])
                                                               : const_cast<void*>(argument.data());
      ++i;
    }
  }
  void** get() const noexcept { return pointers_.get(); }

 private:
  ArgumentRoom<cuda::DevicePointer> addresses_;
  ArgumentRoom<void*> pointers_;
};

struct CudaKernel final : KernelState {
  explicit CudaKernel(cuda::Function shell) : function(std::move(shell)) {}
  cuda::Function function;
};

const cuda::Function& function_of(const Kernel& kernel) noexcept {
  return static_cast<const CudaKernel&>(kernel.state()).function;
}

class CudaStream final : public Stream {
 public:
  CudaStream(Device& device, const cuda::Context& context)
      : Stream(device), stream_(context, cuda::StreamFlags::non_blocking) {}

  void synchronize() override { stream_.synchronize(); }
  bool is_done() override { return stream_.is_done(); }
  const cuda::Stream& shell() const noexcept { return stream_; }

 private:
  void queue_copy(const Copy& copy) override {
    const Activation active(stream_.context());
    const cuda::Table& cu = active.table();
    const auto describe = [&] { return std::to_string(copy.size_bytes) + " bytes"; };
    switch (copy.direction) {
      case Copy::Direction::to_device:
        return check(cu,
                     cu.cuMemcpyHtoDAsync(address(copy.destination), copy.host, copy.size_bytes,
                                          stream_.raw()),
                     "cuMemcpyHtoDAsync", describe);
      case Copy::Direction::to_host:
        return check(
            cu,
            cu.cuMemcpyDtoHAsync(copy.host, address(copy.source), copy.size_bytes, stream_.raw()),
            "cuMemcpyDtoHAsync", describe);
      case Copy::Direction::on_device:
        return check(cu,
                     cu.cuMemcpyDtoDAsync(address(copy.destination), address(copy.source),
                                          copy.size_bytes, stream_.raw()),
                     "cuMemcpyDtoDAsync", describe);
    }
  }

  void queue_fill(Location destination, std::span<const std::byte> pattern,
                  std::size_t count) override {
    const Activation active(stream_.context());
    const cuda::Table& cu = active.table();
    const cuda::DevicePointer to = address(destination);
    const auto part = [&]<class T>(T value, std::size_t offset) {
      std::memcpy(&value, pattern.data() + offset, sizeof value);
      return value;
    };
    if (pattern.size() == 1)
      return check(cu, cu.cuMemsetD8Async(to, part(std::uint8_t{}, 0), count, stream_.raw()),
                   "cuMemsetD8Async");
    if (pattern.size() == 2)
      return check(cu, cu.cuMemsetD16Async(to, part(std::uint16_t{}, 0), count, stream_.raw()),
                   "cuMemsetD16Async");
    if (pattern.size() == 4)
      return check(cu, cu.cuMemsetD32Async(to, part(std::uint32_t{}, 0), count, stream_.raw()),
                   "cuMemsetD32Async");
    // The driver knows no longer pattern: each of its words is a column of the memory.
    for (std::size_t word = 0; word < pattern.size(); word += 4)
      check(cu,
            cu.cuMemsetD2D32Async(to + word, pattern.size(), part(std::uint32_t{}, word), 1, count,
                                  stream_.raw()),
            "cuMemsetD2D32Async");
  }

  void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                    std::span<const Argument> arguments) override {
    const ArgumentPointers pointers(arguments);
    const auto& [groups, group_size, local_bytes, cooperative] = shape;
    // The shell notes the launch: see CudaDevice.
    function_of(kernel).launch_unchecked({.grid = {groups.x, groups.y, groups.z},
                                          .block = {group_size.x, group_size.y, group_size.z},
                                          .shared_bytes = local_bytes,
                                          .cooperative = cooperative,
                                          .stream = stream_},
                                         pointers.get());
  }

  void queue_record(Event& event) override { static_cast<CudaEvent&>(event).record(stream_); }
  void queue_wait(const Event& event) override {
    stream_.wait(static_cast<const CudaEvent&>(event).shell());
  }

  cuda::Stream stream_;
};

ParameterKind kind_of(cuda::ParameterKind kind) {
  switch (kind) {
    case cuda::ParameterKind::integer:
      return ParameterKind::integer;
    case cuda::ParameterKind::floating:
      return ParameterKind::floating;
    case cuda::ParameterKind::pointer:
      return ParameterKind::memory;
    case cuda::ParameterKind::structure:
      return ParameterKind::structure;
    case cuda::ParameterKind::unknown:
      break;
  }
  return ParameterKind::unknown;
}

class CudaModule final : public Module {
 public:
  CudaModule(std::shared_ptr<Device> device, cuda::Module module)
      : Module(std::move(device)), module_(std::move(module)) {}

  Kernel kernel(std::string_view name) override {
    auto state = std::make_shared<CudaKernel>(find(name));
    const cuda::Function& function = state->function;
    state->device = device().shared_from_this();
    state->name = function.name();
    state->parameters_known = function.parameters().known;
    for (const cuda::KernelParameter& p : function.parameters().parameters)
      state->parameters.push_back({p.name, p.type, kind_of(p.kind), p.size});
    const auto number = [&](cuda::FunctionAttribute attribute) {
      return static_cast<unsigned>(function.attribute(attribute));
    };
    state->max_group_items = number(cuda::FunctionAttribute::max_threads_per_block);
    state->group_limit_reason =
        "it uses " + std::to_string(number(cuda::FunctionAttribute::num_regs)) + " registers";
    return Kernel(std::move(state));
  }

  std::vector<std::string> kernel_names() override {
    std::vector<std::string> names;
    for (const std::string& readable : module_.function_names())
      names.push_back(cuda::kernel_name(readable));
    return names;
  }

  const cuda::Module& shell() const noexcept { return module_; }

 private:
  cuda::Function find(std::string_view name) const {
    if (name.empty()) throw InvalidArgument("the name of the kernel that was asked for is empty");
    try {
      return module_.function(name);
    } catch (const DeviceError& error) {
      // The name is an argument that was refused, on this device as on every other.
      if (error.code() != CUDA_ERROR_NOT_FOUND) throw;
      throw InvalidArgument(error.detail(), error.hint());
    }
  }

  cuda::Module module_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const cuda::Device& device, int ordinal)
      : Device(info_of(device, ordinal)), device_(device) {
    // Each launch is noted once, by the shell, whose errors tell of it.
    launches().read_from([this] { return shell_launches(); });
  }

  const cuda::Context& context() {
    std::call_once(context_made_, [this] {
      context_ = cuda::Context::primary(device_);
      has_context_ = true;
    });
    return context_;
  }

 private:
  Location allocate_memory(std::size_t size_bytes) override {
    const Activation active(context());
    const cuda::Table& cu = active.table();
    cuda::DevicePointer memory = 0;
    check(cu, cu.cuMemAlloc(&memory, size_bytes), "cuMemAlloc",
          [&] { return "allocating " + std::to_string(size_bytes) + " bytes on " + info().name; });
    return {memory, 0};
  }

  void free_memory(Location location) override {
    // Once the context or the driver is gone, so is the memory.
    if (!context().is_valid()) return;
    const Activation active(context());
    const cuda::Table& cu = active.table();
    const int code = cu.cuMemFree(location.handle);
    if (code == CUDA_ERROR_DEINITIALIZED || code == CUDA_ERROR_CONTEXT_IS_DESTROYED) return;
    check(cu, code, "cuMemFree");
  }

  std::unique_ptr<Stream> create_stream() override {
    return std::make_unique<CudaStream>(*this, context());
  }
  std::shared_ptr<Event> create_event() override {
    return std::make_shared<CudaEvent>(shared_from_this(), context());
  }
  std::shared_ptr<Module> load_module(const ModuleImage& image) override {
    const auto current = cuda::Context::make_current(context());
    return std::make_shared<CudaModule>(shared_from_this(), cuda::Module(image));
  }
  BuildResult build_text(const BuildRequest&) override {
    // Not reached: DeviceInfo says so, and Device::build() asks it.
    throw NotSupported("CUDA drivers compile no text");
  }

  std::vector<LaunchRecord> shell_launches() const {
    std::vector<LaunchRecord> all;
    if (!has_context_) return all;
    for (auto& [kernel, config, site] : cuda::last_launches(context_)) {
      const auto& [grid, block, shared_bytes, cooperative, stream] = config;
      const LaunchShape shape{
          {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, cooperative};
      all.push_back({std::move(kernel), shape, site});
    }
    return all;
  }

  cuda::Device device_;
  std::once_flag context_made_;
  std::atomic<bool> has_context_ = false;
  cuda::Context context_;
};

class CudaDriver final : public Driver {
 public:
  explicit CudaDriver(const cuda::Driver& driver)
      : Driver(driver.provider() == cuda::Provider::cpu ? "cpu" : "cuda"), driver_(driver) {}

  std::vector<std::shared_ptr<Device>> devices() override {
    std::vector<std::shared_ptr<Device>> all;
    const int count = driver_.device_count();
    for (int ordinal = 0; ordinal < count; ++ordinal)
      all.push_back(std::make_shared<CudaDevice>(driver_.device(ordinal), ordinal));
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

const cuda::Context* cuda_context(Device& device) {
  auto* cuda = dynamic_cast<CudaDevice*>(&device);
  return cuda != nullptr ? &cuda->context() : nullptr;
}
const cuda::Stream* cuda_stream(const Stream& stream) noexcept {
  const auto* cuda = dynamic_cast<const CudaStream*>(&stream);
  return cuda != nullptr ? &cuda->shell() : nullptr;
}
const cuda::Event* cuda_event(const Event& event) noexcept {
  const auto* cuda = dynamic_cast<const CudaEvent*>(&event);
  return cuda != nullptr ? &cuda->shell() : nullptr;
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
