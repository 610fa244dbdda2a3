// SPDX-License-Identifier: MIT
#include "device/opencl/device.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "device/opencl/module.hpp"
#include "device/opencl/stream.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/c_parameters.hpp"
#include "treadle/opencl/error.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::device {

const opencl::Context& OpenclDevice::context() {
  if (is_adopted()) return context_;
  std::call_once(context_made_, [this] {
    context_ = opencl::Context(device_);
    remember(context_.raw(), device_.raw(), weak_from_this());
  });
  return context_;
}

/// What is more than a device can ever have is out of memory here, as it is on other run-times.
void OpenclDevice::require_allowed(std::size_t size_bytes) const {
  const std::uint64_t most = info().limits.max_allocation_bytes;
  if (size_bytes <= most) return;
  opencl::raise(device_.table(), CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer",
                "allocating " + std::to_string(size_bytes) + " bytes on " + info().name +
                    ", which allows " + std::to_string(most) + " in one piece");
}

opencl::Mapping OpenclDevice::mapped(const opencl::Buffer& buffer) {
  std::call_once(mapper_made_, [this] { mapper_.emplace(context(), device_); });
  return opencl::map(*mapper_, buffer, opencl::MapFlags::read | opencl::MapFlags::write);
}

Allocated OpenclDevice::allocate_memory(MemoryKind kind, std::size_t size_bytes) {
  require_allowed(size_bytes);
  const bool is_host = kind == MemoryKind::page_locked;
  const auto flags = is_host ? opencl::MemFlags::read_write | opencl::MemFlags::alloc_host_ptr
                             : opencl::MemFlags::read_write;
  Allocation made{opencl::Buffer(context(), size_bytes, flags), std::nullopt};
  if (is_host) made.mapping = mapped(made.buffer);
  const Allocated result{{reinterpret_cast<std::uint64_t>(made.buffer.raw()), 0},
                         is_host ? made.mapping->bytes().data() : nullptr};
  const std::lock_guard lock(mutex_);
  allocations_.emplace(result.location.handle, std::move(made));
  if (is_host && !info().traits.unified_memory) ++copied_only_;
  return result;
}

void OpenclDevice::free_memory(MemoryKind kind, Location location) {
  decltype(allocations_)::node_type ended;  // released after the lock
  const std::lock_guard lock(mutex_);
  ended = allocations_.extract(location.handle);
  if (kind == MemoryKind::page_locked && !info().traits.unified_memory) --copied_only_;
}

OpenclMemory OpenclDevice::memory_at(Location location) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto own = allocations_.find(location.handle); own != allocations_.end()) {
      const Allocation& allocation = own->second;
      const bool is_by_address = allocation.mapping && !info().traits.unified_memory;
      return {allocation.buffer, is_by_address ? allocation.mapping->bytes().data() : nullptr};
    }
  }
  require_memory(location, 1, "the memory");  // throws unless somebody's was adopted
  return {{device_.shared_table(), raw_memory(location), opencl::Ownership::retain}, nullptr};
}

void OpenclDevice::refuse_copied_only(Location location) const {
  const std::lock_guard lock(mutex_);
  const auto own = allocations_.find(location.handle);
  if (own == allocations_.end() || !own->second.mapping) return;
  throw NotSupported("kernels on " + info().id + " (" + info().runtime +
                         ") cannot use page-locked memory while the host sees it",
                     "copy it to memory of the device");
}

AddressInfo OpenclDevice::query_address(std::uint64_t address) {
  AddressInfo found{.location = {address, 0}, .is_own = true};
  {
    const std::lock_guard lock(mutex_);
    if (const auto own = allocations_.find(address); own != allocations_.end()) {
      found.kind = own->second.mapping ? AddressInfo::Kind::page_locked : AddressInfo::Kind::device;
      found.size_bytes = own->second.buffer.size_bytes();
      return found;
    }
  }
  try {
    found.size_bytes = memory_at(found.location).buffer.size_bytes();
    found.kind = AddressInfo::Kind::device;
    return found;
  } catch (const Error&) {
    return {};  // no handle that anybody made known: it must not even be asked about
  }
}

opencl::Queue OpenclDevice::queue_with(const StreamOptions& options) {
  using Properties = opencl::CommandQueueProperties;
  if (options.priority == 0) return {context(), device_, Properties::profiling_enable};
  const std::uint64_t priority =
      options.priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
  const std::array<std::uint64_t, 4> properties = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                                   CL_QUEUE_PRIORITY_KHR, priority};
  return opencl::Queue::with_properties(context(), device_, properties);
}

opencl::Queue OpenclDevice::queue_from(std::uint64_t raw) {
  opencl::Queue queue(context().shared_table(), reinterpret_cast<opencl::RawQueue>(raw),
                      opencl::Ownership::retain);
  const bool is_own_context = queue.context() == context();
  if (!is_own_context || !(queue.device() == device_))
    throw InvalidArgument("the queue to adopt on " + info().id + " is one of another " +
                              (is_own_context ? "device" : "context"),
                          "device_of(queue.context(), queue.device()) is its Device");
  return queue;
}

std::unique_ptr<Stream> OpenclDevice::create_stream(const StreamSource& source) {
  const bool is_adopted = source.from == StreamSource::From::raw;
  return std::make_unique<OpenclStream>(
      *this, is_adopted ? queue_from(source.raw) : queue_with(source.options), is_adopted);
}

std::shared_ptr<Event> OpenclDevice::create_event(Timing timing, std::uint64_t raw) {
  if (raw == 0) return std::make_shared<OpenclEvent>(shared_from_this(), timing);
  opencl::Event event(context().shared_table(), reinterpret_cast<opencl::RawEvent>(raw),
                      opencl::Ownership::retain);
  if (event.get<opencl::EventInfo::context>() != context().raw())
    throw InvalidArgument("the event to adopt on " + info().id + " is one of another context",
                          "device_of() of the event's context and device is its Device");
  return std::make_shared<OpenclEvent>(shared_from_this(), timing, std::move(event));
}

namespace {

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

/// The context may have other devices, for which nothing is built; PoCL then lists this one alone.
opencl::Bytes binary_of(const opencl::Program& program) {
  for (opencl::Bytes& binary : program.binaries())
    if (!binary.empty()) return std::move(binary);
  return {};
}

}  // namespace

std::shared_ptr<Module> OpenclDevice::load_module(const ModuleImage& image) {
  auto [kernels, binary] = split_kernel_list(image.code);
  const opencl::Program program = load_binary(binary);
  try {
    program.build({}, {&device_, 1});
  } catch (const opencl::BuildError& error) {
    // Nobody's source is at fault: the binary is refused.
    opencl::raise(device_.table(), error.code(), error.call().c_str(), error.log());
  }
  if (kernels.empty()) kernels = list_kernels(program);
  return std::make_shared<OpenclModule>(shared_from_this(), program, std::move(kernels));
}

opencl::Program OpenclDevice::load_binary(std::span<const std::byte> binary) {
  if (is_spirv(binary)) return opencl::Program::from_il(context(), binary);
  const opencl::Bytes bytes(binary.begin(), binary.end());
  return opencl::Program::from_binaries(context(), {&device_, 1}, {&bytes, 1});
}

BuildResult OpenclDevice::build_text(const BuildRequest& request) {
  const std::string options = joined(request.options);
  auto program = opencl::Program::from_source(context(), request.source);
  KernelList kernels;
  try {
    // Arguments can be checked where the program keeps what its source says of them.
    program.build(options + "-cl-kernel-arg-info", {&device_, 1});
    kernels = list_kernels(program);
  } catch (const opencl::BuildError& error) {
    if (!is_refused_by_assembler(error)) throw;
    // Asked for argument info, NVIDIA's compiler (580.159) makes PTX with a syntax error of each
    // kernel without parameters. Then the text says what its kernels take, where it says so
    // plainly.
    program = opencl::Program::from_source(context(), request.source);
    program.build(options, {&device_, 1});
    for (KernelText& kernel : kernels_in(request.source))
      kernels[kernel.name] = std::move(kernel.parameters);
  }
  BuildResult result;
  if (request.wants_image) result.image.code = with_kernel_list(kernels, binary_of(program));
  result.log = program.build_log(device_);
  result.module = std::make_shared<OpenclModule>(shared_from_this(), program, std::move(kernels));
  return result;
}

}  // namespace treadle::device
