// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/launch.hpp"

#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "cuda_cpu/runtime/block_space.hpp"
#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/device_runtime.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/event.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/fiber_scheduler.hpp"
#include "cuda_cpu/runtime/global_accesses.hpp"
#include "cuda_cpu/runtime/grid_of_blocks.hpp"
#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/local_stack.hpp"
#include "cuda_cpu/runtime/machine.hpp"
#include "cuda_cpu/runtime/order_record.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/services.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"
#include "cuda_cpu/runtime/wait_hook.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Launches of at least this many threads wake other workers at once; smaller ones do when they
/// turn out to be slow.
constexpr std::uint64_t eager_threads = 1u << 15;
constexpr std::int64_t slow_nanoseconds = 15'000;
/// Longest delay of the calls of a wait hook.
constexpr std::int64_t quick_nanoseconds = 1'000'000;
/// Chunks a thread gets of a grid, on average: enough to even out, few enough that claiming costs
/// nothing.
constexpr std::uint64_t chunks_per_thread = 16;
/// Threads per row of blocks that run together: long enough for hardware prefetching.
constexpr std::uint32_t threads_in_row = 16384;

std::size_t storage_needed(const Kernel& kernel) {
  return (kernel.parameter_bytes + 63) / 64 * 64 + kernel.parameter_count * sizeof(void*);
}

}  // namespace

LaunchCommand::LaunchCommand(std::shared_ptr<Function> launched, const LaunchShape& launch_shape)
    : Command(Kind::work),
      function_(std::move(launched)),
      shape_(launch_shape),
      total_blocks_(shape_.blocks()) {
  const unsigned workers = machine().threads;
  chunk_ = std::max<std::uint64_t>(1, total_blocks_ / (workers * chunks_per_thread));
  if ((kernel().flags & kernel_checks_order) != 0) {
    order_ = std::make_unique<OrderRecord>();
    chunk_ = total_blocks_;
  }
  limit = static_cast<unsigned>(
      std::min<std::uint64_t>((total_blocks_ + chunk_ - 1) / chunk_, workers));
  eager = limit > 1 && all_threads() >= eager_threads;
}

LaunchCommand::~LaunchCommand() {
  if (is_pending_) context().pending_launches.fetch_sub(1, std::memory_order_relaxed);
}

bool LaunchCommand::keep_all_blocks() {
  grid_ = std::make_unique<GridOfBlocks>(total_blocks_, is_reversed_);
  return grid_->reserve(function_->kernel, shape_, this);
}

void LaunchCommand::copy_packed(const std::byte* buffer, std::size_t size) {
  const Kernel& kernel = function_->kernel;
  argument_bytes_ = inline_storage_;
  const std::size_t needed = storage_needed(kernel);
  if (needed > sizeof inline_storage_) {
    large_storage_ = std::make_unique<std::byte[]>(needed + 64);
    argument_bytes_ = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(large_storage_.get()) + 63) / 64 * 64);
  }
  if (buffer != nullptr)
    std::memcpy(argument_bytes_, buffer, std::min<std::size_t>(size, kernel.parameter_bytes));
  arguments_ = reinterpret_cast<void**>(argument_bytes_ + (kernel.parameter_bytes + 63) / 64 * 64);
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    arguments_[i] = argument_bytes_ + kernel.parameters[i].offset;
}

void LaunchCommand::copy_arguments(void* const* addresses) {
  copy_packed(nullptr, 0);
  for (std::uint32_t i = 0; i < function_->kernel.parameter_count; ++i)
    std::memcpy(arguments_[i], addresses[i], function_->kernel.parameters[i].size);
}

std::uint64_t LaunchCommand::digest_of_call() const {
  std::uint64_t digest = 0xcbf29ce484222325u;  // FNV-1a, a word at a time
  const auto add = [&](std::uint64_t word) { digest = (digest ^ word) * 0x100000001b3u; };
  for (unsigned i = 0; i < 3; ++i) add(std::uint64_t{shape_.grid[i]} << 32 | shape_.block[i]);
  add(shape_.dynamic_shared);
  const Kernel& kernel = function_->kernel;
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i) {
    const ParameterRecord& parameter = kernel.parameters[i];
    if (parameter.kind == static_cast<std::uint32_t>(ParameterKind::pointer)) continue;
    const auto* bytes = static_cast<const std::byte*>(arguments_[i]);
    for (std::uint32_t at = 0; at < parameter.size; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min<std::size_t>(sizeof word, parameter.size - at));
      add(word);
    }
  }
  return digest == 0 ? 1 : digest;
}

bool LaunchCommand::may_take_long() const {
  if (grid_ != nullptr) return true;
  if (call_ != 0) return function_->quick_call.load(std::memory_order_relaxed) != call_;
  return (function_->kernel.flags & kernel_may_run_long) != 0 ||
         all_threads() > function_->quick_threads;
}

void LaunchCommand::run_chunk(std::uint64_t first, std::uint64_t end, BlockContext& block) {
  const Kernel& kernel = function_->kernel;
  shape_.locate(first, block.block_index);
  const bool by_regions = runs_regions(kernel, shape_.block[0]);
  const bool on_fibers = on_fibers_ || runs_on_fibers(kernel);
  const bool in_rows = (kernel.flags & kernel_runs_block_rows) != 0 && !by_regions && !on_fibers &&
                       order_ == nullptr;
  for (std::uint64_t number = first, count = 1; number < end; number += count) {
    if (is_reversed_) shape_.locate(total_blocks_ - 1 - number, block.block_index);
    if (in_rows) count = blocks_in_row(block, end - number);
    block.blocks_in_row = static_cast<std::uint32_t>(count);
    block.thread_index[0] = thread_unknown;
    if (on_fibers)
      run_block_on_fibers(kernel, arguments_, block);
    else if (!by_regions)
      kernel.run(arguments_, &block);
    else if (start_block({kernel, function_->barriers, arguments_, block}) != BlockPause::finished)
      leave_guarded(FaultReason::trap);  // a grid barrier, which CUDA's headers answer with a trap
    shape_.advance(block.block_index);
  }
}

/// How many of the next `left` blocks `run` shall run together.
std::uint32_t LaunchCommand::blocks_in_row(const BlockContext& block, std::uint64_t left) const {
  const std::uint32_t wanted = std::max(1u, threads_in_row / shape_.block[0]);
  const std::uint32_t there = shape_.grid[0] - block.block_index[0];
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::min(wanted, there), left));
}

/// Claims and runs a chunk of blocks. False when that was the last.
bool LaunchCommand::run_piece(Share& share) {
  const std::uint64_t first = next_block_.fetch_add(chunk_, std::memory_order_relaxed);
  if (first >= total_blocks_) return false;
  const std::uint64_t end = std::min(total_blocks_, first + chunk_);
  share.block->stack = __builtin_frame_address(0);
  enter_compiled_code();
  run_chunk(first, end, *share.block);
  leave_compiled_code();
  return end < total_blocks_;
}

/// One turn of one block of a cooperative launch. False when all have ended.
bool LaunchCommand::run_piece_of_grid(Share& share) {
  const GridOfBlocks::Ticket ticket = grid_->take_ticket();
  // The last block may end after a ticket for the same turn was taken; that ticket is dropped.
  while (!grid_->ended() && !grid_->may_run(ticket)) {
    if (stopped_.load(std::memory_order_relaxed) || context().ending || is_cancelled())
      return false;
    sched_yield();
  }
  if (grid_->ended()) return false;
  share.block = &grid_->context(ticket);
  share.block->stack = __builtin_frame_address(0);
  set_current_block(share.block);
  enter_compiled_code();
  grid_->run(ticket, function_->kernel, function_->barriers, arguments_);
  leave_compiled_code();
  return true;
}

/// Runs guarded: a fault leaves by a jump, so no object here may need its destructor.
void LaunchCommand::run_blocks(void* argument) {
  Share& share = *static_cast<Share*>(argument);
  LaunchCommand& launch = *share.launch;
  const std::int64_t start = launch.limit > 1 ? monotonic_nanoseconds() : 0;
  while (!launch.stopped_.load(std::memory_order_relaxed)) {
    if (!(launch.grid_ ? launch.run_piece_of_grid(share) : launch.run_piece(share))) return;
    if (launch.limit == 1) continue;
    const std::int64_t now = monotonic_nanoseconds();
    if (!launch.helpers_called_.load(std::memory_order_relaxed) && now - start > slow_nanoseconds &&
        !launch.helpers_called_.exchange(true))
      Scheduler::instance().call_helpers(launch.limit - 1);
    if (share.leave_at != 0 && now > share.leave_at) {
      share.left = true;
      return;
    }
  }
}

bool LaunchCommand::count_as_pending() {
  const std::size_t most = context().limit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT);
  is_pending_ = context().pending_launches.fetch_add(1, std::memory_order_relaxed) < most;
  if (!is_pending_) context().pending_launches.fetch_sub(1, std::memory_order_relaxed);
  return is_pending_;
}

void LaunchCommand::set_parent(LaunchCommand& launcher, bool is_tail,
                               std::shared_ptr<const BlockOrder> known) {
  depth_ = launcher.depth_ + (is_tail ? 0 : 1);
  launcher_ = is_tail ? launcher.launcher_ : launcher.checked_number_;
  stands_for_ = is_tail ? launcher.checked_number_ : 0;
  known_at_start_ = is_tail ? launcher.known_at_start_ : std::move(known);
}

DeviceRuntime& LaunchCommand::device_runtime() {
  if (order_ != nullptr) order_->give_up();
  std::call_once(has_runtime_, [this] { runtime_ = std::make_unique<DeviceRuntime>(*this); });
  return *runtime_;
}

TailLaunches LaunchCommand::take_tails() {
  return runtime_ == nullptr ? TailLaunches() : runtime_->take_tails();
}

void LaunchCommand::placed(const PlaceInOrder& place) {
  if ((kernel().flags & kernel_checks_races) == 0) return;
  CheckedLaunch checked{place, kernel().name, shape_.grid, shape_.block, launcher_};
  if (stands_for_ != 0) checked.place = checked_launch(stands_for_).place;
  if (known_at_start_ != nullptr && stands_for_ == 0) {
    Positions known = place.known == nullptr ? Positions() : *place.known;
    if (join(known, known_at_start_->ended))
      checked.place.known = std::make_shared<const Positions>(std::move(known));
  }
  checked_number_ = add_checked_launch(std::move(checked));
}

void LaunchCommand::finished() {
  watch_.end();
  const std::int64_t start = started_.load(std::memory_order_relaxed);
  if (start == 0) return;
  const bool quick = !stopped_ && monotonic_nanoseconds() - start < quick_nanoseconds;
  function_->quick_threads.store(quick ? all_threads() : 0, std::memory_order_relaxed);
  function_->quick_call.store(quick ? call_ : 0, std::memory_order_relaxed);
}

bool LaunchCommand::run() {
  if (context().error() != CUDA_SUCCESS)
    return true;  // as on a GPU, nothing runs in a failed context
  prepare_for_faults();
  const KernelThread running(context());
  if (is_cancelled()) {
    stopped_ = true;
    return true;
  }
  if (context().ending.load(std::memory_order_seq_cst)) {
    context().fail_ended();
    return true;
  }
  BlockContext* const block =
      grid_ ? &grid_->context({})
            : BlockSpace::of_this_thread().prepare(function_->kernel, shape_, this);
  if (block == nullptr || !prepare_local_stack()) {
    stopped_ = true;
    context().fail(
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        std::string("kernel ") + function_->kernel.name + ": no memory for the threads of a block");
    return true;
  }
  watch_.begin(function_->module->context);
  if (eager) helpers_called_.store(true, std::memory_order_relaxed);
  if (std::int64_t nobody = 0; wait_hook() != nullptr)
    started_.compare_exchange_strong(nobody, monotonic_nanoseconds());
  Share share{this, block, leave_work_at()};
  Fault fault;
  bool completed = run_guarded_blocks(share, fault);
  if (completed && order_ != nullptr && !context().ending && order_->may_repeat())
    completed = run_in_other_order(share, fault);
  if (completed && !context().ending) return !share.left;
  if (completed) {
    context().fail_ended();  // perhaps no thread is left that could name the kernel
    return true;
  }
  stopped_ = true;
  if (fault.reason != FaultReason::ended || !is_cancelled()) report(fault, *share.block);
  return true;
}

bool LaunchCommand::run_guarded_blocks(Share& share, Fault& fault) {
  set_current_block(share.block);
  const bool completed = run_guarded(fault, run_blocks, &share);
  set_current_block(nullptr);
  forget_known_places();
  return completed;
}

/// The check `determinism`. Threads that wait for others of their block without a barrier do so in
/// vain on fibers, so these blocks run by regions; if that is in vain, too, it is for other blocks.
bool LaunchCommand::run_in_other_order(Share& share, Fault& fault) {
  order_->begin_second();
  is_reversed_ = true;
  for (on_fibers_ = grid_ == nullptr;; on_fibers_ = false) {
    next_block_.store(0, std::memory_order_relaxed);
    if (grid_ != nullptr) {
      if (!keep_all_blocks()) return true;
      share.block = &grid_->context({});
    }
    if (run_guarded_blocks(share, fault)) break;
    if (!order_->has_waited_in_vain()) return false;
    if (!on_fibers_) {
      context().fail(CUDA_ERROR_LAUNCH_FAILED,
                     "kernel " + shown_name() +
                         ": the result depends on the order of blocks: a block waits for one with "
                         "a smaller number, which may not have begun");
      return true;
    }
    order_->restart_second();
  }
  if (const auto found = order_->difference())
    context().fail(CUDA_ERROR_LAUNCH_FAILED,
                   "kernel " + shown_name() + ": " + describe_difference(*found, shape_));
  return true;
}

std::string LaunchCommand::shown_name() const {
  const bool has_signature = kernel().signature != nullptr && *kernel().signature != '\0';
  return has_signature ? kernel().signature : kernel().name;
}

void LaunchCommand::report(Fault fault, const BlockContext& block) {
  if (fault.reason == FaultReason::ended && context().timed_out) {
    if (!watch_.expired()) return;  // ended along with the kernel that ran too long
    fault.reason = FaultReason::timed_out;
  }
  const auto triple = [](const std::uint32_t* v) {
    return fmt::format("({},{},{})", v[0], v[1], v[2]);
  };
  std::string what = fault_description(fault);
  if (const std::string place = fault_place(fault); !place.empty()) what += ", " + place;
  // What a reference without an object points at begins at 0.
  if (constexpr std::uintptr_t near_null = 4096;
      fault.signal == SIGSEGV && fault.address < near_null)
    if (const std::string names = function_->module->unbound_references(); !names.empty())
      what += ", where nothing is bound to the texture or surface references " + names;
  // A loop over the threads of a block is vectorised: it is in several threads at a time.
  const std::string thread = block.thread_index[0] != thread_unknown
                                 ? triple(block.thread_index)
                                 : "unknown (TREADLE_CHECK=memory tells)";
  context().fail(fault_code(fault),
                 fmt::format("kernel {}: {}, block {} of {}, thread {} of {}", shown_name(), what,
                             triple(block.block_index), triple(block.grid_size), thread,
                             triple(block.block_size)));
}

bool is_cancelled(const BlockContext& block) {
  return static_cast<const LaunchCommand*>(block.launch)->is_cancelled();
}
const std::shared_ptr<Context>& launch_context(const BlockContext& block) {
  return static_cast<LaunchCommand*>(block.launch)->module().context;
}

namespace {

/// Blocks that all workers hold at once, by the count the occupancy functions give.
std::uint64_t resident_blocks(const Function& function, const LaunchShape& shape) {
  const auto each = static_cast<std::uint64_t>(
      blocks_per_multiprocessor(function, static_cast<int>(shape.threads()), shape.dynamic_shared));
  return each * machine().threads;
}

}  // namespace

CUresult check_shape(const Function& function, const LaunchShape& shape) {
  const Kernel& kernel = function.kernel;
  for (unsigned i = 0; i < 3; ++i) {
    if (shape.grid[i] == 0 || shape.grid[i] > max_grid_size[i]) return CUDA_ERROR_INVALID_VALUE;
    if (shape.block[i] == 0 || shape.block[i] > max_block_size[i]) return CUDA_ERROR_INVALID_VALUE;
    // The compiler took blockIdx * blockDim + threadIdx for a number below 2^31.
    const bool small = std::uint64_t{shape.grid[i]} * shape.block[i] <= 0x80000000u;
    if ((kernel.flags & kernel_assumes_small_index) != 0 && !small) return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (shape.threads() > function.max_threads()) return CUDA_ERROR_INVALID_VALUE;
  if (shape.dynamic_shared > function.max_dynamic_shared.load(std::memory_order_relaxed))
    return CUDA_ERROR_INVALID_VALUE;
  if (shape.cooperative && shape.blocks() > resident_blocks(function, shape))
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return CUDA_SUCCESS;
}

namespace {

/// CUDA's other way to pass arguments: a list of keys and values that names one packed buffer.
CUresult parse_extra(void** extra, const std::byte*& buffer, std::size_t& size) {
  constexpr unsigned most_entries = 16;
  const std::size_t* size_pointer = nullptr;
  for (unsigned i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (i >= most_entries) return CUDA_ERROR_INVALID_VALUE;
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<const std::byte*>(extra[i + 1]);
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size_pointer = static_cast<const std::size_t*>(extra[i + 1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (buffer == nullptr || size_pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
  size = *size_pointer;
  return CUDA_SUCCESS;
}

/// Bytes the packed buffer must have: up to the end of the last parameter. Padding behind it is
/// optional.
std::size_t packed_end(const Kernel& kernel) {
  if (kernel.parameter_count == 0) return 0;
  const ParameterRecord& last = kernel.parameters[kernel.parameter_count - 1];
  return std::size_t{last.offset} + last.size;
}

CUresult pass_arguments(LaunchCommand& command, const Kernel& kernel, void** addresses,
                        void** extra) {
  if (addresses != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (addresses != nullptr) {
    for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
      if (addresses[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
    command.copy_arguments(addresses);
    return CUDA_SUCCESS;
  }
  const std::byte* buffer = nullptr;
  std::size_t size = 0;
  if (extra != nullptr)
    if (const CUresult failure = parse_extra(extra, buffer, size); failure != CUDA_SUCCESS)
      return failure;
  if (size < packed_end(kernel)) return CUDA_ERROR_INVALID_VALUE;
  command.copy_packed(buffer, size);
  return CUDA_SUCCESS;
}

/// What an attribute has recorded; null for other attributes. A GPU may record it while the kernel
/// runs, here it is recorded at the end, which is as late as it may be there.
const CUevent* event_of(const CUlaunchAttribute& attribute) {
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
    return &attribute.value.programmaticEvent.event;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
    return &attribute.value.launchCompletionEvent.event;
  return nullptr;
}

}  // namespace

CUresult launch_kernel(CUfunction handle, const LaunchShape& shape, CUstream stream_handle,
                       void** addresses, void** extra) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Function> function;
    if (const CUresult failure = find_function(handle, function); failure != CUDA_SUCCESS)
      return failure;
    if (function->module->context != context) return CUDA_ERROR_INVALID_HANDLE;
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, stream_handle, stream);
        failure != CUDA_SUCCESS)
      return failure;
    if (const CUresult failure = check_shape(*function, shape); failure != CUDA_SUCCESS)
      return failure;
    const Kernel& kernel = function->kernel;
    auto command = std::make_unique<LaunchCommand>(function, shape);
    if (const CUresult failure = pass_arguments(*command, kernel, addresses, extra);
        failure != CUDA_SUCCESS)
      return failure;
    if (stream->capturing) [[unlikely]] {
      const auto packed = command->packed();
      return capture_work(stream, KernelWork{.function = std::move(function),
                                             .shape = shape,
                                             .packed = {packed.begin(), packed.end()}});
    }
    if ((kernel.flags & kernel_time_by_arguments) != 0) command->remember_call();
    if (shape.cooperative && !command->keep_all_blocks()) return CUDA_ERROR_OUT_OF_MEMORY;
    Scheduler::instance().submit(std::move(command), stream);
    return CUDA_SUCCESS;
  });
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z,
                        unsigned dynamic_shared, CUstream stream, void** addresses, void** extra) {
  return launch_kernel(function,
                       {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared},
                       stream, addresses, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** addresses,
                          void** extra) {
  constexpr unsigned most_attributes = 1024;  // more is a negative count
  if (config == nullptr || (config->numAttrs > 0 && config->attrs == nullptr) ||
      config->numAttrs > most_attributes)
    return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const auto& [id, pad, value] = config->attrs[i];
    // Hints are ignored; what would change the meaning of the launch is refused.
    const auto& cluster = value.clusterDim;
    if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && cluster.x * cluster.y * cluster.z > 1)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = value.cooperative != 0;
    if (const CUevent* event = event_of(config->attrs[i]); event && !event_handles().find(*event))
      return CUDA_ERROR_INVALID_HANDLE;
  }
  CUresult result = launch_kernel(function,
                                  {{config->gridDimX, config->gridDimY, config->gridDimZ},
                                   {config->blockDimX, config->blockDimY, config->blockDimZ},
                                   config->sharedMemBytes,
                                   cooperative},
                                  config->hStream, addresses, extra);
  for (unsigned i = 0; i < config->numAttrs && result == CUDA_SUCCESS; ++i)
    if (const CUevent* event = event_of(config->attrs[i]))
      result = cuEventRecord(*event, config->hStream);
  return result;
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned dynamic_shared, CUstream stream,
                                   void** addresses) {
  return launch_kernel(
      function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared, true},
      stream, addresses, nullptr);
}
