// SPDX-License-Identifier: MIT
#include "treadle/cuda/stream_operations.hpp"

#include <memory>
#include <string>
#include <vector>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "cuda/deferred_release.hpp"
#include "cuda/graph_state.hpp"

namespace treadle::cuda {
namespace {

/// Calls once; then the function ends, on a thread that may call CUDA.
void call_once(void* data) {
  const std::unique_ptr<std::shared_ptr<HostCall>> call(
      static_cast<std::shared_ptr<HostCall>*>(data));
  HostCall::call(call->get());
  release_later(std::move(*call));
}

template <class Slot, class Value>
void call_operation(const char* name, Slot Table::* slot, StreamRef stream, DevicePointer address,
                    Value value, unsigned flags) {
  refuse_null(name, "address", address, sizeof value);
  if (address % sizeof value != 0)
    throw InvalidArgument(std::string(name) + ": address is " + std::to_string(address) +
                              ", and a multiple of " + std::to_string(sizeof value) +
                              " was expected",
                          "align the word to its size");
  const Table& cu = current_table();
  check(cu, (cu.*slot)(stream.raw(), address, value, flags), name);
}

}  // namespace

void call_host(StreamRef stream, std::function<void()> function) {
  const Table& cu = current_table();
  const auto call = make_host_call(std::move(function));
  const CaptureInfo capture = ask_capture(cu, stream.raw());
  if (capture.status != CaptureStatus::none) {
    if (capture.graph != nullptr) keep_for_graph(Context::current(), capture.graph, call);
    return check(cu, cu.cuLaunchHostFunc(stream.raw(), &HostCall::call, call.get()),
                 "cuLaunchHostFunc");
  }
  prepare_deferred_release();
  auto once = std::make_unique<std::shared_ptr<HostCall>>(call);
  check(cu, cu.cuLaunchHostFunc(stream.raw(), &call_once, once.get()), "cuLaunchHostFunc");
  once.release();
}

void wait_value32(StreamRef stream, DevicePointer address, std::uint32_t value,
                  WaitCondition condition) {
  call_operation("cuStreamWaitValue32", &Table::cuStreamWaitValue32, stream, address, value,
                 static_cast<unsigned>(condition));
}
void wait_value64(StreamRef stream, DevicePointer address, std::uint64_t value,
                  WaitCondition condition) {
  call_operation("cuStreamWaitValue64", &Table::cuStreamWaitValue64, stream, address, value,
                 static_cast<unsigned>(condition));
}
void write_value32(StreamRef stream, DevicePointer address, std::uint32_t value) {
  call_operation("cuStreamWriteValue32", &Table::cuStreamWriteValue32, stream, address, value,
                 CU_STREAM_WRITE_VALUE_DEFAULT);
}
void write_value64(StreamRef stream, DevicePointer address, std::uint64_t value) {
  call_operation("cuStreamWriteValue64", &Table::cuStreamWriteValue64, stream, address, value,
                 CU_STREAM_WRITE_VALUE_DEFAULT);
}

std::vector<CUstreamBatchMemOpParams> raw_operations(std::span<const MemoryOperation> operations) {
  std::vector<CUstreamBatchMemOpParams> raw(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const MemoryOperation& operation = operations[i];
    const bool waits = operation.kind == MemoryOperation::Kind::wait32 ||
                       operation.kind == MemoryOperation::Kind::wait64;
    constexpr CUstreamBatchMemOpType types[] = {
        CU_STREAM_MEM_OP_WAIT_VALUE_32, CU_STREAM_MEM_OP_WAIT_VALUE_64,
        CU_STREAM_MEM_OP_WRITE_VALUE_32, CU_STREAM_MEM_OP_WRITE_VALUE_64};
    // Waits and writes are laid out alike.
    raw[i].waitValue.operation = types[static_cast<std::size_t>(operation.kind)];
    raw[i].waitValue.address = operation.address;
    raw[i].waitValue.value64 = operation.value;
    raw[i].waitValue.flags = waits ? static_cast<unsigned>(operation.condition) : 0;
  }
  return raw;
}

void run_operations(StreamRef stream, std::span<const MemoryOperation> operations) {
  std::vector<CUstreamBatchMemOpParams> raw = raw_operations(operations);
  const Table& cu = current_table();
  if (!raw.empty())
    check(cu, cu.cuStreamBatchMemOp(stream.raw(), static_cast<unsigned>(raw.size()), raw.data(), 0),
          "cuStreamBatchMemOp");
}

}  // namespace treadle::cuda
