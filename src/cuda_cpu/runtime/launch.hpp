// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "cuda_cpu/runtime/command.hpp"
#include "cuda_cpu/runtime/module.hpp"
#include "cuda_cpu/runtime/watchdog.hpp"

namespace treadle::cuda_cpu {

class DeviceRuntime;
class GridOfBlocks;
struct BlockOrder;
class OrderRecord;
struct Fault;

struct LaunchShape {
  std::array<std::uint32_t, 3> grid, block;
  std::uint32_t dynamic_shared = 0;
  bool cooperative = false;  ///< all blocks are kept until the last has ended: they may meet
  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::uint64_t threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }

  /// Writes the coordinates of block `number` to `index`: x first, then y, then z. It divides,
  /// which takes as long as a short block runs: call it once per chunk, then advance().
  void locate(std::uint64_t number, std::uint32_t* index) const {
    index[0] = static_cast<std::uint32_t>(number % grid[0]);
    index[1] = static_cast<std::uint32_t>(number / grid[0] % grid[1]);
    index[2] = static_cast<std::uint32_t>(number / grid[0] / grid[1]);
  }
  /// From the block that `index` names to the next.
  void advance(std::uint32_t* index) const {
    if (++index[0] < grid[0]) return;
    index[0] = 0;
    if (++index[1] < grid[1]) return;
    index[1] = 0;
    ++index[2];
  }
};

/// One kernel launch. Threads claim chunks of blocks, in increasing order of the block's number (x
/// fastest), so a block may wait for one with a smaller number.
class LaunchCommand final : public Command {
 public:
  LaunchCommand(std::shared_ptr<Function> launched, const LaunchShape& launch_shape);
  ~LaunchCommand() override;

  /// Copies the arguments: one address per parameter, or CUDA's packed buffer.
  void copy_arguments(void* const* addresses);
  void copy_packed(const std::byte* buffer, std::size_t size);

  /// What was copied, laid out as the kernel reads it.
  std::span<const std::byte> packed() const { return {argument_bytes_, kernel().parameter_bytes}; }

  /// For a kernel_time_by_arguments, when the arguments are there.
  void remember_call() { call_ = digest_of_call(); }
  /// For a cooperative launch, before it is submitted: memory for every block. False if there is
  /// not enough.
  bool keep_all_blocks();

  /// For a launch by a kernel, before it is submitted: false if the context has as many as it may.
  bool count_as_pending();
  /// A tail launch stands where `launcher` does; any other begins with what a block of it knows.
  void set_parent(LaunchCommand& launcher, bool is_tail, std::shared_ptr<const BlockOrder> known);
  /// Of launches by kernels, above this one.
  unsigned depth() const { return depth_; }
  DeviceRuntime& device_runtime();
  /// What a block knows when it starts; null: nothing.
  const BlockOrder* known_at_start() const { return known_at_start_.get(); }

  bool run() override;
  void finished() override;
  TailLaunches take_tails() override;
  void placed(const PlaceInOrder& place) override;
  /// Of checked_launch(), if it is checked for races; else 0.
  std::uint32_t checked_number() const { return checked_number_; }
  /// Of a kernel that is checked for determinism; else null.
  OrderRecord* order() const { return order_.get(); }
  /// A block cannot be interrupted and moved to another thread. An earlier quick run predicts the
  /// next one only if the kernel has no loop of unknown length, or if its length depends on
  /// arguments that are the same again.
  bool may_take_long() const override;
  Context& context() const { return *function_->module->context; }
  const Module& module() const { return *function_->module; }
  const std::shared_ptr<Module>& shared_module() const { return function_->module; }
  const Kernel& kernel() const { return function_->kernel; }
  /// Bytes of a block's shared memory: static, exchange and dynamic.
  std::uint64_t shared_bytes() const {
    return kernel().static_shared + kernel().exchange_shared + shape_.dynamic_shared;
  }
  /// Whether the address lies in the copy of the launch's arguments.
  bool holds_argument(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(argument_bytes_) < kernel().parameter_bytes;
  }

 private:
  struct Share {  // what the guarded code works on
    LaunchCommand* launch;
    BlockContext* block;
    std::int64_t leave_at;  // 0: never
    bool left = false;
  };
  static void run_blocks(void* share);
  void run_chunk(std::uint64_t first, std::uint64_t end, BlockContext& block);
  std::uint32_t blocks_in_row(const BlockContext& block, std::uint64_t left) const;
  bool run_guarded_blocks(Share& share, Fault& fault);
  bool run_in_other_order(Share& share, Fault& fault);
  bool run_piece(Share& share);
  bool run_piece_of_grid(Share& share);
  void report(Fault fault, const BlockContext& block);
  std::string shown_name() const;
  std::uint64_t all_threads() const { return total_blocks_ * shape_.threads(); }
  std::uint64_t digest_of_call() const;

  const std::shared_ptr<Function> function_;
  const LaunchShape shape_;
  const std::uint64_t total_blocks_;
  std::uint64_t chunk_ = 1;
  std::atomic<std::uint64_t> next_block_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<std::int64_t> started_{0};  // 0: the time is not measured
  std::atomic<bool> helpers_called_{false};
  Watch watch_;
  std::uint32_t checked_number_ = 0;
  std::uint64_t call_ = 0;  // of a kernel_time_by_arguments: digest of its shape and numbers
  std::byte* argument_bytes_ = nullptr;  // the packed buffer; arguments_[i] points into it
  void** arguments_ = nullptr;
  alignas(64) std::byte inline_storage_[512];
  std::unique_ptr<std::byte[]> large_storage_;
  std::unique_ptr<GridOfBlocks> grid_;  // of a cooperative launch
  unsigned depth_ = 0;
  bool is_pending_ = false;
  std::uint32_t launcher_ = 0;    // of checked_launch(): of a launch by a kernel
  std::uint32_t stands_for_ = 0;  // the same, of a tail launch
  std::shared_ptr<const BlockOrder> known_at_start_;
  std::once_flag has_runtime_;
  std::unique_ptr<DeviceRuntime> runtime_;  // once a block has asked
  std::unique_ptr<OrderRecord> order_;
  bool is_reversed_ = false, on_fibers_ = false;  // as it runs again
};

/// What the device or the kernel forbids.
CUresult check_shape(const Function& function, const LaunchShape& shape);

/// The context whose launch this block belongs to.
const std::shared_ptr<Context>& launch_context(const BlockContext& block);

/// Whether nobody wants the launch any more: see cancel_kernels().
bool is_cancelled(const BlockContext& block);

/// Checks and queues. The shape's limits, the argument buffer and the stream are checked here.
CUresult launch_kernel(CUfunction function, const LaunchShape& shape, CUstream stream,
                       void** addresses, void** extra);

}  // namespace treadle::cuda_cpu
