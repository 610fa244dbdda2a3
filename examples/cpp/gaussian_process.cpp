// SPDX-License-Identifier: MIT
// A curve through points with noise, and how sure it is, on every device there is: a Gaussian
// process, by one Cholesky factor. With the name of a folder it writes a picture.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array;
using treadle::Index;
using treadle::Scalar;
namespace array = treadle::array;
namespace linalg = treadle::linalg;

constexpr std::int64_t count = 300, width = 400, height = 200;
constexpr double length = 0.6, noise = 0.2, size = 0.7;

Array column(const Array& x) { return x(Index::all(), Index::new_axis()); }

Array curve(const Array& x) { return sin(2 * x) + 0.3 * cos(3 * x); }

// How much the curve at x tells about the curve at y.
Array likeness(const Array& x, const Array& y) {
  return size * exp(-pow(column(x) - y, 2) / (2 * length * length));
}

void write_picture(const std::string& name, const Array& mean, const Array& deviation) {
  const Array distance = abs(column(array::linspace(2.0, -2.0, height)) - mean);
  const Array grey = 255 - 90 * (distance < 2 * deviation) - 120 * (distance < 0.02);
  const auto greys = cast(grey, Scalar::uint8).as<std::uint8_t>();
  std::ofstream file(name, std::ios::binary);
  file << "P5 " << width << ' ' << height << " 255\n";
  file.write(reinterpret_cast<const char*>(greys.data()), width * height);
}

bool is_right_on(const std::shared_ptr<treadle::device::Device>& device, const char* folder) {
  const treadle::DeviceScope on(device);
  treadle::Generator random(8, device);
  // No points in the middle: there it cannot be sure.
  const Array side = random.uniform(-3.3, 3.3, {count});
  const Array x = side + 0.7 * sign(side);
  const Array y = curve(x) + random.normal(0, noise, {count});
  const Array wanted = array::linspace(-4.0, 4.0, width);

  const Array covariance = likeness(x, x) + noise * noise * array::identity(count);
  const Array factor = linalg::cholesky(covariance);
  const Array weights = linalg::solve(transpose(factor), linalg::solve(factor, y));
  const Array between = likeness(x, wanted);
  const Array mean = linalg::matmul(weights, between);
  const Array known = sum(pow(linalg::solve(factor, between), 2), {.axes = 0});
  const Array deviation = sqrt(size - known);
  // The logarithm of how probable these points are; half of log det is on the factor's diagonal.
  const Array fit = -0.5 * sum(y * weights) - sum(log(array::diagonal(factor))) -
                    count / 2.0 * std::log(2 * std::numbers::pi);
  const Array away = abs(mean - curve(wanted)) / deviation;
  const double farthest = double(max(away));
  std::printf("%s: deviation from %.3f to %.3f, log likelihood %.2f, %.2f deviations from curve\n",
              device->info().id.c_str(), double(min(deviation)), double(max(deviation)),
              double(fit), farthest);
  if (folder != nullptr)
    write_picture(std::string(folder) + "/gaussian_process.pgm", mean, deviation);

  // The curve is known: nearly all of it lies within two deviations. And the factor is one.
  const Array error = max(abs(linalg::matmul(factor, transpose(factor)) - covariance));
  const double inside = double(array::mean(away < 2));
  return farthest < 5 && inside > 0.85 && double(error) < 1e-13 * count;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool is_right = true;
    for (const auto& device : treadle::devices())
      if (device->info().traits.runs_kernels)
        is_right = is_right_on(device, argc > 1 ? argv[1] : nullptr) && is_right;
    std::puts(is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
  } catch (const treadle::LibraryNotFound& error) {
    std::printf("skipped: %s\n", error.message().c_str());  // no LAPACK on this machine
    return 77;
  }
}
