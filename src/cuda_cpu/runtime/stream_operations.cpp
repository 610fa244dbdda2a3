// SPDX-License-Identifier: MIT
// Entry points by which a stream writes a value to memory, or waits for one there.
#include <chrono>
#include <thread>

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

namespace treadle::cuda_cpu {
namespace {

using Operation = CUstreamBatchMemOpParams;

bool is_wide(const Operation& operation) {
  return operation.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
         operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

template <class Value>
bool holds(Value now, Value wanted, unsigned comparison) {
  using Difference = std::make_signed_t<Value>;
  switch (comparison) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<Difference>(now - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (now & wanted) != 0;
    default:
      return static_cast<Value>(~(now | wanted)) != 0;
  }
}

bool is_reached(const Operation& operation) {
  const auto& wait = operation.waitValue;
  const unsigned comparison = wait.flags & 3;
  if (is_wide(operation)) {
    const auto* const at = reinterpret_cast<const std::uint64_t*>(wait.address);
    return holds<std::uint64_t>(__atomic_load_n(at, __ATOMIC_ACQUIRE), wait.value64, comparison);
  }
  const auto* const at = reinterpret_cast<const std::uint32_t*>(wait.address);
  return holds<std::uint32_t>(__atomic_load_n(at, __ATOMIC_ACQUIRE), wait.value, comparison);
}

/// Looks at memory again and again, and leaves its thread to other work in between.
class WaitValueCommand final : public Command {
 public:
  WaitValueCommand(Context& owner, const Operation& wait)
      : Command(Kind::work), context_(owner), wait_(wait) {}
  bool run() override {
    using namespace std::chrono_literals;
    if (is_reached(wait_) || context_.error() != CUDA_SUCCESS) return true;
    if (context_.ending) {
      context_.fail_ended();
      return true;
    }
    std::this_thread::sleep_for(20us);
    return false;
  }
  bool may_take_long() const override { return true; }
  bool waits_for_anybody() const override { return true; }

 private:
  Context& context_;
  const Operation wait_;
};

void write_value(const Operation& operation) {
  const auto& write = operation.writeValue;
  if (is_wide(operation))
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(write.address), write.value64,
                     __ATOMIC_RELEASE);
  else
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(write.address), write.value,
                     __ATOMIC_RELEASE);
  note_written(write.address, is_wide(operation) ? 8 : 4);
}

CUresult check_operation(const Operation& operation) {
  switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      if ((operation.waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
      if (operation.waitValue.flags > 3) return CUDA_ERROR_INVALID_VALUE;
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      if (operation.writeValue.flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
        return CUDA_ERROR_INVALID_VALUE;
      break;
    case CU_STREAM_MEM_OP_BARRIER:
      return operation.memoryBarrier.flags > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
  const std::size_t size = is_wide(operation) ? 8 : 4;
  const CUdeviceptr address = operation.writeValue.address;  // of a wait, too
  return address % size == 0 && known_memory(address, size) ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_VALUE;
}

CUresult submit_operations(CUstream handle, const Operation* operations, unsigned count) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    constexpr unsigned most_operations = 256;  // as CUDA has it
    if (operations == nullptr || count == 0 || count > most_operations)
      return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i)
      if (const CUresult failure = check_operation(operations[i]); failure != CUDA_SUCCESS)
        return failure;
    OperationsWork work{{operations, operations + count}};
    if (stream->capturing) return capture_work(stream, std::move(work));
    std::vector<Step> steps;
    for (const Operation& operation : work.operations)
      if (auto command = make_operation(*context, operation))
        steps.push_back({.command = std::move(command)});
    Scheduler::instance().submit(steps, stream);
    return CUDA_SUCCESS;
  });
}

}  // namespace

std::unique_ptr<Command> make_operation(Context& context, const Operation& operation) {
  switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return std::make_unique<WaitValueCommand>(context, operation);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return std::make_unique<TaskCommand>([&context, operation](std::uint64_t) {
        if (context.error() == CUDA_SUCCESS) write_value(operation);
      });
    default:
      return nullptr;  // a barrier: each command sees what those before it wrote
  }
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                             unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  operation.waitValue.address = address;
  operation.waitValue.value = value;
  operation.waitValue.flags = flags;
  return submit_operations(stream, &operation, 1);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                             unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
  operation.waitValue.address = address;
  operation.waitValue.value64 = value;
  operation.waitValue.flags = flags;
  return submit_operations(stream, &operation, 1);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                              unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operation.writeValue.address = address;
  operation.writeValue.value = value;
  operation.writeValue.flags = flags;
  return submit_operations(stream, &operation, 1);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value,
                              unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operation.writeValue.address = address;
  operation.writeValue.value64 = value;
  operation.writeValue.flags = flags;
  return submit_operations(stream, &operation, 1);
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations,
                            unsigned flags) {
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : submit_operations(stream, operations, count);
}
