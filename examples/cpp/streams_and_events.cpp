// SPDX-License-Identifier: MIT
// Chunks of a long array go up, through a kernel and down again in three streams, so that copies
// and kernels overlap. Events say when a stream's buffers may be used again, how long it took, and
// what a fourth stream has to wait for.
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;

const char* const source = R"(
extern "C" __global__ void roots(float* a, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) a[i] = sqrtf(a[i]);
}
extern "C" __global__ void add(float* sum, const float* a, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sum[i] += a[i];
}
)";
constexpr int chunk = 1 << 15, chunks = 20;
constexpr std::size_t chunk_bytes = chunk * sizeof(float);

// What a stream works on. Copies are asynchronous from and to page-locked memory only.
struct Lane {
  cuda::Stream stream;
  cuda::HostMemory host{chunk_bytes};
  cuda::DeviceMemory device{chunk_bytes};
  cuda::Event done;
  float* result = nullptr;  // where the chunk belongs that is on its way

  void collect() {
    if (result == nullptr) return;
    done.synchronize();
    std::ranges::copy(host.as<float>(), result);
    result = nullptr;
  }
};

int main() {
  auto context = cuda::Context::make_current(cuda::default_device());
  const auto target = treadle::compile::Target::parse(context->device().target());
  const cuda::Module module(treadle::compile_cuda(source, target).image);
  const auto roots = module.function("roots"), add = module.function("add");
  const cuda::LaunchConfig shape{.grid = {chunk / 256}, .block = {256}};

  std::vector<float> values(chunk * chunks), results(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);

  std::vector<Lane> lanes(3);
  const cuda::Event begin, end;
  begin.record();
  for (int i = 0; i < chunks; ++i) {
    Lane& lane = lanes[i % lanes.size()];
    lane.collect();
    std::copy_n(values.data() + i * chunk, chunk, lane.host.as<float>().begin());
    lane.result = results.data() + i * chunk;
    lane.device.copy_from_async(lane.host.as<float>(), lane.stream);
    auto on_lane = shape;
    on_lane.stream = lane.stream;
    roots.launch(on_lane, lane.device, chunk);
    lane.device.copy_to_async(lane.host.as<float>(), lane.stream);
    lane.done.record(lane.stream);
  }
  for (Lane& lane : lanes) lane.collect();
  end.record();
  end.synchronize();
  std::printf("%s: %d chunks in %.3f ms\n", context->device().name().c_str(), chunks,
              static_cast<double>(end.milliseconds_since(begin)));

  // The sum of what the lanes have: the device waits for them, not the host.
  const cuda::Stream meeting;
  const cuda::DeviceMemory sum(chunk_bytes);
  cuda::fill32_async(sum.address(), 0, chunk, meeting);
  for (const Lane& lane : lanes) {
    meeting.wait(lane.done);
    auto in_meeting = shape;
    in_meeting.stream = meeting;
    add.launch(in_meeting, sum, lane.device, chunk);
  }
  std::vector<float> sums(chunk);
  sum.copy_to_async(sums, meeting);
  meeting.synchronize();

  bool correct = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    correct = correct && std::abs(results[i] - std::sqrt(values[i])) < 1e-4f;
  for (int i = 0; i < chunk; ++i) {
    float expected = 0;
    for (int last = chunks - 3; last < chunks; ++last) expected += results[last * chunk + i];
    correct = correct && std::abs(sums[i] - expected) < 1e-4f;
  }
  std::printf("check: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
