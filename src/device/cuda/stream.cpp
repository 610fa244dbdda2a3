// SPDX-License-Identifier: MIT
#include "device/cuda/stream.hpp"

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "device/argument_room.hpp"
#include "device/cuda/device.hpp"
#include "device/cuda/event.hpp"
#include "device/cuda/module.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/device/host_wait.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::device {
namespace {

using cuda::Activation;
using cuda::check;

/// On CUDA a place in memory is an address.
cuda::DevicePointer address(Location location) { return location.handle + location.offset; }

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

/// One side of a strided copy.
struct Side {
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  const Pitch& pitch;
};

Side destination_side(const Copy& copy) {
  const bool is_host = copy.direction == Copy::Direction::to_host;
  return {is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE, copy.host, address(copy.destination),
          copy.destination_pitch};
}
Side source_side(const Copy& copy) {
  const bool is_host = copy.direction == Copy::Direction::to_device;
  return {is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE, copy.host, address(copy.source),
          copy.source_pitch};
}

/// The rows of slice `z` as the driver describes a rectangle.
CUDA_MEMCPY2D rectangle(const Copy& copy, std::size_t z) {
  const Side to = destination_side(copy), from = source_side(copy);
  const std::uint64_t to_offset = z * to.pitch.slice_bytes,
                      from_offset = z * from.pitch.slice_bytes;
  CUDA_MEMCPY2D all{};
  all.srcMemoryType = from.type;
  all.srcHost = static_cast<std::byte*>(from.host) + from_offset;
  all.srcDevice = from.device + from_offset;
  all.srcPitch = from.pitch.row_bytes;
  all.dstMemoryType = to.type;
  all.dstHost = static_cast<std::byte*>(to.host) + to_offset;
  all.dstDevice = to.device + to_offset;
  all.dstPitch = to.pitch.row_bytes;
  all.WidthInBytes = copy.box.row_bytes;
  all.Height = copy.box.rows;
  return all;
}

CUDA_MEMCPY3D cuboid(const Copy& copy) {
  const Side to = destination_side(copy), from = source_side(copy);
  CUDA_MEMCPY3D all{};
  all.srcMemoryType = from.type;
  all.srcHost = from.host;
  all.srcDevice = from.device;
  all.srcPitch = from.pitch.row_bytes;
  all.srcHeight = from.pitch.slice_bytes / from.pitch.row_bytes;
  all.dstMemoryType = to.type;
  all.dstHost = to.host;
  all.dstDevice = to.device;
  all.dstPitch = to.pitch.row_bytes;
  all.dstHeight = to.pitch.slice_bytes / to.pitch.row_bytes;
  all.WidthInBytes = copy.box.row_bytes;
  all.Height = copy.box.rows;
  all.Depth = copy.box.slices;
  return all;
}

/// With one row to a slice the pitch of rows means nothing; slices are then the rows.
Copy in_fewest_dimensions(Copy copy) {
  if (copy.box.rows == 1 && copy.box.slices > 1) {
    copy.box.rows = std::exchange(copy.box.slices, 1);
    copy.destination_pitch.row_bytes = copy.destination_pitch.slice_bytes;
    copy.source_pitch.row_bytes = copy.source_pitch.slice_bytes;
  }
  return copy;
}

bool has_whole_rows(const Pitch& pitch) { return pitch.slice_bytes % pitch.row_bytes == 0; }

void call_and_delete(void* data) noexcept {
  const std::unique_ptr<std::function<void()>> callback(static_cast<std::function<void()>*>(data));
  try {
    (*callback)();
  } catch (const std::exception& error) {
    warn(std::string("a host callback of a stream: ") + error.what());
  }
}

}  // namespace

CudaStream::CudaStream(Device& device, const cuda::Context& context, cuda::Stream own,
                       PatternFill& fills)
    : Stream(device, reinterpret_cast<std::uint64_t>(own.raw())),
      context_(context),
      own_(std::move(own)),
      stream_(own_->raw()),
      fills_(fills) {}

CudaStream::CudaStream(Device& device, const cuda::Context& context, cuda::RawStream raw,
                       PatternFill& fills)
    : Stream(device, reinterpret_cast<std::uint64_t>(raw)),
      context_(context),
      stream_(raw),
      fills_(fills) {
  if (raw != nullptr) hold_.emplace(raw);
}

void CudaStream::wait_until_done() {
  const auto wait = [this] {
    const Activation active(context_);
    check(active.table(), active.table().cuStreamSynchronize(stream_), "cuStreamSynchronize");
  };
  wait_as_set(device(), [this] { return is_done(); }, wait);
}

bool CudaStream::is_done() {
  const Activation active(context_);
  const cuda::Table& cu = active.table();
  // Nothing that a graph captures has run, and the question would end the capture.
  CUstreamCaptureStatus captured = CU_STREAM_CAPTURE_STATUS_NONE;
  check(cu, cu.cuStreamIsCapturing(stream_, &captured), "cuStreamIsCapturing");
  if (captured != CU_STREAM_CAPTURE_STATUS_NONE) return false;
  const int code = cu.cuStreamQuery(stream_);
  if (code == CUDA_ERROR_NOT_READY) return false;
  check(cu, code, "cuStreamQuery");
  return true;
}

/// Runs `work`, which queues one command, between what the order wants before and behind it.
template <class Work>
void CudaStream::in_order(const Order& order, Work&& work) {
  const Activation active(context_);
  for (const Event* event : order.after) queue_wait(*event);
  work(active.table());
  if (order.done != nullptr) queue_record(*order.done);
}

void CudaStream::queue_copy(const Copy& copy, const Order& order) {
  in_order(order, [&](const cuda::Table& cu) {
    if (copy.is_linear())
      copy_row(cu, copy);
    else
      copy_box(cu, in_fewest_dimensions(copy));
  });
}

void CudaStream::copy_row(const cuda::Table& cu, const Copy& copy) {
  const std::size_t bytes = copy.box.row_bytes;
  const auto describe = [&] { return std::to_string(bytes) + " bytes"; };
  const auto peer_copy = [&](Device& to, Device& from) {
    check(cu,
          cu.cuMemcpyPeerAsync(address(copy.destination), cuda_raw_context(to),
                               address(copy.source), cuda_raw_context(from), bytes, stream_),
          "cuMemcpyPeerAsync", describe);
  };
  switch (copy.direction) {
    case Copy::Direction::to_device:
      return check(cu, cu.cuMemcpyHtoDAsync(address(copy.destination), copy.host, bytes, stream_),
                   "cuMemcpyHtoDAsync", describe);
    case Copy::Direction::to_host:
      return check(cu, cu.cuMemcpyDtoHAsync(copy.host, address(copy.source), bytes, stream_),
                   "cuMemcpyDtoHAsync", describe);
    case Copy::Direction::on_device:
      return check(
          cu, cu.cuMemcpyDtoDAsync(address(copy.destination), address(copy.source), bytes, stream_),
          "cuMemcpyDtoDAsync", describe);
    case Copy::Direction::to_peer:
      return peer_copy(*copy.peer, device());
    case Copy::Direction::from_peer:
      return peer_copy(device(), *copy.peer);
  }
}

void CudaStream::copy_box(const cuda::Table& cu, const Copy& copy) {
  const auto& [row_bytes, rows, slices] = copy.box;
  const auto describe = [&] {
    return std::to_string(slices) + " x " + std::to_string(rows) + " rows of " +
           std::to_string(row_bytes) + " bytes";
  };
  if (slices > 1 && has_whole_rows(copy.destination_pitch) && has_whole_rows(copy.source_pitch)) {
    const CUDA_MEMCPY3D all = cuboid(copy);
    return check(cu, cu.cuMemcpy3DAsync(&all, stream_), "cuMemcpy3DAsync", describe);
  }
  // The driver's boxes have slices that begin whole rows apart.
  for (std::size_t z = 0; z < slices; ++z) {
    const CUDA_MEMCPY2D slice = rectangle(copy, z);
    check(cu, cu.cuMemcpy2DAsync(&slice, stream_), "cuMemcpy2DAsync", describe);
  }
}

void CudaStream::queue_fill(Location destination, std::span<const std::byte> pattern,
                            std::size_t count, const Order& order) {
  in_order(order, [&](const cuda::Table& cu) {
    fills_.queue(context_, cu, address(destination), pattern, count, stream_);
  });
}

void CudaStream::queue_launch(const Kernel& kernel, const LaunchShape& shape,
                              std::span<const Argument> arguments, const Order& order) {
  const ArgumentPointers pointers(arguments);
  const auto& [groups, group_size, local_bytes, cooperative] = shape;
  for (const Event* event : order.after) queue_wait(*event);
  static_cast<const CudaKernel&>(kernel.state()).allow_local_bytes(local_bytes);
  // The shell notes the launch: see CudaDevice.
  function_of(kernel).launch_unchecked({.grid = {groups.x, groups.y, groups.z},
                                        .block = {group_size.x, group_size.y, group_size.z},
                                        .shared_bytes = local_bytes,
                                        .cooperative = cooperative,
                                        .stream = cuda::StreamRef(stream_)},
                                       pointers.get());
  if (order.done != nullptr) queue_record(*order.done);
}

void CudaStream::queue_record(Event& event) {
  auto& own = static_cast<CudaEvent&>(event);
  const Activation active(context_);
  check(active.table(), active.table().cuEventRecord(own.raw(), stream_), "cuEventRecord");
  own.note_record();
}

void CudaStream::queue_wait(const Event& event) {
  const Activation active(context_);
  check(active.table(),
        active.table().cuStreamWaitEvent(stream_, static_cast<const CudaEvent&>(event).raw(), 0),
        "cuStreamWaitEvent");
}

void CudaStream::queue_callback(std::function<void()> callback) {
  auto kept = std::make_unique<std::function<void()>>(std::move(callback));
  const Activation active(context_);
  check(active.table(), active.table().cuLaunchHostFunc(stream_, call_and_delete, kept.get()),
        "cuLaunchHostFunc");
  kept.release();
}

}  // namespace treadle::device
