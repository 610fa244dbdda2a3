// SPDX-License-Identifier: MIT
// What the waist adds to a launch: the same kernel with the same five arguments through
// device::Stream and through the shell below it, batch by batch. `waist ID` chooses the device.
#include <algorithm>
#include <optional>
#include <treadle/device/cuda.hpp>
#include <treadle/device/opencl.hpp>
#include <treadle/opencl/kernel.hpp>
#include <treadle/opencl/memory.hpp>
#include <treadle/opencl/queue.hpp>
#include <treadle/treadle.hpp>

#include "opencl_gate.hpp"
#include "serve.hpp"

namespace device = treadle::device;

namespace {

constexpr int batch = 200;  // fewer than drivers queue, so the host is timed

const char* const source = R"(
#include <treadle/dialect.h>
TREADLE_KERNEL five(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *a,
                    TREADLE_GLOBAL const float *b, float x, int n)
{
  int i = treadle_global_id(0);
  if (i < n) out[i] = a[i] + x * b[i];
}
)";

/// n = 0, so that the device does next to nothing.
struct Job {
  explicit Job(const std::shared_ptr<device::Device>& where)
      : program(where, source),
        stream(where->make_stream()),
        out(where, 4096),
        a(where, 4096),
        b(where, 4096) {}

  template <class Launch>
  double timed(Launch launch) const {
    std::optional<bench::Gate> gate;
    if (const auto* queue = device::opencl_queue(*stream)) gate.emplace(*queue);
    const double taken = bench::seconds([&] {
      for (int i = 0; i < batch; ++i) launch();
    });
    gate.reset();
    stream->synchronize();
    return taken / batch;
  }

  double waist() const {
    return timed([&] { stream->launch(five, {.groups = 1, .group_size = 32}, out, a, b, x, n); });
  }

  double shell() const {
    if (const auto* function = device::cuda_function(five)) {
      const auto& queue = *device::cuda_stream(*stream);
      const auto to = out.location().handle, from = a.location().handle, by = b.location().handle;
      return timed([&] {
        function->launch({.grid = {1}, .block = {32}, .stream = queue}, to, from, by, x, n);
      });
    }
    const auto& kernel = *device::opencl_kernel(five);
    const auto& queue = *device::opencl_queue(*stream);
    const auto memory = [](const treadle::Buffer& buffer) {
      return device::opencl_buffer(buffer.device(), buffer.location());
    };
    const auto to = memory(out), from = memory(a), by = memory(b);
    return timed([&] {
      kernel.launch({.queue = queue,
                     .global = {32},
                     .local = {32},
                     .order = {.after = {}, .without_event = true}},
                    to, from, by, x, n);
    });
  }

  treadle::Program program;
  device::Kernel five = program.kernel("five");
  std::shared_ptr<device::Stream> stream;
  treadle::Buffer out, a, b;
  float x = 2;
  int n = 0;
};

/// Keeps the compiler from leaving out the call that gave `value`.
void use(const void* value) { asm volatile("" : : "g"(value) : "memory"); }

/// Seconds of one call, of many without pause.
template <class Call>
double each(Call call) {
  constexpr int calls = 100000;
  return bench::seconds([&] {
           for (int i = 0; i < calls; ++i) call();
         }) /
         calls;
}

/// Asking which Device stands for the context that a user has in hand.
double find_device_of(const Job& job) {
  device::Device& own = job.stream->device();
  if (const auto* context = device::cuda_context(own)) {
    const auto held = device::device_of(*context);
    return each([&] { use(device::last_device_of(*context)); });
  }
  const auto* context = device::opencl_context(own);
  const auto* shell = device::opencl_device(own);
  const auto held = device::device_of(*context, *shell);
  return each([&] { use(device::last_device_of(*context, *shell)); });
}

}  // namespace

int main(int count, char** arguments) try {
  const Job job(count > 1 ? treadle::find_device(arguments[1]) : treadle::default_device());
  bench::serve({
      {"waist", [&] { return job.waist(); }},
      {"shell", [&] { return job.shell(); }},
      // Of neighbouring batches, so that what disturbs the one disturbs the other.
      {"waist over shell", [&] { return std::max(job.waist() - job.shell(), 1e-9); }},
      {"device of a context", [&] { return find_device_of(job); }},
      {"current device",
       [&] {
         const device::DeviceScope scope(job.stream->device().shared_from_this());
         return each([] { use(&device::current().device); });
       }},
      {"current stream",
       [&] {
         const device::StreamScope scope(job.stream);
         return each([] { use(&device::current().stream); });
       }},
      {"default device",
       [&] {
         use(&device::current().device);  // outside of scopes; the thread keeps it
         return each([] { use(&device::current().device); });
       }},
  });
  return 0;
} catch (const std::exception& error) {
  std::printf("{\"absent\": \"%s\"}\n", bench::quotable(error.what()).c_str());
  return 1;
}
