// SPDX-License-Identifier: MIT
// The device run-time: what kernels ask for when they launch kernels. A launch has one once one of
// its blocks asks.
//
//   <<<grid, block>>>              a stream of the block's own: in order, as its launches are
//   stream of ...CreateWithFlags   a stream of the launch
//   cudaStreamPerThread            a stream of the thread's own
//   cudaStreamFireAndForget        a stream for each launch
//   cudaStreamTailLaunch           starts when the launch and all that it launched have ended
//
// These streams belong to no context and wait for no other; the scheduler lets a launch end when
// all it launched has ended (Scheduler::submit_child). Launches start at once, on other cores too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/runtime/command.hpp"

namespace treadle::cuda_cpu {

class LaunchCommand;
struct LaunchShape;

/// Of launches by kernels, below one of the program's: CUDA's limit.
inline constexpr unsigned deepest_launch = 24;

/// What its blocks have asked for, of one launch. Thread-safe.
class DeviceRuntime {
 public:
  explicit DeviceRuntime(LaunchCommand& launch) : launch_(launch) {}

  void stage(const BlockContext& block, const Kernel& kernel, const void* arguments,
             std::size_t size);
  /// The answer is a cudaError_t. Does not throw.
  int call(const BlockContext& block, RuntimeCall what, const std::uint64_t (&arguments)[5]);
  /// Launches that were left for the end, in order; called when no block runs any more.
  TailLaunches take_tails();

 private:
  struct Staged {
    const Kernel* kernel = nullptr;
    std::vector<std::byte> arguments;
  };
  struct Started {
    std::shared_ptr<Stream> stream;
    std::uint64_t position = 0;
  };
  struct OfBlock {
    std::shared_ptr<Stream> own_stream;
    std::vector<Started> started;
  };

  int answer(const BlockContext& block, RuntimeCall what, const std::uint64_t (&arguments)[5]);
  int launch(const BlockContext& block, const LaunchShape& shape, std::uint64_t stream);
  int synchronize(const BlockContext& block);
  int create_stream(std::uint64_t place, std::uint64_t flags);
  int create_event(std::uint64_t place, std::uint64_t flags);
  int record(const BlockContext& block, std::uint64_t event, std::uint64_t stream);
  int wait(const BlockContext& block, std::uint64_t stream, std::uint64_t event);
  std::unique_ptr<LaunchCommand> make_child(const Staged& staged, const LaunchShape& shape,
                                            int& error) const;
  std::shared_ptr<Stream> new_stream() const;
  /// Of a handle; null if it is none of this launch.
  std::shared_ptr<Stream> stream_of(const BlockContext& block, std::uint64_t handle);

  LaunchCommand& launch_;
  std::mutex mutex_;  ///< never held while another's is waited for, but the scheduler's
  std::map<const BlockContext*, Staged> staged_;
  std::unordered_map<std::uint64_t, OfBlock> blocks_;                       // by number
  std::unordered_map<std::uint64_t, std::shared_ptr<Stream>> of_threads_;   // by number
  std::unordered_map<std::uint64_t, std::shared_ptr<Stream>> streams_;      // by handle
  std::unordered_map<std::uint64_t, std::shared_ptr<StreamPoint>> events_;  // by handle
  std::unordered_map<std::uint64_t, int> errors_;                           // by thread
  TailLaunches tails_;
};

/// What Services has for compiled code.
void stage_launch(const Kernel* kernel, const void* arguments, std::uint64_t size);
int runtime_call(std::uint32_t what, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                 std::uint64_t d, std::uint64_t e);

}  // namespace treadle::cuda_cpu
