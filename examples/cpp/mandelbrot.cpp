// SPDX-License-Identifier: MIT
// The Mandelbrot set by arithmetic on whole arrays of complex numbers, on every device there is.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

constexpr int steps = 50;

// How many steps the point stays within a circle of radius 2.
int count_on_host(std::complex<float> c) {
  std::complex<float> z = 0;
  int count = 0;
  for (int step = 0; step < steps && std::abs(z) <= 2; ++step) {
    z = z * z + c;
    if (std::abs(z) <= 2) ++count;
  }
  return count;
}

}  // namespace

int main() {
  namespace array = treadle::array;
  using treadle::Array, treadle::Index, treadle::Scalar;
  constexpr std::int64_t width = 300, height = width * 4 / 5;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array real = array::linspace(-2.1, 0.7, width, true, Scalar::float32);
    const Array imaginary = array::linspace(-1.12, 1.12, height, true, Scalar::float32);
    const Array rows = imaginary(Index::all(), Index::new_axis());
    const Array c = array::copy(real + std::complex(0.0, 1.0) * rows);

    Array z = array::zeros_like(c);
    Array counts = array::zeros({height, width}, Scalar::int32);
    for (int step = 0; step < steps; ++step) {
      z = where(abs(z) <= 2, z * z + c, z);
      counts += cast(abs(z) <= 2, Scalar::int32);
    }

    const auto points = c.as<std::complex<float>>();
    const std::vector<int> counted = counts.as<int>();
    std::size_t different = 0;  // near the border the last bit of a product decides
    for (std::size_t i = 0; i < points.size(); ++i)
      if (counted[i] != count_on_host(points[i])) ++different;
    const double share = double(mean(counts == steps));
    std::printf("%s: %.1f %% of the points are in the set, %zu differ from the host's\n",
                device->info().id.c_str(), 100 * share, different);
    correct = correct && share > 0.1 && different < points.size() / 100;
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
