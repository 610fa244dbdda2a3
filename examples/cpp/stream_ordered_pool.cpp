// SPDX-License-Identifier: MIT
// Frames go through a filter in two streams. Each frame takes its scratch memory in the order of
// its stream and gives it back there, so that the driver's pool hands the same few buffers out
// again and again; the host is called when a frame is done.
#include <atomic>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;

const char* const source = R"(
extern "C" __global__ void blur(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[max(i - 1, 0)] + 2 * in[i] + in[min(i + 1, n - 1)];
}
)";
constexpr int pixels = 4096, frames = 32;
constexpr std::size_t frame_bytes = pixels * sizeof(int);

int main() {
  const auto context = cuda::Context::make_current(cuda::default_device());
  const cuda::Device device = context->device();
  const auto target = treadle::compile::Target::parse(device.target());
  const cuda::Module module(treadle::compile_cuda(source, target).image);
  const cuda::Function blur = module.function("blur");

  const cuda::MemoryPool pool(device);
  pool.set_release_threshold(16 << 20);  // kept from frame to frame
  const cuda::Stream streams[] = {cuda::Stream(cuda::StreamFlags::non_blocking),
                                  cuda::Stream(cuda::StreamFlags::non_blocking)};
  std::vector<cuda::HostMemory> pictures;
  std::atomic<int> done = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const cuda::Stream& stream = streams[frame % 2];
    cuda::HostMemory& picture = pictures.emplace_back(frame_bytes);
    std::ranges::fill(picture.as<int>(), frame);
    cuda::DeviceMemory first = pool.allocate(frame_bytes, stream);
    cuda::DeviceMemory second = pool.allocate(frame_bytes, stream);
    first.copy_from_async(picture.as<int>(), stream);
    const cuda::LaunchConfig shape{.grid = {pixels / 256}, .block = {256}, .stream = stream};
    blur.launch(shape, first, second, pixels);
    blur.launch(shape, second, first, pixels);
    first.copy_to_async(picture.as<int>(), stream);
    cuda::free_async(first, stream);
    cuda::free_async(second, stream);
    cuda::call_host(stream, [&done] { ++done; });
  }
  for (const cuda::Stream& stream : streams) stream.synchronize();

  bool correct = done == frames && pool.used_bytes() == 0;
  for (int frame = 0; frame < frames; ++frame)
    for (const int pixel : pictures[static_cast<std::size_t>(frame)].as<int>())
      correct = correct && pixel == 16 * frame;
  std::printf("%s: %d frames, at most %zu bytes of scratch memory at once\n", device.name().c_str(),
              done.load(), static_cast<std::size_t>(pool.most_used_bytes()));
  std::printf("check: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
