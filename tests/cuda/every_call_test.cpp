// SPDX-License-Identifier: MIT
// P12 and P14 against a driver that really allocates: each call that the shell makes of it fails
// once. The outcome is a typed error or a warning, and nothing is left behind, neither here nor in
// the driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <string>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/texture.hpp"
#include "treadle/process/census.hpp"

namespace treadle::cuda {
namespace {

/// Which call of the wrapped driver fails, and with what.
struct Injection {
  std::atomic<int> calls{0};
  int failing = 0;
  CUresult code = CUDA_SUCCESS;
  std::string failed;             ///< the entry point that was made to fail
  int contexts = 0, objects = 0;  ///< made and not ended, as the driver has it
} injection;
const Table* real = nullptr;

bool has_word(const std::string& name, std::initializer_list<const char*> words) {
  return std::ranges::any_of(
      words, [&](const char* word) { return name.find(word) != std::string::npos; });
}
bool ends_something(const std::string& name) {
  return has_word(name, {"Free", "Destroy", "Release", "Unregister"});
}

void note(const std::string& name, CUresult result) {
  if (result != CUDA_SUCCESS) return;
  const int made = has_word(name, {"Alloc", "Create", "Retain", "HostRegister"}) ? 1
                   : ends_something(name)                                        ? -1
                                                                                 : 0;
  (has_word(name, {"Ctx"}) ? injection.contexts : injection.objects) += made;
}

template <auto Member>
struct Counted;
template <class... Arguments, CUresult (*Table::*Member)(Arguments...)>
struct Counted<Member> {
  static inline const char* name = "";
  static CUresult call(Arguments... arguments) {
    const bool fails = ++injection.calls == injection.failing;
    if (fails) injection.failed = name;
    // A driver that reports an earlier fault while it frees has freed all the same.
    if (fails && !ends_something(name) && !has_word(name, {"PopCurrent"})) return injection.code;
    const CUresult result = (real->*Member)(arguments...);
    note(name, result);
    return fails ? injection.code : result;
  }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Driver counted_driver() {
  static const auto table = [] {
    auto wrapped = std::make_shared<Table>(*real);
#define TREADLE_SYMBOL(entry, suffix, presence)     \
  if (is_present(wrapped->entry)) {                 \
    wrapped->entry = &Counted<&Table::entry>::call; \
    Counted<&Table::entry>::name = #entry;          \
  }
#define TREADLE_OLDER_SYMBOL(member, exported, ...)   \
  if (is_present(wrapped->member)) {                  \
    wrapped->member = &Counted<&Table::member>::call; \
    Counted<&Table::member>::name = #member;          \
  }
#include "treadle/cuda/symbols.def"
    return wrapped;
  }();
  return Driver(table);
}
#pragma GCC diagnostic pop

void ask_device(const Device& device) {
  device.name();
  device.uuid();
  device.pci_bus_id();
  device.compute_capability();
  device.total_memory();
  device.attribute(DeviceAttribute::max_threads_per_block);
}

void ask_context(const Context& context) {
  context.set_limit(Limit::stack_size, context.limit(Limit::stack_size));
  context.stream_priorities();
  context.api_version();
  context.memory_info();
  context.synchronize();
}

void use_memory(StreamRef stream) {
  std::vector<std::uint32_t> host(64, 7);
  DeviceMemory memory(256), other(256);
  memory.copy_from(host);
  memory.copy_from_async(host, stream);
  copy_on_device(other.address(), memory.address(), 256);
  copy_on_device_async(other.address(), memory.address(), 256, stream);
  copy(other.address(), memory.address(), 256);
  other.copy_to_async(host, stream);
  fill8(other.address(), 1, 256);
  fill16_async(other.address(), 1, 128, stream);
  fill32(other.address(), 1, 64);
  const DeviceMemory rows = DeviceMemory::pitched(16, 4, 4);
  fill_2d32({rows.address(), rows.pitch_bytes(), 4, 4}, 5);
  Copy2D plane{.source = {.type = MemoryType::device,
                          .device = rows.address(),
                          .pitch_bytes = rows.pitch_bytes()},
               .destination = {.type = MemoryType::host, .host = host.data(), .pitch_bytes = 16},
               .width_bytes = 16,
               .height = 4};
  copy_2d(plane);
  copy_2d_async(plane, stream);
  synchronize(stream);
  other.free();
}

void use_arrays(StreamRef stream) {
  std::vector<float> host(32);
  Array array({.width = 8, .height = 4, .flags = ArrayFlags::surface_load_store});
  array.copy_from(host);
  array.copy_to(host);
  const Array row({.width = 8});
  const DeviceMemory memory(1024);
  copy_to_device({row, 0}, host.data(), 32);
  copy_to_device_async({row, 0}, host.data(), 32, stream);
  copy_on_device(memory.address(), {row, 0}, 32);
  copy_on_device({row, 0}, memory.address(), 32);
  copy_on_device({row, 0}, {row, 16}, 16);
  copy_to_host_async(host.data(), {row, 0}, 32, stream);
  synchronize(stream);
  const Texture texture(array), linear({.address = memory.address(), .shape = {.width = 256}});
  const Surface surface(array);
  const MipmappedArray levels({.width = 8, .height = 4}, 2);
  levels.level(1).copy_from(std::vector<float>(8));
  const Texture from_far(levels);
}

void use_host_memory() {
  std::vector<std::byte> own(4096);
  const HostMemory locked(64, HostMemoryFlags::device_map);
  locked.device_pointer();
  RegisteredMemory registered(own.data(), own.size());
  registered.unregister();
  const ManagedMemory managed(64);
  managed.data()[0] = std::byte{1};
}

void use_streams() {
  const Stream stream;  // in order with the default stream, which copies the same memory
  const Event start, end;
  start.record(stream);
  stream.wait(start);
  end.record(stream);
  end.synchronize();
  end.is_done();
  end.milliseconds_since(start);
  stream.is_done();
  stream.priority();
  stream.flags();
  use_memory(stream);
}

void whole_program() {
  const Device device = counted_driver().devices().front();
  ask_device(device);
  const auto primary = Context::make_current(device);
  const auto own = Context::make_current(Context::create(device));
  ask_context(own);
  use_memory({});
  use_arrays({});
  use_host_memory();
  use_streams();
  own->detach();
}

long live() {
  long all = 0;
  for (const auto& [kind, count] : live_objects()) all += count;
  return all;
}

bool primary_context_is_alive() {
  unsigned flags = 0;
  int alive = 0;
  EXPECT_EQ(real->cuDevicePrimaryCtxGetState(0, &flags, &alive), CUDA_SUCCESS);
  return alive != 0;
}

class EveryCall : public testing::TestWithParam<CUresult> {
 protected:
  void SetUp() override {
    try {
      real = &Driver::cpu().table();
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << error.library() << " is not there";
    }
    real->cuInit(0);
    set_default_driver(counted_driver(), "a test");
  }
};

TEST_P(EveryCall, P12_FailsOnceWithoutHarmAndLeavesNothingBehind) {
  const long live_before = live();
  injection.code = GetParam();
  int reported = 0;
  for (int failing = 1;; ++failing) {
    injection.calls = 0;
    injection.failing = failing;
    injection.failed.clear();
    injection.contexts = injection.objects = 0;
    const fake::Warnings warnings;
    bool thrown = false;
    try {
      whole_program();
    } catch (const Error& error) {
      thrown = true;
      EXPECT_FALSE(error.message().empty()) << injection.failed;
    }
    const std::string at = injection.failed + ", call " + std::to_string(failing);
    EXPECT_EQ(Context::stack_depth(), 0u) << at;
    EXPECT_EQ(live(), live_before) << at;
    EXPECT_EQ(injection.contexts, 0) << at;
    EXPECT_FALSE(primary_context_is_alive()) << at;
    // What could not be freed went with its context, and a warning said so.
    if (warnings.texts().empty()) {
      EXPECT_EQ(injection.objects, 0) << at;
    }
    if (injection.failed.empty()) {
      EXPECT_FALSE(thrown);
      break;
    }
    if (thrown || !warnings.texts().empty()) ++reported;
    if (HasFailure()) break;
  }
  EXPECT_GT(reported, 60);
}

INSTANTIATE_TEST_SUITE_P(Codes, EveryCall,
                         testing::Values(CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
                                         CUDA_ERROR_ILLEGAL_ADDRESS));

}  // namespace
}  // namespace treadle::cuda
