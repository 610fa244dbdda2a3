// SPDX-License-Identifier: MIT
// Scratch memory from a pool, on any device, used by two streams.
#include <cstdio>
#include <numeric>
#include <treadle/treadle.hpp>
#include <vector>

namespace memory = treadle::memory;

void print(const char* when, const memory::Statistics& now) {
  std::printf("%s: %zu active, %zu held, %zu bytes managed\n", when, now.active_blocks,
              now.held_blocks, now.managed_bytes);
}

int main() {
  const auto device = treadle::default_device();
  std::printf("device: %s\n", device->info().name.c_str());
  memory::DevicePool& pool = memory::pool_of(*device);
  const auto stream = device->make_stream(), other = device->make_stream();

  std::vector<float> values(1000), back(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  for (int step = 0; step < 100; ++step) {
    auto scratch = treadle::Buffer::pooled(stream, values.size() * sizeof(float));
    scratch.copy_from(values, *stream);
    scratch.copy_to(back, *stream);
    if (step == 0) print("in the first step", pool.statistics());
    // Freed here, while the copies may still be queued: what comes next on the stream comes after.
  }
  print("after a hundred", pool.statistics());

  // The other stream gets the same block, and is made to wait for the first one's copies.
  std::vector<float> zeros(1000), also_back(1000, 1.0f);
  auto scratch = treadle::Buffer::pooled(other, zeros.size() * sizeof(float));
  scratch.copy_from(zeros, *other);
  scratch.copy_to(also_back, *other);
  scratch.free();
  stream->synchronize();
  other->synchronize();

  const bool correct =
      back == values && also_back == zeros && pool.statistics().managed_bytes < 5000;
  pool.free_held();
  print("after free_held", pool.statistics());
  std::printf("check: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
