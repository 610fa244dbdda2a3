// SPDX-License-Identifier: MIT
// What memory of a pool costs, beside the driver's own ways to get some.
#include <treadle/cuda/table.hpp>
#include <treadle/treadle.hpp>

#include "serve.hpp"

namespace cuda = treadle::cuda;
namespace memory = treadle::memory;

namespace {

constexpr std::size_t size_bytes = 1 << 20;

struct DeviceBlocks {
  using Block = cuda::DeviceMemory;
  cuda::Context context;
  Block allocate(std::size_t size) { return cuda::DeviceMemory(context, size); }
};

/// Seconds of one call of `action`, of `count` in a row.
template <class Action>
double each(int count, Action&& action) {
  return bench::seconds([&] {
           for (int i = 0; i < count; ++i) action();
         }) /
         count;
}

void require(CUresult result) {
  if (result != CUDA_SUCCESS) throw treadle::Error("the driver has no memory");
}

double driver(const cuda::Table& cu) {
  return each(1000, [&] {
    cuda::DevicePointer address = 0;
    require(cu.cuMemAlloc(&address, size_bytes));
    require(cu.cuMemFree(address));
  });
}

/// The driver's own pool, told to keep what is freed.
double driver_pool(const cuda::Table& cu) {
  CUmemoryPool pool = nullptr;
  std::uint64_t keep = ~std::uint64_t{0};
  require(cu.cuDeviceGetDefaultMemPool(&pool, 0));
  require(cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
  return each(1000, [&] {
    cuda::DevicePointer address = 0;
    require(cu.cuMemAllocAsync(&address, size_bytes, nullptr));
    require(cu.cuMemFreeAsync(address, nullptr));
  });
}

}  // namespace

int main() try {
  const auto current = cuda::Context::make_current(cuda::default_device());
  const cuda::Table& cu = current->driver().table();
  memory::Pool pool(DeviceBlocks{current});
  const auto device = treadle::default_device();
  const auto stream = device->make_stream();
  memory::DevicePool ordered{memory::DeviceAllocator(device)};
  bench::serve({
      {"allocate and free",
       [&] { return each(100'000, [&] { (void)pool.allocate(size_bytes); }); }},
      {"ordered",
       [&] { return each(100'000, [&] { (void)ordered.allocate(size_bytes, stream); }); }},
      {"driver", [&] { return driver(cu); }},
      {"driver's pool", [&] { return driver_pool(cu); }},
  });
  return 0;
} catch (const std::exception& error) {
  std::printf("{\"absent\": \"%s\"}\n", bench::quotable(error.what()).c_str());
  return 1;
}
