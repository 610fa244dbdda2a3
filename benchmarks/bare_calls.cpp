// SPDX-License-Identifier: MIT
// The bare calls that a launch from Python is compared with, for workers/bare_calls.py: made in the
// same process, by the same thread, in the same context. On a machine that others use too, two
// processes see each other's time of day; a loop beside a loop does not.
#include <chrono>
#include <cstddef>

namespace {

/// What a kernel of five arguments is given. Memory is an address, or an OpenCL handle.
struct Arguments {
  void* memory[3];
  float x;
  int n;
};

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**);
using SetArgument = int (*)(void*, unsigned, std::size_t, const void*);
using Enqueue = int (*)(void*, void*, unsigned, const std::size_t*, const std::size_t*,
                        const std::size_t*, unsigned, void* const*, void**);
using ReleaseEvent = int (*)(void*);

/// Seconds of one of `count` calls; -1 if one was refused.
template <class Call>
double seconds_of_one(int count, Call call) {
  int worst = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i)
    if (const int code = call(); code != 0) worst = code;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  return worst == 0 ? taken.count() / count : -1;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED double launch_cuda(Launch launch, void* function, Arguments* given, int count) {
  void* arguments[] = {&given->memory[0], &given->memory[1], &given->memory[2], &given->x,
                       &given->n};
  return seconds_of_one(
      count, [&] { return launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr); });
}

EXPORTED double launch_graph(int (*launch)(void*, void*), void* graph, void* stream, int count) {
  return seconds_of_one(count, [&] { return launch(graph, stream); });
}

/// The calls of OpenCL that an enqueue takes.
struct OpenCL {
  SetArgument set_argument;
  Enqueue enqueue;
  ReleaseEvent release_event;
};

EXPORTED double enqueue_opencl(const OpenCL* cl, void* queue, void* kernel, const Arguments* given,
                               int count) {
  const std::size_t size = 32;
  return seconds_of_one(count, [&] {
    int code = 0;
    for (unsigned i = 0; i < 3; ++i)
      code |= cl->set_argument(kernel, i, sizeof(void*), &given->memory[i]);
    code |= cl->set_argument(kernel, 3, sizeof given->x, &given->x);
    code |= cl->set_argument(kernel, 4, sizeof given->n, &given->n);
    void* event = nullptr;
    code |= cl->enqueue(queue, kernel, 1, nullptr, &size, &size, 0, nullptr, &event);
    return code != 0 ? code : cl->release_event(event);
  });
}

/// The calls of OpenCL that the other commands take.
struct Commands {
  int (*write)(void*, void*, unsigned, std::size_t, std::size_t, const void*, unsigned,
               void* const*, void**);
  int (*read)(void*, void*, unsigned, std::size_t, std::size_t, void*, unsigned, void* const*,
              void**);
  int (*copy)(void*, void*, void*, std::size_t, std::size_t, std::size_t, unsigned, void* const*,
              void**);
  int (*marker)(void*, unsigned, void* const*, void**);
  int (*wait)(unsigned, void* const*);
  int (*event_info)(void*, unsigned, std::size_t, void*, std::size_t*);
  ReleaseEvent release_event;
};

/// What they are given: OpenCL's handles, and host memory as large as the buffers are.
struct Operands {
  void *queue, *first, *second, *done;
  void* host;
  std::size_t bytes;
};

enum class Command { write, read, copy, marker, wait, status };

EXPORTED double command_opencl(const Commands* cl, const Operands* on, int command, int count) {
  constexpr unsigned blocking = 1, execution_status = 0x11D3;
  return seconds_of_one(count, [&] {
    void* event = nullptr;
    int code = 0, status = 0;
    switch (static_cast<Command>(command)) {
      case Command::write:
        code =
            cl->write(on->queue, on->first, blocking, 0, on->bytes, on->host, 0, nullptr, &event);
        break;
      case Command::read:
        code = cl->read(on->queue, on->first, blocking, 0, on->bytes, on->host, 0, nullptr, &event);
        break;
      case Command::copy:
        code = cl->copy(on->queue, on->first, on->second, 0, 0, on->bytes, 0, nullptr, &event);
        break;
      case Command::marker:
        code = cl->marker(on->queue, 0, nullptr, &event);
        break;
      case Command::wait:
        return cl->wait(1, &on->done);
      case Command::status:
        return cl->event_info(on->done, execution_status, sizeof status, &status, nullptr);
    }
    return code != 0 ? code : cl->release_event(event);
  });
}
