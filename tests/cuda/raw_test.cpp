// SPDX-License-Identifier: MIT
// Our public types are the driver's under other names; here they are held against its header.
#include "treadle/cuda/raw.hpp"

#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

static_assert(std::is_same_v<RawContext, CUcontext>);
static_assert(std::is_same_v<RawModule, CUmodule>);
static_assert(std::is_same_v<RawFunction, CUfunction>);
static_assert(std::is_same_v<RawStream, CUstream>);
static_assert(std::is_same_v<RawEvent, CUevent>);
static_assert(std::is_same_v<RawArray, CUarray>);
static_assert(std::is_same_v<RawDevice, CUdevice>);
static_assert(std::is_same_v<DevicePointer, CUdeviceptr>);

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))

#define TREADLE_DEVICE_ATTRIBUTE(name, driver_name, value) \
  SAME(DeviceAttribute::name, CU_DEVICE_ATTRIBUTE_##driver_name);
#include "treadle/cuda/device_attributes.def"
#undef TREADLE_DEVICE_ATTRIBUTE

SAME(ContextFlags::schedule_auto, CU_CTX_SCHED_AUTO);
SAME(ContextFlags::schedule_spin, CU_CTX_SCHED_SPIN);
SAME(ContextFlags::schedule_yield, CU_CTX_SCHED_YIELD);
SAME(ContextFlags::schedule_blocking_sync, CU_CTX_SCHED_BLOCKING_SYNC);
SAME(ContextFlags::map_host, CU_CTX_MAP_HOST);
SAME(ContextFlags::keep_local_memory, CU_CTX_LMEM_RESIZE_TO_MAX);
SAME(Limit::stack_size, CU_LIMIT_STACK_SIZE);
SAME(Limit::printf_fifo_size, CU_LIMIT_PRINTF_FIFO_SIZE);
SAME(Limit::malloc_heap_size, CU_LIMIT_MALLOC_HEAP_SIZE);
SAME(Limit::device_runtime_sync_depth, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH);
SAME(Limit::device_runtime_pending_launch_count, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT);
SAME(Limit::max_l2_fetch_granularity, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
SAME(Limit::persisting_l2_cache_size, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
SAME(CacheConfig::none, CU_FUNC_CACHE_PREFER_NONE);
SAME(CacheConfig::prefer_shared, CU_FUNC_CACHE_PREFER_SHARED);
SAME(CacheConfig::prefer_l1, CU_FUNC_CACHE_PREFER_L1);
SAME(CacheConfig::prefer_equal, CU_FUNC_CACHE_PREFER_EQUAL);
SAME(SharedConfig::default_bank_size, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
SAME(SharedConfig::four_byte_bank_size, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
SAME(SharedConfig::eight_byte_bank_size, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
SAME(StreamFlags::blocking, CU_STREAM_DEFAULT);
SAME(StreamFlags::non_blocking, CU_STREAM_NON_BLOCKING);
SAME(EventFlags::none, CU_EVENT_DEFAULT);
SAME(EventFlags::blocking_sync, CU_EVENT_BLOCKING_SYNC);
SAME(EventFlags::disable_timing, CU_EVENT_DISABLE_TIMING);
SAME(EventFlags::interprocess, CU_EVENT_INTERPROCESS);
SAME(HostMemoryFlags::portable, CU_MEMHOSTALLOC_PORTABLE);
SAME(HostMemoryFlags::device_map, CU_MEMHOSTALLOC_DEVICEMAP);
SAME(HostMemoryFlags::write_combined, CU_MEMHOSTALLOC_WRITECOMBINED);
SAME(RegisterFlags::portable, CU_MEMHOSTREGISTER_PORTABLE);
SAME(RegisterFlags::device_map, CU_MEMHOSTREGISTER_DEVICEMAP);
SAME(RegisterFlags::io_memory, CU_MEMHOSTREGISTER_IOMEMORY);
SAME(RegisterFlags::read_only, CU_MEMHOSTREGISTER_READ_ONLY);
SAME(AttachFlags::global, CU_MEM_ATTACH_GLOBAL);
SAME(AttachFlags::host, CU_MEM_ATTACH_HOST);
SAME(AttachFlags::single, CU_MEM_ATTACH_SINGLE);
SAME(MemoryType::host, CU_MEMORYTYPE_HOST);
SAME(MemoryType::device, CU_MEMORYTYPE_DEVICE);
SAME(MemoryType::array, CU_MEMORYTYPE_ARRAY);
SAME(MemoryType::unified, CU_MEMORYTYPE_UNIFIED);
SAME(JitOption::max_registers, CU_JIT_MAX_REGISTERS);
SAME(JitOption::threads_per_block, CU_JIT_THREADS_PER_BLOCK);
SAME(JitOption::optimization_level, CU_JIT_OPTIMIZATION_LEVEL);
SAME(JitOption::target_from_context, CU_JIT_TARGET_FROM_CUCONTEXT);
SAME(JitOption::target, CU_JIT_TARGET);
SAME(JitOption::fallback_strategy, CU_JIT_FALLBACK_STRATEGY);
SAME(JitOption::generate_debug_info, CU_JIT_GENERATE_DEBUG_INFO);
SAME(JitOption::log_verbose, CU_JIT_LOG_VERBOSE);
SAME(JitOption::generate_line_info, CU_JIT_GENERATE_LINE_INFO);
SAME(JitOption::cache_mode, CU_JIT_CACHE_MODE);
SAME(FunctionAttribute::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(FunctionAttribute::shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(FunctionAttribute::const_size_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(FunctionAttribute::local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(FunctionAttribute::num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(FunctionAttribute::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME(FunctionAttribute::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(FunctionAttribute::cache_mode_ca, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
SAME(FunctionAttribute::max_dynamic_shared_size_bytes,
     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(FunctionAttribute::preferred_shared_memory_carveout,
     CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(FunctionAttribute::cluster_size_must_be_set, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
SAME(FunctionAttribute::required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
SAME(FunctionAttribute::required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
SAME(FunctionAttribute::required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
SAME(FunctionAttribute::non_portable_cluster_size_allowed,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(FunctionAttribute::cluster_scheduling_policy_preference,
     CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);

TEST(RawTypes, FlagsCombine) {
  EXPECT_EQ(static_cast<unsigned>(EventFlags::blocking_sync | EventFlags::disable_timing), 3u);
  EXPECT_EQ(static_cast<unsigned>(HostMemoryFlags::portable | HostMemoryFlags::device_map), 3u);
  EXPECT_EQ(static_cast<unsigned>(ContextFlags::schedule_spin | ContextFlags::map_host), 9u);
}

}  // namespace
}  // namespace treadle::cuda
