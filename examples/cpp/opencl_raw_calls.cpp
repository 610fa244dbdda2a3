// SPDX-License-Identifier: MIT
// A call that no class has, through the platform's table: a command buffer that holds a kernel's
// launch and is submitted three times.
#include <cstdio>
#include <treadle/opencl/table.hpp>
#include <treadle/treadle.hpp>
#include <vector>
using namespace treadle::opencl;

namespace {
/// A command buffer that adds 1 to each of `size` numbers.
cl_command_buffer_khr record(const Platform& platform, const Queue& queue, const Kernel& kernel,
                             std::size_t size) {
  const Table& cl = platform.table();  // treadle/opencl/table.hpp
  cl_int code = CL_SUCCESS;
  const RawQueue queues[] = {queue.raw()};
  const cl_command_buffer_khr commands = cl.clCreateCommandBufferKHR(1, queues, nullptr, &code);
  check(cl, code, "clCreateCommandBufferKHR");  // NotSupported where the platform lacks it
  code = cl.clCommandNDRangeKernelKHR(commands, nullptr, nullptr, kernel.raw(), 1, nullptr, &size,
                                      nullptr, 0, nullptr, nullptr, nullptr);
  check(cl, code, "clCommandNDRangeKernelKHR");
  check(cl, cl.clFinalizeCommandBufferKHR(commands), "clFinalizeCommandBufferKHR");
  return commands;
}
}  // namespace

int main() {
  const Platform platform = Loader::system().platforms().front();
  const Context context(platform.devices().at(0));
  const Queue queue(context);
  const Program program = Program::from_source(
      context, "__kernel void count(__global int* x) { x[get_global_id(0)] += 1; }");
  program.build();
  const Kernel count = program.kernel("count");
  std::vector<int> numbers(1024, 0);
  const Buffer buffer(context, numbers.size() * sizeof(int));
  write(queue, buffer, std::span<const int>(numbers), 0);
  count.set_argument(0, KernelArgument<Buffer>::of(buffer));

  cl_command_buffer_khr commands = nullptr;
  try {
    commands = record(platform, queue, count, numbers.size());
  } catch (const treadle::NotSupported& error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  const Table& cl = platform.table();
  for (int i = 0; i < 3; ++i) {
    const cl_int code = cl.clEnqueueCommandBufferKHR(0, nullptr, commands, 0, nullptr, nullptr);
    check(cl, code, "clEnqueueCommandBufferKHR");
    queue.finish();  // a command buffer is submitted again when it has run
  }
  read(queue, buffer, std::span(numbers));
  check(cl, cl.clReleaseCommandBufferKHR(commands), "clReleaseCommandBufferKHR");

  std::size_t wrong = 0;
  for (const int number : numbers) wrong += number != 3;
  std::printf("%s: a command buffer ran three times, %zu numbers wrong\n", platform.name().c_str(),
              wrong);
  return wrong == 0 ? 0 : 1;
}
