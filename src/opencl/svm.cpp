// SPDX-License-Identifier: MIT
#include "treadle/opencl/svm.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "opencl/limits.hpp"
#include "opencl/ordering.hpp"
#include "opencl/svm_users.hpp"
#include "treadle/opencl/allocation.hpp"
#include "treadle/process/census.hpp"

namespace treadle::opencl {
namespace {

constexpr const char* alloc_call = "clSVMAlloc";

std::string allocating_shared(const Context& context, std::size_t size_bytes) {
  return std::to_string(size_bytes) + " bytes of shared virtual memory on " +
         context.devices().front().name();
}

/// Whether one device has what `flags` want; the standard asks for all, platforms for one.
void check_capabilities(const Context& context, SvmMemFlags flags) {
  std::uint64_t wanted = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  const char* name = "shared virtual memory";
  if (has(flags, SvmMemFlags::svm_fine_grain_buffer)) {
    wanted = CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    name = "fine-grained shared virtual memory";
  }
  if (has(flags, SvmMemFlags::svm_atomics)) {
    wanted |= CL_DEVICE_SVM_ATOMICS;
    name = "shared virtual memory with atomics";
    if (!has(flags, SvmMemFlags::svm_fine_grain_buffer))
      raise(context.table(), CL_INVALID_VALUE, alloc_call,
            "SVM_ATOMICS without SVM_FINE_GRAIN_BUFFER");
  }
  for (const Device& device : context.devices())
    if ((device.get<DeviceInfo::svm_capabilities>() & wanted) == wanted) return;
  raise(context.table(), CL_INVALID_OPERATION, alloc_call,
        context.devices().front().name() + " has no " + name,
        "use a Buffer, or coarse-grained memory and map it");
}

LiveCount& live() noexcept {
  static LiveCount& count = *new LiveCount("opencl shared memory");
  return count;
}

void* allocate_shared(const Context& context, std::size_t size_bytes, SvmMemFlags flags,
                      std::size_t alignment) {
  const Table& cl = context.table();
  if (!is_present(cl.clSVMAlloc)) raise(cl, absent_entry_point, alloc_call);
  check_capabilities(context, flags);
  if (alignment != 0 && !std::has_single_bit(alignment))
    raise(cl, CL_INVALID_VALUE, alloc_call,
          "an alignment of " + std::to_string(alignment) + " bytes is no power of two");
  if (size_bytes == 0) return nullptr;
  void* data = nullptr;
  // Before the driver: some take any size and fail at the first use.
  if (size_bytes <= largest<DeviceInfo::max_mem_alloc_size>(context))
    allocated(alloc_call, [&] {
      data = cl.clSVMAlloc(context.raw(), static_cast<cl_svm_mem_flags>(flags), size_bytes,
                           static_cast<cl_uint>(alignment));
      return data != nullptr ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    });
  // The call tells no reason.
  if (data == nullptr)
    raise(cl, CL_OUT_OF_RESOURCES, alloc_call,
          allocating_shared(context, size_bytes) + "; an allocation has up to " +
              std::to_string(largest<DeviceInfo::max_mem_alloc_size>(context)) + " there");
  live().add();
  return data;
}

bool is_out_of_order(const Queue& queue) {
  return has(queue.properties(), CommandQueueProperties::out_of_order_exec_mode_enable);
}

std::string range_text(std::span<const std::byte> range) {
  return std::to_string(range.size()) + " bytes of shared virtual memory";
}

/// Asked here: an address tells platforms no context, and they use it in any.
void require_same_context(const Queue& queue, const Context* of_memory, const char* call) {
  if (of_memory == nullptr || *of_memory == queue.context()) return;
  raise(queue.table(), CL_INVALID_CONTEXT, call,
        "shared virtual memory of another context than the queue's",
        "use a queue of the memory's context, or copy through the host's own memory");
}

}  // namespace

ConstHostRange::ConstHostRange(const SharedMemory& memory)
    : bytes_(static_cast<const std::byte*>(memory.data()), memory.size_bytes()),
      context_(&memory.context()) {}
HostRange::HostRange(const SharedMemory& memory)
    : bytes_(static_cast<std::byte*>(memory.data()), memory.size_bytes()),
      context_(&memory.context()) {}

SharedMemory::SharedMemory(const Context& context, std::size_t size_bytes, SvmMemFlags flags,
                           std::size_t alignment)
    : context_(context),
      data_(allocate_shared(context, size_bytes, flags, alignment)),
      size_bytes_(size_bytes),
      is_live_(true) {
  if (data_ == nullptr) return;
  try {
    add_svm(context.raw());
  } catch (...) {
    live().remove();
    context.table().clSVMFree(context.raw(), data_);
    throw;
  }
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : context_(std::move(other.context_)),
      queue_(std::exchange(other.queue_, std::nullopt)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(other.size_bytes_),
      is_live_(std::exchange(other.is_live_, false)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  SharedMemory incoming(std::move(other));  // so that moving to itself keeps the memory
  std::swap(context_, incoming.context_);
  std::swap(queue_, incoming.queue_);
  std::swap(data_, incoming.data_);
  std::swap(size_bytes_, incoming.size_bytes_);
  std::swap(is_live_, incoming.is_live_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (is_live_ && data_ != nullptr) end();
}

// After what is enqueued and may use it; if that cannot be said, now.
void SharedMemory::end() noexcept {
  live().remove();
  try {
    free_after_uses();
  } catch (const std::exception&) {
    // The platform takes no more commands: nothing uses the memory for long.
    if (queue_)
      warn_if_failed(context_.table().clFinish(queue_->raw()), "clFinish", "shared memory");
    context_.table().clSVMFree(context_.raw(), data_);
  }
  remove_svm(context_.raw());
}

void SharedMemory::free_after_uses() {
  const Table& cl = context_.table();
  std::vector<Event> uses = svm_uses(context_, queue());
  if (uses.empty() && !queue_) return cl.clSVMFree(context_.raw(), data_);
  // By a queue of its own: in one of the program's it would hold up what comes next, perhaps that
  // which the others wait for.
  const Queue last = uses.empty() ? *queue_ : Queue(context_);
  if (!uses.empty() && queue_) {
    uses.push_back(queue_->marker());
    queue_->flush();
  }
  const Order order{.after = WaitList(uses), .without_event = true};
  Ordering o(order);
  check(
      cl,
      cl.clEnqueueSVMFree(last.raw(), 1, &data_, nullptr, nullptr, o.count(), o.list(), o.event()),
      "clEnqueueSVMFree");
  if (!uses.empty()) warn_if_failed(cl.clFlush(last.raw()), "clFlush", "shared memory");
}

void SharedMemory::require_live() const {
  if (!is_live_)
    throw InvalidState("the shared virtual memory was freed, moved from, or never made",
                       "allocate it anew");
}

void* SharedMemory::data() const {
  require_live();
  return data_;
}

void SharedMemory::bind_to_queue(const Queue& queue) {
  require_live();
  if (queue_ && *queue_ == queue) return;
  require_same_context(queue, &context_, "clEnqueueSVMFree");
  if (is_out_of_order(queue))
    throw InvalidArgument("shared virtual memory cannot be bound to a queue that is out of order",
                          "use a queue that is in order, or enqueue_free() with a wait list");
  if (queue_) {
    const Event before = queue_->marker();
    queue_->flush();  // the other queue waits for it, and nobody else hands it over
    queue.barrier({.after = before, .without_event = true});
  }
  queue_ = queue;
}

void SharedMemory::unbind_from_queue() {
  require_live();
  if (!queue_) return;
  queue_->finish();
  queue_.reset();
}

void SharedMemory::free() {
  require_live();
  if (data_ != nullptr) end();
  is_live_ = false;
  data_ = nullptr;
  queue_.reset();
}

Event SharedMemory::enqueue_free(const Queue& queue, const Order& order) {
  require_live();
  require_same_context(queue, &context_, "clEnqueueSVMFree");
  const Table& cl = context_.table();
  Event done;
  if (data_ == nullptr) {
    done = queue.marker(order);
  } else {
    Ordering o(order);
    check(cl,
          cl.clEnqueueSVMFree(queue.raw(), 1, &data_, nullptr, nullptr, o.count(), o.list(),
                              o.event()),
          "clEnqueueSVMFree");
    live().remove();
    remove_svm(context_.raw());
    done = o.take(queue);
  }
  is_live_ = false;
  data_ = nullptr;
  queue_.reset();
  return done;
}

Event copy_shared(const Queue& queue, HostRange to, ConstHostRange from, const Order& order,
                  Blocking blocking) {
  const auto target = to.bytes();
  const auto source = from.bytes();
  constexpr const char* call = "clEnqueueSVMMemcpy";
  if (target.size() != source.size())
    throw InvalidArgument(
        "a copy of " + std::to_string(source.size()) + " bytes to " + std::to_string(target.size()),
        "take parts of the same size");
  require_same_context(queue, to.context(), call);
  require_same_context(queue, from.context(), call);
  if (target.empty()) return queue.marker(order);
  const Table& cl = queue.table();
  // The standard's rule, asked here: platforms copy something all the same.
  if (target.data() < source.data() + source.size() &&
      source.data() < target.data() + target.size())
    raise(cl, CL_MEM_COPY_OVERLAP, call, range_text(target));
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueSVMMemcpy(queue.raw(), blocking == Blocking::yes ? CL_TRUE : CL_FALSE,
                                     target.data(), source.data(), target.size(), o.count(),
                                     o.list(), o.event());
      },
      [&] { return range_text(target); });
  note_svm_use(queue);
  return o.take(queue);
}

Event fill_shared(const Queue& queue, HostRange to, ConstHostRange pattern, const Order& order) {
  const auto target = to.bytes();
  const auto bytes = pattern.bytes();
  constexpr const char* call = "clEnqueueSVMMemFill";
  const Table& cl = queue.table();
  require_same_context(queue, to.context(), call);
  const bool is_pattern = std::has_single_bit(bytes.size()) && bytes.size() <= 128;
  if (!is_pattern || target.size() % bytes.size() != 0 ||
      reinterpret_cast<std::uintptr_t>(target.data()) % bytes.size() != 0)
    raise(cl, CL_INVALID_VALUE, call,
          "a pattern of " + std::to_string(bytes.size()) + " bytes over " + range_text(target) +
              "; it has 1, 2, 4 to 128 bytes and divides size and address");
  if (target.empty()) return queue.marker(order);
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueSVMMemFill(queue.raw(), target.data(), bytes.data(), bytes.size(),
                                      target.size(), o.count(), o.list(), o.event());
      },
      [&] { return range_text(target); });
  note_svm_use(queue);
  return o.take(queue);
}

Event map_shared(const Queue& queue, MapFlags flags, HostRange memory, const Order& order,
                 Blocking blocking) {
  const auto range = memory.bytes();
  const Table& cl = queue.table();
  require_same_context(queue, memory.context(), "clEnqueueSVMMap");
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueSVMMap",
      [&] {
        return cl.clEnqueueSVMMap(queue.raw(), blocking == Blocking::yes ? CL_TRUE : CL_FALSE,
                                  static_cast<cl_map_flags>(flags), range.data(), range.size(),
                                  o.count(), o.list(), o.event());
      },
      [&] { return range_text(range); });
  note_svm_use(queue);
  return o.take(queue);
}

Event unmap_shared(const Queue& queue, void* address, const Order& order) {
  const Table& cl = queue.table();
  Ordering o(order);
  check(cl, cl.clEnqueueSVMUnmap(queue.raw(), address, o.count(), o.list(), o.event()),
        "clEnqueueSVMUnmap");
  note_svm_use(queue);
  return o.take(queue);
}

Event migrate_shared(const Queue& queue, std::span<const void* const> addresses,
                     MemMigrationFlags flags, const Order& order) {
  const Table& cl = queue.table();
  std::vector<const void*> list(addresses.begin(), addresses.end());
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueSVMMigrateMem",
      [&] {
        return cl.clEnqueueSVMMigrateMem(
            queue.raw(), static_cast<cl_uint>(list.size()), list.data(), nullptr,
            static_cast<cl_mem_migration_flags>(flags), o.count(), o.list(), o.event());
      },
      [&] { return std::to_string(list.size()) + " allocation(s)"; });
  note_svm_use(queue);
  return o.take(queue);
}

void use_shared_indirectly(const Kernel& kernel, std::span<const void* const> addresses) {
  const Table& cl = kernel.table();
  check(cl,
        cl.clSetKernelExecInfo(kernel.raw(), CL_KERNEL_EXEC_INFO_SVM_PTRS, addresses.size_bytes(),
                               addresses.data()),
        "clSetKernelExecInfo", [&] { return "kernel \"" + kernel.name() + "\""; });
}

}  // namespace treadle::opencl
