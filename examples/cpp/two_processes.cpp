// SPDX-License-Identifier: MIT
// Two processes work on the same memory of a device: one fills it and starts this program again,
// which gets two handles through a pipe, opens them and squares what it finds. An event orders
// their streams: neither process waits for the other's kernel on the host.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;

const char* const source = R"(
extern "C" __global__ void count(int* a) { a[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void square(int* a) { a[threadIdx.x] *= a[threadIdx.x]; }
)";
constexpr unsigned size = 256;

struct Handles {
  cuda::IpcMemoryHandle memory;
  cuda::IpcEventHandle event;
};

cuda::Module compiled(const cuda::Context& context) {
  const auto target = treadle::compile::Target::parse(context.device().target());
  return cuda::Module(treadle::compile_cuda(source, target).image);
}

int other_process() {
  Handles handles;
  if (std::fread(&handles, sizeof handles, 1, stdin) != 1) return 1;
  const auto context = cuda::Context::make_current(cuda::default_device());
  const cuda::Module module = compiled(context);
  const cuda::IpcMemory memory(handles.memory);
  const cuda::Event event = cuda::open_ipc_event(handles.event);
  const cuda::Stream stream;
  stream.wait(event);
  module.function("square").launch({.block = {size}, .stream = stream}, memory);
  event.record(stream);
  stream.synchronize();  // the memory is closed after that
  return 0;
}

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "other") == 0) return other_process();
  const auto context = cuda::Context::make_current(cuda::default_device());
  const cuda::Module module = compiled(context);
  const cuda::DeviceMemory memory(size * sizeof(int));
  const cuda::Stream stream;
  const cuda::Event event(cuda::EventFlags::interprocess | cuda::EventFlags::disable_timing);
  module.function("count").launch({.block = {size}, .stream = stream}, memory);
  event.record(stream);

  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  FILE* const pipe = popen(("'" + program + "' other").c_str(), "w");
  if (pipe == nullptr) return 1;
  const Handles handles{cuda::ipc_handle(memory.address()), cuda::ipc_handle(event)};
  std::fwrite(&handles, sizeof handles, 1, pipe);
  const int status = pclose(pipe);  // the other process's; the memory is kept until it has ended

  stream.wait(event);
  std::vector<int> values(size);
  memory.copy_to_async(values, stream);
  stream.synchronize();
  bool correct = status == 0;
  for (unsigned i = 0; i < size; ++i) correct = correct && values[i] == static_cast<int>(i * i);
  std::printf("%s: check: %s\n", context->device().name().c_str(), correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
