// SPDX-License-Identifier: MIT
// A picture with stripes that a scanner left, and without them: they are a few frequencies of it.
// With the name of a folder it writes the pictures.
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

constexpr std::int64_t n = 256;

Array column(const Array& x) { return x(Index::all(), Index::new_axis()); }

void write_picture(const std::string& name, const Array& picture) {
  const std::vector<std::uint8_t> greys =
      cast(clip(picture, 0, 255), Scalar::uint8).as<std::uint8_t>();
  std::ofstream file(name, std::ios::binary);
  file << "P5 " << n << ' ' << n << " 255\n";
  file.write(reinterpret_cast<const char*>(greys.data()), n * n);
}

double mean_distance(const Array& x, const Array& y) { return double(mean(abs(x - y))); }

}  // namespace

int main(int argc, char** argv) {
  const Array x = array::linspace(-2.0, 2.0, n, true, Scalar::float32);
  const Array squares = pow(column(x), 2) + pow(x, 2);
  const Array rings = 128 + 90 * cos(4 * squares) * exp(-pow(column(x), 2));
  const double turn = 2 * std::numbers::pi * (n / 4) / n;
  const Array stripes = 60 * sin(turn * array::arange(0, n, 1, Scalar::float32));
  const Array scanned = rings + stripes;

  // The stripes have one frequency along a row, and none down a column.
  const Array spectrum = fft::rfft(scanned, {.axes = {0, 1}});
  const Array across = fft::rfftfreq(n, 1.0 / n), down = abs(fft::fftfreq(n, 1.0 / n));
  const Array is_kept = (abs(across - n / 4) > 2) | column(down > 2);
  const Array filtered = fft::irfft(spectrum * is_kept, {.axes = {0, 1}, .lengths = {n, n}});

  const double before = mean_distance(scanned, rings), after = mean_distance(filtered, rings);
  std::printf("mean distance from the picture without stripes: %.2f before, %.2f after\n", before,
              after);
  if (argc > 1) {
    write_picture(argv[1] + std::string("/scanned.pgm"), scanned);
    write_picture(argv[1] + std::string("/filtered.pgm"), filtered);
  }
  return after < before / 20 ? 0 : 1;
}
