// SPDX-License-Identifier: MIT
// One kernel text, on every device there is: CUDA C or OpenCL C, whichever the device takes.
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_KERNEL twice(TREADLE_GLOBAL float *a) { a[treadle_global_id(0)] *= 2; }
)";

int main() {
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    const treadle::Program program(device, source);
    std::vector<float> values(64, 21.0f);
    const treadle::Buffer buffer(device, values);
    const auto stream = device->make_stream();
    stream->launch(program.kernel("twice"), {.groups = 4, .group_size = 16}, buffer);
    stream->synchronize();
    buffer.copy_to(values);
    std::printf("%s, %s: 2 * 21 = %g\n", device->info().id.c_str(), device->info().name.c_str(),
                static_cast<double>(values[63]));
    correct = correct && values[63] == 42;
  }
  return correct ? 0 : 1;
}
