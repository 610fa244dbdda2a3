// SPDX-License-Identifier: MIT
// Work of one device on the memory of another. Needs two GPUs with access to each other; on the
// CPU device a second context stands in, whose memory its kernels see anyway.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/memory_pool.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/virtual_memory.hpp"

namespace treadle::cuda {
namespace {

class TwoDevices : public OnEachProvider {
 protected:
  static constexpr int count = 1000;
  static constexpr std::size_t bytes = count * sizeof(int);
  static constexpr const char* source = R"(
extern "C" __global__ void twice(int* to, const int* from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 2 * from[i];
}
)";

  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    is_real_ = device().driver().device_count() > 1;
    if (is_real_) {
      const Device other = device().driver().device(1);
      if (!other.can_access_peer(device()) || !device().can_access_peer(other))
        GTEST_SKIP() << "devices 0 and 1 have no access to each other's memory";
      there_ = Context::primary(other);
    } else {
      if (GetParam() == Provider::nvidia) GTEST_SKIP() << "one GPU";
      there_ = Context::create(device());
    }
    const CurrentContext current(there_);
    try {
      module_.emplace(
          compile::compile_cuda(source, compile::Target::parse(there_.device().target()), {})
              .image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << there_.device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    there_ = {};
    OnEachProvider::TearDown();
  }

  /// Whether there are two GPUs, so that access is a question.
  bool is_real() const { return is_real_; }
  /// Of device 1; not current.
  const Context& there() const { return there_; }
  /// In the current context.
  static DeviceMemory memory_of(const std::vector<int>& values) {
    DeviceMemory memory(values.size() * sizeof(int));
    memory.copy_from(values);
    return memory;
  }
  static std::vector<int> values(DevicePointer address) {
    std::vector<int> values(count);
    copy_to_host(values.data(), address, bytes);
    return values;
  }
  static std::vector<int> counted(int step = 1) {
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = step * i;
    return values;
  }
  /// What a kernel of device 1 reads at the address of another device's memory, doubled.
  std::vector<int> doubled_there(DevicePointer from) const {
    const CurrentContext current(there_);
    const DeviceMemory to(bytes);
    launch_there(to.address(), from);
    there_.synchronize();
    return values(to.address());
  }
  void launch_there(DevicePointer to, DevicePointer from, StreamRef stream = {}) const {
    module_->function("twice").launch({.grid = {4}, .block = {256}, .stream = stream}, to, from,
                                      count);
  }

 private:
  Context there_;
  std::optional<Module> module_;
  bool is_real_ = false;
};
INSTANTIATE_TEST_SUITE_P(Providers, TwoDevices, each_provider, provider_name);

TEST_P(TwoDevices, KernelsUseTheMemoryOfAPeerWhileItIsEnabled) {
  const DeviceMemory here = memory_of(counted()), result(bytes);
  context().synchronize();
  if (is_real()) {
    EXPECT_THROW(there().disable_peer_access(context()), DeviceError) << "not enabled yet";
    there().enable_peer_access(context());
    EXPECT_THROW(there().enable_peer_access(context()), DeviceError) << "enabled already";
  } else {
    EXPECT_THROW(there().enable_peer_access(context()), DeviceError) << "one device";
  }
  EXPECT_EQ(doubled_there(here.address()), counted(2));
  {
    const CurrentContext current(there());
    launch_there(result.address(), here.address());  // both ends are the peer's
    there().synchronize();
  }
  EXPECT_EQ(values(result.address()), counted(2));
  if (is_real()) {
    there().disable_peer_access(context());
    EXPECT_THROW(there().disable_peer_access(context()), DeviceError) << "not enabled any more";
  }
}

TEST_P(TwoDevices, MemoryIsCopiedBetweenThem) {
  const DeviceMemory here = memory_of(counted()), back(bytes);
  std::optional<CurrentContext> current(there());
  const DeviceMemory far(bytes), doubled(bytes);
  copy_peer({far.address(), there()}, {here.address(), context()}, bytes);
  there().synchronize();
  EXPECT_EQ(values(far.address()), counted());
  launch_there(doubled.address(), far.address());
  there().synchronize();
  current.reset();
  copy_peer({back.address(), context()}, {doubled.address(), there()}, bytes);
  context().synchronize();
  EXPECT_EQ(values(back.address()), counted(2));
}

TEST_P(TwoDevices, CopiesWaitForEventsOfTheOtherDevice) {
  const Stream near_stream(StreamFlags::non_blocking);
  const Event filled(EventFlags::disable_timing);
  const DeviceMemory here(bytes);
  std::optional<CurrentContext> current(there());
  const Stream far_stream(StreamFlags::non_blocking);
  const Event doubled(EventFlags::disable_timing);
  const DeviceMemory far(bytes), result(bytes);
  current.reset();

  fill32_async(here.address(), 21, count, near_stream);
  filled.record(near_stream);
  current.emplace(there());
  far_stream.wait(filled);
  copy_peer_async({far.address(), there()}, {here.address(), context()}, bytes, far_stream);
  launch_there(result.address(), far.address(), far_stream);
  doubled.record(far_stream);
  current.reset();
  near_stream.wait(doubled);
  copy_peer_async({here.address(), context()}, {result.address(), there()}, bytes, near_stream);
  near_stream.synchronize();
  EXPECT_EQ(values(here.address()), std::vector<int>(count, 42));
}

TEST_P(TwoDevices, BoxesAndArraysAreCopiedBetweenThem) {
  // 2 slices of 10 rows of 50 elements: into an array there, and from it into memory here.
  const DeviceMemory here = memory_of(counted()), back(bytes);
  context().synchronize();
  const Array array(there(), {.width = 50, .height = 10, .depth = 2, .format = ArrayFormat::int32});
  const auto linear = [&](const DeviceMemory& memory) {
    return CopySide{.type = MemoryType::device,
                    .device = memory.address(),
                    .pitch_bytes = 50 * sizeof(int),
                    .height = 10,
                    .context = context()};
  };
  const CopySide far{.type = MemoryType::array, .array = array, .context = there()};
  Copy3D copy{.source = linear(here), .destination = far};
  copy.width_bytes = 50 * sizeof(int);
  copy.height = 10;
  copy.depth = 2;
  copy_3d_peer(copy);
  context().synchronize();
  const Stream stream(StreamFlags::non_blocking);
  copy.source = far;
  copy.destination = linear(back);
  copy_3d_peer_async(copy, stream);
  stream.synchronize();
  EXPECT_EQ(values(back.address()), counted());
}

TEST_P(TwoDevices, APoolLetsTheOtherDeviceUseItsMemory) {
  const MemoryPool pool(device());
  const Stream stream(StreamFlags::non_blocking);
  DeviceMemory memory = pool.allocate(bytes, stream);
  const std::vector<int> numbers = counted();
  memory.copy_from_async(numbers, stream);
  stream.synchronize();
  const Device other = there().device();
  if (is_real()) {
    EXPECT_EQ(pool.access(other), MemoryAccess::none);
  }
  pool.set_access(other);
  EXPECT_EQ(pool.access(other), MemoryAccess::read_write);
  EXPECT_EQ(doubled_there(memory.address()), counted(2));
  const DeviceMemory later = pool.allocate(bytes, stream);
  copy_on_device_async(later.address(), memory.address(), bytes, stream);
  stream.synchronize();
  EXPECT_EQ(doubled_there(later.address()), counted(2)) << "allocated after set_access()";
  free_async(memory, stream);
  stream.synchronize();
}

TEST_P(TwoDevices, MappedMemoryIsUsedByBothOnceBothMay) {
  const Driver& driver = device().driver();
  for (const Device& each : {device(), there().device()})
    if (each.attribute(DeviceAttribute::virtual_address_management_supported) == 0)
      GTEST_SKIP() << each.name() << " has no virtual memory management";
  const MemoryLocation here = MemoryLocation::of(device()),
                       far = MemoryLocation::of(there().device());
  const std::size_t unit =
      allocation_granularity(here, Granularity::minimum, SharedAs::nothing, driver);
  const AddressReservation range(unit, 0, 0, driver);
  const Mapping mapping = range.map(PhysicalMemory(unit, here, SharedAs::nothing, driver));
  mapping.set_access(here);
  if (is_real()) {
    EXPECT_EQ(mapping.access(far), MemoryAccess::none);
  }
  mapping.set_access(far);
  EXPECT_EQ(mapping.access(far), MemoryAccess::read_write);
  EXPECT_EQ(mapping.access(here), MemoryAccess::read_write) << "other places keep what they have";
  const std::vector<int> numbers = counted();
  copy_to_device(mapping.address(), numbers.data(), bytes);
  context().synchronize();
  EXPECT_EQ(doubled_there(mapping.address()), counted(2));
}

}  // namespace
}  // namespace treadle::cuda
