// SPDX-License-Identifier: MIT
// A program that has a CUDA context, a stream and memory of its own shares them with Treadle: its
// kernel and one of the waist take turns on one buffer 10 000 times, ordered by events alone. A
// mistake of the order is counted on the device, and read once at the end.
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;

const std::string source = R"(
extern "C" __global__ void step(int *values, int *mistakes, int round) {
  int i = threadIdx.x;
  if (values[i] != 2 * round + 1) atomicAdd(mistakes, 1);
  values[i] = 2 * round + 2;
}
extern "C" __global__ void other(int *values) { values[threadIdx.x] += 1; }
)";

int main() {
  constexpr int rounds = 10'000;
  constexpr unsigned count = 256;
  // What the program has without Treadle's waist.
  const auto context = cuda::Context::make_current(cuda::Context::create(cuda::default_device()));
  const cuda::Stream own_stream(cuda::StreamFlags::non_blocking);
  cuda::DeviceMemory memory(count * sizeof(int));
  memory.copy_from(std::vector<int>(count));

  // The same things as objects of the waist, which owns none of them.
  const auto device = treadle::device::device_of(context);
  const auto theirs = treadle::device::stream_of(own_stream);
  const auto ours = device->make_stream();
  const auto values =
      treadle::Buffer::adopt(device, {memory.address(), 0}, count * sizeof(int), {});
  const treadle::Buffer mistakes(device, std::vector<int>(1));
  const treadle::Program program(device, source);
  const auto step = program.kernel("step"), other = program.kernel("other");
  const auto added = device->make_event(treadle::device::Timing::off);
  const auto stepped = device->make_event(treadle::device::Timing::off);
  const treadle::device::Event* const after_added[] = {added.get()};
  for (int round = 0; round < rounds; ++round) {
    theirs->launch(other, {.groups = 1, .group_size = count}, {.done = added.get()}, values);
    ours->launch(step, {.groups = 1, .group_size = count},
                 {.after = after_added, .done = stepped.get()}, values, mistakes, round);
    theirs->wait(*stepped);
  }

  std::vector<int> found(1), last(count);
  mistakes.copy_to(found, *ours);
  ours->synchronize();
  own_stream.synchronize();
  memory.copy_to(last);
  const bool correct = found[0] == 0 && last == std::vector<int>(count, 2 * rounds);
  std::printf("%s: %d rounds, %d mistakes\n", device->info().name.c_str(), rounds, found[0]);
  return correct ? 0 : 1;
}
