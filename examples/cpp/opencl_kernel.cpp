// SPDX-License-Identifier: MIT
// OpenCL C from source to a running kernel, on the first device of the machine.
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>
using namespace treadle::opencl;

int main() {
  const Device device = Loader::system().platforms().front().devices().at(0);
  const Context context(device);
  const Queue queue(context);
  const Program program = Program::from_source(context, R"(
    __kernel void add(__global float* a, __global const float* b, float factor) {
      size_t i = get_global_id(0);
      a[i] += factor * b[i];
    })");
  program.build("-cl-std=CL1.2");

  std::vector<float> a(1024, 1), b(1024, 2);
  const Buffer a_device(context, a.size() * sizeof(float)),
      b_device(context, b.size() * sizeof(float));
  write(queue, a_device, a);
  write(queue, b_device, b);
  program.kernel("add").launch({.queue = queue, .global = {a.size()}}, a_device, b_device, 0.5f);
  read(queue, a_device, a);
  std::printf("%s: 1 + 0.5 * 2 = %g\n", device.name().c_str(), static_cast<double>(a[1023]));
  return a[1023] == 2 ? 0 : 1;
}
