// SPDX-License-Identifier: MIT
// A pool over an allocator of one's own: here device memory of one CUDA context.
#include <cstdio>
#include <numeric>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;
namespace memory = treadle::memory;

/// One operation makes an allocator; the block frees itself.
struct DeviceBlocks {
  using Block = cuda::DeviceMemory;
  cuda::Context context;
  Block allocate(std::size_t size_bytes) { return cuda::DeviceMemory(context, size_bytes); }
};

void print(const char* when, const memory::Statistics& now) {
  std::printf("%s: %zu active, %zu held, %zu bytes managed\n", when, now.active_blocks,
              now.held_blocks, now.managed_bytes);
}

int main() {
  const auto context = cuda::Context::make_current(cuda::default_device());
  memory::Pool pool(DeviceBlocks{context});

  std::vector<float> values(1000), back(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  bool correct = true;
  for (int step = 0; step < 100; ++step) {
    auto scratch = pool.allocate(values.size() * sizeof(float));
    scratch.block().copy_from(values);
    scratch.block().copy_to(back);
    correct = correct && back == values;
    if (step == 0) print("in the first step", pool.statistics());
  }
  // The same block every time.
  print("after a hundred", pool.statistics());
  correct = correct && pool.statistics().managed_bytes < 5000;
  pool.free_held();
  print("after free_held", pool.statistics());
  std::printf("check: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
