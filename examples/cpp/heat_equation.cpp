// SPDX-License-Identifier: MIT
// The heat equation on a plate, by slices of an array, on every device there is. With the name of a
// folder it writes the plate as a picture.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array, treadle::Index;
constexpr std::int64_t size = 100;
constexpr int steps = 200;

/// What lies rows and columns further on, for all elements but those of the border.
Array shifted(const Array& u, std::int64_t rows, std::int64_t columns) {
  return u(Index{.start = 1 + rows, .stop = size - 1 + rows},
           Index{.start = 1 + columns, .stop = size - 1 + columns});
}

void spread(const Array& u) {
  const Array inner = shifted(u, 0, 0);
  for (int step = 0; step < steps; ++step) {
    const Array around =
        shifted(u, -1, 0) + shifted(u, 1, 0) + shifted(u, 0, -1) + shifted(u, 0, 1);
    inner.assign(inner + 0.2 * (around - 4 * inner));  // one kernel
  }
}

/// The same on the host, element by element.
std::vector<float> spread(std::vector<float> u) {
  for (int step = 0; step < steps; ++step) {
    const std::vector<float> before = u;
    for (std::int64_t i = size + 1; i < size * (size - 1) - 1; ++i) {
      if (i % size == 0 || i % size == size - 1) continue;
      const auto at = [&](std::int64_t k) { return before[static_cast<std::size_t>(k)]; };
      const float around = at(i - size) + at(i + size) + at(i - 1) + at(i + 1);
      u[static_cast<std::size_t>(i)] = at(i) + 0.2f * (around - 4 * at(i));
    }
  }
  return u;
}

}  // namespace

int main(int count, char** arguments) {
  const treadle::Index bar{.start = size / 4, .stop = size / 2};
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array u = treadle::array::zeros({size, size}, treadle::Scalar::float32);
    u(bar, bar) = 100;
    u(Index::all(), 0) = 50;  // the edges stay as they are
    const std::vector<float> expected = spread(u.as<float>());
    spread(u);

    const double error =
        double(max(absolute(u - Array::from(expected.data(), {size, size}, u.dtype()))));
    correct = correct && error < 1e-3;
    std::printf("%s: %g degrees on average\n", device->info().id.c_str(), double(mean(u)));
    if (count > 1) {
      const auto grey = cast(255 * u / max(u), treadle::Scalar::uint8).as<std::uint8_t>();
      std::ofstream file(std::string(arguments[1]) + "/heat.pgm", std::ios::binary);
      file << "P5 " << size << ' ' << size << " 255\n";
      file.write(reinterpret_cast<const char*>(grey.data()), size * size);
    }
  }
  std::printf("check against the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
