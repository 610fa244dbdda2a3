// SPDX-License-Identifier: MIT
#include "treadle/opencl/native_kernel.hpp"

#include <memory>
#include <string>
#include <vector>

#include "opencl/callback.hpp"
#include "opencl/ordering.hpp"
#include "treadle/opencl/allocation.hpp"

namespace treadle::opencl {
namespace {

constexpr const char* native_call = "clEnqueueNativeKernel";

/// What the platform copies and hands to run_native: the function, how many addresses, and then
/// those, which it writes over.
struct NativeBlock {
  NativeKernel* function;
  std::size_t count;
};

void CL_CALLBACK run_native(void* data) {
  const auto& block = *static_cast<const NativeBlock*>(data);
  void* const* addresses = reinterpret_cast<void* const*>(&block + 1);
  call_safely("a native kernel of OpenCL", *block.function, std::span(addresses, block.count));
}

}  // namespace

Event enqueue_native(const Queue& queue, NativeKernel function,
                     std::span<const MemoryObject> memory, const Order& order) {
  const Table& cl = queue.table();
  const auto capabilities = queue.device().get<DeviceInfo::execution_capabilities>();
  if ((capabilities & CL_EXEC_NATIVE_KERNEL) == 0)
    raise(cl, CL_INVALID_OPERATION, native_call,
          queue.device().name() + " runs no functions of the host's",
          "wait for an event, and call the function");
  if (!function)
    throw InvalidArgument("function: there is none to enqueue", "pass a lambda or a function");
  const auto owned = std::make_shared<NativeKernel>(std::move(function));
  std::vector<void*> block(sizeof(NativeBlock) / sizeof(void*) + memory.size());
  *reinterpret_cast<NativeBlock*>(block.data()) = {owned.get(), memory.size()};
  std::vector<RawMemory> raws;
  std::vector<const void*> places;
  for (const MemoryObject& object : memory) {
    places.push_back(block.data() + sizeof(NativeBlock) / sizeof(void*) + raws.size());
    raws.push_back(object.raw());
  }
  // Always with an event: its end frees the function, which is never called where the command
  // fails.
  const Order with_event{.after = order.after, .without_event = false};
  Ordering o(with_event);
  check_allocated(
      cl, native_call,
      [&] {
        return cl.clEnqueueNativeKernel(
            queue.raw(), &run_native, block.data(), block.size() * sizeof block[0],
            static_cast<cl_uint>(raws.size()), raws.empty() ? nullptr : raws.data(),
            places.empty() ? nullptr : places.data(), o.count(), o.list(), o.event());
      },
      [&] { return "with " + std::to_string(raws.size()) + " memory object(s)"; });
  Event done = o.take(queue);
  done.set_callback(CommandExecutionStatus::complete, [owned](int) {});
  return order.without_event ? Event() : done;
}

}  // namespace treadle::opencl
