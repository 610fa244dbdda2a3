// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/device_runtime.hpp"

#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"

namespace treadle::cuda_cpu {
namespace {

/// cudaError_t, as launches.h has it.
enum DeviceError : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  too_deep = 65,
  too_many_pending = 69,
  invalid_function = 98,
  invalid_handle = 400,
  out_of_resources = 701,
};

/// Handles that CUDA numbers.
enum NamedStream : std::uint64_t {
  of_block = 0,
  per_thread = 2,
  tail_launch = 3,
  fire_and_forget = 4
};

std::uint64_t next_handle() {
  static std::atomic<std::uint64_t> last{0xd000};
  return last.fetch_add(0x10, std::memory_order_relaxed);
}

LaunchCommand& launch_of(const BlockContext& block) {
  return *static_cast<LaunchCommand*>(block.launch);
}

std::uint64_t number_of(const BlockContext& block) {
  const auto& [x, y, z] = block.block_index;
  return x + block.grid_size[0] * (y + std::uint64_t{block.grid_size[1]} * z);
}

std::uint64_t thread_of(const BlockContext& block) {
  const auto& [x, y, z, unused] = block.thread_index;
  return number_of(block) * max_threads_per_block + x +
         block.block_size[0] * (y + block.block_size[1] * z);
}

std::uint32_t low(std::uint64_t both) { return static_cast<std::uint32_t>(both); }
std::uint32_t high(std::uint64_t both) { return static_cast<std::uint32_t>(both >> 32); }

LaunchShape shape_of(const std::uint64_t (&arguments)[5]) {
  const auto [a, b, c, shared, stream] = arguments;
  return {{low(a), high(a), low(b)}, {high(b), low(c), high(c)}, low(shared)};
}

int error_of_shape(const LaunchShape& shape, std::uint64_t shared, const Function& function) {
  if (shared > 0xffffffffu) return invalid_value;
  if (check_shape(function, shape) == CUDA_SUCCESS) return success;
  return shape.dynamic_shared > function.max_dynamic_shared ? invalid_value : invalid_configuration;
}

/// The handle of a kernel that this context has loaded; null for any other address.
std::shared_ptr<Function> function_of(const std::shared_ptr<Module>& module, const Kernel& kernel) {
  const ModuleDescriptor& all = module->descriptor();
  if (&kernel < all.kernels || &kernel >= all.kernels + all.kernel_count) return nullptr;
  return named_function(function_handle(module, kernel));
}

}  // namespace

void DeviceRuntime::stage(const BlockContext& block, const Kernel& kernel, const void* arguments,
                          std::size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(arguments);
  const std::lock_guard lock(mutex_);
  staged_[&block] = {&kernel, {bytes, bytes + size}};
}

int DeviceRuntime::call(const BlockContext& block, RuntimeCall what,
                        const std::uint64_t (&arguments)[5]) try {
  const std::uint64_t thread = thread_of(block);
  if (what == RuntimeCall::take_error || what == RuntimeCall::peek_error) {
    const std::lock_guard lock(mutex_);
    const auto found = errors_.find(thread);
    const int error = found == errors_.end() ? success : found->second;
    if (what == RuntimeCall::take_error) errors_.erase(thread);
    return error;
  }
  const int error = answer(block, what, arguments);
  if (error != success) {
    const std::lock_guard lock(mutex_);
    errors_[thread] = error;
  }
  return error;
} catch (const std::bad_alloc&) {
  return out_of_memory;
}

int DeviceRuntime::answer(const BlockContext& block, RuntimeCall what,
                          const std::uint64_t (&arguments)[5]) {
  const std::uint64_t first = arguments[0], second = arguments[1];
  switch (what) {
    case RuntimeCall::launch: {
      LaunchShape shape = shape_of(arguments);
      if (high(arguments[3]) != 0) shape.dynamic_shared = ~0u;
      return launch(block, shape, arguments[4]);
    }
    case RuntimeCall::synchronize:
      return synchronize(block);
    case RuntimeCall::create_stream:
      return create_stream(first, second);
    case RuntimeCall::create_event:
      return create_event(first, second);
    case RuntimeCall::record_event:
      return record(block, first, second);
    case RuntimeCall::wait_event:
      return wait(block, first, second);
    case RuntimeCall::destroy_stream: {
      const std::lock_guard lock(mutex_);
      return streams_.erase(first) == 1 ? success : invalid_handle;
    }
    case RuntimeCall::destroy_event: {
      const std::lock_guard lock(mutex_);
      return events_.erase(first) == 1 ? success : invalid_handle;
    }
    default:
      return invalid_value;
  }
}

std::unique_ptr<LaunchCommand> DeviceRuntime::make_child(const Staged& staged,
                                                         const LaunchShape& shape,
                                                         int& error) const {
  const std::shared_ptr<Function> function =
      staged.kernel == nullptr ? nullptr : function_of(launch_.shared_module(), *staged.kernel);
  error = !function ? invalid_function : error_of_shape(shape, shape.dynamic_shared, *function);
  if (error != success) return nullptr;
  auto child = std::make_unique<LaunchCommand>(function, shape);
  child->copy_packed(staged.arguments.data(), staged.arguments.size());
  return child;
}

int DeviceRuntime::launch(const BlockContext& block, const LaunchShape& shape,
                          std::uint64_t handle) {
  Staged staged;
  {
    const std::lock_guard lock(mutex_);
    staged = std::exchange(staged_[&block], {});
  }
  const bool is_tail = handle == tail_launch;
  if (!is_tail && launch_.depth() >= deepest_launch) return too_deep;
  int error = success;
  std::unique_ptr<LaunchCommand> child = make_child(staged, shape, error);
  if (!child) return error;
  if (!child->count_as_pending()) return too_many_pending;
  child->set_parent(launch_, is_tail, is_tail ? nullptr : order_handed_on());
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    if (is_tail) {
      if (!tails_.stream) tails_.stream = new_stream();
      tails_.commands.push_back(std::move(child));
      return success;
    }
    stream = stream_of(block, handle);
  }
  if (!stream) return invalid_handle;
  const std::uint64_t position =
      Scheduler::instance().submit_child(std::move(child), stream, launch_);
  const std::lock_guard lock(mutex_);
  blocks_[number_of(block)].started.push_back({stream, position});
  return success;
}

int DeviceRuntime::synchronize(const BlockContext& block) {
  std::vector<Started> started;
  {
    const std::lock_guard lock(mutex_);
    started = std::exchange(blocks_[number_of(block)].started, {});
  }
  for (const Started& each : started) {
    if (!Scheduler::instance().wait_in_kernel(*each.stream, each.position)) return out_of_resources;
    note_ended(each.stream->id, each.position);
  }
  return success;
}

std::shared_ptr<Stream> DeviceRuntime::new_stream() const {
  return std::make_shared<Stream>(launch_.shared_module()->context, CU_STREAM_NON_BLOCKING,
                                  least_priority, false);
}

/// Under the mutex.
std::shared_ptr<Stream> DeviceRuntime::stream_of(const BlockContext& block, std::uint64_t handle) {
  if (handle == fire_and_forget) return new_stream();
  if (handle == of_block || handle == per_thread) {
    std::shared_ptr<Stream>& own =
        handle == of_block ? blocks_[number_of(block)].own_stream : of_threads_[thread_of(block)];
    if (!own) own = new_stream();
    return own;
  }
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second;
}

int DeviceRuntime::create_stream(std::uint64_t place, std::uint64_t flags) {
  // The only flag that CUDA takes in kernels: no stream waits for the block's own.
  if (place == 0 || flags != CU_STREAM_NON_BLOCKING) return invalid_value;
  const std::uint64_t handle = next_handle();
  {
    const std::lock_guard lock(mutex_);
    streams_[handle] = new_stream();
  }
  std::memcpy(reinterpret_cast<void*>(place), &handle, sizeof handle);
  return success;
}

int DeviceRuntime::create_event(std::uint64_t place, std::uint64_t flags) {
  // Nor are there events with times, or that a thread waits for.
  if (place == 0 || flags != CU_EVENT_DISABLE_TIMING) return invalid_value;
  const std::uint64_t handle = next_handle();
  {
    const std::lock_guard lock(mutex_);
    events_[handle] = nullptr;
  }
  std::memcpy(reinterpret_cast<void*>(place), &handle, sizeof handle);
  return success;
}

int DeviceRuntime::record(const BlockContext& block, std::uint64_t event, std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  const bool has_end = handle != tail_launch && handle != fire_and_forget;
  const std::shared_ptr<Stream> stream = has_end ? stream_of(block, handle) : nullptr;
  if (found == events_.end() || !stream) return invalid_handle;
  found->second = std::make_shared<StreamPoint>();
  Scheduler::instance().mark(found->second, stream, &launch_);
  return success;
}

int DeviceRuntime::wait(const BlockContext& block, std::uint64_t handle, std::uint64_t event) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  const std::shared_ptr<Stream> stream = stream_of(block, handle);
  if (found == events_.end() || !stream) return invalid_handle;
  if (!found->second) return success;  // was never recorded
  StreamPoint* const after[] = {found->second.get()};
  Scheduler::instance().submit_child(std::make_unique<MarkerCommand>(nullptr, found->second),
                                     stream, launch_, after);
  return success;
}

TailLaunches DeviceRuntime::take_tails() {
  return std::exchange(tails_, {});  // no block runs that could add to them
}

void stage_launch(const Kernel* kernel, const void* arguments, std::uint64_t size) {
  const ServiceCall call;
  const BlockContext& block = *current_block();
  launch_of(block).device_runtime().stage(block, *kernel, arguments, size);
}

int runtime_call(std::uint32_t what, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                 std::uint64_t d, std::uint64_t e) {
  const ServiceCall call;
  const BlockContext& block = *current_block();
  return launch_of(block).device_runtime().call(block, static_cast<RuntimeCall>(what),
                                                {a, b, c, d, e});
}

}  // namespace treadle::cuda_cpu
