// SPDX-License-Identifier: MIT
// Stripes out of chance, on every device there is: Swift and Hohenberg's equation,
// du/dt = r u - (1 + laplace)^2 u - u^3. The linear part is solved in frequencies, where it is a
// factor, and the cube in space. With the name of a folder it writes a picture.
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
namespace fft = treadle::fft;

constexpr std::int64_t n = 128, waves = n / 8;  // of length 2 pi in the square
constexpr double growth = 0.3, step = 0.5;

Array column(const Array& x) { return x(Index::all(), Index::new_axis()); }
Array forward(const Array& x) { return fft::rfft(x, {.axes = {0, 1}}); }
Array back(const Array& x) { return fft::irfft(x, {.axes = {0, 1}, .lengths = {n, n}}); }

// How fast waves of each frequency grow: fastest where the length is 2 pi.
Array growth_of_waves() {
  const double spacing = static_cast<double>(waves) / n;
  const Array down = column(fft::fftfreq(n, spacing)), across = fft::rfftfreq(n, spacing);
  return growth - pow(1 - (pow(down, 2) + pow(across, 2)), 2);
}

Array stepped(Array u, int steps) {
  const Array damping = 1 / (1 - step * growth_of_waves());
  for (int i = 0; i < steps; ++i) u = back(forward(u - step * pow(u, 3)) * damping);
  return u;
}

// What falls in time, whatever the state: minus half of growth, and a fourth of u^4.
double energy(const Array& u) {
  const Array grown = back(forward(u) * growth_of_waves());
  return double(mean(pow(u, 4) / 4 - u * grown / 2));
}

void write_picture(const std::string& name, const Array& u) {
  const Array grey = (u - min(u)) * (255 / ptp(u));
  const auto greys = cast(grey, Scalar::uint8).as<std::uint8_t>();
  std::ofstream file(name, std::ios::binary);
  file << "P5 " << n << ' ' << n << " 255\n";
  file.write(reinterpret_cast<const char*>(greys.data()), n * n);
}

bool is_right_on(const std::shared_ptr<treadle::device::Device>& device, const char* folder) {
  const treadle::DeviceScope on(device);
  treadle::Generator random(4, device);
  Array u = random.normal(0, 0.1, {n, n});
  bool is_falling = true;
  double now = energy(u);
  std::printf("%s: energy %.5f", device->info().id.c_str(), now);
  for (int i = 0; i < 4; ++i) {
    u = stepped(u, 100);
    const double before = now;
    now = energy(u);
    is_falling = is_falling && now < before;
    std::printf(" %.5f", now);
  }
  if (folder != nullptr) write_picture(std::string(folder) + "/swift_hohenberg.pgm", u);

  // Straight stripes are a solution, a cos(x) + b cos(3 x) with a^2 near 4/3 of r and little b.
  const Array x = array::arange(0, n, 1, Scalar::float64) * (2 * std::numbers::pi * waves / n);
  const Array stripes = stepped(copy(array::broadcast_to(0.3 * cos(x), {n, n})), 200);
  const double amplitude = 2 * double(mean(stripes * cos(x)));
  const double expected = std::sqrt(4.0 / 3 * growth);
  std::printf("; straight stripes of %.4f, expected %.4f\n", amplitude, expected);
  return is_falling && std::abs(amplitude / expected - 1) < 2e-3 && now > energy(stripes) - 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  bool is_right = true;
  for (const auto& device : treadle::devices())
    if (device->info().traits.runs_kernels)
      is_right = is_right_on(device, argc > 1 ? argv[1] : nullptr) && is_right;
  std::puts(is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
