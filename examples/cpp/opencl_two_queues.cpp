// SPDX-License-Identifier: MIT
// Two queues of one device: while one computes a part, the other brings the next. Events order
// them, and tell how long each command took.
#include <cstdint>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>
using namespace treadle::opencl;

int main() {
  const Device device = Loader::system().platforms().front().devices().at(0);
  const Context context(device);
  const Queue copies(context, CommandQueueProperties::profiling_enable);
  const Queue kernels(context, CommandQueueProperties::profiling_enable);
  const Program program = Program::from_source(context, R"(
    __kernel void square(__global float* x) {
      size_t i = get_global_id(0);
      x[i] *= x[i];
    })");
  program.build();
  const Kernel square = program.kernel("square");

  constexpr std::size_t parts = 8, size = 1 << 16;
  std::vector<float> data(parts * size);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 1000);
  const auto part = [&](std::size_t i) { return std::span(data).subspan(i * size, size); };

  // Two buffers by turns: a part is written once the result of the last but one is read.
  const Buffer buffers[] = {Buffer(context, size * sizeof(float)),
                            Buffer(context, size * sizeof(float))};
  std::vector<Event> written, computed;
  written.push_back(write(copies, buffers[0], part(0), 0, {}, Blocking::no));
  for (std::size_t i = 0; i < parts; ++i) {
    copies.flush();  // the other queue waits for it, and nobody else hands it over
    computed.push_back(square.launch(
        {.queue = kernels, .global = {size}, .order = {.after = written[i]}}, buffers[i % 2]));
    kernels.flush();
    if (i + 1 < parts)  // while the kernel runs; behind the read of part i - 1, in the same queue
      written.push_back(write(copies, buffers[(i + 1) % 2], part(i + 1), 0, {}, Blocking::no));
    read(copies, buffers[i % 2], part(i), 0, {.after = computed[i], .without_event = true},
         Blocking::no);
  }
  copies.finish();

  std::uint64_t nanoseconds = 0;
  for (const Event& event : computed)
    nanoseconds += event.profiling(ProfilingInfo::end) - event.profiling(ProfilingInfo::start);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto x = static_cast<float>(i % 1000);
    wrong += data[i] != x * x;
  }
  std::printf("%s: %zu parts squared in %.1f us of the kernel's, %zu numbers wrong\n",
              device.name().c_str(), parts, static_cast<double>(nanoseconds) / 1e3, wrong);
  return wrong == 0 ? 0 : 1;
}
