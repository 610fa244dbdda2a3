// SPDX-License-Identifier: MIT
// A linked list that the host makes and a kernel walks: in shared virtual memory an address is the
// same on both. Coarse-grained memory belongs to the host while it is mapped.
#include <cstdio>
#include <treadle/treadle.hpp>
using namespace treadle::opencl;

struct Node {
  Node* next;
  int value, padding;
};

int main() {
  const Device device = Loader::system().platforms().front().devices().at(0);
  const Context context(device);
  const Queue queue(context);
  constexpr std::size_t count = 1000;
  SharedMemory memory, answer;
  try {
    memory = SharedMemory(context, count * sizeof(Node));
    answer = SharedMemory(context, sizeof(int));
  } catch (const treadle::Error& error) {  // before OpenCL 2.0, or without such memory
    std::printf("no shared memory: %s\n", error.what());
    return 0;
  }
  const std::span nodes(static_cast<Node*>(memory.data()), count);
  {
    const SharedMapping host(queue, MapFlags::write, nodes);
    // Every seventh node, round and round: 7 and 1000 have no divisor in common.
    for (std::size_t i = 0; i < count; ++i)
      nodes[i * 7 % count] = {i + 1 < count ? &nodes[(i + 1) * 7 % count] : nullptr,
                              static_cast<int>(i), 0};
  }  // given back to the device

  const Program program = Program::from_source(context, R"(
    typedef struct Node { __global struct Node* next; int value, padding; } Node;
    __kernel void sum(__global const Node* node, __global int* to) {
      int total = 0;
      for (; node; node = node->next) total += node->value;
      *to = total;
    })");
  program.build();
  program.kernel("sum").launch({.queue = queue, .global = {1}}, memory, answer);
  const SharedMapping host(queue, MapFlags::read, std::span(static_cast<int*>(answer.data()), 1));
  std::printf("%s: the nodes' sum is %d\n", device.name().c_str(), host.as<int>()[0]);
  return host.as<int>()[0] == 499500 ? 0 : 1;
}
