// SPDX-License-Identifier: MIT
// What an OpenCL enqueue of a kernel with five arguments costs: through treadle::opencl, and as the
// bare calls of the same table. Commands wait behind a user event while they are timed, so that the
// host is measured and no device competes for its cores.
#include <treadle/opencl/platform.hpp>
#include <treadle/opencl/program.hpp>
#include <treadle/opencl/queue.hpp>
#include <treadle/opencl/table.hpp>

#include <cstdlib>

#include "opencl_gate.hpp"
#include "serve.hpp"

namespace opencl = treadle::opencl;

namespace {

constexpr int batch = 200;

const char* const source = R"(
__kernel void five(__global float* out, __global const float* a, __global const float* b, float x,
                   int n)
{
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] + x * b[i];
}
)";

opencl::Device chosen_device() {
  const char* const wanted = std::getenv("BENCH_OPENCL_PLATFORM");
  for (const opencl::Platform& platform : opencl::Loader::system().platforms())
    if (wanted == nullptr || platform.name().find(wanted) != std::string::npos)
      return platform.devices().at(0);
  throw treadle::InvalidArgument(std::string("no OpenCL platform is called ") + wanted);
}

/// The kernel and its arguments: n = 0, so the device does next to nothing.
struct Job {
  opencl::Context context{chosen_device()};
  opencl::Queue queue{context};
  opencl::Program program = opencl::Program::from_source(context, source);
  opencl::Kernel five = (program.build(), program.kernel("five"));
  opencl::Buffer out{context, 4096}, a{context, 4096}, b{context, 4096};
  float x = 2;
  int n = 0;

  template <class Enqueue>
  double behind_gate(Enqueue enqueue) {
    const bench::Gate gate(queue);
    return bench::seconds([&] {
             for (int i = 0; i < batch; ++i) enqueue();
           }) /
           batch;
  }

  double launch() {
    return behind_gate(
        [&] { five.launch({.queue = queue, .global = {32}, .local = {32}}, out, a, b, x, n); });
  }

  double bare() {
    const opencl::Table& cl = five.table();
    const cl_mem memory[] = {out.raw(), a.raw(), b.raw()};
    const std::size_t size = 32;
    cl_int worst = CL_SUCCESS;
    const double taken = behind_gate([&] {
      cl_event event = nullptr;
      for (cl_uint i = 0; i < 3; ++i) cl.clSetKernelArg(five.raw(), i, sizeof(cl_mem), &memory[i]);
      cl.clSetKernelArg(five.raw(), 3, sizeof x, &x);
      cl.clSetKernelArg(five.raw(), 4, sizeof n, &n);
      const cl_int result = cl.clEnqueueNDRangeKernel(queue.raw(), five.raw(), 1, nullptr, &size,
                                                      &size, 0, nullptr, &event);
      if (result != CL_SUCCESS) worst = result;
      cl.clReleaseEvent(event);
    });
    if (worst != CL_SUCCESS) throw treadle::Error("a bare enqueue failed");
    return taken;
  }
};

}  // namespace

int main() {
  Job job;
  bench::serve({{"enqueue", [&] { return job.launch(); }}, {"bare", [&] { return job.bare(); }}});
}
