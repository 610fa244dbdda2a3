// SPDX-License-Identifier: MIT
// A picture in colours to one in greys by an ElementwiseKernel, on every device there is. With the
// name of a folder it writes both.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

constexpr std::size_t n = 512;
constexpr std::int64_t extent = n;

// Red, green and blue of each point.
std::vector<std::uint8_t> make_picture() {
  std::vector<std::uint8_t> rgb;
  const auto angle = [](std::size_t i) {
    return 4 * std::numbers::pi * static_cast<double>(i) / (n - 1);
  };
  const auto shade = [](double wave) { return static_cast<std::uint8_t>(127.5 * (1 + wave)); };
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      rgb.push_back(shade(std::sin(angle(column))));
      rgb.push_back(shade(std::cos(angle(row))));
      rgb.push_back(shade(std::sin(angle(row) + angle(column))));
    }
  return rgb;
}

void write_picture(const std::string& name, const char* format,
                   const std::vector<std::uint8_t>& values) {
  std::ofstream file(name, std::ios::binary);
  file << format << ' ' << n << ' ' << n << " 255\n";
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size()));
}

}  // namespace

int main(int count, char** arguments) {
  using treadle::Array, treadle::Scalar;
  // The shape is that of grey[i]; rgb is a table.
  treadle::array::ElementwiseKernel to_grey(
      "unsigned char *grey, const unsigned char *rgb",
      "grey[i] = luma(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2])",
      {.name = "to_grey", .preamble = R"(
#include "treadle/dialect.h"
TREADLE_FUNCTION unsigned char luma(float red, float green, float blue)
{
    return (unsigned char)(0.299f * red + 0.587f * green + 0.114f * blue + 0.5f);
}
)"});
  const std::vector<std::uint8_t> rgb = make_picture();
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array grey = treadle::array::empty({extent, extent}, Scalar::uint8);
    to_grey(grey, Array::from(rgb.data(), {extent, extent, 3}, Scalar::uint8));
    const std::vector<std::uint8_t> found = grey.as<std::uint8_t>();
    std::printf("%s: the mean grey is %.1f\n", device->info().id.c_str(), double(mean(grey)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double exact = 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2];
      correct = correct && std::abs(found[i] - exact) <= 0.5001;  // rounded to either side of .5
    }
    if (count > 1) {
      write_picture(std::string(arguments[1]) + "/rgb.ppm", "P6", rgb);
      write_picture(std::string(arguments[1]) + "/grey.pgm", "P5", found);
    }
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
