// SPDX-License-Identifier: MIT
// Filters of an image, each of them one kernel, on every device there is: blurring, sharpening,
// edges by Sobel's operator.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array, treadle::Index, treadle::Scalar;

// What lies row and column further on, for all elements but those of the border.
Array shifted(const Array& image, int row, int column) {
  const std::int64_t height = image.shape()[0], width = image.shape()[1];
  return image(Index{.start = 1 + row, .stop = height - 1 + row},
               Index{.start = 1 + column, .stop = width - 1 + column});
}

using Weights = std::vector<std::vector<int>>;

// The sum of the neighbours, each by its weight: three rows of three.
Array weighted(const Array& image, const Weights& weights) {
  Array sum;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int weight = weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      if (weight == 0) continue;
      const Array part = weight * shifted(image, i - 1, j - 1);
      sum = sum.has_value() ? sum + part : part;
    }
  return sum;
}

const Weights box{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, sharper{{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
const Weights across{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, down{{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};

Array blur(const Array& image) { return weighted(image, box) / 9; }
Array sharpen(const Array& image) { return clip(weighted(image, sharper), 0, 255); }
Array edges(const Array& image) {
  const Array x = weighted(image, across), y = weighted(image, down);
  return clip(sqrt(x * x + y * y), 0, 255);
}

constexpr std::size_t n = 256;
constexpr std::int64_t extent = n;

double on_host(const std::vector<float>& photo, const Weights& weights, std::size_t place) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      sum += weights[i][j] * double{photo[place + i * n + j]};  // place: the first neighbour
  return sum;
}

// Whether `found`, without the border, is what `expected` says for each first neighbour.
bool is_close(const Array& found, const std::function<double(std::size_t)>& expected) {
  const std::vector<float> values = found.as<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double host = expected(i / (n - 2) * n + i % (n - 2));
    if (std::abs(values[i] - host) > 1e-2 + 1e-4 * host) return false;
  }
  return values.size() == (n - 2) * (n - 2);
}

}  // namespace

int main() {
  namespace array = treadle::array;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array x = array::linspace(-1, 1, extent, true, Scalar::float32);
    const Array radius = hypot(x, x(Index::all(), Index::new_axis()));
    const Array noise =
        treadle::Generator(2, device).normal(0, 8, {extent, extent}, Scalar::float32);
    const Array rings = 127 + 100 * sign(sin(25 * radius)) * (radius < 0.8);
    const Array image = array::copy(clip(rings + noise, 0, 255));
    const std::vector<float> photo = image.as<float>();

    const Array found = edges(image);
    correct = correct && is_close(blur(image), [&](auto i) { return on_host(photo, box, i) / 9; });
    correct = correct && is_close(sharpen(image), [&](auto i) {
                return std::clamp(on_host(photo, sharper, i), 0.0, 255.0);
              });
    correct =
        correct && is_close(found, [&](auto i) {
          return std::min(std::hypot(on_host(photo, across, i), on_host(photo, down, i)), 255.0);
        });
    std::printf("%s: the mean slope is %.1f\n", device->info().id.c_str(), double(mean(found)));
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
