// SPDX-License-Identifier: MIT
#include "device/opencl/stream.hpp"

#include <chrono>
#include <thread>

#include "device/argument_room.hpp"
#include "device/launch_log.hpp"
#include "device/opencl/module.hpp"
#include "treadle/device/host_wait.hpp"
#include "treadle/opencl/kernel.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::device {

using Properties = opencl::CommandQueueProperties;

OpenclStream::OpenclStream(OpenclDevice& device, opencl::Queue queue, bool is_adopted)
    : Stream(device, reinterpret_cast<std::uint64_t>(queue.raw()),
             (queue.properties() & Properties::out_of_order_exec_mode_enable) == Properties{}),
      queue_(std::move(queue)),
      waits_after_launch_(settings().sync),
      is_shared_(is_adopted),
      lasting_(std::make_shared<const opencl::Queue>(queue_)),
      staging_(queue_) {}

void OpenclStream::wait_until_done() {
  wait_as_set(device(), [this] { return is_done(); }, [this] { finish(); });
}

void OpenclStream::finish() {
  const opencl::Event seen = (std::lock_guard(mutex_), marker_);
  has_unmarked_ = false;
  try {
    naming_launches(device(), [&] { queue_.finish(); });
  } catch (...) {
    has_unmarked_ = true;  // ask again
    throw;
  }
  forget(seen);
}

bool OpenclStream::is_done() {
  const auto is_done = [&](const opencl::Event& event) {
    return naming_launches(device(), [&] { return event.is_done(); });
  };
  using std::chrono::microseconds;
  const auto [last, made] = mark();
  if (!last) return true;
  // A platform takes a moment to see that a marker in an idle queue is done.
  const microseconds patience(made == Made::for_others ? 10'000 : made == Made::for_work ? 200 : 0);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_done(last) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  if (!is_done(last)) return false;
  forget(last);
  return true;
}

/// One marker for all questions about the same work; none if all of it is known to be done, which
/// it never is where others queue work, too: then one for what only they can have
/// queued. What they queue behind a marker is seen by the first question after that was done.
std::pair<opencl::Event, OpenclStream::Made> OpenclStream::mark() {
  const std::lock_guard lock(mutex_);
  const bool is_for_others = is_shared_.load(std::memory_order_relaxed) && !marker_;
  const bool has_unmarked = has_unmarked_.exchange(false);
  try {
    const bool is_marked = !has_unmarked && !is_for_others;
    if (is_marked && (is_marker_flushed_ || !marker_)) return {marker_, Made::before};
    if (!is_marked) marker_ = queue_.marker();
    queue_.flush();
    is_marker_flushed_ = true;
    if (is_marked) return {marker_, Made::for_work};
  } catch (...) {
    has_unmarked_ = true;
    throw;
  }
  return {marker_, has_unmarked ? Made::for_work : Made::for_others};
}

void OpenclStream::forget(const opencl::Event& done) {
  const std::lock_guard lock(mutex_);
  if (marker_ == done) marker_ = {};
}

void OpenclStream::queue_record(Event& event) {
  static_cast<OpenclEvent&>(event).set(queue_.marker(), nullptr);
  queue_.flush();  // what a mark was set behind starts, although nobody may ask for it soon
}

void OpenclStream::queue_wait(const Event& event) {
  const opencl::Event recorded = static_cast<const OpenclEvent&>(event).recorded_for(&queue_);
  if (!recorded) return;
  queue_.barrier({.after = recorded, .without_event = true});
  note_work();
}

void OpenclStream::queue_callback(std::function<void()> callback) {
  const opencl::Event here = queue_.marker();
  here.set_callback(opencl::CommandExecutionStatus::complete,
                    [callback = std::move(callback)](int) { callback(); });
  queue_.flush();
  note_work();
}

namespace {

/// An opencl::ArgumentView for each argument of a launch, and what they point to.
class ArgumentList {
 public:
  ArgumentList(const OpenclDevice& device, std::span<const Argument> arguments)
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

  opencl::ArgumentView convert(const OpenclDevice& device, const Argument& argument,
                               opencl::RawMemory& memory) {
    if (argument.kind() == Argument::Kind::value)
      return {is_number(argument) ? Kind::value : Kind::bytes, argument.size_bytes(),
              argument.data()};
    if (argument.kind() == Argument::Kind::local)
      return {Kind::local, argument.size_bytes(), nullptr};
    device.require_for_kernels(argument.location());
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
  opencl::RawMemory part(const OpenclDevice& device, Location location) {
    const opencl::Buffer whole = device.memory_at(location).buffer;
    parts_.push_back(whole.sub_buffer(location.offset, whole.size_bytes() - location.offset));
    return parts_.back().raw();
  }

  ArgumentRoom<opencl::ArgumentView> list_;
  ArgumentRoom<opencl::RawMemory> memory_;
  std::size_t count_;
  std::vector<opencl::Buffer> parts_;
};

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

}  // namespace

void OpenclStream::queue_launch(const Kernel& kernel, const LaunchShape& shape,
                                std::span<const Argument> arguments, const Order& order) {
  const ArgumentList list(own_device(), arguments);
  const unsigned dimensions = dimensions_of(shape);
  const auto launch = [&](opencl::Order command) {
    return shell_of(kernel).launch_list({.queue = queue_,
                                         .global = global_size(shape, dimensions),
                                         .local = local_size(shape, dimensions),
                                         .order = std::move(command)},
                                        list.get());
  };
  if (order.after.empty() && order.done == nullptr) [[likely]]
    launch({.after = {}, .without_event = true});
  else
    Sequence(*this, order, 1).add(launch);
  note_work();
  device().launches().note(kernel, shape);
  if (waits_after_launch_) [[unlikely]]
    naming_launch(kernel, shape, [&] { queue_.finish(); });
}

}  // namespace treadle::device
